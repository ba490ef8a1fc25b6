package evd

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/vk"
)

// Eigen computes all eigenvalues and eigenvectors of a. It opens the best device and closes it again;
// a program that solves several matrices saves that time with a Plan. a is not changed. Errors are
// those of vk.Open, NewPlan and Plan.Solve.
func Eigen(ctx context.Context, a mat.Symmetric) (*Result[float64], error) {
	return once(ctx, a, Options{Vectors: true})
}

// EigenValues is Eigen without vectors. It returns all eigenvalues, ascending.
func EigenValues(ctx context.Context, a mat.Symmetric) ([]float64, error) {
	res, err := once(ctx, a, Options{})
	if err != nil {
		return nil, err
	}
	return res.Values, nil
}

// once opens the best device for one solve.
func once(ctx context.Context, a mat.Symmetric, opt Options) (*Result[float64], error) {
	dev, err := vk.Open(vk.Options{})
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	sym := Gonum(a)
	p, err := NewPlan[float64](dev, sym.N, opt)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Solve(ctx, sym)
}
