package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/vk"
)

// doubles converts between the number type T of a plan and the double precision in which the
// tridiagonal problem is solved for every T. T(d, e) is converted to doubles once, and its vectors
// S back to T once. A plan gets its doubles when it is made. Each number type that is offered needs
// an implementation, and nothing else in this package asks which type T is.
type doubles[T Float] interface {
	// products returns the double-precision products for the tridiagonal problem, given those of
	// the plan. If both are the same, they share a workspace.
	products(ops product.Ops[T]) product.Ops[float64]

	// emulate sets the products of p that integer units compute, with make, which takes the usual
	// number of moduli. It does nothing for types other than double precision.
	emulate(p *products[T], make func(moduli int) (*emulated.Ops, error)) error

	// tridiagonal returns the place where the reduction stores T, given the place where the
	// tridiagonal problem expects T.
	tridiagonal(d, e vk.Slice[float64]) stages.Tridiagonal[T]

	// values returns the eigenvalues λ in the number type T, for the stages that compute in T.
	values(lambda vk.Slice[float64]) vk.Slice[T]

	// vectors returns the memory of S for stages that compute in T, or other memory of the same
	// size.
	vectors(x product.Matrix[float64]) product.Matrix[T]

	// widened returns the vectors of a check for stages in double precision.
	widened(z product.Matrix[T]) product.Matrix[float64]
}

// doublesOf returns the conversions between the number type T and double precision. The error is
// for a type that is not offered.
func doublesOf[T Float]() (doubles[T], error) {
	for _, offered := range []any{identity{}} {
		if d, ok := offered.(doubles[T]); ok {
			return d, nil
		}
	}
	return nil, fmt.Errorf("evd: no plans for numbers of type %T", *new(T))
}

// identity is the implementation of doubles for float64. All methods return their argument, so
// device memory is shared and no conversion is recorded.
type identity struct{}

func (identity) products(ops product.Ops[float64]) product.Ops[float64] { return ops }

func (identity) emulate(p *products[float64], make func(moduli int) (*emulated.Ops, error)) error {
	reduction, err := make(reductionModuli)
	if err != nil {
		return err
	}
	vectors, err := make(vectorModuli)
	if err != nil {
		return err
	}
	p.reduction, p.vectors, p.emulated = reduction, vectors, []*emulated.Ops{reduction, vectors}
	return nil
}

func (identity) tridiagonal(d, e vk.Slice[float64]) stages.Tridiagonal[float64] {
	return stages.Tridiagonal[float64]{D: d, E: e}
}

func (identity) values(lambda vk.Slice[float64]) vk.Slice[float64] { return lambda }

func (identity) vectors(x product.Matrix[float64]) product.Matrix[float64] { return x }

func (identity) widened(z product.Matrix[float64]) product.Matrix[float64] { return z }
