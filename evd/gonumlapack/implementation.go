package gonumlapack

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// Implementation is gonum's LAPACK with Dsyev and Dgesvd on a device. Goroutines may share it, and
// the device solves one matrix at a time. Its fields must not be changed after its first use.
type Implementation struct {
	gonum.Implementation

	// Crossover holds the smallest orders that are solved on the device. New sets it by
	// CrossoverFor.
	Crossover Crossover

	// Report is called with errors, because gonum's interface cannot return them. It may be nil. If
	// making a plan fails (for example for lack of device memory), gonum solves the matrix. If
	// solving fails, ok is false.
	Report func(error)

	plans plans
}

var _ lapack.Float64 = (*Implementation)(nil)

// New makes an implementation for lapack64.Use. The caller must close it by Close, and then the
// device.
func New(dev *vk.Device) *Implementation {
	impl := &Implementation{Crossover: CrossoverFor(dev.Info())}
	impl.plans.make = func(j job) (planned, error) {
		if j.kind == singularValues {
			return svd.NewPlan[float64](dev, j.rows, j.cols, svd.Options{U: j.u, V: j.v})
		}
		vectors := j.kind == eigenvectors
		// Dsyev returns the vectors in the memory of A, so the host needs no second matrix.
		return evd.NewPlan[float64](dev, j.cols, evd.Options{Vectors: vectors, Overwrite: vectors, RowMajor: vectors})
	}
	return impl
}

// Close frees the device memory that the implementation keeps. The implementation can still be used
// afterwards. Then it allocates memory again.
func (impl *Implementation) Close() { impl.plans.close() }

// Dsyev computes all eigenvalues and, if jobz is lapack.EVCompute, eigenvectors of the n×n
// symmetric matrix in the uplo triangle of a, row-major with stride lda:
//
//	A = Z·diag(w)·Zᵀ,  w ascending.
//
// Z replaces a: component i of vector j is a[i·lda+j]. work and lwork follow gonum's rules (at
// least 3n−1; −1 is a query) and are not used on the device. If the triangle holds a NaN or an
// infinity, ok is false, and a and w are not changed. If the device fails, ok is also false, and a
// is undefined.
func (impl *Implementation) Dsyev(
	jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int,
) (ok bool) {
	onHost := func() bool { return impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork) }
	vectors := jobz == lapack.EVCompute
	// gonum answers queries and reports wrong arguments, so that the rules are gonum's.
	regular := (vectors || jobz == lapack.EVNone) && (uplo == blas.Upper || uplo == blas.Lower) &&
		n > 1 && lda >= n && lwork >= 3*n-1 && len(work) >= lwork && len(a) >= (n-1)*lda+n && len(w) >= n
	if !regular || n < impl.Crossover.of(vectors) {
		return onHost()
	}
	var err error
	kind := eigenvalues
	if vectors {
		kind = eigenvectors
	}
	prepared := impl.plans.with(job{rows: n, cols: n, kind: kind}, func(p planned) error {
		err = solve(p.(solver), uplo, n, a, lda, w)
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
	impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, -1) // work[0] ← the workspace size, as after every call
	return true
}

// solve writes the eigenvalues to w. If p computes vectors, it writes them to a.
func solve(p solver, uplo blas.Uplo, n int, a []float64, lda int, w []float64) error {
	sym := evd.Sym[float64]{N: n, Ld: lda, Data: a, Uplo: evd.Lower}
	if uplo == blas.Lower { // a lower triangle in row-major storage is an upper one in column-major storage
		sym.Uplo = evd.Upper
	}
	res, err := p.Solve(context.Background(), sym)
	if err != nil {
		return err
	}
	copy(w, res.Values)
	return nil
}

// report calls the function Report, if there is one.
func (impl *Implementation) report(err error) {
	if impl.Report != nil {
		impl.Report(err)
	}
}
