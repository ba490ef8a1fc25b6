package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
)

// Products says how a plan computes its large matrix products in double precision.
type Products int

const ( // the constants have the order of emulation.Use
	// ProductsAuto chooses emulated products for float64 and complex128 and orders from AutoOrder
	// on, if two conditions hold. The device's integer units computed right results in a trial.
	// Emulated products are at least 1.5 times as fast as native ones, so that a whole solve becomes
	// faster. From LargeOrder on, it is enough that they are not slower. The first plan on a device
	// measures both speeds, and stores them for the device. Otherwise, or if the device's memory is
	// too small for the residues that emulation needs, ProductsAuto chooses native products.
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

// AutoOrder is the smallest order for which ProductsAuto compares measured speeds. For smaller
// matrices it chooses native products, because few of their products are large enough for emulation
// to be faster.
const AutoOrder = tuning.EmulateFrom

// LargeOrder is the smallest order for which ProductsAuto chooses emulated products even if they
// are only as fast as native ones.
const LargeOrder = tuning.EmulateLarge

// withFittingProducts returns the plan that the function `newPlan` makes. If this plan cannot be
// made, for example because it does not fit into the device's memory, and ProductsAuto may have
// chosen emulated products, it returns a plan with native products (see emulation.OrNative).
func withFittingProducts[P any](n int, opt Options, newPlan func(Options) (P, error)) (P, error) {
	auto := opt.Products == ProductsAuto && opt.config().MayEmulate(n)
	return emulation.OrNative(auto, func(native bool) (P, error) {
		if native {
			opt.Products = ProductsNative
		}
		return newPlan(opt)
	})
}

// Emulated reports whether the plan computes large matrix products by integer units: because
// Options.Products asks for it, or because ProductsAuto has chosen it. A solve whose emulated
// products refuse a matrix changes the result to false.
func (p *Plan[T]) Emulated() bool { return len(p.lead().Products.Emulated) > 0 }

// Emulated reports whether the plan computes large matrix products by integer units, as
// Plan.Emulated does.
func (p *RefinePlan[T]) Emulated() bool { return p.stages.Emulated() }

// Emulated reports whether the refinement computes large matrix products by integer units. The
// solve in single precision never does.
func (p *MixedPlan[T]) Emulated() bool { return p.refine.Emulated() }
