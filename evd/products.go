package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Products says how a plan computes its large matrix products in double precision.
type Products int

const (
	// ProductsAuto chooses emulated products for float64 and orders from AutoOrder on, if two
	// conditions hold. The device's integer units computed right results in a trial. They are so
	// much faster than the device's double precision that a whole solve becomes faster: 1.5 times,
	// or as fast from LargeOrder on. The first plan on a device measures both speeds, and stores
	// them for the device. Otherwise, or if the device's memory is too small for the residues that
	// emulation needs, ProductsAuto chooses native products.
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
	return 0, plan.BadOption("Products", fmt.Sprintf("%q is not auto, native or emulated", s))
}

// CheckProducts returns an *OptionError if the value of Options.Products, or that of
// Options.Moduli, is not possible.
func CheckProducts(p Products, count int) error {
	switch {
	case p < ProductsAuto || p > ProductsEmulated:
		return plan.BadOption("Products", fmt.Sprintf("there is no choice %d", int(p)))
	case count != 0 && (count < moduli.Least || count > moduli.Most):
		return plan.BadOption("Moduli", fmt.Sprintf("%d is not between %d and %d", count, moduli.Least, moduli.Most))
	}
	return nil
}

// products holds the matrix products that a solve uses. Checks use the native products, because a
// check must not depend on the products that it checks.
type products[T Float] struct {
	native             *product.Tiled[T]
	reduction, vectors product.Ops[T]

	// tridiagonal are the double-precision products that the tridiagonal problem uses. `extra` is
	// the workspace that they need in addition to that of the other products.
	tridiagonal product.Ops[float64]
	extra       *vk.Layout

	// emulated lists those of the products for the reduction and for the vectors that are emulated
	// by integer units.
	emulated emulation.Products
}

// AutoOrder is the smallest order for which ProductsAuto compares measured speeds. For smaller
// matrices it chooses native products, because few of their products are large enough for emulation
// to be faster.
const AutoOrder = tuning.EmulateFrom

// LargeOrder is the smallest order for which ProductsAuto chooses emulated products even if they
// are only a little faster than native ones.
const LargeOrder = tuning.EmulateLarge

// mayEmulate reports whether the options allow emulated products for order n, on a device with fast
// integer units.
func (opt Options) mayEmulate(n int) bool {
	return opt.Products == ProductsEmulated || opt.Products == ProductsAuto && n >= AutoOrder
}

// withFittingProducts returns the plan that the function `newPlan` makes. If this plan does not fit
// into the device's memory, and ProductsAuto may have chosen emulated products, it returns a plan
// with native products, which need less memory.
func withFittingProducts[P any](n int, opt Options, newPlan func(Options) (P, error)) (P, error) {
	auto := opt.Products == ProductsAuto && opt.mayEmulate(n)
	return emulation.OrNative(auto, func(native bool) (P, error) {
		if native {
			opt.Products = ProductsNative
		}
		return newPlan(opt)
	})
}

// newProducts makes the products for order n. The error is a *vk.UnsupportedError if the options
// ask for emulated products and the device has no units for them, or units that computed wrong
// results. Other errors are those of vk.
func newProducts[T Float](dev *vk.Device, n int, opt Options, t tuning.Tuning, double doubles[T]) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.reduction, p.vectors = p.native, p.native
	if opt.Products == ProductsEmulated || opt.mayEmulate(n) && spectrum.UlpOf[T]() == spectrum.Ulp {
		err = p.emulate(opt.Moduli, func() (emulation.Maker, error) {
			choice, err := emulation.Choose(dev, opt.Products == ProductsEmulated, t)
			if opt.Products == ProductsAuto && n >= LargeOrder {
				choice = choice.Large()
			}
			return emulation.Chosen(dev, choice, t), err
		})
	}
	if err != nil {
		return p, err
	}
	p.tridiagonal, p.extra, err = double.Products(dev, p.vectors, t.Double().Products)
	return p, err
}

// emulate replaces products by products that emulate double precision on integer units. `choose`
// returns a function that makes them, or nil if all products are native. The error is an *OptionError
// if T is not float64.
func (p *products[T]) emulate(moduli int, choose func() (emulation.Maker, error)) error {
	if _, double := any(*new(T)).(float64); !double {
		return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
	}
	both, err := emulation.Both(moduli, choose)
	if len(both) > 0 {
		p.reduction, p.vectors, p.emulated = any(both[0]).(product.Ops[T]), any(both[1]).(product.Ops[T]), both
	}
	return err
}

// Emulated reports whether the plan computes large matrix products by integer units: because
// Options.Products asks for it, or because ProductsAuto has chosen it. A solve whose emulated
// products refuse a matrix changes the result to false.
func (p *Plan[T]) Emulated() bool { return len(p.path.Current().steps.products.emulated) > 0 }

// Emulated reports whether the plan computes large matrix products by integer units, as
// Plan.Emulated does.
func (p *RefinePlan) Emulated() bool { return len(p.steps.products.emulated) > 0 }

// Emulated reports whether the refinement computes large matrix products by integer units. The
// solve in single precision never does.
func (p *MixedPlan) Emulated() bool { return p.refine.Emulated() }

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *products[T]) Work() *vk.Layout { return p.emulated.Work(p.native.Work(), p.extra) }
