package svd

import (
	"cmp"
	"fmt"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// products holds the matrix products of a solve. Checks use the native products, because a check
// must not depend on the products that it checks.
type products[T evd.Number] struct {
	native product.Ops[T]

	// `update` are the products that update the trailing matrix in the reduction to a band,
	// `vectors` are those of divide and conquer, and `back` those of the back transformations. They
	// are native, or each has its own workspace for residues (see workOf).
	update, vectors, back product.Ops[T]

	panel panel.Tuning

	emulated emulation.Products
}

// choice says which products of a plan are emulated: those of the reduction, and those for vectors.
// The values have the same bits with and without vectors, because the products of the reduction do
// not depend on the wanted vectors.
type choice struct{ reduction, vectors bool }

// LargeOrder is the smallest number of singular values for which ProductsAuto chooses emulated
// products even if they are only as fast as native ones. For the products that compute vectors,
// this number is LargeVectors.
const LargeOrder, LargeVectors = tuning.EmulateLarge, tuning.EmulateLargeVectors

// chooses returns the choice for n singular values: what the options ask for, or what ProductsAuto
// chooses by the measured rates of the device.
func chooses[T evd.Number](dev *vk.Device, n int, vectors bool, opt Options) (choice, error) {
	if opt.Products != evd.ProductsAuto || !mayEmulate[T](opt, n) {
		emulated := opt.Products == evd.ProductsEmulated
		return choice{emulated, emulated && vectors}, nil
	}
	choose := emulation.Choose[float64]
	if precision.IsComplex[T]() {
		choose = emulation.Choose[complex128]
	}
	rates, err := choose(dev, false, tableOf[T](opt, dev.Info()))
	if err != nil {
		return choice{}, err
	}
	large := rates.Large().Emulated
	return choice{
		reduction: rates.Emulated || large && n >= LargeOrder,
		vectors:   vectors && (rates.Emulated || large && n >= LargeVectors),
	}, nil
}

// rooms are the bytes for the residues of emulated products. The residues of the reduction take a
// part of the memory of a plan for values, which is 8·n² bytes or more. Those of divide and conquer
// take a part of the memory of a plan for vectors, which is 37·n² bytes or more. Other residues lie
// in memory that later or earlier stages use.
type rooms struct{ reduction, vectors, back int }

// residues returns the rooms for n singular values. The room of the reduction must not depend on
// the wanted vectors: the bits of a rank-2k update depend on it, because each block of the update
// that fits the room has its own scaling.
func residues(n int) rooms {
	const least = 64 << 20
	return rooms{max(least, n*n*3/8), max(least, 2*n*n), max(least, 5*n*n)}
}

// newProducts makes the products for n singular values. The error is an *evd.OptionError if
// opt.Moduli is too small for complex numbers. If c asks for emulated products, the error is a
// *vk.UnsupportedError if the device has no units for them, or units that computed wrong results,
// and an *evd.OptionError in single precision.
func newProducts[T evd.Number](dev *vk.Device, n int, c choice, opt Options, t tuning.Tuning) (p products[T], err error) {
	if least := emulation.Least[T](); opt.Moduli != 0 && opt.Moduli < least {
		return p, plan.BadOption("Moduli", fmt.Sprintf("%d are too few for complex matrices, which need %d at least", opt.Moduli, least))
	}
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.update, p.vectors, p.back, p.panel = p.native, p.native, p.native, t.Panel
	if !c.reduction && !c.vectors {
		return p, nil
	}
	switch p := any(&p).(type) {
	case *products[float64]:
		err = emulate(p, dev, n, c, opt.Moduli, t)
	case *products[complex128]:
		err = emulate(p, dev, n, c, opt.Moduli, t)
	default:
		err = plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
	}
	if c.vectors {
		p.panel = p.emulated.Panel(t)
	}
	return p, err
}

// emulate replaces the products that c names by emulated ones. For complex numbers those of divide
// and conquer stay native, because they are products of real matrices.
func emulate[T emulated.Double](p *products[T], dev *vk.Device, n int, c choice, moduli int, t tuning.Tuning) error {
	choice, err := emulation.Choose[T](dev, true, t)
	if err != nil {
		return err
	}
	maker, room := emulation.Chosen[T](dev, choice, t), residues(n)
	if precision.IsComplex[T]() {
		room = rooms{2 * room.reduction, 0, 2 * room.back} // a complex number has two parts, and so twice the residues
	}
	count := cmp.Or(moduli, emulation.VectorModuli[T]())
	for _, x := range []struct {
		ops         *product.Ops[T]
		wanted      bool
		count, room int
	}{
		{&p.update, c.reduction, emulation.ReductionModuli[T](count), room.reduction},
		{&p.vectors, c.vectors && !precision.IsComplex[T](), count, room.vectors},
		{&p.back, c.vectors, count, room.back},
	} {
		if !x.wanted {
			continue
		}
		ops, err := maker(x.count, x.room)
		if err != nil {
			return err
		}
		*x.ops, p.emulated = ops, append(p.emulated, ops)
	}
	return nil
}

// workOf returns the workspace of emulated products, and an empty layout for native ones, whose
// workspace is in use during the whole solve.
func (p *products[T]) workOf(ops product.Ops[T]) *vk.Layout {
	if ops == p.native {
		return vk.Together()
	}
	return ops.Work()
}

// Emulated reports whether the plan computes large matrix products by integer units: because
// Options.Products asks for it, or because evd.ProductsAuto has chosen it. A solve whose emulated
// products refuse a matrix changes the result to false.
func (p *Plan[T]) Emulated() bool {
	return p.single == nil && p.cols > 0 && len(p.path.Current().steps.products.emulated) > 0
}
