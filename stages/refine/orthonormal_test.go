package refine

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

func TestOrthonormal(t *testing.T) {
	t.Run("real", testOrthonormal[float64])
	t.Run("complex", testOrthonormal[complex128])
}

// TestOrthonormalProbesFit calls RecordCouplings with too many random numbers, and checks the panic.
func TestOrthonormalProbesFit(t *testing.T) {
	dev := stagetest.Device(t)
	ops, err := product.New[float64](dev, SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewOrthonormal[float64](dev, 5, 3, ops)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", 15)
	ws := stagetest.Arena(t, dev, vk.Together(x, o.Work(), ops.Work()))
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "the probes") {
			t.Errorf("the panic is %q", text)
		}
	}()
	o.RecordCouplings(vk.NewRecorder(dev), ws, product.NewMatrix(x.In(ws), 3, 5, 3), make([]float64, 100))
}

// testOrthonormal disturbs orthonormal vectors by about 1e-8. It compares RecordCouplings with sums
// in plain Go. RecordStep must make the vectors orthonormal, and may move them by no more than the
// disturbance. In the largest matrices, RecordStep computes three blocks of columns.
func testOrthonormal[T float64 | complex128](t *testing.T) {
	const disturbance, probes = 1e-8, OrthonormalProbes
	dev := stagetest.Device(t)
	for _, size := range [][2]int{{1, 1}, {2, 5}, {7, 7}, {33, 2*orthonormalColumns + 9}} {
		m, n := size[0], size[1]
		t.Run(fmt.Sprintf("%d of %d", m, n), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
			before := orthonormalRows(m, n, func() complex128 { return stagetest.Exactly([]T{number[T](r)})[0] })
			near := make([]complex128, m*n)
			for i, v := range before {
				near[i] = v + disturbance*stagetest.Exactly([]T{number[T](r)})[0]/complex(math.Sqrt(float64(n)), 0)
			}
			w, want := make([]complex128, m*probes), make([]complex128, m*probes)
			for i := range w {
				w[i] = complex(float64(i%3), 0)
			}
			for i := range m {
				for j := range m {
					g := dot(m, near, i, j)
					if i == j {
						g--
					}
					for p := range probes {
						want[i+p*m] += g * w[j+p*m]
					}
				}
			}
			ops, err := product.New[T](dev, SmallestTuning().Products)
			if err != nil {
				t.Fatal(err)
			}
			o, err := NewOrthonormal(dev, n, m, product.Ops[T](ops))
			if err != nil {
				t.Fatal(err)
			}
			x, g := vk.Reserve[T]("X", m*n), vk.Reserve[T]("G", m*m)
			ws := stagetest.Arena(t, dev, vk.Together(x, g, o.Work(), ops.Work()))
			stagetest.Put(t, dev, x.In(ws), stagetest.Rounded[T](near))
			rows := product.NewMatrix(x.In(ws), m, n, m)

			got := make([]T, m*probes)
			rec := vk.NewRecorder(dev)
			vk.ReceiveLast(rec, got, o.RecordCouplings(rec, ws, rows, stagetest.Rounded[T](w)))
			stagetest.Run(t, dev, rec)
			for i, v := range stagetest.Exactly(got) {
				if diff := cmplx.Abs(v - want[i]); !(diff < 1e-13*float64(m)) {
					t.Fatalf("element %d of (G − I)·W is %v, want %v", i, v, want[i])
				}
			}

			rec = vk.NewRecorder(dev)
			o.RecordStep(rec, ws, rows, product.NewMatrix(g.In(ws), m, m, m))
			stagetest.Run(t, dev, rec)
			after := stagetest.Get(t, dev, x.In(ws))
			for i, v := range stagetest.Exactly(after) {
				if moved := cmplx.Abs(v - near[i]); !(moved < 8*disturbance) {
					t.Fatalf("element %d has moved by %g", i, moved)
				}
			}
			if r := ratio.Orthogonality(n, m, stagetest.Transpose(m, n, after), n); !(r < 4) {
				t.Errorf("orthogonality %g", r)
			}
		})
	}
}

func number[T float64 | complex128](r *rand.Rand) T {
	return stagetest.Rounded[T]([]complex128{complex(r.NormFloat64(), r.NormFloat64())})[0]
}

// orthonormalRows returns m orthonormal vectors with n components in the rows of a matrix, by Gram
// and Schmidt's method, applied twice.
func orthonormalRows(m, n int, random func() complex128) []complex128 {
	x := make([]complex128, m*n)
	for i := range m {
		for k := range n {
			x[i+k*m] = random()
		}
		for range 2 {
			for j := range i {
				c := dot(m, x, i, j)
				for k := range n {
					x[i+k*m] -= c * x[j+k*m]
				}
			}
		}
		norm := cmplx.Sqrt(dot(m, x, i, i))
		for k := range n {
			x[i+k*m] /= norm
		}
	}
	return x
}

// dot returns the product of row i of x, which has m rows, with row j, whose elements are
// conjugated.
func dot(m int, x []complex128, i, j int) (sum complex128) {
	for k := 0; k < len(x); k += m {
		sum += x[i+k] * cmplx.Conj(x[j+k])
	}
	return sum
}
