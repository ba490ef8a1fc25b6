package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// MixedPlan computes all eigenvalues and eigenvectors in mixed precision: a solve in single
// precision, and then a refinement of its vectors to double precision (see RefinePlan). It works
// for one call at a time, and goroutines that share it wait for each other. The caller closes the
// plan before the device.
type MixedPlan[T Double] struct {
	refine *RefinePlan[T]

	// `first` is the solve in single precision. It is nil for the orders 0 and 1.
	first singleSolve[T]
}

// NewMixedPlan prepares for matrices of order n ≥ 0. It allocates about as much device memory as
// NewRefinePlan. The two solves share this memory. The options mean the same as
// those of NewRefinePlan, with these exceptions:
//
//   - Verify is implied: each result has a certificate that has passed.
//   - Solver, Band, Block and NoWaits are also for the solve in single precision.
//
// The errors are those of NewRefinePlan.
func NewMixedPlan[T Double](dev *vk.Device, n int, opt Options) (*MixedPlan[T], error) {
	opt.Verify = true
	opt, err := refineOptions(dev, n, opt)
	if err != nil {
		return nil, err
	}
	return withFittingProducts(n, opt, func(opt Options) (*MixedPlan[T], error) { return newMixedPlan[T](dev, n, opt) })
}

// newMixedPlan does the same as NewMixedPlan for options that have been checked. Emulated products
// that do not fit into the device's memory are an error.
func newMixedPlan[T Double](dev *vk.Device, n int, opt Options) (*MixedPlan[T], error) {
	r, err := newRefinePlan[T](dev, n, opt)
	if err != nil {
		return nil, err
	}
	p := &MixedPlan[T]{refine: r}
	if n <= 1 {
		return p, nil
	}
	first := newSingleSolve[T]()
	if err := dev.Compile(func() error { return first.prepare(dev, n, r.opt) }); err != nil {
		return nil, err
	}
	p.first = first
	r.base.Layout = r.stages.Layout(first.layout())
	return p, r.base.Allocate()
}

// avoidWaiting replaces the stages of the solve in single precision and the plan's memory, for this
// solve and all later ones. The new stages are without the waits of the kind that failed in the
// call c. The failure is recorded for the device. The caller must have the plan's lock. The errors
// are those of NewMixedPlan.
func (p *MixedPlan[T]) avoidWaiting(c *plan.Call) error {
	base := &p.refine.base
	if err := p.first.avoidWaiting(base.Dev, base.N, c); err != nil {
		return err
	}
	return base.Replace(p.refine.stages.Layout(p.first.layout()))
}

// Costs returns a forecast of the number of floating-point operations of each phase: those of the
// solve in single precision, and those of two steps of the refinement. Costs returns nil for the
// orders 0 and 1.
func (p *MixedPlan[T]) Costs() []StageCost {
	if p.first == nil {
		return nil
	}
	return append(p.first.costs(), p.refine.Costs()...)
}

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *MixedPlan[T]) Bytes() uint64 { return p.refine.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *MixedPlan[T]) Memory() []vk.Placed { return p.refine.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. A second call of Close does nothing.
func (p *MixedPlan[T]) Close() { p.refine.Close() }

// Solve computes all eigenvalues and eigenvectors of the matrix `a`, and does not write to it. The
// matrix is multiplied by a power of two, so that its largest entry is near 1 in single precision.
//
// If a wait between workgroups fails in the solve in single precision, the plan solves again
// without waiting, now and in later calls, and Result.Retried has the failure.
//
// If the solve in single precision fails otherwise, or if the refinement does not converge or does
// not pass its certificate, the plan solves in double precision (a cold solve).
// Result.Refinement.Cold then has the reason. During a cold solve the plan frees its own memory,
// and allocates the memory of a Plan. The errors are those of Plan.Solve.
func (p *MixedPlan[T]) Solve(ctx context.Context, a Sym[T]) (*Result[T], error) {
	a = a.withLd()
	r := p.refine
	r.base.Lock()
	defer r.base.Unlock()
	if err := a.fits(r.base.N); err != nil {
		return nil, err
	}
	if err := r.base.Open(); err != nil {
		return nil, err
	}
	report := plan.Rising(r.opt.Progress)
	begin := func() *plan.Call { return r.base.Begin(ctx, plan.ProgressOf(p.Costs(), report)) }
	s := r.begin(begin(), report)
	if a.N <= 1 {
		return s.exact(a)
	}
	return s.refineOrSolve(a, func() (float64, error) {
		attempt := func(c *plan.Call) (float64, error) {
			s.Call = c
			return p.first.solve(s, a)
		}
		return plan.Survive(begin, attempt, p.avoidWaiting)
	})
}

// toOne returns the power of two σ for which σ·largest is between ½ and 1. If this σ is no normal
// double, toOne returns the nearest power of two that is a normal double. For 0 it returns 1.
func toOne(largest float64) float64 {
	if largest == 0 {
		return 1
	}
	return math.Ldexp(1, max(-1022, min(-dense.Exponent(largest), 1023)))
}

// SolveMixed computes all eigenvalues and eigenvectors of one matrix in mixed precision on the best
// device. It opens the device, makes a MixedPlan, and closes both at the end.
func SolveMixed[T Double](ctx context.Context, a Sym[T], opt Options) (*Result[T], error) {
	return plan.Once[T](
		func(dev *vk.Device) (*MixedPlan[T], error) { return NewMixedPlan[T](dev, a.N, opt) },
		func(p *MixedPlan[T]) (*Result[T], error) { return p.Solve(ctx, a) })
}
