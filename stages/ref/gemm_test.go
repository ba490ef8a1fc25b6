package ref

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

func padded(rows, cols, ld int, seed uint64) []float64 {
	x := nans(ld * cols)
	for j := range cols {
		copy(x[j*ld:], gauss(rows, seed+uint64(j)))
	}
	return x
}

func agree(t *testing.T, what string, rows, cols int, got, want []float64, ld int) {
	t.Helper()
	for j := range cols {
		for i := range ld {
			g, w := got[i+j*ld], want[i+j*ld]
			if i >= rows && !math.IsNaN(g) || i < rows && !(math.Abs(g-w) <= 1e-13) && !(math.IsNaN(g) && math.IsNaN(w)) {
				t.Fatalf("%s: element (%d, %d) is %g, want %g", what, i, j, g, w)
			}
		}
	}
}

func operation(transposed bool) Op {
	if transposed {
		return Trans
	}
	return NoTrans
}

func TestGemmAgreesWithGonum(t *testing.T) {
	for _, size := range [][3]int{{0, 3, 2}, {3, 0, 2}, {3, 2, 0}, {1, 1, 1}, {4, 3, 5}, {7, 9, 8}} {
		m, n, k := size[0], size[1], size[2]
		for mask := range 4 {
			transA, transB := mask&1 != 0, mask&2 != 0
			shape := func(trans bool, rows, cols int) (int, int, blas.Transpose) {
				if trans {
					return cols, rows, blas.Trans
				}
				return rows, cols, blas.NoTrans
			}
			aRows, aCols, ta := shape(transA, m, k)
			bRows, bCols, tb := shape(transB, k, n)
			lda, ldb, ldc := aRows+2, bRows+1, m+3
			a, b := padded(aRows, aCols, lda, 1), padded(bRows, bCols, ldb, 2)
			for _, beta := range []float64{0, 1, -0.5} {
				got, want := padded(m, n, ldc, 3), padded(m, n, ldc, 3)
				if beta == 0 {
					got = nans(len(got)) // must be overwritten, not multiplied
				}
				Gemm(operation(transA), operation(transB), m, n, k, -1.5, a, lda, b, ldb, beta, got, ldc)
				if m > 0 && n > 0 { // Cᵀ = op(B)ᵀ·op(A)ᵀ
					blas64.Implementation().Dgemm(tb, ta, n, m, k, -1.5, b, ldb, a, lda, beta, want, ldc)
				}
				agree(t, "gemm", m, n, got, want, ldc)
			}
		}
	}
}

func TestSyr2kAndSymmReadOneTriangle(t *testing.T) {
	for n := range 9 {
		for k := range 5 {
			ld := n + 2
			y, z := padded(n, k, ld, 1), padded(n, k, ld, 2)
			a := gaussSymmetric(n, 3)

			got, want := lowerOnly(n, a, ld), lowerOnly(n, a, ld)
			Syr2k(n, k, y, ld, z, ld, got, ld)
			for j := range n {
				for i := j; i < n; i++ {
					for p := range k {
						want[i+j*ld] -= y[i+p*ld]*z[j+p*ld] + z[i+p*ld]*y[j+p*ld]
					}
				}
			}
			agree(t, "syr2k", n, n, got, want, ld)

			p, want2 := nans(ld*k), nans(ld*k)
			Symm(n, k, lowerOnly(n, a, ld), ld, y, ld, p, ld)
			Gemm(NoTrans, NoTrans, n, k, n, 1, a, max(1, n), y, ld, 0, want2, ld)
			agree(t, "symm", n, k, p, want2, ld)
		}
	}
}

// TestSymmColumns checks that the parts of all devices add up to the product with the trailing
// matrix, that a part reads only the device's columns, and that nothing before `top` is read.
func TestSymmColumns(t *testing.T) {
	const n, k, devices = 9, 3, 2
	for top := range n {
		m, ld := n-top, n+2
		a, w := lowerOnly(n, gaussSymmetric(n, 3), ld), padded(m, k, ld, 1)
		sum, want := padded(m, k, ld, 1), nans(ld*k)
		Symm(m, k, a[top+top*ld:], ld, w, ld, want, ld)
		for device := range devices {
			own := func(column int) bool { return column/2%devices == device }
			mine := lowerOnly(n, gaussSymmetric(n, 3), ld)
			for j := range n {
				for i := range n {
					if !own(j) || i < top || j < top {
						mine[i+j*ld] = math.NaN()
					}
				}
			}
			p := nans(ld * k)
			SymmColumns(n, k, top, own, mine, ld, w, ld, p, ld)
			for j := range k {
				for i := range m {
					if device == 0 {
						sum[i+j*ld] = 0
					}
					sum[i+j*ld] += p[i+j*ld]
				}
			}
		}
		agree(t, "symm of columns", m, k, sum, want, ld)
	}
}
