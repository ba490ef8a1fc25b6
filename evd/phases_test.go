package evd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// emulatedByPhase calls `solve` and counts the emulated products of each phase. The device must
// have vk.Options.Kernels. Divide and conquer makes recordings of its own, so all products outside
// of the other recordings are counted for its phase.
func emulatedByPhase(t *testing.T, base *plan.Base, solve func() (*Result[float64], error)) map[string]int {
	t.Helper()
	const product = "emulated_product"
	recs := map[*vk.Recorder]bool{}
	base.BeforeInfo = func(rec *vk.Recorder, _ string, _ vk.Slice[uint32]) { recs[rec] = true }
	res, err := solve()
	if err != nil {
		t.Fatal(err)
	}
	found, rest := stagetest.Dispatches(product, slices.Collect(maps.Keys(recs))...), 0
	for _, k := range res.Profile.Kernels {
		if strings.HasPrefix(k.Name, product) {
			rest += k.Count
		}
	}
	for _, count := range found {
		rest -= count
	}
	found[stages.PhaseTridiagonal] += rest
	return found
}

// TestEachPhaseHasItsProducts counts the emulated products of each phase of a solve, a refinement
// and a solve in mixed precision. All phases with large products of doubles must have them if
// ProductsEmulated asks for them, and no phase otherwise.
func TestEachPhaseHasItsProducts(t *testing.T) {
	when.Skip(t, when.Quick, "products of other sizes")
	small := tuning.Smallest()
	d, err := vk.Open(vk.Options{Device: DeviceName(t), Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ctx := context.Background()
	const n = 60
	a := normal(n, 1)
	solves := map[string]func(opt Options) map[string]int{
		"values": func(opt Options) map[string]int {
			p, err := NewPlan[float64](d, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			return emulatedByPhase(t, &p.team.Base, func() (*Result[float64], error) { return p.Solve(ctx, a) })
		},
		"refinement": func(opt Options) map[string]int {
			p, err := NewRefinePlan[float64](d, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			first := planOf(t, d, n, Options{Vectors: true, Tuning: &small})
			res, err := first.Solve(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			return emulatedByPhase(t, &p.base, func() (*Result[float64], error) { return p.Refine(ctx, a, *res.Vectors) })
		},
		"mixed": func(opt Options) map[string]int {
			p, err := NewMixedPlan[float64](d, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			return emulatedByPhase(t, &p.refine.base, func() (*Result[float64], error) { return p.Solve(ctx, a) })
		},
	}
	solves["vectors"] = func(opt Options) map[string]int {
		opt.Vectors = true
		return solves["values"](opt)
	}
	solves["MRRR"] = func(opt Options) map[string]int { // MRRR has large products, because they measure how orthonormal its vectors are
		opt.Solver = MRRR
		return solves["vectors"](opt)
	}
	for name, phases := range map[string][]string{
		"values":     {stages.PhaseBandReduction},
		"vectors":    {stages.PhaseBandReduction, stages.PhaseTridiagonal, stages.PhaseApplyQ2, stages.PhaseApplyQ1},
		"MRRR":       {stages.PhaseBandReduction, stages.PhaseTridiagonal, stages.PhaseApplyQ2, stages.PhaseApplyQ1},
		"refinement": {stages.PhaseRefineProducts, stages.PhaseRefineUpdate},
		"mixed":      {stages.PhaseRefineProducts, stages.PhaseRefineUpdate},
	} {
		for _, products := range []Products{ProductsNative, ProductsEmulated} {
			found := solves[name](Options{Products: products, Tuning: &small, Verify: name != "values"})
			what := fmt.Sprintf("%s, %v", name, products)
			for _, phase := range phases {
				if (found[phase] > 0) != (products == ProductsEmulated) {
					t.Errorf("%s: %s has %d emulated products", what, phase, found[phase])
				}
				delete(found, phase)
			}
			for phase, count := range found {
				if count != 0 {
					t.Errorf("%s: %s has %d emulated products", what, phase, count)
				}
			}
		}
	}
}

// TestChecksHaveNativeProducts records the check of the vectors of a plan with emulated products.
// The check must use no emulated products.
func TestChecksHaveNativeProducts(t *testing.T) {
	small, d, n := tuning.Smallest(), verifyDevice(t), 60
	p := planOf(t, d, n, Options{Vectors: true, Products: ProductsEmulated, Tuning: &small})
	if !p.Emulated() {
		t.Fatal("no emulated products")
	}
	by, ws := first(p), p.team.Begin(context.Background(), nil).Arena
	rec := vk.NewRecorder(d)
	by.RecordCheck(rec, ws, by.Doubles.Eigenvectors(ws, by.Spectrum.Matrix(ws, n, n, n)), by.Spectrum.Lambda(ws))
	if found := stagetest.Dispatches("emulated", rec); rec.Len() == 0 || len(found) > 0 {
		t.Errorf("%d commands, emulated kernels %v", rec.Len(), found)
	}
}
