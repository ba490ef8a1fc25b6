package evd

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// RefinePlan holds everything that refinements of one order need: pipelines, stages and memory. A
// plan works for one call at a time, and goroutines that share it wait for each other. The caller
// closes the plan before the device.
type RefinePlan struct {
	base plan.Base
	opt  Options

	// tune has the sizes of the stages, for the order of this plan.
	tune tuning.Tuning

	steps   refineSteps
	regions refineRegions
}

// refineSteps are the stages of a refinement, in their order. All of them are nil for the orders 0
// and 1.
type refineSteps struct {
	products  refineProducts
	load      *move.SymmetricLoad[float64]
	refine    *refine.Refinement
	orient    *dense.Orientation[float64]
	residuals *residual.Residual[float64]
}

// refineRegions holds the regions of device memory that the stages of a refinement pass to each
// other. Memory that only one stage uses is not in it. The comments give the sizes in elements.
type refineRegions struct {
	a    vk.Region[float64]    // n² elements: A
	x    [2]vk.Region[float64] // n² elements each: Xᵀ, and Xᵀ·A or the improved Xᵀ
	sums [3]vk.Region[float64] // n elements each, for a check: λ, residuals, orthogonality
}

// NewRefinePlan prepares for refinements of the n eigenvectors of matrices of order n ≥ 0. It
// allocates about 40·n² bytes of device memory. A cold solve is a solve without the approximate
// vectors. The options mean the same as those of NewPlan, with these exceptions:
//
//   - Vectors is implied. Select and Overwrite are not possible.
//   - ProductsAuto is emulated for orders from AutoOrder on, if the device's integer units were right
//     on a trial, and faster than its double precision.
//   - Solver, Band, Block and NoWaits are for a cold solve.
//   - With Verify each result has a certificate. If the certificate of the refined result does not
//     pass, a cold solve follows, and its result must pass. Certificate.Counts is 0, because n
//     orthonormal eigenvectors of a matrix of order n leave no eigenvalue out.
//
// The errors are those of NewPlan.
func NewRefinePlan(dev *vk.Device, n int, opt Options) (*RefinePlan, error) {
	opt, err := refineOptions(dev, n, opt)
	if err != nil {
		return nil, err
	}
	return withFittingProducts(n, opt, func(opt Options) (*RefinePlan, error) {
		p, err := newRefinePlan(dev, n, opt)
		if err != nil || n <= 1 {
			return p, err
		}
		p.base.Layout = p.lay(vk.Together())
		return p, p.base.Allocate()
	})
}

// refineOptions returns the options of a refinement, or an error for an order or an option that is
// not possible.
func refineOptions(dev *vk.Device, n int, opt Options) (Options, error) {
	if err := checkOrder(n, maxOrder, false); err != nil {
		return opt, err
	}
	opt.Vectors = true
	switch {
	case opt.Select != Selection{}:
		return opt, plan.BadOption("Select", "a refinement is for all vectors, because it corrects each vector by multiples of all others")
	case opt.Overwrite:
		return opt, plan.BadOption("Overwrite", "a refinement needs the matrix in each step")
	case opt.Distribute:
		return opt, plan.BadOption("Distribute", "a refinement needs the whole matrix on one device")
	}
	if err := errors.Join(opt.check(n), plan.CheckDevices(dev, opt.Devices)); err != nil {
		return opt, err
	}
	return opt, dev.Info().NeedFloat64(dense.InSinglePrecision)
}

// newRefinePlan makes the stages of a plan for options that are possible, without device memory.
func newRefinePlan(dev *vk.Device, n int, opt Options) (*RefinePlan, error) {
	p := &RefinePlan{base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt}
	if n <= 1 {
		return p, nil
	}
	return p, dev.Compile(p.prepare)
}

// prepare makes the stages of a refinement and lays out their memory.
func (p *RefinePlan) prepare() (err error) {
	dev, n := p.base.Dev, p.base.N
	if p.tune, err = dense.Sizes[float64](dev, n, p.opt.config()); err != nil {
		return err
	}
	// With the context of a caller, the measurement could end early for all later callers.
	rate, err := machine.Of(dev).Float64Rate(context.Background())
	if err != nil {
		return err
	}
	p.tune = p.tune.Bounded(rate)
	s := &p.steps
	if s.products, err = newRefineProducts(dev, n, p.opt, p.tune); err != nil {
		return err
	}
	if s.load, err = move.NewSymmetricLoad[float64](dev); err != nil {
		return err
	}
	if s.refine, err = refine.NewRefinement(dev, n, s.products.reserved()...); err != nil {
		return err
	}
	if s.orient, err = dense.NewOrientation[float64](dev, p.opt.RowMajor); err != nil {
		return err
	}
	s.residuals, err = residual.NewResidual[float64](dev, n, n, s.products.native)
	return err
}

// lay reserves the regions and returns the layout of the device memory. A and the vectors are always in use. The workspaces of the steps
// and of a check share memory. `before` is the memory of stages that run before the refinement, and
// that need A and x[1]. It shares memory with everything else.
func (p *RefinePlan) lay(before *vk.Layout) *vk.Layout {
	n, r, s := p.base.N, &p.regions, &p.steps
	entries := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	r.a = entries("A", n*n)
	r.x = [2]vk.Region[float64]{entries("vectors, transposed", n*n), entries("vectors, next", n*n)}
	r.sums = [3]vk.Region[float64]{entries("eigenvalues", n), entries("residual sums", n), entries("orthogonality sums", n)}
	after := vk.Together(r.x[0], s.products.Work(), vk.InTurn(s.refine.Work(), s.residuals.Work()))
	return vk.Together(r.a, r.x[1], r.sums[0], r.sums[1], r.sums[2],
		s.products.emulated.Status(), vk.InTurn(before, after))
}

// usualSteps is the number of steps in forecasts. Vectors from single precision take this number of
// steps.
const usualSteps = 2

// Costs returns a forecast of the number of floating-point operations of a refinement with two
// steps. Refinements of vectors from single precision take two steps. The operations of updates are
// part of the phase of the products. Costs returns nil for the orders 0 and 1.
func (p *RefinePlan) Costs() []StageCost {
	if p.steps.refine == nil {
		return nil
	}
	products, update := p.steps.refine.Flops()
	return []StageCost{{Stage: stages.PhaseRefineProducts, Flops: usualSteps * (products + update)}}
}

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *RefinePlan) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *RefinePlan) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. A second call of Close does nothing.
func (p *RefinePlan) Close() { p.base.Close() }

// accepts returns a *ShapeError if `a` or `q` does not fit the plan, and ErrClosed if the plan is
// closed.
func (p *RefinePlan) accepts(a Sym[float64], q Dense[float64]) error {
	n := p.base.N
	if err := p.fits(a); err != nil {
		return err
	}
	if q.Rows != n || q.Cols != n {
		return &InitialShapeError{Rows: q.Rows, Cols: q.Cols, N: n}
	}
	if err := q.check(); err != nil {
		return err
	}
	return p.base.Open()
}

// fits returns a *ShapeError if `a` does not fit the plan.
func (p *RefinePlan) fits(a Sym[float64]) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if n := p.base.N; a.N != n {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data), Plan: n}
	}
	return nil
}

// in returns the region r of device memory as an n×n matrix, where n is the order of the plan.
func (p *RefinePlan) in(ws *vk.Arena, r vk.Region[float64]) product.Matrix[float64] {
	return product.NewMatrix(r.In(ws), p.base.N, p.base.N, p.base.N)
}
