package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// randomBand returns a random matrix as a dense matrix, and the same matrix multiplied by `scale`
// in band storage. The band storage has two unused elements after each column. All unused elements
// are NaN.
func randomBand(n, b int, scale float64) (Band[float64], *mat.Dense) {
	r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
	x := Band[float64]{N: n, B: b, Ld: b + 3, Data: slices.Repeat([]float64{math.NaN()}, (b+3)*n)}
	full := mat.NewDense(n, n, nil)
	for j := range n {
		for i := max(0, j-b); i <= j; i++ {
			v := r.NormFloat64()
			full.Set(i, j, v)
			x.Data[b+i-j+j*x.Ld] = v * scale
		}
	}
	return x, full
}

// valuesByGonum returns the singular values of the matrix a, computed by gonum, in descending
// order.
func valuesByGonum(t *testing.T, a mat.Matrix) []float64 {
	t.Helper()
	var f mat.SVD
	if !f.Factorize(a, mat.SVDNone) {
		t.Fatal("gonum gave up")
	}
	return f.Values(nil)
}

// nearScaled compares computed singular values with `scale` times the wanted ones. It fails the
// test if got[i]/`scale` and want[i] differ by more than 10·n·ε·σ₁, where n is the number of wanted
// values and σ₁ the largest of them.
func nearScaled(t *testing.T, what string, got, want []float64, scale float64) {
	t.Helper()
	if len(got) > len(want) {
		t.Fatalf("%s: %d values of %d", what, len(got), len(want))
	}
	for i, x := range got {
		if !(math.Abs(x/scale-want[i]) <= 10*float64(len(want))*0x1p-52*want[0]) {
			t.Fatalf("%s: value %d is %g, want %g", what, i, x/scale, want[i])
		}
	}
}

// TestBandPlan compares the values of BandPlan with gonum's. The bands are diagonal, bidiagonal,
// narrow enough for bulge chasing alone, wide enough for several narrowing passes, and wider than
// the matrix. Two bands have entries near the largest and the smallest doubles.
func TestBandPlan(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	small := tuning.Smallest()
	for _, c := range []struct {
		n, b, largest int
		scale         float64
	}{
		{1, 0, 0, 1}, {1, 3, 0, 1}, {2, 1, 0, 1}, {20, 0, 0, 1}, {20, 1, 0, 1}, {30, 4, 0, 1}, {30, 5, 7, 1}, {37, 13, 0, 1}, {12, 40, 0, 1}, {33, 8, 0, 0x1p1000},
		{33, 8, 0, 0x1p-1000},
	} {
		for _, waves := range []bool{false, true} {
			tune := small
			tune.Waits.Wavefront = waves
			p, err := NewBandPlan[float64](testDevice(t), c.n, c.b, BandOptions{Largest: c.largest, Certify: true, Tuning: &tune})
			if err != nil {
				t.Fatal(err)
			}
			band, full := randomBand(c.n, c.b, c.scale)
			res, err := p.Solve(context.Background(), band)
			what := fmt.Sprintf("%+v, waves %v", c, waves)
			if err != nil {
				t.Fatal(what, err)
			}
			k := c.n
			if c.largest > 0 {
				k = c.largest
			}
			if len(res.Values) != k || !res.Certificate.Passed() {
				t.Errorf("%s: %d values, %v", what, len(res.Values), res.Certificate)
			}
			nearScaled(t, what, res.Values, valuesByGonum(t, full), c.scale)
			p.Close()
		}
	}
}

// TestBandSizes solves random bands, each one twice. VKEVD_BANDS lists their orders and numbers of
// superdiagonals (for example 32768x128). TestBandSizes prints the times of the second solve by
// phase. The certificates must pass.
func TestBandSizes(t *testing.T) {
	list := os.Getenv("VKEVD_BANDS")
	if list == "" {
		list = "64x9"
	}
	for _, word := range strings.Split(list, ",") {
		var n, b int
		if _, err := fmt.Sscanf(word, "%dx%d", &n, &b); err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
		band := Band[float64]{N: n, B: b, Ld: b + 1, Data: make([]float64, (b+1)*n)}
		for i := range band.Data {
			band.Data[i] = r.NormFloat64()
		}
		p, err := NewBandPlan[float64](testDevice(t), n, b, BandOptions{Certify: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Solve(context.Background(), band); err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), band)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, passes %v: %.1f ms in stages, %d MB, %v", word, p.Passes(), 1e3*res.Profile.Total(), p.Bytes()>>20, res.Certificate)
		for _, phase := range res.Profile.Phases {
			t.Logf("  %-28s %9.2f ms", phase.Name, 1e3*phase.Seconds)
		}
		if !res.Certificate.Passed() {
			t.Errorf("%s: %v", word, res.Certificate)
		}
		p.Close()
	}
}

// TestBandPlanCertificateFindsErrors changes a computed value and the bidiagonal matrix C. The
// first change must make Counts too large, and the second one Norm.
func TestBandPlanCertificateFindsErrors(t *testing.T) {
	small := tuning.Smallest()
	p, err := NewBandPlan[float64](testDevice(t), 30, 9, BandOptions{Certify: true, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	band, full := randomBand(30, 9, 1)
	if _, err := p.Solve(context.Background(), band); err != nil {
		t.Fatal(err)
	}
	c := p.base.Begin(context.Background(), nil)
	var host spectrum.Tridiagonal
	if err := c.Run(func(rec *vk.Recorder) { host = p.path.Now.values.Receive(rec, c.Arena) }); err != nil {
		t.Fatal(err)
	}
	part, err := p.path.Now.values.Solve(c, host, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	norm := mat.Norm(full, 2)
	if got, err := certifyGolubKahan[float64](c, p.path.Now.values, 1, norm, 30, host, part); err != nil || !got.Passed() {
		t.Errorf("as it is: %v, %v", got, err)
	}
	part.Values[3] *= 1 + 1e-9
	host.E[14] *= 1 + 1e-6
	if got, err := certifyGolubKahan[float64](c, p.path.Now.values, 1, norm, 30, host, part); err != nil || !(got.Counts >= evd.Threshold && got.Norm >= evd.Threshold) {
		t.Errorf("changed: %v, %v", got, err)
	}
}

// TestBandPlanRefuses calls NewBandPlan and BandPlan.Solve with wrong arguments. Each call must
// return the right error, and the plan must work afterwards.
func TestBandPlanRefuses(t *testing.T) {
	dev, small := testDevice(t), tuning.Smallest()
	var option *evd.OptionError
	var shape *evd.ShapeError
	for _, opt := range []BandOptions{{Tile: -1}, {Largest: -1}, {Largest: 31}} {
		if _, err := NewBandPlan[float64](dev, 30, 5, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	if _, err := NewBandPlan[float64](dev, -1, 5, BandOptions{}); !errors.As(err, &shape) {
		t.Error(err)
	}
	if _, err := NewBandPlan[float64](dev, 5, -1, BandOptions{}); !errors.As(err, &shape) {
		t.Error(err)
	}
	p, err := NewBandPlan[float64](dev, 30, 5, BandOptions{Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	good, full := randomBand(30, 5, 1)
	narrow, short, nan := good, good, good
	narrow.Ld = 5
	short.Data = short.Data[:30*8-3]
	nan.Data = slices.Clone(good.Data)
	nan.Data[5+2-6+6*8] = math.Inf(1) // entry (2, 6)
	var own *ShapeError
	for _, b := range []Band[float64]{{}, narrow, short, {N: 30, B: 4, Ld: 8, Data: good.Data}} {
		if _, err := p.Solve(context.Background(), b); !errors.As(err, &own) {
			t.Errorf("%d, %d superdiagonals, leading dimension %d: %v", b.N, b.B, b.Ld, err)
		}
	}
	var finite *evd.NonFiniteError
	if _, err := p.Solve(context.Background(), nan); !errors.As(err, &finite) || finite.Row != 2 || finite.Col != 6 {
		t.Errorf("infinite entry: %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Solve(cancelled, good); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	res, err := p.Solve(context.Background(), good)
	if err != nil {
		t.Fatal(err)
	}
	nearScaled(t, "afterwards", res.Values, valuesByGonum(t, full), 1)
	p.Close()
	if _, err := p.Solve(context.Background(), good); !errors.Is(err, evd.ErrClosed) {
		t.Error(err)
	}
}

// TestBandPlanOfOneSuperdiagonal checks that BandOptions.Tile, here 1, replaces the size in the
// tuning table of the device.
func TestBandPlanOfOneSuperdiagonal(t *testing.T) {
	p, err := NewBandPlan[float64](testDevice(t), 30, 5, BandOptions{Tile: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.tune.Narrow.Tile != 1 {
		t.Errorf("a pass removes %d superdiagonals", p.tune.Narrow.Tile)
	}
}

// TestBandPlanSurvives makes a wait between workgroups fail in each stage. The plan must solve a
// second time, without such waits, and succeed.
func TestBandPlanSurvives(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	small := tuning.Smallest()
	p, err := NewBandPlan[float64](dev, 30, 9, BandOptions{Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.path.Now.reduction.narrowInfo(p.base.Begin(context.Background(), nil).Arena).Len() == 0 {
		t.Skip("workgroups may not wait on this device")
	}
	p.base.BeforeInfo = func(rec *vk.Recorder, _ string, word vk.Slice[uint32]) { vk.Fill(rec, word, 3) }
	band, full := randomBand(30, 9, 1)
	res, err := p.Solve(context.Background(), band)
	if err != nil || res.Retried == nil || res.Retried.Info != 3 {
		t.Fatalf("%v, %+v", err, res)
	}
	nearScaled(t, "second attempt", res.Values, valuesByGonum(t, full), 1)
}
