package evd

import (
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// singleSolve is the solve in single precision of a MixedPlan.
type singleSolve[T Double] interface {
	// prepare makes the stages for order n ≥ 2, with the options of the refinement. avoidWaiting
	// makes new stages after the call c: see MixedPlan.avoidWaiting.
	prepare(dev *vk.Device, n int, opt Options) error
	avoidWaiting(dev *vk.Device, n int, c *plan.Call) error

	layout() *vk.Layout
	costs() []StageCost

	// solve uploads A, solves in single precision, and converts the vectors. Then σ·A and the
	// vectors are where the refinement expects them. It returns σ.
	solve(s *refineCall[T], a Sym[T]) (sigma float64, err error)
}

func newSingleSolve[T Double]() singleSolve[T] {
	var made any = &singleStages[float64, float32]{}
	if precision.IsComplex[T]() {
		made = &singleStages[complex128, complex64]{}
	}
	return made.(singleSolve[T])
}

// singleStages implements singleSolve. S is the number type in single precision that belongs to T.
type singleStages[T Double, S float32 | complex64] struct {
	plan.Replaceable[*dense.Stages[S]]
	convert *move.Conversion // between A and the vectors in both precisions
}

func (p *singleStages[T, S]) prepare(dev *vk.Device, n int, opt Options) (err error) {
	single := Options{
		Vectors: true, Solver: opt.Solver, Band: opt.Band, Block: opt.Block, NoWaits: opt.NoWaits,
		Products: ProductsNative, Tuning: opt.Tuning,
	}
	if p.convert, err = move.NewConversion(dev); err != nil {
		return err
	}
	p.Now, err = dense.New[S](dev, n, single.config())
	return err
}

func (p *singleStages[T, S]) avoidWaiting(dev *vk.Device, n int, c *plan.Call) error {
	cfg := p.Now.Config
	cfg.NoWaits = c.AvoidWaits() || cfg.NoWaits
	next, err := plan.Compiled(dev, func() (*dense.Stages[S], error) { return dense.New[S](dev, n, cfg) })
	if err == nil {
		p.Take(next)
	}
	return err
}

func (p *singleStages[T, S]) layout() *vk.Layout { return p.Now.Layout() }
func (p *singleStages[T, S]) costs() []StageCost { return p.Current().Costs() }

func (p *singleStages[T, S]) solve(s *refineCall[T], a Sym[T]) (sigma float64, err error) {
	largest, err := a.triangle().Largest()
	if err != nil {
		return 0, err
	}
	sigma = toOne(largest)
	if err := a.triangle().UploadScaled(s.Ctx, s.Dev, s.MatrixA().At, sigma); err != nil {
		return 0, err
	}
	s.Place()
	first := &dense.Solve[S]{Stages: p.Now, Call: s.Call}
	var received func() spectrum.Tridiagonal
	err = s.Run(func(rec *vk.Recorder) {
		s.RecordLoad(rec, a.triangle(), sigma)
		p.convert.RecordNarrow(rec, vk.Cast[float64](s.MatrixA().At), vk.Cast[float32](first.MatrixA().At))
		received = first.RecordReduction(rec, dense.Triangle[S]{}, 1)
	})
	if err != nil {
		return 0, err
	}
	tail := spectrum.Tail[S]{Stage: first.Spectrum, Sigma: 1, Vectors: []spectrum.Vectors[S]{{
		Rows:  a.N,
		Into:  func(int) vk.Columns[S] { return vk.Columns[S]{} }, // the vectors stay on the device
		Fetch: func(x product.Matrix[float64], _ func() vk.Columns[S]) error { return p.widen(s, first, x) },
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
func (p *singleStages[T, S]) widen(s *refineCall[T], first *dense.Solve[S], x product.Matrix[float64]) error {
	q, err := first.TransformBack(x)
	if err != nil {
		return err
	}
	return s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseTranspose, 0, 1)
		p.convert.RecordWiden(rec, vk.Cast[float32](q.At.Sub(0, precision.Elements(q))), vk.Cast[float64](s.Y.At))
		s.RecordTranspose(rec)
	})
}
