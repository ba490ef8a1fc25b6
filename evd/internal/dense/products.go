package dense

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
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

	// Pair are the products with the factor of B, in a generalized problem. They may be emulated
	// while the products for the vectors are not. Then PairEmulated has them, and otherwise it is
	// empty.
	Pair         product.Ops[T]
	PairEmulated emulation.Products
}

// CheckModuli returns an *OptionError if c.Moduli is set, and is less than the number type needs.
func (c Config) CheckModuli(least int) error {
	if c.Moduli != 0 && c.Moduli < least {
		return plan.BadOption("Moduli", fmt.Sprintf("%d are too few for complex matrices, which need %d at least", c.Moduli, least))
	}
	return nil
}

// newProducts makes the products for order n. The error is an *OptionError if c.Moduli is too small
// for complex numbers, or if c asks for emulated products in single precision. It is a
// *vk.UnsupportedError if c asks for them and the device has no units for them, or units that
// computed wrong results. Other errors are those of vk.
func newProducts[T spirv.Scalar](dev *vk.Device, n int, c Config, t tuning.Tuning, double Doubles[T]) (p Products[T], err error) {
	if err := c.CheckModuli(emulation.Least[T]()); err != nil {
		return p, err
	}
	if p.Native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.Reduction, p.Vectors = p.Native, p.Native
	if c.MayEmulate(n) {
		if err = p.emulate(dev, n, c, t); err != nil {
			return p, err
		}
	}
	if p.Pair == nil {
		p.Pair = p.Vectors
	}
	p.Tridiagonal, p.extra, err = double.Products(dev, p.Vectors, t.Double().Products)
	return p, err
}

// emulate replaces products by products that emulate double precision on integer units, if c or
// the device's measured rates say so. The error is an OptionError if c asks for them in single
// precision.
func (p *Products[T]) emulate(dev *vk.Device, n int, c Config, t tuning.Tuning) error {
	switch p := any(p).(type) {
	case *Products[float64]:
		return emulate(p, dev, n, c, t)
	case *Products[complex128]:
		return emulate(p, dev, n, c, t)
	}
	if c.Products == emulation.Always {
		return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
	}
	return nil
}

func emulate[T emulated.Double](p *Products[T], dev *vk.Device, n int, c Config, t tuning.Tuning) error {
	choice, err := emulation.Choose[T](dev, c.Products == emulation.Always, t)
	if err != nil {
		return err
	}
	if c.Products == emulation.Auto && n >= tuning.EmulateLarge {
		choice = choice.Large()
	}
	both, err := emulation.Chosen[T](dev, choice, t).Both(c.Moduli)
	if len(both) > 0 {
		p.Reduction, p.Vectors, p.Emulated = both[0], both[1], emulation.Products{both[0], both[1]}
	}
	if make := emulation.Chosen[T](dev, choice.Large(), t); err == nil && len(both) == 0 && c.Pencil != 0 && n >= tuning.EmulatePairs && make != nil {
		ops, err := make(cmp.Or(c.Moduli, emulation.VectorModuli[T]()), 0)
		if err != nil {
			return err
		}
		p.Pair, p.PairEmulated = ops, emulation.Products{ops}
	}
	return err
}

func (p *Products[T]) emulated() emulation.Products {
	return slices.Concat(p.Emulated, p.PairEmulated)
}

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *Products[T]) Work() *vk.Layout { return p.emulated().Work(p.Native.Work(), p.extra) }

// Status, Begin and Refused are those of all emulated products.
func (p *Products[T]) Status() *vk.Layout { return p.emulated().Status() }

func (p *Products[T]) Begin(rec *vk.Recorder, ws *vk.Arena) { p.emulated().Begin(rec, ws) }

func (p *Products[T]) Refused(c *plan.Call, rec *vk.Recorder, ws *vk.Arena) {
	p.emulated().Refused(c, rec, ws)
}
