// Package tuning, internal to vkevd, holds the sizes of all stages for each machine that was
// measured.
//
// A machine has a file with its table. Tables form a chain, from the machine itself over its vendor
// to sizes that run anywhere: h200 → nvidia → anywhere. On takes each row from the first table of
// the chain whose row fits the limits of the device: its shared memory, its invocations in a
// workgroup, its subgroups. So a row that does not fit falls through to the next one; only what the
// caller sets is refused.
package tuning

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
)

// Tuning is all sizes that are measured rather than derived, for one device. Its JSON form is that
// of the option --tuning.
type Tuning struct {
	// Band is the half-bandwidth b of the band reduction, at least 1. Block is the rank k of its
	// trailing updates, a multiple of Band.
	Band, Block int

	// ValuesBand is b where at most a quarter of the vectors is wanted, for orders from ValuesFrom
	// on. If ValuesFrom is 0, it is never taken.
	ValuesBand, ValuesFrom int

	Products      product.Tuning             // all large products
	Panel         stages.PanelTuning         // panels of the band reduction, and ApplyQ1
	Chase         Chase                      // bulge chasing
	ApplyQ2       stages.ApplyQ2Tuning       // back transformation 2
	Bisection     stages.BisectionTuning     // bisection and Sturm counts
	DivideConquer stages.DivideConquerTuning // divide and conquer
	MRRR          stages.MRRRTuning          // relatively robust representations
	QR            stages.QRTuning            // orders up to which QR iteration on the host is faster
}

// Chase is the sizes of the bulge chasing, and how all stages wait. That the latter stands here is
// a matter of the JSON form.
type Chase struct {
	stages.ChaseTuning

	// Wavefront: no workgroup of any stage waits for another. The bulge chasing does a dispatch for
	// each wave.
	Wavefront bool

	// WideFence: every invocation fences before a flag is published and after it was seen. See
	// machine.WideFence.
	WideFence bool
}

// Waiting is how the stages of a plan may wait: not at all if the tuning forbids it, otherwise as
// the machine allows. Only in the latter case is the machine asked, which runs a kernel.
func (t Tuning) Waiting(ctx context.Context, m *machine.Machine) (stages.Waiting, error) {
	w := stages.Waiting{WideFence: t.Chase.WideFence || !m.Info.FenceChains()}
	if t.Chase.Wavefront {
		return w, nil
	}
	var err error
	w.Allowed, err = m.MayWait(ctx)
	return w, err
}

// For is the tuning for order n and m vectors. A wide band makes the reduction cheaper. It makes
// the bulge chasing more expensive, and the back transformation of each vector, so that it does not
// pay where many vectors are wanted.
func (t Tuning) For(n, m int) Tuning {
	if t.ValuesFrom > 0 && n >= t.ValuesFrom && 4*m <= n {
		t.Band, t.Block = t.ValuesBand, max(t.Block/t.ValuesBand, 1)*t.ValuesBand
	}
	return t
}
