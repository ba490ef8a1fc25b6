package refinement

import (
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// PairStep does one step for all vectors of A·x = λ·B·x. It must follow dense.Solve.PairSums for
// the same vectors. It returns the values in ascending order and the vectors, which it copies to
// `into`: an n×n matrix with a vector in each column, or in each row, as dense.Config.RowMajor
// says. It adds to the counts c. If the step cannot be done, it sets c.Cold and returns no values.
func PairStep[T spirv.Scalar](s *dense.Solve[T], noise refine.Noise[T], c *Counts, into vk.Columns[T]) (values []float64, err error) {
	stage, of, x, y := s.PairRefinement()
	steps := Steps[T]{Call: s.Call, Stage: stage, Products: Native[T](s.Products.Native), Counts: *c, Of: of, X: y, Y: x}
	if err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseTranspose, 0, 1)
		s.Orientation().Transpose.Record(rec, x, y)
	}); err != nil {
		return nil, err
	}
	_, err = steps.Step(s.Products.Native, func(float64) refine.Noise[T] { return noise })
	*c = steps.Counts
	if err != nil || c.Cold != "" {
		return nil, err
	}
	var from product.Matrix[T]
	if err := s.Run(func(rec *vk.Recorder) { from = s.Orientation().Record(rec, steps.X, steps.Y, nil) }); err != nil {
		return nil, err
	}
	err = plan.During(stages.PhaseTranspose, vk.Download(s.Ctx, s.Dev, into, from.At))
	return sorted(steps.Lambda, into, s.RowMajor), err
}
