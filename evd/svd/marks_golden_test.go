package svd

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// optionsOfPlans are the options in the golden files, for shapes m×n.
var optionsOfPlans = []struct {
	name string
	m, n int
	opt  Options
}{
	{"values", 13, 11, Options{}},
	{"values, certified", 11, 13, Options{Certify: true}},
	{"largest", 13, 13, Options{Largest: 3}},
	{"interval", 13, 13, Options{Select: Interval(0.5, 3).AtMost(9)}},
	{"tall", 60, 9, Options{}},
	{"thin", 13, 11, Options{U: Thin, V: Thin}},
	{"thin, wide", 9, 60, Options{U: Thin, V: Thin}},
	{"full", 13, 11, Options{U: Full, V: Full}},
	{"full, tall", 60, 9, Options{U: Full, V: Full}},
	{"left alone", 13, 11, Options{U: Thin}},
	{"right alone", 13, 13, Options{V: Thin}},
	{"some vectors", 13, 13, Options{U: Thin, V: Thin, Largest: 3}},
	{"verified", 13, 11, Options{U: Thin, V: Thin, Verify: true}},
	{"verified values", 13, 11, Options{Verify: true}},
	{"emulated", 13, 11, Options{U: Thin, V: Thin, Products: evd.ProductsEmulated}},
	{"in single precision", 13, 11, Options{Storage: Single}},
	{"in half precision", 13, 11, Options{Storage: Half}},
}

// TestForecasts compares the costs and the memory of each kind of plan with a golden file. The
// device is a dry one, so the numbers are the same everywhere.
func TestForecasts(t *testing.T) {
	var text strings.Builder
	dev := vk.Dry(vk.Info{
		Name: "dry", Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40, Units: 64,
		ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct", "storageBuffer16BitAccess"},
	})
	small := tuning.Smallest()
	see := func(name string, p plantest.Forecast, err error) {
		if err != nil {
			t.Fatal(name, err)
		}
		plantest.WriteForecast(&text, name, p)
	}
	for _, c := range optionsOfPlans {
		if c.name == "emulated" {
			continue // a dry device has no measured rates
		}
		for _, times := range []int{1, 70} {
			m, n := times*c.m, times*c.n
			if c.opt.Tuning = nil; times == 1 {
				c.opt.Tuning = &small
			}
			name := fmt.Sprintf("%s, %d×%d", c.name, m, n)
			p, err := NewPlan[float64](dev, m, n, c.opt)
			see(name, p, err)
			if c.opt.Storage == Double && times == 1 {
				single, err := NewPlan[float32](dev, m, n, c.opt)
				see(name+", float32", single, err)
			}
			if m == n && c.opt.Storage == Double && !c.opt.Verify {
				of, err := NewBidiagonalPlan[float64](dev, n, c.opt)
				see(name+", bidiagonal", of, err)
				single, err := NewBidiagonalPlan[float32](dev, n, c.opt)
				see(name+", bidiagonal, float32", single, err)
			}
		}
	}
	narrowing := small
	narrowing.ValuesFrom, narrowing.Band, narrowing.Narrow.To = 60, 4*narrowing.Band, 3
	narrowed, err := NewPlan[float64](dev, 70, 64, Options{Tuning: &narrowing})
	see("values from a narrowed band, 70×64", narrowed, err)
	for _, storage := range []Storage{Double, Single, Half} {
		for _, b := range []int{0, 1, 9, 200} {
			p, err := NewBandPlan[float64](dev, 1000, b, BandOptions{Storage: storage})
			see(fmt.Sprintf("band of %d superdiagonals, %v", b, storage), p, err)
			fmt.Fprintln(&text, "  passes", p.Passes())
		}
	}
	stagetest.Golden(t, "forecasts.golden", text.String())
}

// TestMarks compares the phases of a solve by each kind of plan with a golden file: their order,
// the progress within each, and the number of commands between two marks. It also compares the
// numbers of kernels. The tuning does not depend on the device, but the file is that of a CPU
// driver.
func TestMarks(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Quick, "it solves with every kind of plan")
	d, err := vk.Open(vk.Options{Device: testDevice(t).Info().Name, Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Info().Type != "cpu" {
		t.Skip("the golden file is that of a CPU driver")
	}
	var text strings.Builder
	small, ctx := tuning.Smallest(), context.Background()
	record := func(name string, base *plan.Base, solve func() (*Result[float64], error)) {
		marks := stagetest.Marks{}
		base.BeforeInfo = func(rec *vk.Recorder, _ string, _ vk.Slice[uint32]) { marks.See(rec) }
		res, err := solve()
		if err != nil {
			t.Fatal(name, err)
		}
		fmt.Fprintf(&text, "\n%s\n%s", name, marks.String())
		plantest.WriteProfile(&text, res.Profile, false)
	}
	for _, c := range optionsOfPlans {
		c.opt.Tuning = &small
		if c.opt.Storage == Half && !d.Info().HalfStorage() {
			continue
		}
		p, err := NewPlan[float64](d, c.m, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		a := evd.Dense[float64]{Rows: c.m, Cols: c.n, Ld: c.m, Data: make([]float64, c.m*c.n)}
		for i := range a.Data {
			a.Data[i] = math.Sin(float64(i * i))
		}
		record(c.name, p.base, func() (*Result[float64], error) { return p.Solve(ctx, a) })
		p.Close()
		if c.m != c.n {
			continue
		}
		q, err := NewBidiagonalPlan[float64](d, c.n, c.opt)
		if err != nil {
			t.Fatal(err)
		}
		of := Bidiagonal[float64]{D: a.Data[:c.n], E: a.Data[c.n : 2*c.n-1]}
		record(c.name+", bidiagonal", q.base, func() (*Result[float64], error) { return q.Solve(ctx, of) })
		q.Close()
	}
	for _, storage := range []Storage{Double, Single} {
		for _, b := range []int{0, 1, 5, 12} {
			p, err := NewBandPlan[float64](d, 13, b, BandOptions{Storage: storage, Tuning: &small, Certify: true})
			if err != nil {
				t.Fatal(err)
			}
			of, _ := randomBand(13, b, 1)
			record(fmt.Sprintf("band of %d superdiagonals, %v", b, storage), p.base, func() (*Result[float64], error) { return p.Solve(ctx, of) })
			p.Close()
		}
	}
	stagetest.Golden(t, "marks.golden", text.String())
}
