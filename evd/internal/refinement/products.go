package refinement

import (
	"slices"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Products are the matrix products of a refinement of vectors X. Early steps need fewer digits than
// the last step, and the update X·E needs fewer digits than XᵀAX, because E is small. Emulated
// products are faster with fewer moduli. Native products are the same for all uses.
type Products[T spirv.Scalar] struct {
	native product.Ops[T]

	// `all` lists the products in the order of increasing accuracy. The last ones are for the last
	// step. If products are native, they are the only element.
	all []operations[T]

	emulated emulation.Products
}

// operations are products with a bound on the error of an element, relative to the norms of its row
// and of its column. The bound is 0 if no step needs more digits.
type operations[T spirv.Scalar] struct {
	product.Ops[T]
	error float64
}

// Native returns the products for which all uses have the same products, `ops`.
func Native[T spirv.Scalar](ops product.Ops[T]) Products[T] {
	return Products[T]{native: ops, all: []operations[T]{{Ops: ops}}}
}

// newProducts makes the products for order n. The error is an *OptionError if cfg.Moduli is too
// small for complex numbers. It is a *vk.UnsupportedError if cfg asks for emulated products and the
// device has no units for them, or units that computed wrong results. Other errors are those of vk.
func newProducts[T emulation.Double](dev *vk.Device, n int, cfg dense.Config, t tuning.Tuning) (p Products[T], err error) {
	if err := cfg.CheckModuli(emulation.Least[T]()); err != nil {
		return p, err
	}
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p = Native(p.native)
	if !cfg.MayEmulate(n) {
		return p, nil
	}
	choice, err := emulation.Choose[T](dev, cfg.Products == emulation.Always, t)
	if err != nil {
		return p, err
	}
	// Nearly all operations of a refinement are in matrix products. Therefore emulated products are
	// chosen even if they are only a little faster.
	if !choice.Emulated && !choice.Large().Emulated {
		return p, nil
	}
	fine := cfg.Moduli
	if fine == 0 {
		fine = emulation.VectorModuli[T]()
	}
	make, counts := emulation.By[T](dev, t, choice.Facts), moduli.Inexact()
	if spirv.KindOf[T]().IsComplex() {
		counts = nil // complex numbers have no kernels for fewer moduli
	}
	p.all = nil
	for _, count := range append(counts, fine) {
		e, err := make(count, 0)
		if err != nil {
			return p, err
		}
		ops := operations[T]{e, moduli.New(count).Error()}
		if count == fine {
			ops.error = 0
		}
		p.emulated, p.all = append(p.emulated, e), append(p.all, ops)
	}
	return p, nil
}

// reserved lists all products that the refinement may use, each of them once.
func (p *Products[T]) reserved() (all []product.Ops[T]) {
	if len(p.emulated) > 0 { // native products compute a sample, and the errors of the result
		all = append(all, p.native)
	}
	for _, o := range p.all {
		all = append(all, o.Ops)
	}
	return all
}

// Work returns the workspace of all matrix products of a refinement. The products share it, because
// they are not recorded concurrently.
func (p *Products[T]) Work() *vk.Layout {
	var parts []vk.Space
	for _, o := range p.reserved() {
		parts = append(parts, o.Work())
	}
	return vk.InTurn(parts...)
}

// `within` returns the fastest products whose error is at most `most`.
func (p *Products[T]) within(most float64) operations[T] {
	return p.all[slices.IndexFunc(p.all, func(o operations[T]) bool { return o.error <= most })]
}

// rough returns the error of the products for a step that is not the last one. It is 0 if all steps
// have the same products.
func (p *Products[T]) rough() float64 {
	if len(p.all) == 1 {
		return 0
	}
	return p.all[len(p.all)-2].error
}

// forUpdate returns the products that compute X·F for n×n matrices, where ‖F‖_∞ is about `size`.
// The error of XᵀX and XᵀAX that the step leaves anyway is `left`, relative to their norms. A row
// of these matrices has n elements, and each of them gets an error of the products times the norm
// of a column of F. This must be small compared with `left`.
func (p *Products[T]) forUpdate(n int, size, left float64) product.Ops[T] {
	return p.within(left / (4 * float64(n) * size)).Ops
}
