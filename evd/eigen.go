package evd

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/vk"
)

// Eigen opens the best device, computes all eigenvalues and eigenvectors of a,
// and closes the device again. For more than one matrix make a Plan. Errors are those of
// NewPlan and Plan.Solve, and vk.ErrNoDevice.
func Eigen(ctx context.Context, a mat.Symmetric) (*Result[float64], error) {
	return once(ctx, a, Options{Vectors: true})
}

// EigenValues is Eigen without vectors.
func EigenValues(ctx context.Context, a mat.Symmetric) ([]float64, error) {
	res, err := once(ctx, a, Options{})
	if err != nil {
		return nil, err
	}
	return res.Values, nil
}

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
