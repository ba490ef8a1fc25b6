package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// products holds the matrix products of a solve. Checks use the native products, because a check
// must not depend on the products that it checks.
type products[T evd.Float] struct {
	native product.Ops[T]

	// `update` are the products that update the trailing matrix in the reduction to a band,
	// `vectors` are those of divide and conquer and of back transformation 2, and `back` those of
	// back transformation 1.
	update, vectors, back product.Ops[T]

	// panel has the sizes of back transformation 1.
	panel stages.PanelTuning

	// emulated lists the products that are emulated by integer units.
	emulated emulation.Products
}

// LargeOrder is the smallest number of singular values for which ProductsAuto chooses emulated
// products even if they are only a little faster than native ones. On an H200 they save 13 % of the
// time for values of this order, and less than 1 % for all vectors. For n = 16384 they save 2 % for
// values, and all vectors take 5 % longer, because residues get less memory.
const LargeOrder = 32768

// chosenProducts returns native or emulated products for n singular values: those that the options
// ask for, or those that ProductsAuto chooses by the measured rates of the device. Errors are those
// of vk.
func chosenProducts[T evd.Float](dev *vk.Device, n int, opt Options) (evd.Products, error) {
	if opt.Products != evd.ProductsAuto || !mayEmulate[T](opt, n) {
		return opt.Products, nil
	}
	choice, err := emulation.Choose(dev, false, tableOf[T](opt, dev.Info()))
	if n >= LargeOrder {
		choice = choice.Large()
	}
	if err != nil || !choice.Emulated {
		return evd.ProductsNative, err
	}
	return evd.ProductsEmulated, nil
}

// residues returns the sizes of emulated products for n singular values. Their residues need a
// fraction of the memory of a plan, which is 8·n² bytes or more for values, and 37·n² bytes or more
// for all vectors. The reduction has the same sizes with and without vectors, so that the values have
// the same bits.
func residues(n, moduli int) emulation.Sizes {
	const least = 64 << 20 // bytes
	return emulation.Sizes{Moduli: moduli, Reduction: max(least, n*n*3/8), Vectors: max(least, 2*n*n)}
}

// newProducts makes the products for n singular values. The error is a *vk.UnsupportedError if the
// options ask for emulated products and the device has no units for them, or units that computed
// wrong results. It is an *evd.OptionError if they ask for emulated products in single precision.
// Other errors are those of vk.
func newProducts[T evd.Float](dev *vk.Device, n int, opt Options, t tuning.Tuning, double doubles[T]) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.update, p.vectors, p.back, p.panel = p.native, p.native, p.native, t.Panel
	if opt.Products != evd.ProductsEmulated {
		return p, nil
	}
	err = double.emulate(&p, residues(n, opt.Moduli), func() (emulation.Maker, error) {
		return emulation.Chosen(dev, true, t)
	})
	if emulation.Gain(dev) >= t.Products.Emulated.BackGain {
		p.back, p.panel = p.vectors, p.emulated.Panel(t)
	}
	return p, err
}

// Emulated reports whether the plan computes large matrix products by integer units: because
// Options.Products asks for it, or because evd.ProductsAuto has chosen it. A solve whose emulated
// products refuse a matrix changes the result to false.
func (p *Plan[T]) Emulated() bool {
	return p.single == nil && p.cols > 0 && len(p.current().steps.products.emulated) > 0
}

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *products[T]) Work() *vk.Layout { return p.emulated.Work(p.native.Work()) }
