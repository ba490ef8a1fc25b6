package refinement

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

const (
	// mostChange is the largest allowed change ‖E‖_∞ of the vectors in a step. If the change is
	// larger, the approximate vectors are not good enough, and the iteration ends.
	mostChange = 0.5

	// mostCluster is the largest allowed size of a cluster, as a fraction of all eigenvalues.
	mostCluster = 0.5
)

// Steps does the steps of one refinement of all n eigenvectors of A·x = λ·x or A·x = λ·B·x. The
// matrices must be on the device.
type Steps[T spirv.Scalar] struct {
	*plan.Call
	Stage    *refine.Refinement[T]
	Products Products[T]

	// Large solves the eigenproblems of clusters that are too large for the host. If it is nil, a
	// step with such a cluster cannot be done.
	Large Eigensolver[T]

	// Counts has the numbers of steps and clusters, the changes of the vectors, and the reason why a
	// step could not be done.
	Counts Counts

	// Of has the matrices of the problem.
	Of refine.Pair[T]

	// X is the device memory of the approximate vectors, one per row, and Y is that of the improved
	// vectors. Each step exchanges the two.
	X, Y product.Matrix[T]

	// Lambda are the eigenvalues that the last step has computed.
	Lambda []float64

	// noise is the size of rounding errors in the coupling of a pair of vectors, in this step.
	noise refine.Noise[T]
}

// Counts are the fields of evd.Refinement.
type Counts struct {
	Steps             int
	Changes           []float64
	Clusters, Largest int
	Cold              string
}

// These are reasons in Counts.Cold, as in package evd.
const (
	ColdFar     = "the vectors are not near to orthonormal eigenvectors"
	ColdCluster = "too many eigenvalues are in one cluster"
	ColdSteps   = "the iteration does not converge"
)

func (s *Steps[T]) n() int { return s.X.Rows }

// Step does one step, with the products `ops` for XᴴAX and XᴴBX. `noiseOf` returns the noise of
// pairs of vectors; its argument is max |λ|. The result `left` estimates the error of the vectors X
// after the step: of XᴴBX relative to 1, and of XᴴAX relative to max |λ|. If the step cannot be
// done, Step sets Counts.Cold.
func (s *Steps[T]) Step(ops product.Ops[T], noiseOf func(norm float64) refine.Noise[T]) (left float64, err error) {
	s.Counts.Steps++
	norm, err := s.quotients(ops)
	if err != nil {
		return 0, err
	}
	if !(norm <= math.MaxFloat64) { // the norm is infinite or NaN
		s.Counts.Cold = ColdFar
		return 0, nil
	}
	s.noise = noiseOf(norm)
	clusters, err := s.clusters()
	if err != nil {
		return 0, err
	}
	s.Counts.Clusters = max(s.Counts.Clusters, clusters.Count())
	s.Counts.Largest = max(s.Counts.Largest, clusters.Largest())
	if m := clusters.Largest(); m > 2 && float64(m) > mostCluster*float64(s.n()) || m > hostCluster && s.Large == nil {
		s.Counts.Cold = ColdCluster
		return 0, nil
	}
	inside, w, err := s.ritz(clusters)
	if errors.As(err, new(*vk.OutOfMemoryError)) { // a cold solve frees the memory of this plan first
		s.Counts.Cold = ColdCluster
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	change, err := s.correct()
	if err != nil {
		return 0, err
	}
	s.Counts.Changes = append(s.Counts.Changes, change)
	if !(change < mostChange) { // the change is too large, or NaN
		s.Counts.Cold = ColdFar
		return 0, nil
	}
	left = change * change
	if norm > 0 {
		left += change * inside / norm
	}
	size := change
	if clusters.Largest() > 1 {
		size = 1 // rotations within clusters are not small
	}
	remains := max(change*change/2, mostLeft*float64(s.n())*spectrum.Ulp)
	return left, s.update(s.Products.forUpdate(s.n(), size, remains), clusters, w)
}

// quotients computes S = XᴴAX, G = XᴴBX and the Rayleigh quotients λ of the vectors X. It returns
// max |λ|, which estimates ‖A‖₂ if B = I, or NaN.
func (s *Steps[T]) quotients(ops product.Ops[T]) (norm float64, err error) {
	lambda := make([]T, s.n())
	err = s.Run(func(rec *vk.Recorder) {
		s.Products.emulated.Begin(rec, s.Arena)
		rec.Phase(stages.PhaseRefineProducts, float64(min(s.Counts.Steps-1, usualSteps)), usualSteps)
		vk.Receive(rec, lambda, s.Stage.RecordProducts(rec, s.Arena, ops, s.Of, s.X, s.Y))
		s.Products.emulated.Refused(s.Call, rec, s.Arena)
	})
	s.Lambda = spectrum.Scale(lambda, 1)
	for _, x := range s.Lambda {
		norm = math.Max(norm, math.Abs(x))
	}
	return norm, err
}

// clusters divides the eigenvalues of this step into clusters, sets of eigenvalues that are too
// close for the iteration.
func (s *Steps[T]) clusters() (refine.Clusters, error) {
	reach, strength := make([]T, s.n()), make([]T, s.n())
	err := s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRitz, 0, 1)
		r, g := s.Stage.RecordCouplings(rec, s.Arena, s.noise)
		vk.Receive(rec, reach, r)
		vk.Receive(rec, strength, g)
	})
	if err != nil {
		return nil, err
	}
	return refine.NewClusters(s.Lambda, spectrum.Scale(reach, 1), spectrum.Scale(strength, 1)), nil
}

// correct computes the correction E of the vectors X, and returns its size ‖E‖_∞, or NaN.
func (s *Steps[T]) correct() (change float64, err error) {
	sums := make([]T, s.n())
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseRefineUpdate, 0, 1)
		vk.Receive(rec, sums, s.Stage.RecordCorrection(rec, s.Arena, s.noise))
	})
	return slices.Max(spectrum.Scale(sums, 1)), err // NaN if a sum is NaN
}

// update replaces the vectors X by X + X·E. `w` has the eigenvectors of the clusters.
func (s *Steps[T]) update(ops product.Ops[T], clusters refine.Clusters, w []T) error {
	err := s.Run(func(rec *vk.Recorder) {
		s.Products.emulated.Begin(rec, s.Arena)
		rec.Phase(stages.PhaseRefineUpdate, 0, 1)
		vk.SendFirst(rec, s.Y.At, w)
		s.Stage.RecordUpdate(rec, s.Arena, ops, clusters, s.X, s.Y)
		s.Products.emulated.Refused(s.Call, rec, s.Arena)
	})
	s.X, s.Y = s.Y, s.X
	return err
}

// sorted returns the values in ascending order, and moves the vectors, the rows or columns of z, in
// the same way. Rounding errors may have changed the order of the values of a step.
func sorted[T any](values []float64, z vk.Columns[T], rows bool) []float64 {
	if slices.IsSorted(values) {
		return values
	}
	order := make([]int, len(values))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	from, of := slices.Clone(z.Data), slices.Clone(values)
	for j, k := range order {
		values[j] = of[k]
		if !rows {
			copy(z.Data[j*z.Ld:j*z.Ld+z.Rows], from[k*z.Ld:])
			continue
		}
		for i := range z.Cols {
			z.Data[j+i*z.Ld] = from[k+i*z.Ld]
		}
	}
	return values
}
