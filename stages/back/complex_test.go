package back

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// rounded returns the numbers as T holds them.
func rounded[T stagetest.Complex](x []complex128) []complex128 {
	return stagetest.ComplexOf[complex128](stagetest.ComplexOf[T](x))
}

// complexReflectors returns the reflectors of the chasing of a random Hermitian band.
func complexReflectors(n, b int) (v, tau []complex128) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	band := make([]complex128, 2*b*n)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[2*b*c+i] = complex(r.NormFloat64(), r.NormFloat64())
		}
	}
	_, _, v, tau = ref.BulgeChasing(n, b, band)
	return v, tau
}

// applyComplex returns Q2·X or Q2ᴴ·X for the n×m matrix x. The stage gets X transposed, with NaN in the
// padding.
func applyComplex[T stagetest.Complex](t *testing.T, size Size, op product.Op, tune ApplyQ2Tuning, v, tau, x []complex128) []complex128 {
	t.Helper()
	dev, prepare, n, m := stagetest.Device(t), NewApplyQ2[T], size.N, size.M
	if op == product.Adjoint {
		prepare = NewApplyQ2Adjoint[T]
	}
	s, err := prepare(dev, size, roomtest.Waits{}.Waiting(t, dev), tune)
	if err != nil {
		t.Fatal(err)
	}
	ld := m + 3
	xt := slices.Repeat([]T{T(cmplx.NaN())}, ld*n)
	for r := range n {
		for k := range m {
			xt[k+r*ld] = T(x[r+k*n])
		}
	}
	rv, rt, rx := vk.Reserve[T]("v", len(v)), vk.Reserve[T]("tau", len(tau)), vk.Reserve[T]("x", len(xt))
	ws := stagetest.Arena(t, dev, vk.Together(s.Work(), rv, rt, rx))
	stagetest.Put(t, dev, rv.In(ws), stagetest.ComplexOf[T](v))
	stagetest.Put(t, dev, rt.In(ws), stagetest.ComplexOf[T](tau))
	stagetest.Put(t, dev, rx.In(ws), xt)
	rec := vk.NewRecorder(dev)
	s.Record(rec, ws, stages.Reflectors[T]{V: rv.In(ws), Tau: rt.In(ws)}, product.NewMatrix(rx.In(ws), m, n, ld))
	stagetest.Run(t, dev, rec)
	if word := s.Info(ws); word.Len() > 0 {
		if info := stagetest.Get(t, dev, word); info[0] != 0 {
			t.Fatalf("INFO %d", info[0])
		}
	}
	got := make([]complex128, n*m)
	for i, z := range stagetest.Get(t, dev, rx.In(ws)) {
		if k, r := i%ld, i/ld; k < m {
			got[r+k*n] = complex128(z)
		} else if !cmplx.IsNaN(complex128(z)) {
			t.Fatalf("%+v: padding written", size)
		}
	}
	return got
}

// TestComplexApplyQ2 compares Q2·X and Q2ᴴ·X with package ref, in the units of TestApplyQ2.
func TestComplexApplyQ2(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	stagetest.EachComplex(t, testComplexApplyQ2[complex128], testComplexApplyQ2[complex64])
}

func testComplexApplyQ2[T stagetest.Complex](t *testing.T) {
	ulp := stagetest.EpsilonOf[T]()
	worst := 0.0
	some := map[int][]int{2: {0}, 3: {5}, 4: {0, 5, 9, 10}, 8: {12}} // as in TestApplyQ2
	for b, tunings := range some {
		for _, i := range tunings {
			for _, n := range []int{1, 2, 3, 5, 9, 14, 31} {
				m := []int{n, 1, 9, 17}[(n+i)%4]
				size := Size{n, b, m}
				v, tau := complexReflectors(n, b)
				v, tau = rounded[T](v), rounded[T](tau)
				x := make([]complex128, n*m)
				for l := range x {
					x[l] = complex(math.Sin(float64(1+l)), math.Cos(float64(2+5*l)))
				}
				x = rounded[T](x)
				for _, op := range []product.Op{product.NoTrans, product.Adjoint} {
					apply := ref.ApplyQ2[complex128]
					if op == product.Adjoint {
						apply = ref.ApplyQ2Transposed[complex128]
					}
					want := slices.Clone(x)
					apply(n, b, v, tau, m, want, n)
					got := applyComplex[T](t, size, op, q2Tunings()[i], v, tau, x)
					for k := range m {
						var diff, norm float64
						for r := k * n; r < (k+1)*n; r++ {
							diff = math.Hypot(diff, cmplx.Abs(got[r]-want[r]))
							norm = math.Hypot(norm, cmplx.Abs(want[r]))
						}
						err := diff / (norm * ulp * math.Sqrt(float64(n)))
						if worst = max(worst, err); !(err < q2Threshold) {
							t.Fatalf("n=%d b=%d m=%d op %v, tuning %d: vector %d is off by %.3g √n·ulp", n, b, m, op, i, k, err)
						}
					}
				}
			}
		}
	}
	t.Logf("worst: %.3g √n·ulp", worst)
}

// TestComplexApplyQ2Wide checks the sizes that GPUs use: two invocations share a vector of complex
// numbers where one invocation has a vector of real ones.
func TestComplexApplyQ2Wide(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	size := Size{N: 70, B: 32, M: 9}
	tune := tuningFor("nvidia").ApplyQ2
	info := vk.Info{Name: "nvidia", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32}
	numbers, err := q2Spec[complex128](tune, info, size, product.NoTrans)
	if err != nil {
		t.Fatal(err)
	}
	if reals, err := q2Spec[float64](tune, info, size, product.NoTrans); err != nil || numbers.Share != 2*reals.Share {
		t.Errorf("complex %+v, real %+v, %v", numbers, reals, err)
	}
	v, tau := complexReflectors(size.N, size.B)
	x := make([]complex128, size.N*size.M)
	for l := range x {
		x[l] = complex(math.Sin(float64(1+l)), math.Cos(float64(2+5*l)))
	}
	want := slices.Clone(x)
	ref.ApplyQ2(size.N, size.B, v, tau, size.M, want, size.N)
	for i, z := range applyComplex[complex128](t, size, product.NoTrans, tune, v, tau, x) {
		if diff := cmplx.Abs(z - want[i]); !(diff < 1e-13) {
			t.Fatalf("element %d is off by %g", i, diff)
		}
	}
}
