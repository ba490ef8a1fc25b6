package gonumlapack

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// Implementation is gonum's LAPACK with Dsyev and Dgesvd on a device. Several goroutines may share
// an Implementation, but the device solves only one matrix at a time. The fields must not be
// changed after the first use.
type Implementation struct {
	gonum.Implementation

	// Crossover holds the smallest orders that are solved on the device. New sets it to
	// CrossoverFor of the device.
	Crossover Crossover

	// Report is called with each error, because gonum's interface cannot return errors. It may be
	// nil. If a plan cannot be made (for example for lack of device memory), gonum solves the
	// matrix. If a solve fails, Dsyev or Dgesvd returns ok = false.
	Report func(error)

	plans plancache.Plans[job]
}

var _ lapack.Float64 = (*Implementation)(nil)

// New makes an implementation for lapack64.Use. The caller must call Close on the implementation
// before closing the device.
func New(dev *vk.Device) *Implementation {
	impl := &Implementation{Crossover: CrossoverFor(dev.Info())}
	impl.plans.Most = keptPlans
	impl.plans.Make = func(j job) (plancache.Plan, error) {
		if j.kind == singularValues {
			return svd.NewPlan[float64](dev, j.rows, j.cols, svd.Options{U: j.u, V: j.v})
		}
		vectors := j.kind == eigenvectors
		// With these options, Dsyev gets the vectors in the memory of A, and the host needs no
		// second matrix.
		return evd.NewPlan[float64](dev, j.cols, evd.Options{Vectors: vectors, Overwrite: vectors, RowMajor: vectors})
	}
	return impl
}

// Close frees the device memory that the implementation holds. The implementation can still be used
// afterwards, and then allocates memory again.
func (impl *Implementation) Close() { impl.plans.Close() }

// Dsyev computes all eigenvalues and, if jobz is lapack.EVCompute, eigenvectors of the n×n
// symmetric matrix in the `uplo` triangle of the matrix `a`, row-major with stride lda:
//
//	A = Z·diag(w)·Zᵀ,  w ascending.
//
// Z replaces `a`: component i of vector j is a[i·lda+j]. The rules for `work` and `lwork` are
// gonum's: lwork must be at least 3n−1, and lwork = −1 asks for the size. A problem of an order
// below Crossover goes to gonum's Dsyev.
//
// Otherwise the device solves it, and the following holds. Of `work`, only work[0] is used: it gets
// the size. Without eigenvectors `a` is not changed. If the triangle has a NaN or an infinity, the
// result `ok` is false, and `a` and `w` are not changed. If the device fails, `ok` is also false,
// and the contents of `a` are undefined. An eigenvalue beyond the largest double is +Inf or −Inf,
// and `ok` is true.
func (impl *Implementation) Dsyev(
	jobz lapack.EVJob, uplo blas.Uplo, n int, a []float64, lda int, w, work []float64, lwork int,
) (ok bool) {
	onHost := func() bool { return impl.Implementation.Dsyev(jobz, uplo, n, a, lda, w, work, lwork) }
	vectors := jobz == lapack.EVCompute
	// regular says whether the arguments describe a correct problem. If not, gonum's own Dsyev gets
	// the call: it handles wrong arguments and workspace queries.
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
	prepared := impl.plans.With(job{rows: n, cols: n, kind: kind}, func(p plancache.Plan) error {
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

// solve computes the spectrum of the symmetric matrix in the triangle `uplo` of `a`, with the plan
// `p`. It writes the eigenvalues to `w`. If the plan computes vectors, `solve` writes them to `a`.
func solve(p solver, uplo blas.Uplo, n int, a []float64, lda int, w []float64) error {
	res, err := p.Solve(context.Background(), evd.Sym[float64]{N: n, Ld: lda, Data: a, Uplo: uplo == blas.Upper, RowMajor: true})
	if err = asGonum(err); err != nil {
		return err
	}
	copy(w, res.Values)
	return nil
}

// asGonum returns the error of a solve, or nil if the result is what gonum would return. gonum
// returns an infinite value without an error if the value is beyond the largest double.
func asGonum(err error) error {
	if errors.As(err, new(*evd.OverflowError)) {
		return nil
	}
	return err
}

func (impl *Implementation) report(err error) {
	if impl.Report != nil {
		impl.Report(err)
	}
}
