package evd

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// Solve computes the spectrum of one matrix on the best device, for example
//
//	res, err := evd.Solve(ctx, a, evd.Options{Vectors: true, Select: evd.Index(0, 10)})
//
// Solve opens the device, makes a plan, and closes both at the end. For several matrices of one
// order a Plan is faster, because the device is opened and the plan is made only once.
//
// Solve stores the compiled kernels for later programs, in the folder that the environment variable
// VKEVD_CACHE names. Without this variable, Solve uses the folder vkevd of the user's cache folder
// (os.UserCacheDir), as the command vkevd does. If VKEVD_CACHE is set but empty, nothing is stored.
//
// If the context ends, the solve ends, but not the opening of the device. The errors are those of
// vk.Open, NewPlan and Plan.Solve.
func Solve[T Number](ctx context.Context, a Sym[T], opt Options) (*Result[T], error) {
	return plan.Once[T](
		func(dev *vk.Device) (*Plan[T], error) { return NewPlan[T](dev, a.N, opt) },
		func(p *Plan[T]) (*Result[T], error) { return p.Solve(ctx, a) })
}

// SolveTridiagonal computes the spectrum of one tridiagonal matrix, as Solve does for a dense
// matrix. The errors are those of vk.Open, NewTridiagonalPlan and TridiagonalPlan.Solve.
func SolveTridiagonal[T Float](ctx context.Context, t Tridiagonal[T], opt Options) (*Result[T], error) {
	return plan.Once[T](
		func(dev *vk.Device) (*TridiagonalPlan[T], error) { return NewTridiagonalPlan[T](dev, t.N(), opt) },
		func(p *TridiagonalPlan[T]) (*Result[T], error) { return p.Solve(ctx, t) })
}

// Eigen computes all eigenvalues and eigenvectors of a gonum matrix on the best device, as Solve
// does. It does not change the matrix `a`.
func Eigen(ctx context.Context, a mat.Symmetric) (*Result[float64], error) {
	return Solve(ctx, FromGonum(a), Options{Vectors: true})
}

// Eigenvalues returns all eigenvalues of a gonum matrix in ascending order, without vectors. The
// errors are those of Solve. The values are returned beside an *OverflowError.
func Eigenvalues(ctx context.Context, a mat.Symmetric) ([]float64, error) {
	res, err := Solve(ctx, FromGonum(a), Options{})
	if res == nil {
		return nil, err
	}
	return res.Values, err
}
