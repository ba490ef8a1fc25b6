package gonumlapack

import (
	"context"

	"gonum.org/v1/gonum/lapack"

	"github.com/vkevd/vkevd/evd"
)

// Dgesvd computes the singular value decomposition of the m×n matrix a, row-major with stride lda:
//
//	A = U·diag(s)·Vᵀ,  s descending.
//
// Without vectors, which is lapack.SVDNone for both jobs, the device computes s, and a is not changed.
// All other jobs are gonum's. work and lwork follow gonum's rules (at least
// max(5·min(m, n), 3·min(m, n) + max(m, n)); −1 is a query) and are not used on the device. ok is
// false if A holds a NaN or an infinity, or if the device fails; s is then unchanged.
func (impl *Implementation) Dgesvd(
	jobU, jobVT lapack.SVDJob, m, n int, a []float64, lda int, s, u []float64, ldu int,
	vt []float64, ldvt int, work []float64, lwork int,
) (ok bool) {
	onHost := func(lwork int) bool {
		return impl.Implementation.Dgesvd(jobU, jobVT, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork)
	}
	few := min(m, n)
	// Queries and mistakes are left to gonum, so that there is one set of rules.
	regular := jobU == lapack.SVDNone && jobVT == lapack.SVDNone && few > 0 && lda >= n && ldu >= 1 && ldvt >= 1 &&
		lwork >= max(5*few, 3*few+max(m, n)) && len(work) >= lwork && len(a) >= (m-1)*lda+n && len(s) >= few
	if !regular || few < impl.Crossover.Singular {
		return onHost(lwork)
	}
	var err error
	prepared := impl.plans.with(job{m, n, singularValues}, func(p planned) error {
		err = singular(p.(singularSolver), m, n, a, lda, s)
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
	onHost(-1) // work[0] ← the workspace size, as after any call
	return true
}

// singular writes the singular values to s.
func singular(p singularSolver, m, n int, a []float64, lda int, s []float64) error {
	res, err := p.Solve(context.Background(), evd.Dense[float64]{Rows: m, Cols: n, Ld: lda, Data: a, RowMajor: true})
	if err != nil {
		return err
	}
	copy(s, res.Values)
	return nil
}
