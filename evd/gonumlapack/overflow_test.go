package gonumlapack

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"
)

// TestBeyondTheLargestDouble solves a matrix whose largest eigenvalue and singular value is beyond
// the largest double. Dsyev and Dgesvd must return what gonum's return: true and +Inf.
func TestBeyondTheLargestDouble(t *testing.T) {
	impl := always(t)
	const n = 6
	a := slices.Repeat([]float64{math.MaxFloat64}, n*n)
	eigenvalues := func(f testlapack.Dsyever, job lapack.EVJob) (bool, float64) {
		w, work := make([]float64, n), make([]float64, 3*n)
		ok := f.Dsyev(job, blas.Upper, n, slices.Clone(a), n, w, work, len(work))
		return ok, w[n-1]
	}
	for _, job := range []lapack.EVJob{lapack.EVNone, lapack.EVCompute} {
		ok, last := eigenvalues(impl, job)
		if wantOk, want := eigenvalues(gonum.Implementation{}, job); ok != wantOk || last != want || !math.IsInf(want, 1) {
			t.Errorf("Dsyev %c: %v, %g; gonum has %v, %g", job, ok, last, wantOk, want)
		}
	}
	s, want := make([]float64, n), make([]float64, n)
	ok, wantOk := values(impl, n, n, slices.Clone(a), n, s), values(gonum.Implementation{}, n, n, slices.Clone(a), n, want)
	if ok != wantOk || s[0] != want[0] || !math.IsInf(want[0], 1) {
		t.Errorf("Dgesvd: %v, %g; gonum has %v, %g", ok, s[0], wantOk, want[0])
	}
}
