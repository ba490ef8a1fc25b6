package evd

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/spectrum"
)

// Solve solves for one matrix on the best device. It computes what opt asks for, for example
//
//	res, err := evd.Solve(ctx, a, evd.Options{Vectors: true, Select: evd.Index(0, 10)})
//
// Solve opens the device, makes a plan, and closes both again. A program that solves for several
// matrices of one order saves that time with a Plan.
//
// Compiled kernels are stored for the next program, in the folder that the environment variable
// VKEVD_CACHE names, or else in the folder vkevd of the user's cache folder (os.UserCacheDir). The
// command vkevd uses the same folder. If VKEVD_CACHE is set but empty, nothing is stored.
//
// The context can end the solve, but not the opening of the device. Errors are those of vk.Open,
// NewPlan and Plan.Solve.
func Solve[T Float](ctx context.Context, a Sym[T], opt Options) (*Result[T], error) {
	dev, err := spectrum.OpenBest()
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p, err := NewPlan[T](dev, a.N, opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Solve(ctx, a)
}

// SolveTridiagonal is Solve for a tridiagonal matrix. Errors are those of vk.Open,
// NewTridiagonalPlan and TridiagonalPlan.Solve.
func SolveTridiagonal[T Float](ctx context.Context, t Tridiagonal[T], opt Options) (*Result[T], error) {
	dev, err := spectrum.OpenBest()
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	p, err := NewTridiagonalPlan[T](dev, t.N(), opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Solve(ctx, t)
}

// Eigen computes all eigenvalues and eigenvectors of a gonum matrix, as Solve does. a is not
// changed.
func Eigen(ctx context.Context, a mat.Symmetric) (*Result[float64], error) {
	return Solve(ctx, Gonum(a), Options{Vectors: true})
}

// EigenValues is Eigen without vectors. It returns all eigenvalues, ascending.
func EigenValues(ctx context.Context, a mat.Symmetric) ([]float64, error) {
	res, err := Solve(ctx, Gonum(a), Options{})
	if err != nil {
		return nil, err
	}
	return res.Values, nil
}
