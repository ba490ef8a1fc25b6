package svd

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// Values computes all singular values of a gonum matrix on the best device, in descending order. It
// opens the device, makes a plan, and closes both afterwards. A program with several matrices of
// one shape should use one Plan, to save the time of opening. The matrix `a` is not changed.
//
// Errors are those of vk.Open, NewPlan and Plan.Solve. The values are returned beside an
// *evd.OverflowError.
func Values(ctx context.Context, a mat.Matrix) ([]float64, error) {
	res, err := solveOne(ctx, a, Options{})
	if res == nil {
		return nil, err
	}
	return res.Values, err
}

// Decompose computes all singular values of a gonum matrix, and the thin U and V, on the best
// device. A program with several matrices of one shape should use one Plan, to save the time of
// opening. The errors are those of vk.Open, NewPlan and Plan.Solve.
func Decompose(ctx context.Context, a mat.Matrix) (*Result[float64], error) {
	return solveOne(ctx, a, Options{U: Thin, V: Thin})
}

func solveOne(ctx context.Context, a mat.Matrix, opt Options) (*Result[float64], error) {
	m, n := a.Dims()
	return plan.Once[float64](
		func(dev *vk.Device) (*Plan[float64], error) { return NewPlan[float64](dev, m, n, opt) },
		func(p *Plan[float64]) (*Result[float64], error) { return p.Solve(ctx, FromGonum(a)) })
}

// FromGonum returns a view of a gonum matrix, or a copy if its type gives no access to its elements
// in memory (mat.RawMatrixer).
func FromGonum(a mat.Matrix) evd.Dense[float64] {
	var g blas64.General
	if raw, ok := a.(mat.RawMatrixer); ok {
		g = raw.RawMatrix()
	} else {
		g = mat.DenseCopyOf(a).RawMatrix()
	}
	return evd.Dense[float64]{Rows: g.Rows, Cols: g.Cols, Ld: max(g.Stride, 1), Data: g.Data, RowMajor: true}
}
