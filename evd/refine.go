package evd

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/refinement"
	"github.com/vkevd/vkevd/vk"
)

// Refinement describes how RefinePlan.Refine or MixedPlan.Solve has computed a result: the steps of
// the iteration, and the clusters of eigenvalues.
type Refinement struct {
	// Steps is the number of steps of the iteration. If the plan then solved without the
	// approximate vectors, the steps before count, too. Each step takes about 6·n³ operations.
	Steps int `json:"steps"`

	// Changes has, for each step, the relative change ‖E‖_∞ of the matrix X of vectors: a step
	// replaces X by X + X·E. Rotations among the vectors of a cluster, a set of close eigenvalues,
	// do not count.
	Changes []float64 `json:"changes"`

	// Clusters is the largest number of clusters in a step, and Largest is the order of the largest
	// cluster. A cluster is a set of eigenvalues that are too near to each other for the iteration.
	// The vectors of a cluster are computed by a small eigenproblem.
	Clusters int `json:"clusters"`
	Largest  int `json:"largest"`

	// Cold is the reason why the plan has solved without the approximate vectors (a cold solve). It
	// is empty if the plan has used them.
	Cold string `json:"cold,omitempty"`
}

// These are the possible reasons in Refinement.Cold. ColdCluster means that a cluster is too large,
// or that its eigenproblem does not fit into the free device memory. ColdSingle is only for a
// MixedPlan.
const (
	ColdFar         = refinement.ColdFar
	ColdCluster     = refinement.ColdCluster
	ColdSteps       = refinement.ColdSteps
	ColdCertificate = "the refined result does not pass its certificate"
	ColdSingle      = "the solve in single precision failed"
)

// InitialVectorsError says that the approximate eigenvectors contain a NaN or an infinity. Row and
// Col, counted from 0, are the indices of the first such element in the order of the memory. Value
// is the element, or the part of a complex element that is not finite.
type InitialVectorsError struct {
	Row, Col int
	Value    float64
}

// Error returns a text with the row, the column and the value of the element that is not finite.
func (e *InitialVectorsError) Error() string {
	return fmt.Sprintf("element (%d, %d) of the approximate eigenvectors is %v (indices from 0)", e.Row, e.Col, e.Value)
}

// Refine computes all eigenvalues and eigenvectors of the matrix `a` from n approximate
// eigenvectors `q`. These may be the eigenvectors of a matrix near `a`, or eigenvectors that were
// computed in single precision. Column j of q is a vector, and the columns are sorted by
// eigenvalue, or nearly so. The argument `opt` has the options of NewRefinePlan. Refine opens the
// best device, makes a plan, and closes both at the end.
func Refine[T Double](ctx context.Context, a Sym[T], q Dense[T], opt Options) (*Result[T], error) {
	return plan.Once[T](
		func(dev *vk.Device) (*RefinePlan[T], error) { return NewRefinePlan[T](dev, a.N, opt) },
		func(p *RefinePlan[T]) (*Result[T], error) { return p.Refine(ctx, a, q) })
}

// InitialShapeError says that the approximate eigenvectors are not an N×N matrix, where N is the
// order of the matrix.
type InitialShapeError struct{ Rows, Cols, N int }

// Error returns a text with the shapes.
func (e *InitialShapeError) Error() string {
	return fmt.Sprintf("approximate eigenvectors of %d×%d for a matrix of order %d, which needs all of them", e.Rows, e.Cols, e.N)
}
