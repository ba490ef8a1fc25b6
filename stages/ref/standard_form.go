package ref

// A Pencil is one of the generalized eigenproblems for a Hermitian matrix A and a positive definite
// matrix B = L·Lᴴ, by LAPACK's number (itype).
type Pencil int

const (
	AxLBx Pencil = 1 + iota // A·x = λ·B·x
	ABxLx                   // A·B·x = λ·x
	BAxLx                   // B·A·x = λ·x
)

// StandardForm replaces the n×n Hermitian matrix A by C with C·z = λ·z: C = L⁻¹·A·L⁻ᴴ for AxLBx,
// and C = Lᴴ·A·L otherwise (dsygst, zhegst). L is lower triangular with zeros above the diagonal.
// Of A and C only the lower triangle has a meaning; the upper triangle of A is not read.
//
// The method is recursive. Matrices of order up to `leaf` are solved directly, and larger ones are
// divided into two halves at a multiple of `leaf`.
func StandardForm[T Number](p Pencil, n, leaf int, a []T, lda int, l []T, ldl int) {
	if n <= leaf {
		mirror(n, a, lda)
		if p == AxLBx {
			Trsm(true, NoTrans, n, n, l, ldl, a, lda)
			Trsm(false, Adjoint, n, n, l, ldl, a, lda)
			return
		}
		w := make([]T, n*n)
		Gemm(NoTrans, NoTrans, n, n, n, 1, a, lda, l, ldl, 0, w, n)
		Gemm(Adjoint, NoTrans, n, n, n, 1, l, ldl, w, n, 0, a, lda)
		return
	}
	h := (n + 2*leaf - 1) / (2 * leaf) * leaf
	m := n - h
	a21, a22, l21, l22 := a[h:], a[h+h*lda:], l[h:], l[h+h*ldl:]
	half, w := make([]T, m*h), make([]T, m*h)
	StandardForm(p, h, leaf, a, lda, l, ldl)
	if p == AxLBx {
		mirror(h, a, lda)
		Trsm(false, Adjoint, h, m, l, ldl, a21, lda)
		Gemm(NoTrans, NoTrans, m, h, h, 0.5, l21, ldl, a, lda, 0, half, m) // L21·C11/2
		subtract(m, h, half, a21, lda)
		Syr2k(m, h, a21, lda, l21, ldl, a22, lda)
		subtract(m, h, half, a21, lda)
		Trsm(true, NoTrans, m, h, l22, ldl, a21, lda)
	} else {
		Gemm(NoTrans, NoTrans, m, h, h, 1, a21, lda, l, ldl, 0, w, m)
		Symm(m, h, a22, lda, l21, ldl, half, m)
		for i := range half {
			half[i] = times(-0.5, half[i])
		}
		subtract(m, h, half, w, m) // A21·L11 + A22·L21/2
		Gemm(Adjoint, NoTrans, h, h, m, 1, w, m, l21, ldl, 1, a, lda)
		Gemm(Adjoint, NoTrans, h, h, m, 1, l21, ldl, w, m, 1, a, lda)
		subtract(m, h, half, w, m)
		Gemm(Adjoint, NoTrans, m, h, m, 1, l22, ldl, w, m, 0, a21, lda)
	}
	StandardForm(p, m, leaf, a22, lda, l22, ldl)
}

// subtract computes Y ← Y − X for m×n matrices, X without padding.
func subtract[T Number](m, n int, x, y []T, ldy int) {
	for j := range n {
		for i := range m {
			y[i+j*ldy] -= x[i+j*m]
		}
	}
}

// mirror fills the upper triangle of a Hermitian matrix, and makes its diagonal real.
func mirror[T Number](n int, a []T, lda int) {
	for j := range n {
		a[j+j*lda] = ofReal[T](realPart(a[j+j*lda]))
		for i := range j {
			a[i+j*lda] = conj(a[j+i*lda])
		}
	}
}

// PencilVectors replaces the m eigenvectors z of C by those of the pencil: x = L⁻ᴴ·z, and x = L·z
// for BAxLx.
func PencilVectors[T Number](p Pencil, n, m int, l []T, ldl int, z []T, ldz int) {
	if p != BAxLx {
		Trsm(true, Adjoint, n, m, l, ldl, z, ldz)
		return
	}
	x := make([]T, n*m)
	Gemm(NoTrans, NoTrans, n, m, n, 1, l, ldl, z, ldz, 0, x, n)
	for j := range m {
		copy(z[j*ldz:], x[j*n:(j+1)*n])
	}
}
