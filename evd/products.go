package evd

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Products says how a plan computes its large double-precision products.
type Products int

const (
	// ProductsAuto is native today: whole solves with emulated products were measured on an H200
	// only, whose double precision is fast.
	ProductsAuto Products = iota

	// ProductsNative uses the device's double precision.
	ProductsNative

	// ProductsEmulated uses integer units: matrix units for bytes, or packed dot products. Errors of
	// products are bounded by norms, as the bounds of all results are; see Options.Moduli. A plan for
	// a device without such units is a *vk.UnsupportedError.
	ProductsEmulated
)

var productNames = [...]string{"auto", "native", "emulated"}

// String is auto, native or emulated.
func (p Products) String() string {
	if p < 0 || int(p) >= len(productNames) {
		return fmt.Sprintf("Products(%d)", int(p))
	}
	return productNames[p]
}

// ParseProducts reads what String writes. The error is an *OptionError.
func ParseProducts(s string) (Products, error) {
	for p, name := range productNames {
		if s == name {
			return Products(p), nil
		}
	}
	return 0, spectrum.BadOption("Products", fmt.Sprintf("%q is not auto, native or emulated", s))
}

// The numbers of moduli of emulated products. The reduction needs fewer: its errors are those of
// eigenvalues. Orthogonality of the vectors needs 14.
const reductionModuli, vectorModuli = 13, 14

// checkProducts returns an *OptionError for a choice of products that has no meaning.
func (opt Options) checkProducts() error {
	switch {
	case opt.Products < ProductsAuto || opt.Products > ProductsEmulated:
		return spectrum.BadOption("Products", fmt.Sprintf("there is no choice %d", int(opt.Products)))
	case opt.Moduli != 0 && (opt.Moduli < moduli.Least || opt.Moduli > moduli.Most):
		return spectrum.BadOption("Moduli", fmt.Sprintf("%d is not between %d and %d", opt.Moduli, moduli.Least, moduli.Most))
	}
	return nil
}

// products are those of a path. Checks use the native ones: a check must not trust what it checks.
type products[T Float] struct {
	native, reduction, vectors product.Ops[T]

	// emulated are those of reduction and vectors that are emulated.
	emulated []*emulated.Ops
}

// newProducts makes the products. The error is a *vk.UnsupportedError if the device has no units for
// emulated products and the caller wants these, or vk's.
func newProducts[T Float](dev *vk.Device, opt Options, t tuning.Tuning, double doubles[T]) (p products[T], err error) {
	if p.native, err = product.New[T](dev, t.Products); err != nil {
		return p, err
	}
	p.reduction, p.vectors = p.native, p.native
	if opt.Products != ProductsEmulated {
		return p, nil
	}
	err = double.emulate(&p, func(count int) (*emulated.Ops, error) {
		if opt.Moduli != 0 {
			count = opt.Moduli
		}
		plain, err := product.New[float64](dev, t.Products)
		if err != nil {
			return nil, err
		}
		// The caller's context is not known here. What the kernels find out is kept.
		return emulated.New(context.Background(), dev, plain, t.Products.Emulated, count)
	})
	return p, err
}

// Work is the workspace of all products, which are not recorded concurrently.
func (p *products[T]) Work() *vk.Layout {
	parts := []vk.Space{p.native.Work()}
	for _, e := range p.emulated {
		parts = append(parts, e.Work())
	}
	return vk.InTurn(parts...)
}

// Status is what must live as long as a solve.
func (p *products[T]) Status() *vk.Layout {
	var parts []vk.Space
	for _, e := range p.emulated {
		parts = append(parts, e.Status())
	}
	return vk.Together(parts...)
}

// begin records what must precede the first product of a solve.
func (p *products[T]) begin(rec *vk.Recorder, ws *vk.Arena) {
	for _, e := range p.emulated {
		e.Begin(rec, ws)
	}
}

// refused records that the call looks at the rows that emulated products have refused so far.
func (p *products[T]) refused(c *spectrum.Call, rec *vk.Recorder, ws *vk.Arena) {
	for _, e := range p.emulated {
		for i := range 2 {
			c.Info(rec, stages.PhaseEmulated, e.Refused(ws).Sub(i, 1))
		}
	}
}

// goNative puts the plan on a path with native products, for this solve and all later ones: emulated
// ones refused a row, whose numbers are too large or not finite. The caller has the plan's lock.
// Errors: those of NewPlan.
func (p *Plan[T]) goNative() error {
	opt := p.path.opt
	opt.Products = ProductsNative
	return p.replacePath(opt)
}
