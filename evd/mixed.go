package evd

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// MixedPlan computes all eigenvalues and eigenvectors in mixed precision: a solve in single
// precision, and then a refinement of its vectors to double precision (see RefinePlan). It works
// for one call at a time, and goroutines that share it wait for each other. The caller closes the
// plan before the device.
type MixedPlan struct {
	refine *RefinePlan

	// `first` holds the stages of the solve in single precision, and `convert` converts A and the
	// vectors. Both are nil for the orders 0 and 1.
	first   plan.Replaceable[*dense.Stages[float32]]
	convert *move.Conversion
}

// NewMixedPlan prepares for matrices of order n ≥ 0. It allocates about 40·n² bytes of device
// memory, as NewRefinePlan does. The two solves share this memory. The options mean the same as
// those of NewRefinePlan, with these exceptions:
//
//   - Verify is implied: each result has a certificate that has passed.
//   - Solver, Band, Block and NoWaits are also for the solve in single precision.
//
// The errors are those of NewRefinePlan.
func NewMixedPlan(dev *vk.Device, n int, opt Options) (*MixedPlan, error) {
	opt.Verify = true
	opt, err := refineOptions(dev, n, opt)
	if err != nil {
		return nil, err
	}
	return withFittingProducts(n, opt, func(opt Options) (*MixedPlan, error) { return newMixedPlan(dev, n, opt) })
}

// newMixedPlan is NewMixedPlan for options that have been checked. Emulated products that do not
// fit into the device's memory are an error.
func newMixedPlan(dev *vk.Device, n int, opt Options) (*MixedPlan, error) {
	r, err := newRefinePlan(dev, n, opt)
	if err != nil {
		return nil, err
	}
	p := &MixedPlan{refine: r}
	if n <= 1 {
		return p, nil
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	r.base.Layout = r.stages.Layout(p.first.Now.Layout())
	return p, r.base.Allocate()
}

// prepare makes the stages of the solve in single precision.
func (p *MixedPlan) prepare() (err error) {
	r := p.refine
	opt := Options{
		Vectors: true, Solver: r.opt.Solver, Band: r.opt.Band, Block: r.opt.Block, NoWaits: r.opt.NoWaits,
		Products: ProductsNative, Tuning: r.opt.Tuning,
	}
	if p.convert, err = move.NewConversion(r.base.Dev); err != nil {
		return err
	}
	p.first.Now, err = dense.New[float32](r.base.Dev, r.base.N, opt.config())
	return err
}

// avoidWaiting replaces the stages of the solve in single precision and the plan's memory, for this
// solve and all later ones. The new stages are without the waits of the kind that failed in the
// call c. The failure is recorded for the device. The caller must have the plan's lock. The errors
// are those of NewMixedPlan.
func (p *MixedPlan) avoidWaiting(c *plan.Call) error {
	base, cfg := &p.refine.base, p.first.Now.Config
	cfg.NoWaits = c.AvoidWaits() || cfg.NoWaits
	next, err := plan.Compiled(base.Dev, func() (*dense.Stages[float32], error) { return dense.New[float32](base.Dev, base.N, cfg) })
	if err != nil {
		return err
	}
	p.first.Take(next)
	return base.Replace(p.refine.stages.Layout(next.Layout()))
}

// Costs returns a forecast of the number of floating-point operations of each phase: those of the
// solve in single precision, and those of two steps of the refinement. Costs returns nil for the
// orders 0 and 1.
func (p *MixedPlan) Costs() []StageCost {
	first := p.first.Current()
	if first == nil {
		return nil
	}
	return append(first.Costs(), p.refine.Costs()...)
}

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *MixedPlan) Bytes() uint64 { return p.refine.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *MixedPlan) Memory() []vk.Placed { return p.refine.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. A second call of Close does nothing.
func (p *MixedPlan) Close() { p.refine.Close() }

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
func (p *MixedPlan) Solve(ctx context.Context, a Sym[float64]) (*Result[float64], error) {
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
			return p.load(s, a)
		}
		return plan.Survive(begin, attempt, p.avoidWaiting)
	})
}

// load uploads A, solves in single precision, and converts the vectors. Then σ·A and the vectors
// are where the refinement expects them. It returns σ.
func (p *MixedPlan) load(s *refineCall, a Sym[float64]) (sigma float64, err error) {
	largest, err := a.triangle().Largest()
	if err != nil {
		return 0, err
	}
	sigma = toOne(largest)
	if err := a.triangle().UploadScaled(s.Ctx, s.Dev, s.MatrixA().At, sigma); err != nil {
		return 0, err
	}
	s.Place()
	first := &dense.Solve[float32]{Stages: p.first.Now, Call: s.Call}
	var received func() spectrum.Tridiagonal
	err = s.Run(func(rec *vk.Recorder) {
		s.RecordLoad(rec, a.triangle().Upper, sigma)
		p.convert.RecordNarrow(rec, s.MatrixA().At, first.MatrixA().At)
		received = first.RecordReduction(rec, dense.Triangle[float32]{}, 1)
	})
	if err != nil {
		return 0, err
	}
	tail := spectrum.Tail[float32]{Stage: first.Spectrum, Sigma: 1, Vectors: []spectrum.Vectors[float32]{{
		Rows:  a.N,
		Into:  func(int) vk.Columns[float32] { return vk.Columns[float32]{} }, // the vectors stay on the device
		Fetch: func(x product.Matrix[float64], _ func() vk.Columns[float32]) error { return p.widen(s, first, x) },
	}}}
	// spectrum.Tail reports its end as the end of the solve, but the refinement follows.
	if report := s.Reporter(); report != nil {
		s.ReportTo(func(at vk.Progress) {
			if at != (vk.Progress{}) {
				report(at)
			}
		})
		defer s.ReportTo(report)
	}
	_, err = tail.Run(s.Call, received())
	return sigma, err
}

// widen transforms the vectors x of the tridiagonal matrix back in single precision, and converts
// the result to doubles, one vector in each row of s.X.
func (p *MixedPlan) widen(s *refineCall, first *dense.Solve[float32], x product.Matrix[float64]) error {
	q, err := first.TransformBack(x)
	if err != nil {
		return err
	}
	return s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseTranspose, 0, 1)
		p.convert.RecordWiden(rec, q.At.Sub(0, precision.Elements(q)), s.Y.At)
		s.RecordTranspose(rec)
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
func SolveMixed(ctx context.Context, a Sym[float64], opt Options) (*Result[float64], error) {
	return plan.Once[float64](
		func(dev *vk.Device) (*MixedPlan, error) { return NewMixedPlan(dev, a.N, opt) },
		func(p *MixedPlan) (*Result[float64], error) { return p.Solve(ctx, a) })
}
