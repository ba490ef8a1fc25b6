package ref

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd/ratio"
)

func TestGeneralBandReduction(t *testing.T) {
	orthogonal := worst{name: "‖I − QᵀQ‖ of Q1 and P1"}
	equal := worst{name: "‖A − Q1·B·P1ᵀ‖"}
	eachShape(func(n, b, k int) {
		for _, m := range []int{n, n + 1, n + b, 2*n + 3} {
			if n == 0 || n%3 != 0 && m > n+b {
				continue
			}
			lda := m + 2
			dense := gauss(m*n, uint64(m+n*b+k))
			a := slices.Repeat([]float64{math.NaN()}, lda*n)
			for j := range n {
				copy(a[j*lda:], dense[j*m:(j+1)*m])
			}
			band, left, right := GeneralBandReduction(m, n, b, k, a, lda)
			if !untouched(m, n, a, lda) {
				t.Fatalf("m=%d n=%d b=%d k=%d: padding written", m, n, b, k)
			}
			q, p := eye(m, m), eye(n, n)
			applyLeft(m, n, b, a, lda, left, q)
			applyRight(n, b, a, lda, right, p)
			orthogonal.see(t, ratio.Orthogonality(m, m, q, m), "Q1, m=%d n=%d b=%d k=%d", m, n, b, k)
			orthogonal.see(t, ratio.Orthogonality(n, n, p, n), "P1, m=%d n=%d b=%d k=%d", m, n, b, k)

			full := upperBandToFull(t, n, b, band)
			qb, got := make([]float64, m*n), make([]float64, m*n)
			Gemm(NoTrans, NoTrans, m, n, n, 1, q, m, full, n, 0, qb, m)
			Gemm(NoTrans, Trans, m, n, n, 1, qb, m, p, n, 0, got, m)
			var off float64
			for i := range got {
				got[i] -= dense[i]
			}
			if norm := ratio.Norm1(m, n, dense, m); norm != 0 {
				off = ratio.Norm1(m, n, got, m) / (norm * float64(m) * 0x1p-52)
			}
			equal.see(t, off, "m=%d n=%d b=%d k=%d", m, n, b, k)
		}
	})
	orthogonal.report(t)
	equal.report(t)
}

// applyLeft replaces the m×m matrix X by Q1·X. Q1 = Q(0)·Q(1)⋯ has one factor for each left panel
// of the reduction, so the last panel is applied first.
func applyLeft[T Number](m, n, b int, a []T, lda int, factors, x []T) {
	for p := LeftPanels(n, b) - 1; p >= 0; p-- {
		c := p * b
		y := make([]T, (m-c)*b)
		for j := range min(b, n-c) {
			copy(y[j*(m-c):], a[c+(c+j)*lda:m+(c+j)*lda])
		}
		applyBlock(m-c, b, y, factors[p*b*b:], m, x[c:], m)
	}
}

// applyRight replaces the n×n matrix X by P1·X, where P1 is the orthogonal factor of the right
// panels of the reduction.
func applyRight[T Number](n, b int, a []T, lda int, factors, x []T) {
	for p := RightPanels(n, b) - 1; p >= 0; p-- {
		c, rest := p*b, n-(p+1)*b
		v := make([]T, rest*b)
		for i := range b {
			for j := range rest {
				v[j+i*rest] = a[c+i+(c+b+j)*lda]
			}
		}
		applyBlock(rest, b, v, factors[p*b*b:], n, x[c+b:], n)
	}
}

// applyBlock replaces the rows×m matrix X by (I − Y·T·Yᴴ)·X, where Y has b columns.
func applyBlock[T Number](rows, b int, y, t []T, m int, x []T, ldx int) {
	yx, tyx := make([]T, b*m), make([]T, b*m)
	Gemm(Adjoint, NoTrans, b, m, rows, 1, y, rows, x, ldx, 0, yx, b)
	Gemm(NoTrans, NoTrans, b, m, b, 1, t, b, yx, b, 0, tyx, b)
	Gemm(NoTrans, NoTrans, rows, m, b, -1, y, rows, tyx, b, 1, x, ldx)
}

// TestSingularValuesByTwoStages reduces matrices to a band and then to bidiagonal form. It compares
// the singular values of the result with those of the matrix. gonum computes both.
func TestSingularValuesByTwoStages(t *testing.T) {
	for _, c := range [][4]int{{1, 1, 2, 2}, {5, 3, 2, 4}, {20, 20, 4, 8}, {33, 17, 3, 6}, {64, 40, 8, 16}} {
		m, n, b, k := c[0], c[1], c[2], c[3]
		dense := gauss(m*n, 11)
		want := singular(t, mat.NewDense(n, m, slices.Clone(dense)).T())
		band, _, _ := GeneralBandReduction(m, n, b, k, slices.Clone(dense), m)
		d, e, _, _ := BidiagonalChasing(n, b, band)
		bi := mat.NewDense(n, n, nil)
		for i := range d {
			bi.Set(i, i, d[i])
			if i+1 < n {
				bi.Set(i, i+1, e[i])
			}
		}
		for i, got := range singular(t, bi) {
			if !(math.Abs(got-want[i]) <= 20*float64(m)*0x1p-52*want[0]) {
				t.Errorf("%d by %d, b=%d k=%d: σ%d is %g, want %g", m, n, b, k, i, got, want[i])
			}
		}
	}
}
