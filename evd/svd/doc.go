// Package svd computes the singular value decomposition of a dense matrix on the GPU,
//
//	A = U·Σ·Vᵀ     Σ = diag(σ₁, σ₂, …), σ₁ ≥ σ₂ ≥ … ≥ 0
//
// for A of any shape, in double precision:
//
//	dev, err := vk.Open(vk.Options{})
//	p, err := svd.NewPlan[float64](dev, m, n, svd.Options{U: svd.Thin, V: svd.Thin})
//	res, err := p.Solve(ctx, evd.Dense[float64]{Rows: m, Cols: n, Ld: m, Data: a})
//	res.Values, res.U, res.V
//
// The functions Values(ctx, a) and Decompose(ctx, a) solve a single matrix. Options says which
// vectors are wanted, and how many of the largest singular values.
//
// Each computed value is within about ε·max(m, n)·σ₁ of a singular value, ε = 2⁻⁵², as with
// LAPACK's dgesdd. So small values have no relative accuracy. The values have the same bits with
// and without vectors. U and V are orthogonal to a few ε·max(m, n) for every A, also for
// rank-deficient and graded ones.
//
//	options.go               what is wanted
//	plan.go shape.go         what one shape needs, prepared once
//	path.go memory.go        stages and their memory
//	solve.go                 the method
//	load.go                  A to the device
//	vectors.go               C → S, W → U, V
//	result.go                what comes back
//	certificate.go           what can be measured of values alone
//	check.go                 residual and orthogonality of vectors
package svd
