package panel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// panelKinds are the kinds of panels that the tests factor. The function `at` computes element (i,
// j) from i, j and a random number x of magnitude about one.
var panelKinds = []struct {
	name string
	at   func(i, j int, x float64) float64
}{
	{"random", func(_, _ int, x float64) float64 { return x }},
	{"zero", func(_, _ int, _ float64) float64 { return 0 }},
	{"equal columns", func(i, _ int, _ float64) float64 { return 1 + float64(i%7) }},
	{"zero column", func(_, j int, x float64) float64 { return stagetest.Pick(j == 1, 0, x) }},
	{"upper triangle", func(i, j int, x float64) float64 { return stagetest.Pick(i > j, 0, x) }},
	{"last row only", func(i, _ int, x float64) float64 { return stagetest.Pick(i < 5, 0, x) }},
	{"minus identity", func(i, j int, _ float64) float64 { return stagetest.Pick(i == j, -1, 0) }},
	{"rank two", func(i, j int, _ float64) float64 { return float64(j*i%5) + float64(j) }},
	{"nearly dependent", func(i, _ int, x float64) float64 { return float64(i%5) + 1e-13*x }},
	{"1e300", func(_, _ int, x float64) float64 { return 1e300 * x }},
	{"1e-300", func(_, _ int, x float64) float64 { return 1e-300 * x }},
	{"largest", func(i, j int, _ float64) float64 { return stagetest.Pick((i+j)%2 == 0, -1, 1) * 0x1p1019 }},
	{"denormal", func(_, _ int, x float64) float64 { return math.Round(9*x) * 5e-324 }},
	{"least", func(_, _ int, _ float64) float64 { return 5e-324 }},
	{"graded columns", func(_, j int, x float64) float64 { return x * math.Pow(10, -70*float64(j)) }},
	{"graded rows", func(i, _ int, x float64) float64 { return x * math.Pow(10, -13*float64(i)) }},
	{"growing rows", func(i, _ int, x float64) float64 { return x * math.Pow(10, 13*float64(i%23)) }},
	{"column whose squares underflow", func(_, j int, x float64) float64 { return stagetest.Pick(j == 0, x*0x1p-530, x) }},
	{"column at the threshold", func(_, j int, x float64) float64 { return stagetest.Pick(j == 0, x*0x1p-451, x) }},
	{"tails at the threshold", func(i, j int, x float64) float64 { return stagetest.Pick(i <= j, 1, x*0x1p-451) }},
	{"huge and tiny", func(i, j int, x float64) float64 { return x * []float64{1e300, 1e-300, 1, 5e-324}[(i+j)%4] }},
	{"huge over tiny", func(i, _ int, x float64) float64 { return x * stagetest.Pick(i < 20, 1e300, 1e-300) }},
}

// TestPanelQR factors panels on the device. It checks that the reflectors Y are stored as
// documented, that Q is orthogonal, and that Q·R is the panel.
func TestPanelQR(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	var errors worstErrors
	for _, kind := range panelKinds {
		for _, b := range []int{1, 2, 3, 4, 8} {
			for _, m := range []int{1, 2, 4, 5, 8, 9, 50} {
				errors.of(t, fmt.Sprintf("%s, %d×%d", kind.name, m, b), m, b, randomPanel(m, b, kind.at), SmallestTuning())
			}
		}
	}
	errors.areSmall(t)
}

type worstErrors struct{ orthogonal, residual stagetest.Worst }

// `of` factors a panel, checks the form of the results, and updates the largest errors.
func (w *worstErrors) of(t *testing.T, where string, m, b int, panel []float64, tune Tables) {
	t.Helper()
	y, r, tau := panelQR(t, m, b, panel, tune)
	checkTrapezoid(t, where, m, b, y, r, tau)
	orthogonal, residual := panelErrors(m, b, panel, y, r, tau)
	w.orthogonal.See(orthogonal, where)
	w.residual.See(residual, where)
}

func (w *worstErrors) areSmall(t *testing.T) {
	t.Helper()
	w.orthogonal.AtMost(t, "‖I − QᵀQ‖/(b·ε)", 10)
	w.residual.AtMost(t, "‖panel − Q·R‖/(‖panel‖·b·ε)", 10)
}

// TestPanelQRManyGroups factors panels with so many workgroups that an invocation cannot add their
// partial sums in one step.
func TestPanelQRManyGroups(t *testing.T) {
	const m = 200
	tune := SmallestTuning()
	tune.Panel.Groups = 70
	var errors worstErrors
	for _, kind := range panelKinds {
		for _, b := range []int{3, 8} {
			errors.of(t, fmt.Sprintf("%s, %d×%d", kind.name, m, b), m, b, randomPanel(m, b, kind.at), tune)
		}
	}
	errors.areSmall(t)
}

// TestPanelQRLarge checks one panel of the usual width with the device's own tuning.
func TestPanelQRLarge(t *testing.T) {
	when.Skip(t, when.Widths, "the same code with other sizes, and it compiles slowly for wide vectors")
	const m, b = 2345, 32
	panel := randomPanel(m, b, panelKinds[0].at)
	y, r, tau := panelQR(t, m, b, panel, TuningFor(stagetest.Device(t).Info()))
	checkTrapezoid(t, "large", m, b, y, r, tau)
	o, e := panelErrors(m, b, panel, y, r, tau)
	if !(o <= 10 && e <= 10) {
		t.Errorf("‖I − QᵀQ‖ = %.3g·b·ε, ‖panel − Q·R‖/‖panel‖ = %.3g·b·ε", o, e)
	}
	wantR, wantTau := ref.PanelQR(m, b, panel, m)
	for j := range b {
		for i := range j + 1 {
			if d := math.Abs(r[i+j*b] - wantR[i+j*b]); !(d < 1e-11) {
				t.Fatalf("R(%d, %d) differs from the reference by %g", i, j, d)
			}
		}
		if d := math.Abs(tau[j] - wantTau[j]); !(d < 1e-12) {
			t.Fatalf("τ(%d) differs from the reference by %g", j, d)
		}
		for i := range m {
			if d := math.Abs(y[i+j*m] - panel[i+j*m]); !(d < 1e-11) {
				t.Fatalf("Y(%d, %d) differs from the reference by %g", i, j, d)
			}
		}
	}
}

// TestPanelQRRefuses checks that NewQR returns an error for panels of b columns if b < 1 or b >
// MaxPanel, and for an empty tuning.
func TestPanelQRRefuses(t *testing.T) {
	for _, b := range []int{-1, 0, MaxPanel + 1} {
		if _, err := NewQR[float64](stagetest.Device(t), b, stages.Waiting{}, SmallestTuning().Panel); err == nil {
			t.Errorf("b = %d was accepted", b)
		}
	}
	if _, err := NewQR[float64](stagetest.Device(t), 4, stages.Waiting{}, Tuning{}); err == nil {
		t.Error("no tuning at all was accepted")
	}
}

func randomPanel(m, b int, at func(i, j int, x float64) float64) []float64 {
	random := rand.New(rand.NewPCG(uint64(m), uint64(b)))
	panel := make([]float64, m*b)
	for j := range b {
		for i := range m {
			panel[i+j*m] = at(i, j, random.NormFloat64())
		}
	}
	return panel
}

// panelQR factors an m×b panel on the device. The memory around the panel holds NaN. R is returned
// with leading dimension b; its rows from min(b, m) on are zero.
func panelQR[T spirv.Scalar](t *testing.T, m, b int, panel []T, tune Tables) (y, r, tau []T) {
	t.Helper()
	d := stagetest.Device(t)
	q, err := NewQR[T](d, b, tune.Waits.Waiting(t, d), tune.Panel)
	if err != nil {
		t.Fatal(err)
	}
	return factored(t, d, q, m, panel)
}

// factored is panelQR with the kernels of q.
func factored[T spirv.Scalar](t *testing.T, d *vk.Device, q *QR[T], m int, panel []T) (y, r, tau []T) {
	t.Helper()
	b := q.b
	ld, ldr := m+3, 2*b-1
	a := vk.Reserve[T]("panel", ld*b)
	rr := vk.Reserve[T]("r", ldr*b)
	factors := vk.Reserve[T]("tau", b)
	ws := stagetest.Arena(t, d, vk.Together(a, rr, factors, q.Work(), q.Status()))
	stagetest.Put(t, d, a.In(ws), stagetest.Padded(m, b, panel, ld))

	rec := vk.NewRecorder(d)
	q.Record(rec, ws, product.NewMatrix(a.In(ws), m, b, ld), product.NewMatrix(rr.In(ws), b, b, ldr), factors.In(ws))
	stagetest.Run(t, d, rec)
	for _, info := range stagetest.Get(t, d, q.Info(ws)) {
		if info != 0 {
			t.Fatalf("%d×%d: INFO = %d", m, b, info)
		}
	}

	y = stagetest.Unpadded(t, m, b, stagetest.Get(t, d, a.In(ws)), ld)
	device := stagetest.Get(t, d, rr.In(ws))
	r = make([]T, b*b)
	for at, x := range device {
		i, j := at%ldr, at/ldr
		if upper := i <= j && i < min(b, m); upper {
			r[i+j*b] = x
		} else if !stagetest.IsNaN(x) {
			t.Fatalf("%d×%d: R(%d, %d), below the diagonal or past the last row, was written", m, b, i, j)
		}
	}
	return y, r, stagetest.Get(t, d, factors.In(ws))
}

// checkTrapezoid checks the form of a factored panel. The reflectors Y and the upper triangle of R
// must be finite. Y must have ones on its diagonal and zeros above. Each τ must be 0 or from 1 to
// 2. A reflector without rows must have τ = 0.
func checkTrapezoid(t *testing.T, where string, m, b int, y, r, tau []float64) {
	t.Helper()
	for j := range b {
		for i := range m {
			v, unit := y[i+j*m], stagetest.Pick(i == j, 1, 0)
			if math.IsNaN(v) || math.IsInf(v, 0) || (i <= j || j >= m) && v != unit {
				t.Fatalf("%s: Y(%d, %d) = %g", where, i, j, v)
			}
		}
		for i := range j + 1 {
			if v := r[i+j*b]; math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s: R(%d, %d) = %g", where, i, j, v)
			}
		}
		if !(tau[j] == 0 || 1 <= tau[j] && tau[j] <= 2) || j >= m && tau[j] != 0 {
			t.Fatalf("%s: τ(%d) = %g", where, j, tau[j])
		}
	}
}

// panelErrors returns two errors of the factorisation Q·R of a panel, in units of b·ε. The first
// one is the distance of the first min(b, m) columns of Q from orthonormal columns. The second one
// is the distance of the columns of Q·R from the columns of the panel, relative to the longest
// column. For denormal numbers, an additional error of their spacing is allowed.
func panelErrors(m, b int, panel, y, r, tau []float64) (orthogonal, residual float64) {
	const epsilon = 0x1p-52
	kb := min(b, m)
	var largest, longest float64
	for _, x := range panel {
		largest = max(largest, math.Abs(x))
	}
	_, e := math.Frexp(largest)
	apply := func(x []float64) { // x ← Q·x
		for j := kb - 1; j >= 0; j-- {
			w := tau[j] * dot(y[j*m:(j+1)*m], x)
			for i := range m {
				x[i] -= w * y[i+j*m]
			}
		}
	}
	q := make([]float64, m*kb)
	for j := range kb {
		q[j+j*m] = 1
		apply(q[j*m : (j+1)*m])
	}
	for j := range kb {
		for l := range kb {
			orthogonal = max(orthogonal, math.Abs(dot(q[j*m:(j+1)*m], q[l*m:(l+1)*m])-stagetest.Pick(j == l, 1, 0)))
		}
	}
	x, want := make([]float64, m), make([]float64, m)
	for j := range b {
		clear(x)
		for i := range min(j+1, kb) {
			x[i] = math.Ldexp(r[i+j*b], -e)
		}
		apply(x)
		for i := range m {
			want[i] = math.Ldexp(panel[i+j*m], -e)
			x[i] -= want[i]
		}
		longest = max(longest, norm(want))
		residual = max(residual, norm(x))
	}
	residual = max(0, residual-math.Sqrt(float64(m))*math.Ldexp(5e-324, 3-e))
	return orthogonal / (float64(b) * epsilon), residual / (max(longest, 0.5) * float64(b) * epsilon)
}

// dot is x·y with an error of about one rounding, so that the errors of the measurement are small
// compared to the measured errors.
func dot(x, y []float64) float64 {
	var sum, low float64
	for i := range x {
		p := x[i] * y[i]
		low += math.FMA(x[i], y[i], -p)
		s := sum + p
		t := s - sum
		low += (sum - (s - t)) + (p - t)
		sum = s
	}
	return sum + low
}

func norm(x []float64) float64 { return math.Sqrt(dot(x, x)) }
