package panel

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// complexPanels are the kinds of complex panels that the test factors. The function `at` computes
// element (i, j) from i, j and a random number x.
var complexPanels = []struct {
	name string
	at   func(i, j int, x complex128) complex128
}{
	{"random", func(_, _ int, x complex128) complex128 { return x }},
	{"zero", func(_, _ int, _ complex128) complex128 { return 0 }},
	{"real", func(_, _ int, x complex128) complex128 { return complex(real(x), 0) }},
	{"imaginary", func(_, _ int, x complex128) complex128 { return complex(0, imag(x)) }},
	{"zero column", func(_, j int, x complex128) complex128 {
		if j == 1 {
			return 0
		}
		return x
	}},
	{"upper triangle", func(i, j int, x complex128) complex128 {
		if i > j {
			return 0
		}
		return x
	}},
	{"large", func(_, _ int, x complex128) complex128 { return 0x1p90 * x }},
	{"small", func(_, _ int, x complex128) complex128 { return 0x1p-90 * x }},
}

func TestComplexPanelQR(t *testing.T) {
	stagetest.EachComplex(t, testComplexPanelQR[complex128], testComplexPanelQR[complex64])
}

// testComplexPanelQR factors panels on the device, and compares Y, R and τ with those of
// ref.PanelQR. The memory around the panel holds NaN.
func testComplexPanelQR[T stagetest.Complex](t *testing.T) {
	epsilon := stagetest.EpsilonOf[T]()
	d := stagetest.Device(t)
	var worst stagetest.Worst
	for _, b := range []int{1, 3, 8} {
		q, err := NewQR[T](d, b, stages.Waiting{}, SmallestTuning().Panel)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []int{1, 2, 5, 8, 9, 50} {
			for _, kind := range complexPanels {
				where := fmt.Sprintf("%s, %d×%d", kind.name, m, b)
				random := rand.New(rand.NewPCG(uint64(m), uint64(b)))
				ld := m + 3
				host, given := make([]complex128, ld*b), make([]T, ld*b)
				var largest float64
				for l := range host {
					host[l] = cmplx.NaN()
					if i, j := l%ld, l/ld; i < m {
						x := complex(float64(float32(random.NormFloat64())), float64(float32(random.NormFloat64())))
						host[l] = kind.at(i, j, x)
						largest = max(largest, cmplx.Abs(host[l]))
					}
					given[l] = T(host[l])
				}
				a, rr, factors := vk.Reserve[T]("panel", ld*b), vk.Reserve[T]("r", b*b), vk.Reserve[T]("tau", b)
				ws := stagetest.Arena(t, d, vk.Together(a, rr, factors, q.Work(), q.Status()))
				stagetest.Put(t, d, a.In(ws), given)
				rec := vk.NewRecorder(d)
				q.Record(rec, ws, product.NewMatrix(a.In(ws), m, b, ld), product.NewMatrix(rr.In(ws), b, b, b), factors.In(ws))
				stagetest.Run(t, d, rec)

				y := slices.Clone(host)
				r, tau := ref.PanelQR(m, b, y, ld)
				for l, have := range stagetest.Get(t, d, a.In(ws)) {
					if z := complex128(have); l%ld < m {
						worst.See(cmplx.Abs(z-y[l])/epsilon, where+": Y")
					} else if !cmplx.IsNaN(z) {
						t.Fatalf("%s: padding was written", where)
					}
				}
				haveR := stagetest.Get(t, d, rr.In(ws))
				for j := range b {
					for i := range min(j+1, m) {
						z := complex128(haveR[i+j*b])
						if i == j && imag(z) != 0 {
							t.Fatalf("%s: R(%d, %d) = %v", where, i, j, z)
						}
						worst.See(cmplx.Abs(z-r[i+j*b])/max(largest, math.SmallestNonzeroFloat32)/epsilon, where+": R")
					}
				}
				for j, have := range stagetest.Get(t, d, factors.In(ws)) {
					worst.See(cmplx.Abs(complex128(have)-tau[j])/epsilon, where+": τ")
				}
			}
		}
	}
	worst.AtMost(t, "distance from ref.PanelQR in units of ε", 2000)
}
