package gonumlapack

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// Implementation is gonum's LAPACK with Dsyev on a device. Its methods may be called from
// many goroutines; the device does one matrix at a time. Change its fields before its first use.
type Implementation struct {
	gonum.Implementation

	// Crossover is the least order for the device; New sets what is known to pay there.
	Crossover Crossover

	// Report, if not nil, is told what the device or the matrix made impossible. gonum's
	// interface has no place for an error: after one in preparing (too little device
	// memory, say) gonum solves the matrix instead, after one in solving ok is false.
	Report func(error)

	plans plans
}

var _ lapack.Float64 = (*Implementation)(nil)

// New makes an implementation for lapack64.Use. The device stays the caller's, to be
// closed after Close.
func New(dev *vk.Device) *Implementation {
	impl := &Implementation{Crossover: CrossoverFor(dev.Info())}
	impl.plans.make = func(n int, vectors bool) (solver, error) {
		// The vectors take A's place, as Dsyev wants them: no second matrix on the host.
		return evd.NewPlan[float64](dev, n, evd.Options{Vectors: vectors, Overwrite: vectors, RowMajor: vectors})
	}
	return impl
}

// Close frees the device memory that is kept for matrices of the orders seen last. The
// implementation stays usable, and takes memory again.
func (impl *Implementation) Close() { impl.plans.close() }

// Dsyev computes all eigenvalues and, if jobz is lapack.EVCompute, eigenvectors of the n×n
// symmetric matrix in the uplo triangle of a, row-major with stride lda:
//
//	A = Z·diag(w)·Zᵀ,  w ascending.
//
// Z replaces a: component i of vector j is a[i·lda+j]. work and lwork are held to gonum's
// rules (at least 3n−1; −1 asks) and not used on the device. ok is false if the triangle holds a
// NaN or an infinity, in which case a and w are as they were, or if the device fails, in
// which case a is lost.
func (impl *Implementation) Dsyev(jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int) (ok bool) {
	onHost := func() bool { return impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork) }
	vectors := jobz == lapack.EVCompute
	// Queries and whatever gonum panics about are left to it, so that there is one set of rules.
	regular := (vectors || jobz == lapack.EVNone) && (uplo == blas.Upper || uplo == blas.Lower) &&
		n > 1 && lda >= n && lwork >= 3*n-1 && len(work) >= lwork && len(a) >= (n-1)*lda+n && len(w) >= n
	if !regular || n < impl.Crossover.of(vectors) {
		return onHost()
	}
	var err error
	prepared := impl.plans.with(n, vectors, func(p solver) error {
		err = solve(p, uplo, n, a, lda, w)
		return err
	})
	if prepared != nil {
		impl.report(prepared)
		return onHost()
	}
	if err != nil {
		impl.report(err)
		return false
	}
	impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, -1) // leaves in work[0] what callers may expect there
	return true
}

// solve leaves the eigenvalues in w and the vectors in a.
func solve(p solver, uplo blas.Uplo, n int, a []float64, lda int, w []float64) error {
	sym := evd.Sym[float64]{N: n, Ld: lda, Data: a, Uplo: evd.Lower}
	if uplo == blas.Lower { // of a row-major matrix, which is the upper one by columns
		sym.Uplo = evd.Upper
	}
	res, err := p.Solve(context.Background(), sym)
	if err != nil {
		return err
	}
	copy(w, res.Values)
	return nil
}

func (impl *Implementation) report(err error) {
	if impl.Report != nil {
		impl.Report(err)
	}
}
