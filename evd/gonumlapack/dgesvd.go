package gonumlapack

import (
	"context"

	"gonum.org/v1/gonum/lapack"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/plancache"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/internal/copies"
)

// Dgesvd computes the singular value decomposition of the m×n matrix `a`, row-major with stride
// lda:
//
//	A = U·diag(s)·Vᵀ,  s descending.
//
// Each job may be lapack.SVDNone, SVDStore (the first min(m, n) columns of U, or rows of Vᵀ) or
// SVDAll. SVDOverwrite panics, because gonum does not implement it. The rules for `work` and
// `lwork` are gonum's: `lwork` must be at least max(5·min(m, n), 3·min(m, n) + max(m, n)), and
// lwork = −1 asks for the size. A problem below Crossover goes to gonum's Dgesvd.
//
// Otherwise the device solves it, and the following holds. `a` is not changed. Of `work`, only
// work[0] is used: it gets the size. The result `ok` is false if A has a NaN or an infinity, or if
// the device fails. In these cases `s`, `u` and `vt` are not changed. A singular value beyond the
// largest double is +Inf, and `ok` is true.
func (impl *Implementation) Dgesvd(
	jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int,
	vt []float64, ldvt int, work []float64, lwork int,
) (ok bool) {
	onHost := func(lwork int) bool {
		return impl.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	few := min(m, n)
	left, right := sideOf(jobU, m, few), sideOf(jobVT, n, few)
	// regular says whether the arguments describe a correct problem. If not, gonum's own Dgesvd
	// gets the call: it handles wrong arguments and workspace queries.
	regular := left.known && right.known && few > 0 && lda >= n && left.fit(u, m, left.count, ldu) && right.fit(vt, right.count, n, ldvt) &&
		lwork >= max(5*few, 3*few+max(m, n)) && len(work) >= lwork && len(a) >= (m-1)*lda+n && len(s) >= few
	if !regular || few < impl.Crossover.singular(left.count+right.count > 0) {
		return onHost(lwork)
	}
	var err error
	key := job{rows: m, cols: n, kind: singularValues, u: left.wanted, v: right.wanted}
	if left.wanted != svd.None { // V decides the signs, so V is needed, too: U must be the same for all jobs
		key.v = max(key.v, svd.Thin)
	}
	prepared := impl.plans.With(key, func(p plancache.Plan) error {
		var res *svd.Result[float64]
		dense := evd.Dense[float64]{Rows: m, Cols: n, Ld: lda, Data: a, RowMajor: true}
		res, err = p.(singularSolver).Solve(context.Background(), dense)
		if err = asGonum(err); err == nil {
			copy(s, res.Values)
			if res.U != nil { // by rows
				copies.Transposed(u, ldu, res.U.Data, res.U.Ld, res.U.Rows, res.U.Cols)
			}
			if right.wanted != svd.None { // Vᵀ by rows is V by columns
				copies.Columns(vt, ldvt, res.V.Data, res.V.Ld, res.V.Rows, res.V.Cols)
			}
		}
		return err
	})
	if prepared != nil {
		impl.report(prepared)
		return onHost(lwork)
	}
	if err != nil {
		impl.report(err)
		return false
	}
	onHost(-1) // work[0] ← the workspace size, as after every call
	return true
}

// singularSide describes the singular vectors of one side, U or Vᵀ, that a job of Dgesvd asks for.
type singularSide struct {
	wanted svd.Vectors
	count  int  // number of vectors
	known  bool // whether the device can do the job
}

// sideOf describes the singular vectors that the job j asks for. A vector has `length` components.
// `few` is the number of singular values.
func sideOf(j lapack.SVDJob, length, few int) singularSide {
	switch j {
	case lapack.SVDNone:
		return singularSide{svd.None, 0, true}
	case lapack.SVDStore:
		return singularSide{svd.Thin, few, true}
	case lapack.SVDAll:
		return singularSide{svd.Full, length, true}
	}
	return singularSide{}
}

// fit reports whether x is long enough for a rows×cols matrix with stride ld. It returns true if no
// vectors are wanted.
func (s singularSide) fit(x []float64, rows, cols, ld int) bool {
	return ld >= 1 && (s.wanted == svd.None || ld >= cols && len(x) >= (rows-1)*ld+cols)
}
