package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// products holds the matrix products of a solve. Checks use the native products, because a check
// must not depend on the products that it checks.
type products[T evd.Float] struct {
	native product.Ops[T]

	// `update` are the products that update the trailing matrix in the reduction to a band, and
	// `vectors` are those of the vectors.
	update, vectors product.Ops[T]

	// emulated lists those of `update` and `vectors` that are emulated by integer units.
	emulated emulation.Products
}

// newProducts makes the products for n singular values. The error is a *vk.UnsupportedError if the
// options ask for emulated products and the device has no units for them, or units that computed
// wrong results. It is an *evd.OptionError if they ask for emulated products in single precision.
// Other errors are those of vk.
func newProducts[T evd.Float](dev *vk.Device, n int, opt Options, t tuning.Tuning, double doubles[T]) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.update, p.vectors = p.native, p.native
	if mayEmulate[T](opt, n) {
		err = double.emulate(&p, opt.Moduli, func() (emulation.Maker, error) {
			return emulation.Chosen(dev, opt.Products == evd.ProductsEmulated, t)
		})
	}
	return p, err
}

// Work returns the workspace of all matrix products. The products share it, because they are not
// recorded concurrently.
func (p *products[T]) Work() *vk.Layout { return p.emulated.Work(p.native.Work()) }
