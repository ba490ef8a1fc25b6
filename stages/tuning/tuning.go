// Package tuning, internal to vkevd, holds the sizes of all stages: a general table, a table for
// each vendor, and for each measured device only the sizes that differ from those of its vendor's
// table and of the general one.
//
// The tables form a chain: first the table of the device, then the table of its vendor, then a
// table that fits every device, for example h200 → nvidia → anywhere. Each device has a file with
// the numbers that differ from those of the next table in its chain. The command vkevd tune --print
// writes such a file. No other package knows a device by its name. The function On takes each row
// from the first table of the chain whose row fits the limits of the device: its shared memory, its
// invocations in a workgroup, its subgroups. So if a row does not fit, the row of the next table is
// tried. Only sizes that the caller sets can lead to an error.
package tuning

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/stages/tridiag/steqr"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tuning is the set of all sizes for one device that come from measurements. The option --tuning
// reads it as JSON.
type Tuning struct {
	// Band is the half-bandwidth b of the band reduction, at least 1. Block is the number k of
	// columns after which the trailing matrix gets one update of rank 2k, a multiple of Band. See
	// SmallBlock for small orders.
	Band, Block int

	// SmallBlock takes the place of Block for orders up to SmallTo, rounded down to a multiple of
	// Band. A small k makes a panel cheaper, and the trailing updates of large matrices dearer. If
	// SmallTo is 0, SmallBlock is never used. Singular value decompositions and matrices that are
	// divided among devices do not use it, and neither does a plan with evd.ProductsEmulated. No
	// measured device with a SmallBlock chooses emulated products by itself for these orders.
	SmallBlock, SmallTo int

	// ValuesBand is the half-bandwidth b for eigenvalues if the order is at least ValuesFrom and at
	// most a quarter of the vectors is wanted. If ValuesFrom is 0, ValuesBand is never used.
	// Singular value decompositions do not use ValuesBand. They use ValuesFrom if it is not 0, for
	// orders from ValuesFrom on, if no vectors are wanted and Options.Band asks for a wide band.
	// Then passes make the band narrower before it is reduced to bidiagonal form.
	ValuesBand, ValuesFrom int

	// QRFirst is a ratio of rows to columns. A general matrix with at least this ratio gets a QR
	// factorisation before its reduction to a band. 0 means that no matrix gets a QR factorisation.
	QRFirst float64

	Products       product.Tuning                  // all large products
	Singles        Sizes                           `json:",omitzero"` // sizes for matrices of float32 in place of others
	Complexes      Sizes                           `json:",omitzero"` // sizes for matrices of complex128 in place of others
	ComplexSingles Sizes                           `json:",omitzero"` // sizes for matrices of complex64 in place of others
	Doubles        product.Tuning                  `json:",omitzero"` // products for the tridiagonal problem of a plan for other types than float64; see Double
	Panel          panel.Tuning                    // panels of the reductions to a band; ApplyQ1
	Sytrd          reduce.TridiagonalisationTuning // reduction in one stage, and for which orders
	Cholesky       factor.Tuning                   // Cholesky factors and generalized eigenproblems
	Waits          Waits                           // rules for waits between workgroups
	Chase          chase.Tuning                    // bulge chasing
	Narrow         chase.NarrowTuning              // passes that make a caller's band narrower
	ApplyQ2        back.ApplyQ2Tuning              // back transformation 2
	Bisection      stebz.Tuning                    // bisection and Sturm counts
	DivideConquer  stedc.Tuning                    // divide and conquer
	MRRR           stemr.Tuning                    // relatively robust representations
	QR             steqr.QRTuning                  // orders up to which QR iteration on the host is faster
	ConquerValues  ConquerValues                   // values alone by divide and conquer
	Divided        Divided                         // matrices that several devices divide
	Batch          batch.Tuning                    // batches of small matrices

	// Plans do not use these rows.
	Host     Host     `json:"-"` // orders from which the device is faster than the CPU
	Forecast Forecast `json:"-"` // speeds for forecasts of times
}

// Double returns the tuning for the tridiagonal problem, which is solved in double precision for
// every number type. If Doubles has tiles, Doubles replaces Products.
func (t Tuning) Double() Tuning {
	if len(t.Doubles.Tiles) > 0 {
		t.Products = t.Doubles
	}
	return t
}

// ConquerValues says when divide and conquer finds values without vectors faster than bisection:
// from order From on, if at least 1/Share of the values are wanted. If From is 0, bisection is
// always used.
type ConquerValues struct{ From, Share int }

// Divided has the orders from which several devices of one name are faster if they divide the
// matrix, too, and not only the vectors. Values is for eigenvalues alone, and Vectors for solves
// with vectors. With 0 they divide only matrices that do not fit one device. Singular value
// decompositions do not use Divided.
type Divided struct{ Values, Vectors int }

// Divides tells whether devices of one name divide a matrix of order n, with m wanted vectors,
// because that is faster.
func (d Divided) Divides(n, m int) bool {
	from := d.Values
	if m > 0 {
		from = d.Vectors
	}
	return from > 0 && n >= from
}

// Waits has rules for waits between workgroups in all stages.
type Waits struct {
	// Wavefront forbids waits between workgroups. The bulge chasing then has one dispatch for each
	// set of independent steps (a wave).
	Wavefront bool

	// If WideFence is true, every invocation of a workgroup issues the memory barrier (fence)
	// before a flag is published and after a flag was seen. One invocation can issue the fence for
	// its workgroup only if the driver implements the availability and visibility chains of
	// Vulkan's memory model: the barrier of the workgroup is the first link of the chain, and the
	// fence is the second link. A table allows this only for drivers on which such chains were
	// tested. On sets WideFence for drivers without chains.
	WideFence bool
}

// Waiting returns how the workgroups of the stages may wait for each other. If the tuning forbids
// waits, they may not wait. Otherwise m.MayWait and panel.Meet decide, which run kernels. A
// reduction in one stage counts as a panel. The trial has as many workgroups as the stages use on
// this device. For example, a part of a GPU may have fewer units than the panels of the table have
// workgroups.
func (t Tuning) Waiting(ctx context.Context, m *machine.Machine) (stages.Waiting, error) {
	w := stages.Waiting{WideFence: t.Waits.WideFence || !m.Info.FenceChains()}
	if t.Waits.Wavefront {
		return w, nil
	}
	var err error
	if w.Allowed, err = m.MayWait(ctx, w.WideFence); !w.Allowed {
		return w, err
	}
	meets, err := panel.Meet(ctx, m, max(t.Band, 1), t.Meeting(m.Info), t.Panel)
	w.Crowded = !meets
	return w, err
}

func (t Tuning) NarrowSize(n, b int) chase.NarrowSize {
	size := chase.NarrowSize{N: n, From: max(1, min(b, n-1))}
	size.To = min(size.From, max(t.Narrow.To, 2))
	size.Tile = max(1, min(t.Narrow.Tile, size.From-size.To))
	return size
}

// Meeting returns the largest number of workgroups of a stage that all wait for each other, or 0 if
// no stage has such workgroups on the device.
func (t Tuning) Meeting(info vk.Info) int {
	return max(t.Panel.Meeting(info), t.Sytrd.Meeting(info))
}

// NeverMeeting returns t without the stages whose workgroups all wait for each other. Waiting then
// runs no trial for them.
func (t Tuning) NeverMeeting() Tuning {
	t.Panel.Whole, t.Sytrd = false, reduce.TridiagonalisationTuning{}
	return t
}

// OneStage returns whether a matrix of T of order n ≥ 1, with m wanted vectors, is reduced to
// tridiagonal form in one stage: if this is faster than two stages, if all workgroups may wait for
// each other at the same time, and if the sizes t.Sytrd fit the device.
func OneStage[T spirv.Scalar](t Tuning, n, m int, w stages.Waiting, info vk.Info) bool {
	most := t.Sytrd.Values
	if m > 0 {
		most = t.Sytrd.Vectors
	}
	return w.Allowed && !w.Crowded && n <= most && reduce.Fits[T](t.Sytrd, info, n) == nil
}

// For returns the tuning for order n and m vectors. Band and Block of the result are those for this
// order. A wide band makes the band reduction cheaper, but the bulge chasing and the back
// transformation of each vector more expensive. So it is used only if few vectors are wanted.
func (t Tuning) For(n, m int) Tuning {
	if n <= t.SmallTo {
		t.Block = max(t.SmallBlock/t.Band, 1) * t.Band
	}
	if t.ValuesFrom > 0 && n >= t.ValuesFrom && 4*m <= n {
		t.Band, t.Block = t.ValuesBand, max(t.Block/t.ValuesBand, 1)*t.ValuesBand
	}
	return t
}
