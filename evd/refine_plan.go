package evd

import (
	"errors"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/refinement"
	"github.com/vkevd/vkevd/vk"
)

// RefinePlan holds everything that refinements of one order need: pipelines, stages and memory. A
// plan works for one call at a time, and goroutines that share it wait for each other. The caller
// closes the plan before the device.
type RefinePlan[T Double] struct {
	base   plan.Base
	opt    Options
	stages *refinement.Stages[T]
}

// NewRefinePlan prepares for refinements of the n eigenvectors of matrices of order n ≥ 0. It
// allocates about 40·n² bytes of device memory, or 80·n² bytes for complex numbers. The options
// mean the same as those of NewPlan, with the following exceptions. A cold solve is a solve without
// the approximate vectors.
//
//   - Vectors is implied. Select, Overwrite and Distribute are not possible.
//   - ProductsAuto chooses emulated products for orders from AutoOrder on, if the device's integer
//     units computed right results in a trial, and are faster than its double precision.
//   - Solver, Band, Block, NoWaits, Devices and Shares are for a cold solve.
//   - With Verify each result has a certificate. If the certificate of the refined result does not
//     pass, a cold solve follows, and its result must pass. Counts of a refined result is 0, because
//     n orthonormal eigenvectors of a matrix of order n leave no eigenvalue out.
//
// The errors are those of NewPlan.
func NewRefinePlan[T Double](dev *vk.Device, n int, opt Options) (*RefinePlan[T], error) {
	opt, err := refineOptions(dev, n, opt)
	if err != nil {
		return nil, err
	}
	return withFittingProducts(n, opt, func(opt Options) (*RefinePlan[T], error) {
		p, err := newRefinePlan[T](dev, n, opt)
		if err != nil || n <= 1 {
			return p, err
		}
		p.base.Layout = p.stages.Layout(vk.Together())
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

// newRefinePlan makes a plan with its stages, but without device memory. The options must have been
// checked. The orders 0 and 1 need no stages.
func newRefinePlan[T Double](dev *vk.Device, n int, opt Options) (p *RefinePlan[T], err error) {
	opt.Tuning = copied(opt.Tuning)
	p = &RefinePlan[T]{base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt, stages: &refinement.Stages[T]{}}
	if n > 1 {
		p.stages, err = plan.Compiled(dev, func() (*refinement.Stages[T], error) { return refinement.New[T](dev, n, opt.config()) })
	}
	return p, err
}

// Costs returns a forecast of the number of floating-point operations of a refinement with two
// steps. Refinements of vectors from single precision take two steps. The operations of updates are
// part of the phase of the products. Costs returns nil for the orders 0 and 1.
func (p *RefinePlan[T]) Costs() []StageCost { return p.stages.Costs() }

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *RefinePlan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *RefinePlan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. A second call of Close does nothing.
func (p *RefinePlan[T]) Close() { p.base.Close() }

// accepts returns a *ShapeError if `a` does not fit the plan or the slice of `q` is too short, an
// *InitialShapeError if `q` is not n×n, and ErrClosed if the plan is closed.
func (p *RefinePlan[T]) accepts(a Sym[T], q Dense[T]) error {
	n := p.base.N
	if err := a.fits(n); err != nil {
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
