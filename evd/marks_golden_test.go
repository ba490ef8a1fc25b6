package evd

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/plantest"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestMarks compares the phases of a solve by each kind of plan with a golden file: their order,
// the progress within each, and the number of commands between two marks. It also compares the
// numbers of kernels. The tuning does not depend on the device, but the file is that of a CPU
// driver.
func TestMarks(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	when.Skip(t, when.Quick, "it solves with every kind of plan")
	d, err := vk.Open(vk.Options{Device: DeviceName(t), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if d.Info().Type != "cpu" {
		t.Skip("the golden file is that of a CPU driver")
	}
	var text strings.Builder
	small, ctx := tuning.Smallest(), context.Background()
	const n = 13
	a := normal(n, 1)
	record := func(name string, base *plan.Base, solve func() (*Result[float64], error), of ...*vk.Device) *Result[float64] {
		marks := stagetest.Marks{}
		base.BeforeInfo = func(rec *vk.Recorder, _ string, _ vk.Slice[uint32]) { marks.See(rec) }
		res, err := solve()
		if err != nil {
			t.Fatal(name, err)
		}
		fmt.Fprintf(&text, "\n%s\n%s", name, marks.String())
		plantest.WriteProfile(&text, res.Profile, len(of) > 0)
		return res
	}
	var first *Result[float64]
	for _, c := range []struct {
		name string
		opt  Options
	}{
		{"values", Options{}},
		{"vectors", Options{Vectors: true}},
		{"some vectors", Options{Vectors: true, Select: Index(2, 7)}},
		{"MRRR", Options{Vectors: true, Solver: MRRR}},
		{"QR", Options{Vectors: true, Solver: QR}},
		{"no waits", Options{Vectors: true, NoWaits: true}},
		{"verified", Options{Vectors: true, Verify: true}},
		{"verified values", Options{Verify: true}},
		{"emulated", Options{Vectors: true, Products: ProductsEmulated}},
	} {
		c.opt.Tuning = &small
		p := planOf(t, d, n, c.opt)
		res := record(c.name, &p.team.Base, func() (*Result[float64], error) { return p.Solve(ctx, a) })
		if c.name == "vectors" {
			first = res
		}
	}
	refine, err := NewRefinePlan[float64](d, n, Options{Tuning: &small, Verify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer refine.Close()
	record("refinement", &refine.base, func() (*Result[float64], error) { return refine.Refine(ctx, a, *first.Vectors) })
	far := Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	res := record("refinement, cold", &refine.base, func() (*Result[float64], error) { return refine.Refine(ctx, a, far) })
	if want := "the vectors are not near to orthonormal eigenvectors"; res.Refinement.Cold != want {
		t.Errorf("cold: %q, want %q", res.Refinement.Cold, want)
	}
	mixed, err := NewMixedPlan[float64](d, n, Options{Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer mixed.Close()
	record("mixed", &mixed.refine.base, func() (*Result[float64], error) { return mixed.Solve(ctx, a) })
	three, err := NewTridiagonalPlan[float64](d, n, Options{Tuning: &small, Vectors: true})
	if err != nil {
		t.Fatal(err)
	}
	defer three.Close()
	line := Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}
	for i := range line.E {
		line.D[i], line.E[i] = float64(i), 1
	}
	record("tridiagonal", &three.base, func() (*Result[float64], error) { return three.Solve(ctx, line) })
	second, err := vk.Open(vk.Options{Device: DeviceName(t), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, distribute := range []bool{false, true} {
		p := planOf(t, d, n, Options{Tuning: &small, Vectors: true, Devices: []*vk.Device{second}, Shares: []float64{2, 1}, Distribute: distribute})
		record(fmt.Sprintf("two devices, distributed %v", distribute), &p.team.Base, func() (*Result[float64], error) { return p.Solve(ctx, a) }, second)
	}
	stagetest.Golden(t, "marks.golden", text.String())
}
