package panel

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

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

// testComplexPanelQR factors panels on the device. It compares the reflectors Y, the triangle R and
// the factors τ with those of ref.PanelQR.
func testComplexPanelQR[T stagetest.Complex](t *testing.T) {
	var worst stagetest.Worst
	for _, b := range []int{1, 3, 8} {
		for _, m := range []int{1, 2, 5, 8, 9, 50} {
			for _, kind := range complexPanels {
				where := fmt.Sprintf("%s, %d×%d", kind.name, m, b)
				panel := randomComplexPanel(m, b, kind.at)
				haveY, haveR, haveTau := panelQR(t, m, b, stagetest.ComplexOf[T](panel), SmallestTuning())
				largest := math.SmallestNonzeroFloat32
				for _, z := range panel {
					largest = max(largest, cmplx.Abs(z))
				}
				r, tau := ref.PanelQR(m, b, panel, m)
				far := func(name string, have []T, want []complex128, unit float64) {
					for l, z := range have {
						worst.See(cmplx.Abs(complex128(z)-want[l])/unit/stagetest.EpsilonOf[T](), where+name)
					}
				}
				far(": Y", haveY, panel, 1)
				far(": R", haveR, r, largest)
				far(": τ", haveTau, tau, 1)
				for j := range b {
					if z := complex128(haveR[j+j*b]); imag(z) != 0 {
						t.Fatalf("%s: R(%d, %d) = %v", where, j, j, z)
					}
				}
			}
		}
	}
	// Ill-conditioned panels increase the distance. The largest distance was 77 with the CPU
	// driver.
	worst.AtMost(t, "distance from ref.PanelQR in units of ε", 250)
}

func randomComplexPanel(m, b int, at func(i, j int, x complex128) complex128) []complex128 {
	random := rand.New(rand.NewPCG(uint64(m), uint64(b)))
	panel := make([]complex128, m*b)
	for l := range panel {
		panel[l] = at(l%m, l/m, stagetest.RandomComplex(random))
	}
	return panel
}

// TestComplexTFactor compares the factor T of a product of reflectors, and the factor T of merged
// panels, with those of ref.TFactor.
func TestComplexTFactor(t *testing.T) {
	stagetest.EachComplex(t, testComplexTFactor[complex128], testComplexTFactor[complex64])
}

func testComplexTFactor[T stagetest.Complex](t *testing.T) {
	const m, ld = 50, 53
	d, tune := stagetest.Device(t), SmallestTuning()
	ops, err := product.New[T](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	var worst stagetest.Worst
	for _, n := range []int{1, 2, 3, 8, 13} { // a workgroup computes at most 2 columns of T
		f, err := NewTFactor(d, m, n, ops, tune.Panel)
		if err != nil {
			t.Fatal(err)
		}
		y := randomComplexPanel(m, n, complexPanels[0].at)
		_, tau := ref.PanelQR(m, n, y, m)
		want := ref.TFactor(m, n, y, m, tau)
		for _, b := range []int{1, 3, n} {
			where := fmt.Sprintf("%d reflectors in panels of %d", n, b)
			panels := make([]complex128, vk.Tiles(n, uint32(b))*b*b) // the diagonal blocks of T
			for at := range panels {
				if i, j := at/(b*b)*b+at%b, at/b; i < n && j < n {
					panels[at] = want[i+j*n]
				}
			}
			a, factors, merged := vk.Reserve[T]("Y", ld*n), vk.Reserve[T]("tau", n), vk.Reserve[T]("panels", len(panels))
			whole, joined := vk.Reserve[T]("T", n*n), vk.Reserve[T]("merged T", n*n)
			ws := stagetest.Arena(t, d, vk.Together(a, factors, merged, whole, joined, f.Work(), ops.Work()))
			stagetest.Put(t, d, a.In(ws), stagetest.Padded(m, n, stagetest.ComplexOf[T](y), ld))
			stagetest.Put(t, d, factors.In(ws), stagetest.ComplexOf[T](tau))
			stagetest.Put(t, d, merged.In(ws), stagetest.ComplexOf[T](panels))
			rec := vk.NewRecorder(d)
			reflectors := product.NewMatrix(a.In(ws), m, n, ld)
			f.Record(rec, ws, reflectors, factors.In(ws), product.NewMatrix(whole.In(ws), n, n, n))
			f.RecordMerge(rec, ws, reflectors, b, merged.In(ws), product.NewMatrix(joined.In(ws), n, n, n))
			stagetest.Run(t, d, rec)
			for name, have := range map[string]vk.Slice[T]{": T": whole.In(ws), ": merged T": joined.In(ws)} {
				for l, x := range stagetest.Get(t, d, have) {
					worst.See(cmplx.Abs(complex128(x)-want[l])/stagetest.EpsilonOf[T](), where+name)
				}
			}
		}
	}
	worst.AtMost(t, "distance from ref.TFactor in units of ε", 10)
}
