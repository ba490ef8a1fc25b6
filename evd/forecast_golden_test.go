package evd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestForecasts compares the costs and the memory of each kind of plan with a golden file. The
// device is a dry one, so the numbers are the same everywhere.
func TestForecasts(t *testing.T) {
	var text strings.Builder
	small := tuning.Smallest()
	dev, second, third := vk.Dry(dryInfo), vk.Dry(dryInfo), vk.Dry(dryInfo)
	for _, c := range []struct {
		name string
		n    int
		opt  evd.Options
	}{
		{"values", 40, evd.Options{Tuning: &small}},
		{"values by two stages", 4000, evd.Options{}},
		{"values in one stage", 300, evd.Options{}},
		{"vectors", 40, evd.Options{Vectors: true, Tuning: &small}},
		{"vectors", 4000, evd.Options{Vectors: true}},
		{"vectors by MRRR", 4000, evd.Options{Vectors: true, Solver: evd.MRRR}},
		{"vectors by QR", 400, evd.Options{Vectors: true, Solver: evd.QR}},
		{"some vectors", 4000, evd.Options{Vectors: true, Select: evd.Index(7, 50)}},
		{"vectors, band and block", 1000, evd.Options{Vectors: true, Band: 16, Block: 48}},
		{"vectors, verified", 1000, evd.Options{Vectors: true, Verify: true}},
		{"vectors by rows, overwriting", 1000, evd.Options{Vectors: true, RowMajor: true, Overwrite: true}},
		{"orders 0", 0, evd.Options{Vectors: true}},
		{"orders 1", 1, evd.Options{Vectors: true}},
	} {
		p, err := evd.NewPlan[float64](dev, c.n, c.opt)
		if err != nil {
			t.Fatal(c.name, err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("%s, n = %d, float64", c.name, c.n), p)
		single, err := evd.NewPlan[float32](dev, c.n, c.opt)
		if err != nil {
			t.Fatal(c.name, err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("%s, n = %d, float32", c.name, c.n), single)
		if c.n == 0 || c.n > 1000 {
			continue
		}
		if c.opt.Verify || c.opt.Overwrite || c.opt.Band > 0 {
			continue
		}
		three, err := evd.NewTridiagonalPlan[float64](dev, c.n, c.opt)
		if err != nil {
			t.Fatal(c.name, err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("tridiagonal, %s, n = %d, float64", c.name, c.n), three)
		singles, err := evd.NewTridiagonalPlan[float32](dev, c.n, c.opt)
		if err != nil {
			t.Fatal(c.name, err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("tridiagonal, %s, n = %d, float32", c.name, c.n), singles)
	}
	for _, vectors := range []bool{false, true} {
		p, err := evd.NewPlan[complex128](dev, 1000, evd.Options{Vectors: vectors})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("vectors %v, n = 1000, complex128", vectors), p)
		single, err := evd.NewPlan[complex64](dev, 1000, evd.Options{Vectors: vectors})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("vectors %v, n = 1000, complex64", vectors), single)
	}
	for _, n := range []int{1, 40, 1000} {
		refine, err := evd.NewRefinePlan[float64](dev, n, evd.Options{Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("refinement, n = %d", n), refine)
		mixed, err := evd.NewMixedPlan[float64](dev, n, evd.Options{})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("mixed, n = %d", n), mixed)
	}
	for _, distribute := range []bool{false, true} {
		for _, vectors := range []bool{false, true} {
			p, err := evd.NewPlan[float64](dev, 1000, evd.Options{Vectors: vectors, Distribute: distribute, Devices: []*vk.Device{second, third}, Shares: []float64{3, 2, 1}})
			if err != nil {
				t.Fatal(err)
			}
			plantest.WriteForecast(&text, fmt.Sprintf("several devices, distributed %v, vectors %v", distribute, vectors), p)
			for k, d := range p.Devices() {
				fmt.Fprintf(&text, "  part %.4g, %d bytes\n", d.Part, d.Bytes)
				for _, r := range d.Memory[:len(d.Memory)*min(k, 1)] {
					fmt.Fprintf(&text, "    %d at %d: %s\n", r.Bytes, r.Offset, r.Name)
				}
			}
		}
	}
	card := vk.Dry(vk.Info{
		Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
		Memory: 1 << 40, Free: 1 << 40, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
	})
	emulated.Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}.Keep(card)
	for _, moduli := range []int{0, 16} {
		p, err := evd.NewPlan[float64](card, 4096, evd.Options{Vectors: true, Products: evd.ProductsEmulated, Moduli: moduli})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("emulated, %d moduli", moduli), p)
		refine, err := evd.NewRefinePlan[float64](card, 4096, evd.Options{Moduli: moduli})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("refinement, emulated, %d moduli", moduli), refine)
	}
	other := vk.Dry(card.Info())
	emulated.Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}.Keep(other)
	for _, distribute := range []bool{false, true} {
		p, err := evd.NewPlan[float64](card, 4096, evd.Options{
			Vectors: true, Products: evd.ProductsEmulated, Distribute: distribute, Devices: []*vk.Device{other}, Shares: []float64{9, 1},
		})
		if err != nil {
			t.Fatal(err)
		}
		plantest.WriteForecast(&text, fmt.Sprintf("emulated, two devices, distributed %v", distribute), p)
		for _, r := range p.Devices()[1].Memory {
			fmt.Fprintf(&text, "    %d at %d: %s\n", r.Bytes, r.Offset, r.Name)
		}
	}
	stagetest.Golden(t, "forecasts.golden", text.String())
}
