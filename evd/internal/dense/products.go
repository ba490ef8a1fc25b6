package dense

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Products holds the matrix products that a solve uses. Checks use the native products, because a
// check must not depend on the products that it checks.
type Products[T spirv.Scalar] struct {
	Native             *product.Tiled[T]
	Reduction, Vectors product.Ops[T]

	// Tridiagonal are the double-precision products that the tridiagonal problem uses. `extra` is
	// the workspace that they need in addition to that of the other products.
	Tridiagonal product.Ops[float64]
	extra       *vk.Layout

	// Emulated lists those of the products for the reduction and for the vectors that are emulated
	// by integer units.
	Emulated emulation.Products
}

// newProducts makes the products for order n. The error is a *vk.UnsupportedError if c asks for
// emulated products and the device has no units for them, or units that computed wrong results.
// Other errors are those of vk.
func newProducts[T spirv.Scalar](dev *vk.Device, n int, c Config, t tuning.Tuning, double Doubles[T]) (p Products[T], err error) {
	if p.Native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.Reduction, p.Vectors = p.Native, p.Native
	if c.Products == emulation.Always || c.MayEmulate(n) && spirv.KindOf[T]() == spirv.Float64 {
		err = p.emulate(c.Moduli, func() (emulation.Maker, error) {
			choice, err := emulation.Choose(dev, c.Products == emulation.Always, t)
			if c.Products == emulation.Auto && n >= tuning.EmulateLarge {
				choice = choice.Large()
			}
			return emulation.Chosen(dev, choice, t), err
		})
	}
	if err != nil {
		return p, err
	}
	p.Tridiagonal, p.extra, err = double.Products(dev, p.Vectors, t.Double().Products)
	return p, err
}

// emulate replaces products by products that emulate double precision on integer units. `choose`
// returns a function that makes them, or nil if all products are native. The error is an
// OptionError if T is not float64.
func (p *Products[T]) emulate(moduli int, choose func() (emulation.Maker, error)) error {
	switch {
	case spirv.KindOf[T]().IsComplex():
		return plan.BadOption("Products", "complex matrices have only native products; leave the option out")
	case !precision.IsDouble[T]():
		return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
	}
	both, err := emulation.Both(moduli, choose)
	if len(both) > 0 {
		p.Reduction, p.Vectors, p.Emulated = any(both[0]).(product.Ops[T]), any(both[1]).(product.Ops[T]), both
	}
	return err
}

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *Products[T]) Work() *vk.Layout { return p.Emulated.Work(p.Native.Work(), p.extra) }
