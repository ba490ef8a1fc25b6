package matgen

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Similar makes a kind of dense test matrices with given eigenvalues: Uᵀ·diag(`values`)·U. The
// random orthogonal matrix U is a product of n−1 Householder reflectors of the lengths 2 to n, as
// in LAPACK's dlagsy.
func Similar(name string, values func(n int) []float64) DenseKind {
	return DenseKind{name, func(n int, r *rand.Rand) []float64 { return similar(values(n), r) }, drawless(values)}
}

// similar returns Uᵀ·diag(`values`)·U in full storage, with a random orthogonal matrix U.
func similar(values []float64, r *rand.Rand) []float64 {
	n := len(values)
	a := make([]float64, n*n)
	for i, v := range values {
		a[i+i*n] = v
	}
	// The loop runs backwards. Rows and columns with indices below i are therefore still diagonal,
	// and the reflector does not change them.
	for i := n - 2; i >= 0; i-- {
		v := vector(n-i, func(int) float64 { return r.NormFloat64() })
		reflect(n-i, a[i+i*n:], n, v)
	}
	mirror(n, a)
	return a
}

// reflect replaces the lower triangle of A by that of H·A·H with the Householder reflector H = I −
// τ·v·vᵀ, τ = 2/vᵀv. It computes the rank-two update A − v·qᵀ − q·vᵀ with p = τ·A·v and q = p −
// ½τ(pᵀv)·v. ‖v‖² must neither overflow nor underflow.
func reflect(n int, a []float64, lda int, v []float64) {
	vv := blas64.Vector{N: n, Inc: 1, Data: v}
	tau := 2 / blas64.Dot(vv, vv)
	// The lower triangle of a column-major matrix is the upper triangle in gonum's row-major
	// storage.
	sym := blas64.Symmetric{Uplo: blas.Upper, N: n, Stride: lda, Data: a}
	q := blas64.Vector{N: n, Inc: 1, Data: make([]float64, n)}
	blas64.Symv(tau, sym, vv, 0, q)
	blas64.Axpy(-tau/2*blas64.Dot(q, vv), vv, q)
	blas64.Syr2(-1, vv, q, sym)
}

// narrow reduces the matrix A to the half-bandwidth `width` ≥ 1, without a change of its
// eigenvalues. It applies one Householder reflector per column, from both sides. LAPACK's dlagsy
// does the same in its second half.
func narrow(n, width int, a []float64) {
	for j := 0; j+width+1 < n; j++ {
		top := j + width
		tail := a[top+j*n : n+j*n]
		norm := blas64.Nrm2(blas64.Vector{N: len(tail), Inc: 1, Data: tail})
		if norm == 0 {
			continue
		}
		v := vector(len(tail), func(i int) float64 { return tail[i] / norm })
		v[0] += math.Copysign(1, v[0])
		vv := blas64.Vector{N: len(v), Inc: 1, Data: v}
		scale := -2 / blas64.Dot(vv, vv)
		for c := j; c < top; c++ { // the columns left of the reflector's own
			column := blas64.Vector{N: len(v), Inc: 1, Data: a[top+c*n:]}
			blas64.Axpy(scale*blas64.Dot(column, vv), vv, column)
		}
		clear(tail[1:])
		reflect(len(v), a[top+top*n:], n, v)
	}
	mirror(n, a)
}

func mirror(n int, a []float64) {
	for j := range n {
		for i := j + 1; i < n; i++ {
			a[j+i*n] = a[i+j*n]
		}
	}
}
