package svd

import (
	"cmp"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// products holds the matrix products of a solve. Checks use the native products, because a check
// must not depend on the products that it checks.
type products[T evd.Float] struct {
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
// products even if they are only a little faster than native ones. For the products that compute
// vectors, this number is LargeVectors.
const LargeOrder, LargeVectors = tuning.EmulateLarge, tuning.EmulateLargeVectors

// chooses returns the choice for n singular values: what the options ask for, or what ProductsAuto
// chooses by the measured rates of the device.
func chooses[T evd.Float](dev *vk.Device, n int, vectors bool, opt Options) (choice, error) {
	if opt.Products != evd.ProductsAuto || !mayEmulate[T](opt, n) {
		emulated := opt.Products == evd.ProductsEmulated
		return choice{emulated, emulated && vectors}, nil
	}
	rates, err := emulation.Choose[float64](dev, false, tableOf[T](opt, dev.Info()))
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

// newProducts makes the products for n singular values. If c asks for emulated products, the error
// is a *vk.UnsupportedError if the device has no units for them, or units that computed wrong
// results, and an *evd.OptionError in single precision.
func newProducts[T evd.Float](dev *vk.Device, n int, c choice, opt Options, t tuning.Tuning) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.update, p.vectors, p.back, p.panel = p.native, p.native, p.native, t.Panel
	if !c.reduction && !c.vectors {
		return p, nil
	}
	err = p.emulate(c, residues(n), opt.Moduli, func() (emulation.Maker[float64], error) {
		choice, err := emulation.Choose[float64](dev, true, t)
		return emulation.Chosen[float64](dev, choice, t), err
	})
	if c.vectors {
		p.panel = p.emulated.Panel(t)
	}
	return p, err
}

// emulate replaces the products that c names by emulated ones. `choose` returns a function that
// makes them, and `room` has the bytes for their residues. The error is an *evd.OptionError if T is
// not float64.
func (p *products[T]) emulate(c choice, room rooms, moduli int, choose func() (emulation.Maker[float64], error)) error {
	if !precision.IsDouble[T]() {
		return plan.BadOption("Products", "emulated products replace double precision, and the matrix is in single precision")
	}
	maker, err := choose()
	if err != nil {
		return err
	}
	count := cmp.Or(moduli, emulation.VectorModuli[float64]())
	for _, x := range []struct {
		ops         *product.Ops[T]
		wanted      bool
		count, room int
	}{
		{&p.update, c.reduction, emulation.ReductionModuli[float64](count), room.reduction},
		{&p.vectors, c.vectors, count, room.vectors},
		{&p.back, c.vectors, count, room.back},
	} {
		if !x.wanted {
			continue
		}
		ops, err := maker(x.count, x.room)
		if err != nil {
			return err
		}
		*x.ops, p.emulated = any(ops).(product.Ops[T]), append(p.emulated, ops)
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
