package back

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TestTallQR factors m×n matrices A with many rows. It checks that Q0·R = A, that R is upper
// triangular and that the columns of Q0 are orthonormal. It covers edge cases of n, of the panel
// width b, and of the number of reflectors that are applied together.
func TestTallQR(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	for _, b := range []int{1, 4} {
		for _, n := range []int{1, 3, 4, 5, 8, 11, 26} {
			for _, m := range []int{n, 2*n + 3, 150} {
				for _, merge := range []int{b, 8, 1000} {
					a := stagetest.Normal(m, n, m, uint64(m+100*n)).Data
					tune := SmallestTuning()
					tune.Panel.Merge = merge
					y, r, factors := tallQR(t, m, n, b, tune, a)
					what := fmt.Sprintf("m=%d n=%d b=%d merge=%d", m, n, b, merge)
					for j := range n {
						for i := j + 1; i < n; i++ {
							if r[i+j*n] != 0 {
								t.Fatalf("%s: R(%d, %d) is %g", what, i, j, r[i+j*n])
							}
						}
					}
					q := make([]float64, m*n) // Q0 applied to the first n unit vectors
					for i := range n {
						q[i+i*m] = 1
					}
					q = applyPanels(t, PanelsSize{Rows: m, Cols: n, B: b}, tune, y, m, n, factors, q, n)
					rest := append([]float64(nil), a...)
					for j := range n {
						for k := range j + 1 {
							for i := range m {
								rest[i+j*m] -= q[i+k*m] * r[k+j*n]
							}
						}
					}
					of := ratio.Norm1(m, n, rest, m) / ratio.Norm1(m, n, a, m) / (float64(m) * ratio.Ulp)
					if o := ratio.Orthogonality(m, n, q, m); !(of < 10 && o < 10) {
						t.Fatalf("%s: ratios of A − Q·R, QᵀQ − I: %.3g, %.3g", what, of, o)
					}
				}
			}
		}
	}
}

// tallQR factors a packed matrix on the device, with leading dimension m + 1.
func tallQR[T spirv.Scalar](t *testing.T, m, n, b int, tune Tables, dense []T) (y, r, factors []T) {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[T](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	q, err := panel.NewTallQR(d, m, n, b, ops, stages.Waiting{Allowed: n%2 == 0, WideFence: true}, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a, rr, ff := vk.Reserve[T]("A", (m+1)*n), vk.Reserve[T]("R", n*n), vk.Reserve[T]("T", q.Panels()*b*b)
	ws := stagetest.Arena(t, d, vk.Together(a, rr, ff, q.Work(), q.Status(), ops.Work()))
	stagetest.Put(t, d, a.In(ws), stagetest.Padded(m, n, dense, m+1))
	rec := vk.NewRecorder(d)
	q.Record(rec, ws, product.NewMatrix(a.In(ws), m, n, m+1), product.NewMatrix(rr.In(ws), n, n, n), ff.In(ws))
	stagetest.Run(t, d, rec)
	for _, info := range q.Infos(ws) {
		if info.Len() > 0 && stagetest.Get(t, d, info)[0] != 0 {
			t.Fatalf("INFO = %d", stagetest.Get(t, d, info)[0])
		}
	}
	factors = stagetest.Get(t, d, ff.In(ws))
	for i, x := range factors {
		if x != x && (n%b == 0 || i < (q.Panels()-1)*b*b) {
			t.Fatalf("element %d of T was not written", i)
		}
	}
	return stagetest.Unpadded(t, m, n, stagetest.Get(t, d, a.In(ws)), m+1), stagetest.Get(t, d, rr.In(ws)), factors
}

// TestComplexTallQR factors complex matrices. It forms Q0 on the host, and checks that Q0·R = A and
// that R has a real diagonal.
func TestComplexTallQR(t *testing.T) {
	stagetest.EachComplex(t, testComplexTallQR[complex128], testComplexTallQR[complex64])
}

func testComplexTallQR[T stagetest.Complex](t *testing.T) {
	const b = 4
	for _, n := range []int{1, 3, 4, 5, 11, 26} {
		for _, m := range []int{n, 2*n + 3, 150} {
			for _, merge := range []int{b, 8, 1000} {
				a := complexVectors[T](m, n)
				for i := range a {
					a[i] += complex(0, float64(i%7)/8) * complex(float64(i%11), 0)
				}
				a = rounded[T](a)
				tune := SmallestTuning()
				tune.Panel.Merge = merge
				devY, devR, devT := tallQR(t, m, n, b, tune, stagetest.ComplexOf[T](a))
				y, r, factors := stagetest.ComplexOf[complex128](devY), stagetest.ComplexOf[complex128](devR), stagetest.ComplexOf[complex128](devT)
				q := make([]complex128, m*n) // Q0 applied to the first n unit vectors
				for i := range n {
					q[i+i*m] = 1
				}
				for c := (n - 1) / b * b; c >= 0; c -= b {
					cols := min(b, n-c)
					yq, tyq := make([]complex128, b*n), make([]complex128, b*n)
					ref.Gemm(ref.Adjoint, ref.NoTrans, cols, n, m-c, 1, y[c+c*m:], m, q[c:], m, 0, yq, b)
					ref.Gemm(ref.NoTrans, ref.NoTrans, cols, n, cols, 1, factors[c*b:], b, yq, b, 0, tyq, b)
					ref.Gemm(ref.NoTrans, ref.NoTrans, m-c, n, cols, -1, y[c+c*m:], m, tyq, b, 1, q[c:], m)
				}
				rest := slices.Clone(a)
				ref.Gemm(ref.NoTrans, ref.NoTrans, m, n, n, -1, q, m, r, n, 1, rest, m)
				unit := stagetest.EpsilonOf[T]() / ratio.Ulp
				of := ratio.Norm1(m, n, rest, m) / ratio.Norm1(m, n, a, m) / (float64(m) * ratio.Ulp) / unit
				o, what := ratio.Orthogonality(m, n, q, m)/unit, fmt.Sprintf("m=%d n=%d merge=%d", m, n, merge)
				if !(of < 10 && o < 10) {
					t.Fatalf("%s: ratios of A − Q·R, QᴴQ − I: %.3g, %.3g", what, of, o)
				}
				for i := range n {
					if z := r[i+i*n]; imag(z) != 0 {
						t.Fatalf("%s: R(%d, %d) is %v", what, i, i, z)
					}
				}
			}
		}
	}
}

func TestTallQRRefuses(t *testing.T) {
	for _, s := range [][3]int{{3, 4, 1}, {4, 0, 1}, {4, 4, 0}} {
		if _, err := panel.NewTallQR[float64](stagetest.Device(t), s[0], s[1], s[2], nil, stages.Waiting{}, SmallestTuning().Panel); err == nil {
			t.Errorf("%v was accepted", s)
		}
	}
}

// TestProgressOfATallQR checks that the reported progress grows with each panel, also between
// panels whose factors T are merged.
func TestProgressOfATallQR(t *testing.T) {
	const m, n, b = 40, 16, 2
	d, err := vk.Open(vk.Options{Batch: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() }) // after the arena
	tune := SmallestTuning()
	tune.Panel.Merge = 4 * b
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	q, err := panel.NewTallQR(d, m, n, b, ops, stages.Waiting{}, tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	a, r, factors := vk.Reserve[float64]("A", m*n), vk.Reserve[float64]("R", n*n), vk.Reserve[float64]("T", q.Panels()*b*b)
	ws := stagetest.Arena(t, d, vk.Together(a, r, factors, q.Work(), q.Status(), ops.Work()))
	stagetest.Put(t, d, a.In(ws), stagetest.Normal(m, n, m, 1).Data)
	rec := vk.NewRecorder(d)
	q.Record(rec, ws, stages.NewMatrix(a.In(ws), m, n, m), stages.NewMatrix(r.In(ws), n, n, n), factors.In(ws))
	done := map[float64]bool{}
	if _, err := d.Run(context.Background(), rec, func(p vk.Progress) {
		if p.Phase == stages.PhaseQR {
			done[p.Done] = true
		}
	}); err != nil {
		t.Fatal(err)
	}
	if len(done) < q.Panels() {
		t.Errorf("%d panels, progress %v", q.Panels(), done)
	}
}
