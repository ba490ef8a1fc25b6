// Package emulation, internal to vkevd, holds the matrix products of one solve that emulate double
// precision on integer units, and chooses between them and native products.
package emulation

import (
	"cmp"
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Use says how large products of a solve are computed: as the speeds of the device suggest, natively, or
// on integer units.
type Use int

const (
	Auto Use = iota
	Native
	Always
)

// VectorModuli is the usual number of moduli of emulated products for the vectors. An emulated
// product is computed by integer units, modulo several small numbers. The orthogonality of the
// vectors needs 14.
const VectorModuli = 14

// ReductionModuli returns the number of moduli of products for the reduction, if products for the
// vectors have `vectors` of them. The reduction needs one modulus less, because its errors only
// change the values by rounding errors.
func ReductionModuli(vectors int) int { return max(vectors-1, moduli.Least) }

type Products []*emulated.Ops

// Status returns the memory in which emulated products count refused rows. Its contents must stay
// until the recording has been executed.
func (ps Products) Status() *vk.Layout {
	var parts []vk.Space
	for _, p := range ps {
		parts = append(parts, p.Status())
	}
	return vk.Together(parts...)
}

// Work returns the workspace of the products and of `others`, which share it. No two products may be
// recorded concurrently.
func (ps Products) Work(others ...vk.Space) *vk.Layout {
	for _, p := range ps {
		others = append(others, p.Work())
	}
	return vk.InTurn(others...)
}

func (ps Products) Begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, p := range ps {
		p.Begin(rec, ws)
	}
}

// Refused makes the call `c` read, when the recording runs, how many rows of factors the emulated
// products have refused so far. They refuse rows whose numbers are too large or not finite.
func (ps Products) Refused(c *plan.Call, rec *vk.Recorder, ws *vk.Arena) {
	for _, p := range ps {
		for i := range 2 {
			c.Info(rec, stages.CauseRefused, stages.PhaseEmulated, p.Refused(ws).Sub(i, 1))
		}
	}
}

func (ps Products) Panel(t tuning.Tuning) panel.Tuning {
	if len(ps) > 0 {
		t.Panel.Merge = max(t.Panel.Merge, t.Products.Emulated.Merge)
	}
	return t.Panel
}

// Maker is a function that makes emulated products with the given number of moduli. Their residues
// need about `room` bytes at most, or as many as the tuning says if room is 0. A nil Maker means
// native products.
type Maker func(moduli, room int) (*emulated.Ops, error)

// Both makes the emulated products of a solve with the Maker that `choose` returns: first those for
// its reduction, and then those for its vectors. The latter have `moduli` moduli; 0 means VectorModuli.
// The result is empty if the Maker is nil.
func Both(moduli int, choose func() (Maker, error)) (Products, error) {
	make, err := choose()
	if err != nil || make == nil {
		return nil, err
	}
	count := cmp.Or(moduli, VectorModuli)
	reduction, err := make(ReductionModuli(count), 0)
	if err != nil {
		return nil, err
	}
	vectors, err := make(count, 0)
	if err != nil {
		return nil, err
	}
	return Products{reduction, vectors}, nil
}

// OrNative returns the plan that newPlan(false) makes. If this plan cannot be made, and `auto` says
// that it may have chosen emulated products itself, OrNative returns the plan of newPlan(true), which
// has native products. They need less memory and fewer kernels: the driver may be unable to compile a
// kernel of emulated products. If the device is lost or closed, no second plan is tried.
func OrNative[P any](auto bool, newPlan func(native bool) (P, error)) (P, error) {
	p, err := newPlan(false)
	if auto && err != nil && !errors.Is(err, vk.ErrDeviceLost) && !errors.Is(err, vk.ErrClosed) {
		return newPlan(true)
	}
	return p, err
}

// Choose chooses between native and emulated products by the measured speeds of the device. If
// `force` is true it chooses emulated products, and the error is a *vk.UnsupportedError if the
// device has no units for them, or units that computed wrong results. Other errors are those of vk.
func Choose(dev *vk.Device, force bool, t tuning.Tuning) (emulated.Choice, error) {
	// The speeds are measured once and stored. With the context of a caller, the measurement could
	// end early for all later callers.
	ctx := context.Background()
	if force {
		return emulated.Force(ctx, dev, t.Products)
	}
	return emulated.Choose(ctx, dev, t.Products)
}

// Gain returns the ratio of the measured rates of emulated and native products on the device. It is 0
// if they were not measured.
func Gain(dev *vk.Device) float64 { return emulated.Known(dev).Gain() }

func By(dev *vk.Device, t tuning.Tuning, rates emulated.Facts) Maker {
	t = t.BoundedBytes(machine.Of(dev).Rates().FP64, rates.Bytes)
	sizes := t.Products.Emulated.ByGain(rates.Gain())
	return func(count, room int) (*emulated.Ops, error) {
		plain, err := product.New[float64](dev, t.Products)
		if err != nil {
			return nil, err
		}
		return emulated.New(context.Background(), dev, plain, sizes.Within(room, count), count)
	}
}

func Chosen(dev *vk.Device, c emulated.Choice, t tuning.Tuning) Maker {
	if !c.Emulated {
		return nil
	}
	return By(dev, t, c.Facts)
}
