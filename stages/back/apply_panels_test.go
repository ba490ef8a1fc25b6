package back

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// applyPanels returns Q·X for the size.Rows×m matrix x, computed on the device. The rows×cols
// matrix a holds the reflectors of Q. applyPanels stores a on the device with leading dimension
// rows + 1.
func applyPanels(t *testing.T, size PanelsSize, tune Tables, a []float64, rows, cols int, factors, x []float64, m int) []float64 {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	size.M = m + 1 // one vector fewer than the stage is prepared for
	q, err := NewApplyPanels(d, stages.PhaseApplyQ1, size, ops, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	lda, ldx := rows+1, m+2
	aa, xx := vk.Reserve[float64]("A", lda*cols), vk.Reserve[float64]("X", ldx*size.Rows)
	tt := vk.Reserve[float64]("T", len(factors))
	ws := stagetest.Arena(t, d, vk.Together(aa, xx, tt, q.Work(), ops.Work()))
	stagetest.Put(t, d, aa.In(ws), stagetest.Padded(rows, cols, a, lda))
	stagetest.Put(t, d, tt.In(ws), factors)
	stagetest.Put(t, d, xx.In(ws), stagetest.Padded(m, size.Rows, stagetest.Transpose(size.Rows, m, x), ldx))
	rec := vk.NewRecorder(d)
	q.Record(rec, ws, stages.NewMatrix(aa.In(ws), rows, cols, lda), tt.In(ws), stages.NewMatrix(xx.In(ws), m, size.Rows, ldx))
	stagetest.Run(t, d, rec)
	return stagetest.Transpose(m, size.Rows, stagetest.Unpadded(t, m, size.Rows, stagetest.Get(t, d, xx.In(ws)), ldx))
}

// product3 returns the m×n matrix U·B·Vᵀ. U is m×m, B is m×n, V is n×n, and all matrices are
// packed.
func product3(m, n int, u, b, v []float64) []float64 {
	ub, a := make([]float64, m*n), make([]float64, m*n)
	ref.Gemm(ref.NoTrans, ref.NoTrans, m, n, m, 1, u, max(m, 1), b, max(m, 1), 0, ub, max(m, 1))
	ref.Gemm(ref.NoTrans, ref.Trans, m, n, n, 1, ub, max(m, 1), v, max(n, 1), 0, a, max(m, 1))
	return a
}

// factored checks a reduction of the matrix a to the band b: that A = U·B·Vᵀ, and that U and V are
// orthogonal, by the ratios of LAPACK's dchkbb.
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

// TestApplyPanels reduces an m×n matrix by package ref to an upper band B with b superdiagonals,
// and applies the orthogonal factors Q1 and P1 again: Q1·[B; 0]·P1ᵀ must be the original matrix. In
// some cases the number of panels that are applied together does not divide the number of all
// panels. The sizes include edge cases of m, n and b.
func TestApplyPanels(t *testing.T) {
	for _, b := range []int{1, 4} {
		for _, n := range []int{1, b, b + 1, 2*b + 1, 26} {
			for _, m := range []int{n, n + 1, 2*n + 3} {
				for _, merge := range []int{b, 2*b + 1, 1000}[n%2:] {
					size := reduce.GeneralSize{M: m, N: n, B: b, K: 2 * b, Vectors: true}
					dense := stagetest.Normal(m, n, m, uint64(m+100*n)).Data
					tune := SmallestTuning()
					tune.Panel.Merge = merge
					reduced := slices.Clone(dense) // becomes the reflectors
					upper, left, right := ref.GeneralBandReduction(m, n, b, 2*b, reduced, max(m, 1))
					u := applyPanels(t, PanelsSize{Rows: m, Cols: n, B: b}, tune, reduced, m, n, left, stagetest.IdentityMatrix(m), m)
					v := stagetest.IdentityMatrix(n)
					if r := size.RightPanels() * b; r > 0 {
						strip := make([]float64, 0, r*(n-b)) // rows with the reflectors of P1
						for j := b; j < n; j++ {
							strip = append(strip, reduced[j*m:j*m+r]...)
						}
						inner := applyPanels(t, PanelsSize{Rows: n - b, Cols: r, B: b, Across: true}, tune, strip, r, n-b, right, stagetest.IdentityMatrix(n-b), n-b)
						for j := b; j < n; j++ {
							copy(v[b+j*n:(j+1)*n], inner[(j-b)*(n-b):])
						}
					}
					band := make([]float64, m*n)
					for i := range n {
						for j := i; j < min(n, i+b+1); j++ {
							band[i+j*m] = upper[ref.BidiagonalBandAt(b, i, j)]
						}
					}
					factored(t, fmt.Sprintf("m=%d n=%d b=%d merge=%d", m, n, b, merge), m, n, dense, u, band, v)
				}
			}
		}
	}
}

// TestApplyQ2OfBothSides reduces an upper band by package ref to a bidiagonal matrix C, and applies
// the orthogonal factors Q2 and P2 on the device: Q2·C·P2ᵀ must be the original band.
func TestApplyQ2OfBothSides(t *testing.T) {
	for _, b := range []int{1, 2, 4, 5} {
		for _, n := range []int{1, 2, 3, 4, 7, 9, 16, 31} {
			band := stagetest.UpperBand(n, b)
			d, e, left, right := ref.BidiagonalChasing(n, b, slices.Clone(band))
			side := func(v, tau []float64) []float64 {
				c := q2Case{n: n, b: b, m: n, ld: n + 3, v: v, tau: tau, xt: slices.Repeat([]float64{math.NaN()}, (n+3)*n)}
				if len(v) == 0 {
					return stagetest.IdentityMatrix(n)
				}
				return c.columns(c.identity().apply(t, product.NoTrans, SmallestTuning().ApplyQ2))
			}
			dense, c := make([]float64, n*n), make([]float64, n*n)
			for i := range n {
				for j := i; j < min(n, i+b+1); j++ {
					dense[i+j*n] = band[ref.BidiagonalBandAt(b, i, j)]
				}
				c[i+i*n] = d[i]
				if i+1 < n {
					c[i+(i+1)*n] = e[i]
				}
			}
			factored(t, fmt.Sprintf("n=%d b=%d", n, b), n, n, dense, side(left.V, left.Tau), c, side(right.V, right.Tau))
		}
	}
}

func TestApplyPanelsRefuses(t *testing.T) {
	for _, s := range []PanelsSize{{Rows: 3, Cols: 5, B: 2}, {Rows: 3, Cols: -1, B: 1}, {Rows: 3, Cols: 3}, {Rows: 3, Cols: 3, B: 1, M: -1}} {
		if _, err := NewApplyPanels[float64](stagetest.Device(t), stages.PhaseApplyQ1, s, nil, SmallestTuning().Panel); err == nil {
			t.Errorf("%+v was accepted", s)
		}
	}
}
