package svd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// singleOnly opens the device as one that lacks double precision and 64-bit atomic operations.
// vk.Build refuses each kernel that needs one of them, so a solve that succeeds uses none. `make
// test-single` runs all tests of single precision in this way.
func singleOnly(t *testing.T) *vk.Device {
	t.Helper()
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Without: []string{"shaderFloat64", "shaderBufferInt64Atomics"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

// TestWithoutFloat64 checks that plans in double precision name the missing feature, and what works
// instead.
func TestWithoutFloat64(t *testing.T) {
	d := singleOnly(t)
	for name, made := range map[string]func() error{
		"whole":      func() error { _, err := NewPlan[float64](d, 20, 10, Options{}); return err },
		"band":       func() error { _, err := NewBandPlan[float64](d, 20, 4, BandOptions{}); return err },
		"bidiagonal": func() error { _, err := NewBidiagonalPlan[float64](d, 20, Options{}); return err },
	} {
		var unsupported *vk.UnsupportedError
		if err := made(); !errors.As(err, &unsupported) || unsupported.Feature != "shaderFloat64" || !strings.Contains(err.Error(), "f32") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWithoutFloat64Vectors solves by divide and conquer on the host and, on the safe path of
// Verify, by QR iteration on the host. Values and ratios are checked as in single precision.
func TestWithoutFloat64Vectors(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	d, small := singleOnly(t), tuning.Smallest()
	for _, c := range []struct {
		m, n int
		opt  Options
	}{
		{70, 70, Options{U: Thin, V: Thin}}, {13, 24, Options{U: Full, V: Full}}, {60, 20, Options{U: Thin}},
		{45, 80, Options{V: Thin, Largest: 7}}, {1, 1, Options{U: Thin, V: Thin}}, {2, 3, Options{U: Full, V: Thin}},
	} {
		c.opt.Tuning, c.opt.Verify = &small, true
		p, err := NewPlan[float32](d, c.m, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		wide, _ := families[0].make(c.m, c.n, c.m > c.n)
		a, g := rounded(wide)
		for _, safe := range []bool{false, true} {
			if safe { // the values of the first path are wrong
				p.path.Now.steps.values.Method = spoiled{p.path.Now.steps.values.Method, func(_ *plan.Call, _ spectrum.Problem, values []float64) error {
					values[0] += values[len(values)-1]
					return nil
				}}
			}
			what := fmt.Sprintf("%d×%d, safe path %v", c.m, c.n, safe)
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !res.Certificate.Passed() || res.Certificate.Safe != safe {
				t.Errorf("%s: %v", what, res.Certificate)
			}
			decomposedIn(t, what, g, c.opt, widened(res), ulp32)
			if r, err := p.Check(context.Background(), a, res); err != nil || !r.Passed() {
				t.Errorf("%s: check: %v, %v", what, r, err)
			}
		}
	}
}

// TestWithoutFloat64Bands solves bands that are stored in single and in half precision, by a plan
// for float64.
func TestWithoutFloat64Bands(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	d, small := singleOnly(t), tuning.Smallest()
	wide, full := randomBand(40, 9, 1)
	want := valuesByGonum(t, full)
	for _, of := range []Storage{Single, Half} {
		if of == Half && !d.Info().HalfStorage() {
			continue
		}
		p, err := NewBandPlan[float64](d, wide.N, wide.B, BandOptions{Storage: of, Certify: true, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), wide)
		p.Close()
		if err != nil || !res.Certificate.Passed() {
			t.Fatalf("%v: %v, %v", of, res, err)
		}
		for i, x := range res.Values {
			if far := math.Abs(x - want[i]); !(far <= 40*of.Ulp()*want[0]) {
				t.Errorf("%v: value %d is %g, want %g", of, i, x, want[i])
			}
		}
	}
}

// TestWithoutFloat64SmallValues solves a bidiagonal matrix with values from about 1 to about 10⁻³⁰.
// The host's method keeps the digits of small values.
func TestWithoutFloat64SmallValues(t *testing.T) {
	const n = 31
	c := Bidiagonal[float32]{D: make([]float32, n), E: make([]float32, n-1)}
	for i := range n {
		if c.D[i] = float32(math.Pow(10, -float64(i))); i > 0 {
			c.E[i-1] = c.D[i]
		}
	}
	for _, largest := range []int{0, 1, 12} {
		p, err := NewBidiagonalPlan[float32](singleOnly(t), n, Options{Certify: true, Largest: largest})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), c)
		p.Close()
		if err != nil || !res.Certificate.Passed() {
			t.Fatal(res, err)
		}
		want := valuesByQR(t, spectrum.Scale(c.D, 1), spectrum.Scale(c.E, 1))
		if largest > 0 {
			want = want[:largest]
		}
		if len(res.Values) != len(want) {
			t.Errorf("%d of %d values", len(res.Values), len(want))
		}
		for i, x := range res.Values {
			if far := math.Abs(float64(x) - want[i]); !(far <= ulp32*want[i]) {
				t.Errorf("value %d is %g, want %g", i, x, want[i])
			}
		}
	}
}

// TestWithoutFloat64Ends ends a solve while the host computes vectors: the progress function ends
// the context, or it panics. The plan must work afterwards.
func TestWithoutFloat64Ends(t *testing.T) {
	when.Skip(t, when.Quick, "a device without double precision")
	const n = 150
	small := tuning.Smallest()
	a := evd.Dense[float32]{Rows: n, Cols: n, Ld: n, Data: make([]float32, n*n)}
	for i := range a.Data {
		a.Data[i] = float32(math.Sin(float64(i * i)))
	}
	ctx, cancel := context.WithCancel(context.Background())
	var at func()
	p, err := NewPlan[float32](singleOnly(t), n, n, Options{U: Thin, V: Thin, Tuning: &small, Progress: func(p evd.Progress) {
		if at != nil && p.Stage == "bidiagonal solve" && p.Done > 0 {
			at()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	at = cancel
	if _, err := p.Solve(ctx, a); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
	at = func() { panic("enough") }
	func() {
		defer func() {
			if v := recover(); v != "enough" {
				t.Errorf("recovered %v", v)
			}
		}()
		p.Solve(context.Background(), a)
		t.Error("Solve returned")
	}()
	at = nil
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	g := mat.NewDense(n, n, spectrum.Scale(a.Data, 1)) // the transpose has the same values
	if want := valuesByGonum(t, g); !(math.Abs(float64(res.Values[0])-want[0]) <= 1e-4*want[0]) || !slices.IsSortedFunc(res.Values, func(x, y float64) int { return cmp.Compare(y, x) }) {
		t.Errorf("afterwards %g, want %g", res.Values[0], want[0])
	}
}
