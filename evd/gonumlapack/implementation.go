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

// Implementation is gonum's LAPACK with Dsyev and Dgesvd on a device. Goroutines may share it; the device
// solves one matrix at a time. Change its fields before its first use only.
type Implementation struct {
	gonum.Implementation

	// Crossover is the smallest order that is solved on the device. New takes CrossoverFor.
	Crossover Crossover

	// Report is called with errors, for which gonum's interface has no place; may be nil. After an
	// error of preparing (say, too little device memory) gonum solves the matrix; after an error of
	// solving ok is false.
	Report func(error)

	plans plans
}

var _ lapack.Float64 = (*Implementation)(nil)

// New makes an implementation for lapack64.Use. The caller closes the device, after Close.
func New(dev *vk.Device) *Implementation {
	impl := &Implementation{Crossover: CrossoverFor(dev.Info())}
	impl.plans.make = func(j job) (planned, error) {
		if j.kind == singularValues {
			return svd.NewPlan[float64](dev, j.rows, j.cols, svd.Options{U: j.u, V: j.v})
		}
		vectors := j.kind == eigenvectors
		// Dsyev returns the vectors in A's memory: so there is no second matrix on the host.
		return evd.NewPlan[float64](dev, j.cols, evd.Options{Vectors: vectors, Overwrite: vectors, RowMajor: vectors})
	}
	return impl
}

// Close frees the device memory that is kept for the orders used last. The implementation can still
// be used, and allocates memory again.
func (impl *Implementation) Close() { impl.plans.close() }

// Dsyev computes all eigenvalues and, if jobz is lapack.EVCompute, eigenvectors of the n×n
// symmetric matrix in the uplo triangle of a, row-major with stride lda:
//
//	A = Z·diag(w)·Zᵀ,  w ascending.
//
// Z replaces a: component i of vector j is a[i·lda+j]. work and lwork follow gonum's rules (at
// least 3n−1; −1 is a query) and are not used on the device. ok is false if the triangle holds a
// NaN or an infinity; a and w are then unchanged. ok is also false if the device fails; a is then
// undefined.
func (impl *Implementation) Dsyev(
	jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int,
) (ok bool) {
	onHost := func() bool { return impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork) }
	vectors := jobz == lapack.EVCompute
	// Queries and mistakes are left to gonum, so that there is one set of rules.
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
	impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, -1) // work[0] ← the workspace size, as after any call
	return true
}

// solve writes the eigenvalues to w, and if p computes vectors, these to a.
func solve(p solver, uplo blas.Uplo, n int, a []float64, lda int, w []float64) error {
	sym := evd.Sym[float64]{N: n, Ld: lda, Data: a, Uplo: evd.Lower}
	if uplo == blas.Lower { // row-major lower is column-major upper
		sym.Uplo = evd.Upper
	}
	res, err := p.Solve(context.Background(), sym)
	if err != nil {
		return err
	}
	copy(w, res.Values)
	return nil
}

// report calls Report.
func (impl *Implementation) report(err error) {
	if impl.Report != nil {
		impl.Report(err)
	}
}
