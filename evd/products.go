package evd

import (
	"context"
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Products says how a plan computes its large matrix products in double precision.
type Products int

const (
	// ProductsAuto chooses emulated products for float64 and orders from AutoOrder on, if two
	// conditions hold. The device's integer units computed right results in a trial. They are so
	// much faster than the device's double precision that a whole solve becomes faster. The first
	// plan on a device measures both speeds, and stores them for the device. Otherwise, or if the
	// device's memory is too small for the residues that emulation needs, ProductsAuto chooses
	// native products.
	ProductsAuto Products = iota

	// ProductsNative chooses products in the device's double precision.
	ProductsNative

	// ProductsEmulated chooses products by integer units: matrix units for bytes, or packed dot
	// products. The errors of products are bounded by norms of the factors, which suffices for the
	// error bounds of all results (see Options.Moduli). If the device has no such units, NewPlan
	// returns a *vk.UnsupportedError.
	ProductsEmulated
)

var productNames = [...]string{"auto", "native", "emulated"}

// String returns the name: auto, native or emulated.
func (p Products) String() string {
	if p < 0 || int(p) >= len(productNames) {
		return fmt.Sprintf("Products(%d)", int(p))
	}
	return productNames[p]
}

// ParseProducts returns the Products with the name s, which is a name that String returns. For
// other names the error is an *OptionError.
func ParseProducts(s string) (Products, error) {
	for p, name := range productNames {
		if s == name {
			return Products(p), nil
		}
	}
	return 0, spectrum.BadOption("Products", fmt.Sprintf("%q is not auto, native or emulated", s))
}

// reductionModuli and vectorModuli are the numbers of moduli of emulated products. An emulated
// product is computed by integer units, modulo several small numbers. The reduction needs fewer
// moduli, because its errors only change the eigenvalues by rounding errors. The orthogonality of
// the vectors needs 14.
const reductionModuli, vectorModuli = 13, 14

// checkProducts returns an *OptionError if the value of Options.Products or Options.Moduli is not
// possible.
func (opt Options) checkProducts() error {
	switch {
	case opt.Products < ProductsAuto || opt.Products > ProductsEmulated:
		return spectrum.BadOption("Products", fmt.Sprintf("there is no choice %d", int(opt.Products)))
	case opt.Moduli != 0 && (opt.Moduli < moduli.Least || opt.Moduli > moduli.Most):
		return spectrum.BadOption("Moduli", fmt.Sprintf("%d is not between %d and %d", opt.Moduli, moduli.Least, moduli.Most))
	}
	return nil
}

// products holds the matrix products that a solve uses. Checks use the native products, because a
// check must not depend on the products that it checks.
type products[T Float] struct {
	native, reduction, vectors product.Ops[T]

	// tridiagonal are the double-precision products that the tridiagonal problem uses. `extra` is
	// the workspace that they need in addition to that of the other products.
	tridiagonal product.Ops[float64]
	extra       *vk.Layout

	// emulated lists those of the products for the reduction and for the vectors that are emulated
	// by integer units.
	emulated emulatedOps
}

// emulatedOps lists the products of one solve that emulate double precision on integer units. It is
// empty if all products are native.
type emulatedOps []*emulated.Ops

// Status returns the memory in which emulated products count refused rows. Its contents must stay
// until the recording has been executed.
func (es emulatedOps) Status() *vk.Layout {
	var parts []vk.Space
	for _, e := range es {
		parts = append(parts, e.Status())
	}
	return vk.Together(parts...)
}

// begin records the commands that emulated products need before their first product in a recording.
func (es emulatedOps) begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, e := range es {
		e.Begin(rec, ws)
	}
}

// refused makes the call `c` read, when the recording runs, how many rows of factors the emulated
// products have refused so far. They refuse rows whose numbers are too large or not finite.
func (es emulatedOps) refused(c *spectrum.Call, rec *vk.Recorder, ws *vk.Arena) {
	for _, e := range es {
		for i := range 2 {
			c.Info(rec, stages.PhaseEmulated, e.Refused(ws).Sub(i, 1))
		}
	}
}

// AutoOrder is the smallest order for which ProductsAuto compares measured speeds. For smaller
// matrices it chooses native products, because few of their products are large enough for emulation
// to be faster.
const AutoOrder = 2048

// mayEmulate reports whether the options allow emulated products for order n, on a device with fast
// integer units.
func (opt Options) mayEmulate(n int) bool {
	return opt.Products == ProductsEmulated || opt.Products == ProductsAuto && n >= AutoOrder
}

// withFittingProducts returns the plan that the function `newPlan` makes. If this plan does not fit
// into the device's memory, and ProductsAuto may have chosen emulated products, it returns a plan
// with native products, which need less memory.
func withFittingProducts[P any](n int, opt Options, newPlan func(Options) (P, error)) (P, error) {
	p, err := newPlan(opt)
	full := (*vk.OutOfMemoryError)(nil)
	if opt.Products != ProductsAuto || !opt.mayEmulate(n) || !errors.As(err, &full) {
		return p, err
	}
	opt.Products = ProductsNative
	return newPlan(opt)
}

// newProducts makes the products for order n. The error is a *vk.UnsupportedError if the options
// ask for emulated products and the device has no units for them, or units that computed wrong
// results. Other errors are those of vk.
func newProducts[T Float](dev *vk.Device, n int, opt Options, t tuning.Tuning, double doubles[T]) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.reduction, p.vectors = p.native, p.native
	if opt.Products == ProductsEmulated || opt.mayEmulate(n) && double.emulates() {
		err = double.emulate(&p, func() (emulation, error) { return newEmulation(dev, opt, t) })
	}
	if err != nil {
		return p, err
	}
	p.tridiagonal, p.extra, err = double.products(dev, p.vectors, t)
	return p, err
}

// emulation is a function that makes products which emulate double precision on integer units, with
// the given number of moduli. A nil emulation means native products.
type emulation func(moduli int) (*emulated.Ops, error)

// newEmulation chooses between emulated and native products, by the options and by the measured
// speeds of the device. The result is nil for native products. The sizes of emulated products
// depend on the measured speeds.
func newEmulation(dev *vk.Device, opt Options, t tuning.Tuning) (emulation, error) {
	choice, err := choose(dev, opt, t)
	if err != nil || !choice.Emulated {
		return nil, err
	}
	return emulationBy(dev, opt, t, choice.Facts), nil
}

// choose chooses between native and emulated products, by the options `opt` and by the measured
// speeds of the device.
func choose(dev *vk.Device, opt Options, t tuning.Tuning) (emulated.Choice, error) {
	// The speeds of the device are measured once and stored. If the measurement used the context of
	// a caller, it could end early for all later callers.
	ctx := context.Background()
	if opt.Products == ProductsEmulated {
		return emulated.Force(ctx, dev, t.Products)
	}
	return emulated.Choose(ctx, dev, t.Products)
}

// emulationBy returns the function that makes emulated products, with the sizes for the measured
// speeds in `rates`.
func emulationBy(dev *vk.Device, opt Options, t tuning.Tuning, rates emulated.Facts) emulation {
	t = t.BoundedBytes(machine.Of(dev).Rates().FP64, rates.Bytes)
	return func(count int) (*emulated.Ops, error) {
		if opt.Moduli != 0 {
			count = opt.Moduli
		}
		plain, err := product.New[float64](dev, t.Products)
		if err != nil {
			return nil, err
		}
		return emulated.New(context.Background(), dev, plain, t.Products.Emulated, count)
	}
}

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *products[T]) Work() *vk.Layout {
	parts := []vk.Space{p.native.Work(), p.extra}
	for _, e := range p.emulated {
		parts = append(parts, e.Work())
	}
	return vk.InTurn(parts...)
}

// goNative makes new stages for the plan, with native products instead of emulated ones, for this
// solve and all later ones. It is called after emulated products have refused a row whose numbers
// are too large or not finite. The caller must have the plan's lock. The errors are those of
// NewPlan.
func (p *Plan[T]) goNative() error {
	opt := p.path.opt
	opt.Products = ProductsNative
	return p.replacePath(opt)
}
