package svd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// emulatedProduct begins the names of the kernels that compute emulated products.
const emulatedProduct = "emulated_product"

// emulatedByPhase solves a matrix and counts the emulated products of each phase. The device must
// have vk.Options.Kernels. Divide and conquer makes its own recordings, which this function does
// not see. So the products that are in no other phase count as its products.
func emulatedByPhase(t *testing.T, p *Plan[float64], a evd.Dense[float64]) map[string]int {
	t.Helper()
	recs := map[*vk.Recorder]bool{}
	p.base.BeforeInfo = func(rec *vk.Recorder, _ string, _ vk.Slice[uint32]) { recs[rec] = true }
	res, err := p.Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	found := stagetest.Dispatches(emulatedProduct, slices.Collect(maps.Keys(recs))...)
	for _, k := range res.Profile.Kernels {
		if strings.HasPrefix(k.Name, emulatedProduct) {
			found[stages.PhaseBidiagonal] += k.Count
		}
	}
	for phase, count := range found {
		if phase != stages.PhaseBidiagonal {
			found[stages.PhaseBidiagonal] -= count
		}
	}
	return found
}

// TestEachPhaseHasItsProducts counts the emulated products of each phase of a solve, for one side
// of vectors and for both, with and without a QR factorisation. A plan that ProductsEmulated asks
// for has them in all phases with large products. Plans with other choices have none, or only those
// for the vectors. Plan.Costs must name the phases with native products.
func TestEachPhaseHasItsProducts(t *testing.T) {
	when.Skip(t, when.Quick, "products of other sizes")
	small := tuning.Smallest()
	dev, err := vk.Open(vk.Options{Device: testDevice(t).Info().Name, Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	// Only the phases in these lists have large products. Back transformation 2 has none if it
	// applies single reflectors.
	reduction := []string{stages.PhaseBandReduction}
	vectors := []string{
		stages.PhaseBidiagonal, stages.PhaseApplyQ2, stages.PhaseApplyQ1, stages.PhaseApplyQ0, stages.PhaseApplyP2, stages.PhaseApplyP1,
	}
	for _, shape := range [][2]int{{40, 40}, {90, 40}} {
		m, n := shape[0], shape[1]
		a, _ := families[0].make(m, n, false)
		for _, opt := range []Options{{}, {U: Thin}, {V: Thin}, {U: Thin, V: Thin}} {
			opt.Products, opt.Tuning = evd.ProductsEmulated, &small
			p, err := NewPlan[float64](dev, m, n, opt)
			if err != nil {
				t.Fatal(err)
			}
			wants := opt.U != None || opt.V != None
			for i, c := range []choice{{reduction: true, vectors: wants}, {}, {vectors: wants}} {
				if i > 0 {
					if p.emulates = c; p.replace(p.tune) != nil {
						t.Fatal("no other stages")
					}
				}
				what := fmt.Sprintf("%d×%d, U %v, V %v, %+v", m, n, opt.U, opt.V, c)
				found := emulatedByPhase(t, p, a)
				if opt.U == None && m == n { // the costs are those of left vectors
					found[stages.PhaseApplyQ2], found[stages.PhaseApplyQ1] = found[stages.PhaseApplyP2], found[stages.PhaseApplyP1]
					delete(found, stages.PhaseApplyP2)
					delete(found, stages.PhaseApplyP1)
				}
				for _, cost := range p.Costs() {
					isReduction, isVectors := slices.Contains(reduction, cost.Stage), slices.Contains(vectors, cost.Stage)
					want := isReduction && c.reduction || isVectors && c.vectors
					if (found[cost.Stage] > 0) != want {
						t.Errorf("%s: %s has %d emulated products", what, cost.Stage, found[cost.Stage])
					}
					bySquares := cost.Stage == stages.PhaseApplyQ2 || cost.Stage == stages.PhaseApplyP2
					switch {
					case bySquares && (cost.Products > 0) != c.vectors:
						t.Errorf("%s: %s: %g of the operations are in large products", what, cost.Stage, cost.Products)
					case !bySquares && cost.Native != ((isReduction || isVectors) && c != (choice{}) && !want):
						t.Errorf("%s: %s: the costs say native %t", what, cost.Stage, cost.Native)
					}
					delete(found, cost.Stage)
				}
				for phase, count := range found {
					if count != 0 {
						t.Errorf("%s: %s has %d emulated products and no costs", what, phase, count)
					}
				}
			}
			p.Close()
		}
	}
}

// TestChecksHaveNativeProducts counts the emulated products of a solve with Verify, whose
// bidiagonal problem the host solves. emulatedByPhase counts the products of the check as those of
// PhaseBidiagonal. There must be none.
func TestChecksHaveNativeProducts(t *testing.T) {
	small := tuning.Smallest()
	dev, err := vk.Open(vk.Options{Device: testDevice(t).Info().Name, Kernels: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	p, err := NewPlan[float64](dev, 40, 40, Options{U: Thin, V: Thin, Verify: true, Products: evd.ProductsEmulated, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.path.Now.steps.conquer = p.safe.steps.conquer // this method solves on the host
	a, _ := families[0].make(40, 40, false)
	found := emulatedByPhase(t, p, a)
	if found[stages.PhaseBidiagonal] != 0 || found[stages.PhaseApplyQ1] == 0 {
		t.Errorf("emulated products: %v", found)
	}
}
