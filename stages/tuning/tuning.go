// Package tuning, internal to vkevd, holds the sizes of all stages for each machine that was
// measured.
//
// Each machine has a file with its table. The tables form a chain, from that of the machine over
// that of its vendor to sizes that run anywhere: h200 → nvidia → anywhere. The function On takes
// each row from the first table of the chain whose row fits the limits of the device: its shared
// memory, its invocations in a workgroup, its subgroups. So if a row does not fit, the next table
// is tried. Only sizes that the caller sets can lead to an error.
package tuning

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Tuning is the set of all sizes that are measured rather than derived, for one device. The option
// --tuning reads it as JSON.
type Tuning struct {
	// Band is the half-bandwidth b of the band reduction, at least 1. Block is the rank k of its
	// trailing updates, a multiple of Band.
	Band, Block int

	// ValuesBand is the half-bandwidth b if at most a quarter of the vectors is wanted, for orders
	// from ValuesFrom on. If ValuesFrom is 0, ValuesBand is never used.
	ValuesBand, ValuesFrom int

	// QRFirst is a ratio of rows to columns. A general matrix with this ratio or a larger one gets a
	// QR factorisation before its reduction to a band. 0 means that no matrix gets one.
	QRFirst float64

	Products      product.Tuning                  // all large products
	Panel         stages.PanelTuning              // panels of the band reduction, and ApplyQ1
	Sytrd         stages.TridiagonalisationTuning // reduction in one stage, and for which orders
	Chase         Chase                           // bulge chasing
	ApplyQ2       stages.ApplyQ2Tuning            // back transformation 2
	Bisection     stages.BisectionTuning          // bisection and Sturm counts
	DivideConquer stages.DivideConquerTuning      // divide and conquer
	MRRR          stages.MRRRTuning               // relatively robust representations
	QR            stages.QRTuning                 // orders up to which QR iteration on the host is faster
	ConquerValues ConquerValues                   // values alone by divide and conquer
	Batch         stages.BatchTuning              // batches of small matrices
}

// ConquerValues says when divide and conquer finds values alone faster than bisection: for orders
// from From on, if at least 1/Share of the values are wanted. If From is 0, never.
type ConquerValues struct{ From, Share int }

// Chase is the set of sizes of the bulge chasing, and also the rules of waiting for all stages.
// These rules are here only for the sake of the JSON form.
type Chase struct {
	stages.ChaseTuning

	// Wavefront forbids waits between workgroups in all stages. The bulge chasing then has a
	// dispatch for each wave of steps.
	Wavefront bool

	// WideFence makes every invocation issue the fence before a flag is published and after a flag
	// was seen. See machine.WideFence.
	WideFence bool
}

// Waiting tells how the stages of a plan may wait. If the tuning forbids waits, they may not wait,
// and the machine is not asked. Otherwise the answer is that of the machine, which runs a kernel to
// find it.
func (t Tuning) Waiting(ctx context.Context, m *machine.Machine) (stages.Waiting, error) {
	w := stages.Waiting{WideFence: t.Chase.WideFence || !m.Info.FenceChains()}
	if t.Chase.Wavefront {
		return w, nil
	}
	var err error
	w.Allowed, err = m.MayWait(ctx)
	return w, err
}

// OneStage tells whether a matrix of order n ≥ 1 is reduced to tridiagonal form in one stage, m
// vectors being wanted: where it is faster, and where workgroups may wait for each other.
func (t Tuning) OneStage(n, m int, w stages.Waiting, info vk.Info) bool {
	most := t.Sytrd.Values
	if m > 0 {
		most = t.Sytrd.Vectors
	}
	return w.Allowed && n <= most && t.Sytrd.Fits(info, n) == nil
}

// For returns the tuning for order n and m vectors. A wide band makes the band reduction cheaper.
// It makes the bulge chasing and the back transformation of each vector more expensive, so that it
// does not pay if many vectors are wanted.
func (t Tuning) For(n, m int) Tuning {
	if t.ValuesFrom > 0 && n >= t.ValuesFrom && 4*m <= n {
		t.Band, t.Block = t.ValuesBand, max(t.Block/t.ValuesBand, 1)*t.ValuesBand
	}
	return t
}
