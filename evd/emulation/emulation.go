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
	"github.com/vkevd/vkevd/vk/spirv"
)

// Use is the method for the large products of a solve: native products, products on integer units,
// or those of the two that the measured speeds of the device suggest.
type Use int

const (
	Auto Use = iota
	Native
	Always
)

// Least returns the smallest number of moduli of emulated products. Integer units compute these
// products modulo several small numbers, the moduli. The moduli for complex numbers are smaller, so
// more of them are needed.
func Least[T spirv.Scalar]() int {
	if spirv.KindOf[T]().IsComplex() {
		return moduli.LeastComplex
	}
	return moduli.Least
}

// Double is a number of double precision, the numbers of emulated products.
type Double = emulated.Double

// VectorModuli returns the usual number of moduli of products for the vectors. The orthogonality of
// the vectors needs one more than Least.
func VectorModuli[T spirv.Scalar]() int { return Least[T]() + 1 }

// ReductionModuli returns the number of moduli of products for the reduction, if products for the
// vectors have `vectors` of them: one less, but not fewer than Least. The errors of the reduction
// only change the values by rounding errors.
func ReductionModuli[T spirv.Scalar](vectors int) int { return max(vectors-1, Least[T]()) }

// Products are the emulated products of one solve: *emulated.Ops for its number type.
type Products []interface {
	Status() *vk.Layout
	Work() *vk.Layout
	Begin(rec *vk.Recorder, ws *vk.Arena)
	Refused(ws *vk.Arena) vk.Slice[uint32]
}

// Status returns the memory in which emulated products count refused rows. Its contents must stay
// until the recording has been executed.
func (ps Products) Status() *vk.Layout {
	var parts []vk.Space
	for _, p := range ps {
		parts = append(parts, p.Status())
	}
	return vk.Together(parts...)
}

// Work returns the workspace of the products and of `others`, which share it. No two products may
// be recorded concurrently.
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
// products have refused so far. They refuse rows that they cannot scale, for example because a
// number is not finite.
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
type Maker[T emulated.Double] func(moduli, room int) (*emulated.Ops[T], error)

// Both makes the emulated products of a solve: first those for its reduction, and then those for
// its vectors. The products for the vectors have `moduli` moduli; 0 means VectorModuli. A nil Maker
// makes no products.
func (make Maker[T]) Both(moduli int) (both []*emulated.Ops[T], err error) {
	if make == nil {
		return nil, nil
	}
	vectors := cmp.Or(moduli, VectorModuli[T]())
	for _, count := range []int{ReductionModuli[T](vectors), vectors} {
		ops, err := make(count, 0)
		if err != nil {
			return nil, err
		}
		both = append(both, ops)
	}
	return both, nil
}

// OrNative returns the plan that newPlan(false) makes. If this plan cannot be made, and `auto` says
// that the caller left the choice of products open, OrNative returns the plan of newPlan(true),
// which has native products. They need less memory and fewer kernels: the driver may be unable to
// compile a kernel of emulated products. If the device is lost or closed, no second plan is tried.
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
func Choose[T emulated.Double](dev *vk.Device, force bool, t tuning.Tuning) (emulated.Choice, error) {
	// The speeds are measured once and stored. With the context of a caller, the measurement could
	// end early for all later callers.
	ctx := context.Background()
	if force {
		return emulated.Force[T](ctx, dev, t.Products)
	}
	return emulated.Choose[T](ctx, dev, t.Products)
}

// Gain returns the ratio of the measured rates of emulated and native products on the device: of
// complex128 if T is complex, and of float64 if T is real. It is 0 if they were not measured.
func Gain[T spirv.Scalar](dev *vk.Device) float64 {
	if spirv.KindOf[T]().IsComplex() {
		return emulated.Known[complex128](dev).Gain()
	}
	return emulated.Known[float64](dev).Gain()
}

func By[T emulated.Double](dev *vk.Device, t tuning.Tuning, rates emulated.Facts) Maker[T] {
	t = t.BoundedBytes(machine.Of(dev).Rates().FP64, rates.Bytes)
	sizes := t.Products.Emulated.ByGain(rates.Gain())
	return func(count, room int) (*emulated.Ops[T], error) {
		plain, err := product.New[T](dev, t.Products)
		if err != nil {
			return nil, err
		}
		return emulated.New(context.Background(), dev, plain, sizes.Within(room, count), count)
	}
}

func Chosen[T emulated.Double](dev *vk.Device, c emulated.Choice, t tuning.Tuning) Maker[T] {
	if !c.Emulated {
		return nil
	}
	return By[T](dev, t, c.Facts)
}
