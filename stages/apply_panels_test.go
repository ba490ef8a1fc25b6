package stages

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// identityMatrix returns the n×n identity matrix.
func identityMatrix(n int) []float64 {
	x := make([]float64, n*n)
	for i := range n {
		x[i+i*n] = 1
	}
	return x
}

// applyPanels returns Q·X for the size.Rows×m matrix x, computed on the device. a holds the
// reflectors of Q. It is a rows×cols matrix, which applyPanels stores on the device with leading
// dimension rows + 1.
func applyPanels(t *testing.T, size PanelsSize, tune Tuning, a []float64, rows, cols int, factors, x []float64, m int) []float64 {
	t.Helper()
	d := testDevice(t)
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	size.M = m + 1 // one vector fewer than the stage is prepared for
	q, err := NewApplyPanels(d, PhaseApplyQ1, size, ops, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	lda, ldx := rows+1, m+2
	aa, xx := vk.Reserve[float64]("A", lda*cols), vk.Reserve[float64]("X", ldx*size.Rows)
	tt := vk.Reserve[float64]("T", len(factors))
	ws := arena(t, d, vk.Together(aa, xx, tt, q.Work(), ops.Work()))
	put(t, d, aa.In(ws), padded(rows, cols, a, lda))
	put(t, d, tt.In(ws), factors)
	put(t, d, xx.In(ws), padded(m, size.Rows, transpose(size.Rows, m, x), ldx))
	rec := vk.NewRecorder(d)
	q.Record(rec, ws, NewMatrix(aa.In(ws), rows, cols, lda), tt.In(ws), NewMatrix(xx.In(ws), m, size.Rows, ldx))
	run(t, d, rec)
	return transpose(m, size.Rows, unpadded(t, m, size.Rows, get(t, d, xx.In(ws)), ldx))
}

// product3 returns the m×n matrix U·B·Vᵀ. U is m×m, B is m×n, V is n×n, and all matrices are
// packed.
func product3(m, n int, u, b, v []float64) []float64 {
	ub, a := make([]float64, m*n), make([]float64, m*n)
	ref.Gemm(false, false, m, n, m, 1, u, max(m, 1), b, max(m, 1), 0, ub, max(m, 1))
	ref.Gemm(false, true, m, n, n, 1, ub, max(m, 1), v, max(n, 1), 0, a, max(m, 1))
	return a
}

// factored checks that A = U·B·Vᵀ and that U and V are orthogonal, by the ratios of LAPACK's
// dchkbb.
func factored(t *testing.T, what string, m, n int, a, u, b, v []float64) {
	t.Helper()
	r := product3(m, n, u, b, v)
	for i := range r {
		r[i] -= a[i]
	}
	ratios := [3]float64{
		ratio.Norm1(m, n, r, m) / max(ratio.Norm1(m, n, a, m), 1e-300) / (float64(max(m, n)) * ratio.Ulp),
		ratio.Orthogonality(m, m, u, m), ratio.Orthogonality(n, n, v, n),
	}
	for _, x := range ratios {
		if !(x < 10) {
			t.Fatalf("%s: ratios of A − U·B·Vᵀ, UᵀU − I, VᵀV − I: %.3g", what, ratios)
		}
	}
}

// TestApplyPanels reduces an m×n matrix on the device to an upper band B with b superdiagonals, and
// applies the orthogonal factors Q1 and P1 again: Q1·[B; 0]·P1ᵀ must be the original matrix. In
// some cases the number of panels that are applied together does not divide the number of all
// panels. m, n and b include all edge cases.
func TestApplyPanels(t *testing.T) {
	for _, b := range []int{1, 4} {
		for _, n := range []int{1, b, b + 1, 2*b + 1, 26} {
			for _, m := range []int{n, n + 1, 2*n + 3} {
				for _, merge := range []int{b, 2*b + 1, 1000}[n%2:] {
					size := GeneralSize{M: m, N: n, B: b, K: 2 * b, Vectors: true}
					dense := stagetest.Normal(m, n, m, uint64(m+100*n)).Data
					tune := SmallestTuning()
					tune.Panel.Merge = merge
					got := reduceGeneral(t, size, dense, tune, n%2 == 0)
					u := applyPanels(t, PanelsSize{Rows: m, Cols: n, B: b}, tune, got.a, m, n, got.left, identityMatrix(m), m)
					v := identityMatrix(n)
					if r := size.RightPanels() * b; r > 0 {
						strip := make([]float64, 0, r*(n-b)) // rows with the reflectors of P1
						for j := b; j < n; j++ {
							strip = append(strip, got.a[j*m:j*m+r]...)
						}
						inner := applyPanels(t, PanelsSize{Rows: n - b, Cols: r, B: b, Across: true}, tune, strip, r, n-b, got.right, identityMatrix(n-b), n-b)
						for j := b; j < n; j++ {
							copy(v[b+j*n:(j+1)*n], inner[(j-b)*(n-b):])
						}
					}
					band := make([]float64, m*n)
					for i := range n {
						for j := i; j < min(n, i+b+1); j++ {
							band[i+j*m] = got.band[ref.BidiagonalBandAt(b, i, j)]
						}
					}
					factored(t, fmt.Sprintf("m=%d n=%d b=%d merge=%d", m, n, b, merge), m, n, dense, u, band, v)
				}
			}
		}
	}
}

// TestApplyQ2OfBothSides reduces an upper band to a bidiagonal matrix C, and applies the orthogonal
// factors Q2 and P2 again: Q2·C·P2ᵀ must be the original band. The test runs both forms of the
// bulge chasing: workgroups wait for each other, or each set of independent half-steps (a wave) is
// one dispatch.
func TestApplyQ2OfBothSides(t *testing.T) {
	for _, b := range []int{1, 2, 4, 5} {
		for _, n := range []int{1, 2, 3, 4, 7, 9, 16, 31} {
			band := upperBand(n, b)
			got := newBidiagonalBench(t, n, b, true, bidiagonalForms[n%2], smallestChase().ChaseTuning).run(band)
			side := func(v, tau []float64) []float64 {
				c := q2Case{n: n, b: b, m: n, ld: n + 3, v: v, tau: tau, xt: slices.Repeat([]float64{math.NaN()}, (n+3)*n)}
				if len(v) == 0 {
					return identityMatrix(n)
				}
				return c.columns(c.identity().apply(t, product.NoTrans, SmallestTuning().ApplyQ2))
			}
			dense, c := make([]float64, n*n), make([]float64, n*n)
			for i := range n {
				for j := i; j < min(n, i+b+1); j++ {
					dense[i+j*n] = band[ref.BidiagonalBandAt(b, i, j)]
				}
				c[i+i*n] = got.gk[2*i]
				if i+1 < n {
					c[i+(i+1)*n] = got.gk[2*i+1]
				}
			}
			factored(t, fmt.Sprintf("n=%d b=%d", n, b), n, n, dense, side(got.leftV, got.leftTau), c, side(got.rightV, got.rightTau))
		}
	}
}

func TestApplyPanelsRefuses(t *testing.T) {
	for _, s := range []PanelsSize{{Rows: 3, Cols: 5, B: 2}, {Rows: 3, Cols: -1, B: 1}, {Rows: 3, Cols: 3}, {Rows: 3, Cols: 3, B: 1, M: -1}} {
		if _, err := NewApplyPanels[float64](testDevice(t), PhaseApplyQ1, s, nil, SmallestTuning().Panel); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}
