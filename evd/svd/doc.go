// Package svd computes the singular value decomposition of a dense matrix on the GPU,
//
//	A = U·Σ·Vᵀ     Σ = diag(σ₁, σ₂, …), σ₁ ≥ σ₂ ≥ … ≥ 0
//
// for A of any shape, real or complex (with Vᴴ in place of Vᵀ), in double or single precision:
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
// The error of each computed value is at most about ε·max(m, n)·σ₁, as in LAPACK's dgesdd and
// sgesdd, with ε = 2⁻⁵² for float64 and ε = 2⁻²³ for float32. Options.Storage may make it larger.
// So small values may have a large relative error. The orthogonality errors of U and V are a few
// ε·max(m, n) for every A, also if A is rank-deficient or graded.
//
// The values have the same bits with and without vectors, with two exceptions: Options.Band asks
// for a wide band and the matrix has the order Tuning.ValuesFrom or a larger one, or the plan with
// vectors has no memory for emulated products and therefore native ones.
//
// A plan for float32 reduces A and transforms vectors back in single precision. The bidiagonal
// problem between these stages is real, and is solved in double precision for all number types.
//
// A plan for complex128 or complex64 finds A = U·Σ·Vᴴ. Result.V has the columns of V; LAPACK's
// zgesdd returns their conjugates, the rows of Vᴴ. complex64 is to complex128 what float32 is to
// float64. Options.Storage with fewer digits, band matrices and bidiagonal matrices are for real
// numbers only.
//
//	values.go                   functions for a single matrix
//	options.go                  the options of a plan
//	storage.go half.go          values with fewer digits: the band in half precision
//	in_single.go                matrices of doubles that are reduced in single precision
//	plan.go shape.go            the plan for matrices of one shape
//	replaceable.go              new stages for a plan after a wait has failed
//	path.go memory.go           the stages of a solve, and their memory
//	products.go                 the matrix products of a solve, native or emulated
//	solve.go                    the solve: A → C → values
//	load.go                     the copy of A to the device
//	golub_kahan.go              the stage that finds the values of C
//	doubles.go                  the number types: double precision for the bidiagonal problem
//	vectors.go                  the vectors: C → S, W → U, V
//	divide_conquer.go           methods for the vectors S, W of C
//	result.go                   the result of a solve
//	certificate.go verify.go    error bounds of the values; Options.Verify
//	check.go                    residual and orthogonality of the vectors
//	band_*.go                   plans for band matrices
//	bidiagonal_*.go             plans for bidiagonal matrices
package svd
