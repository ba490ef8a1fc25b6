package gonumlapack

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
)

type solver interface {
	plancache.Plan
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
}

type singularSolver interface {
	plancache.Plan
	Solve(context.Context, evd.Dense[float64]) (*svd.Result[float64], error)
}

// job identifies a plan: all problems with the same job can use one plan.
type job struct {
	rows, cols int
	kind       kind
	u, v       svd.Vectors // only for singular values
}

type kind int

const (
	eigenvalues kind = iota
	eigenvectors
	singularValues
)

// keptPlans is the largest number of unused plans whose device memory is kept for the next call.
// Most programs solve many matrices of one or two orders.
const keptPlans = 4
