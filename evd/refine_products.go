package evd

import (
	"math"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// refineProducts are the matrix products of a refinement of vectors X. Early steps need fewer
// digits than the last step, and the update X·E needs fewer digits in each step: for these, rough
// products are enough. Emulated products are faster with fewer moduli. Native products are the same
// for all uses.
type refineProducts struct {
	native, rough, fine product.Ops[float64]

	// roughNoise is the error of an element of XᵀAX by rough products, relative to ‖A‖. It is 0 if
	// rough products are as accurate as the products of the last step.
	roughNoise float64

	emulated emulation.Products
}

// roughNoise is the value of refineProducts.roughNoise for emulated products. The number of their
// moduli, the small numbers modulo which integer units compute, is moduli.Rough.
const roughNoise = 0x1p-37

// newRefineProducts makes the products for order n. The error is a *vk.UnsupportedError if the
// options ask for emulated products and the device has no units for them, or units that computed
// wrong results. Other errors are those of vk.
func newRefineProducts(dev *vk.Device, n int, opt Options, t tuning.Tuning) (p refineProducts, err error) {
	if p.native, err = product.New[float64](dev, t.Products); err != nil {
		return p, err
	}
	p.rough, p.fine = p.native, p.native
	if !opt.mayEmulate(n) {
		return p, nil
	}
	choice, err := emulation.Choose(dev, opt.Products == ProductsEmulated, t)
	if err != nil {
		return p, err
	}
	// Nearly all operations of a refinement are in matrix products. Therefore emulated products are
	// chosen even if they are only a little faster.
	if !choice.Emulated && !choice.Large().Emulated {
		return p, nil
	}
	fine := opt.Moduli
	if fine == 0 {
		fine = emulation.VectorModuli
	}
	make := emulation.By(dev, t, choice.Facts)
	for _, count := range []int{moduli.Rough, fine} {
		e, err := make(count, 0)
		if err != nil {
			return p, err
		}
		p.emulated = append(p.emulated, e)
	}
	p.rough, p.fine, p.roughNoise = p.emulated[0], p.emulated[1], roughNoise
	return p, nil
}

// all lists the products that the refinement uses, each of them once.
func (p *refineProducts) all() []product.Ops[float64] {
	all := []product.Ops[float64]{p.native}
	for _, e := range p.emulated {
		all = append(all, e)
	}
	return all
}

// Work returns the workspace of all matrix products of a refinement. The products share it, because
// they are not recorded concurrently.
func (p *refineProducts) Work() *vk.Layout {
	var parts []vk.Space
	for _, o := range p.all() {
		parts = append(parts, o.Work())
	}
	return vk.InTurn(parts...)
}

// of returns the products that compute XᵀAX and XᵀX in a step of the iteration for the vectors X.
// `rough` says that this step needs fewer digits. The function `noise` returns the size below which
// elements of XᵀAX count as rounding errors.
func (p *refineProducts) of(rough bool) (ops product.Ops[float64], noise func(n int, norm float64) float64) {
	if rough && p.roughNoise > 0 {
		return p.rough, func(n int, norm float64) float64 {
			return math.Max(stages.RefinementNoise(n, norm), p.roughNoise*norm)
		}
	}
	return p.fine, stages.RefinementNoise
}
