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
// Options has the wanted vectors, and the number of wanted singular values. The functions
// Values(ctx, a) and Decompose(ctx, a) solve a single matrix. NewBandPlan computes the singular
// values of upper band matrices, and NewBidiagonalPlan decomposes bidiagonal matrices.
//
// The error of each computed value is at most about ε·max(m, n)·σ₁, with ε = 2⁻⁵², as in LAPACK's
// dgesdd. So small values may have a large relative error. The values have the same bits with and
// without vectors. The orthogonality errors of U and V are a few ε·max(m, n) for every A, also if A
// is rank-deficient or graded.
//
//	options.go               the options of a plan
//	plan.go shape.go         the plan for matrices of one shape
//	path.go memory.go        the stages of a solve, and their memory
//	solve.go                 the solve: A → C → values
//	load.go                  the copy of A to the device
//	vectors.go               the vectors: C → S, W → U, V
//	result.go                the result of a solve
//	certificate.go           error bounds of the values, which need no vectors
//	check.go                 residual and orthogonality of the vectors
//	band_*.go                plans for band matrices
//	bidiagonal_*.go          plans for bidiagonal matrices
package svd
