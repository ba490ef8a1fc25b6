package evd_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// TestProgressOfASolve checks the progress of a whole solve, which is reported after each command.
// Progress.Done must never decrease. Each phase must begin with the sum of the phases before it. A
// phase with several levels or blocks must make several reports. In the last report Done must be
// equal to Total.
func TestProgressOfASolve(t *testing.T) {
	when.Pick(t, when.Race)
	progressOfASolve(t, 100, full(random(100)))
}

func TestProgressOfAHermitianSolve(t *testing.T) { progressOfASolve(t, 100, randomHermitian(100)) }

func progressOfASolve[T double](t *testing.T, n int, a []T) {
	d := device(t, vk.Options{Batch: 1})
	var reports []evd.Progress
	p := planOf[T](t, d, n, evd.Options{
		Vectors: true, Solver: evd.DivideConquer, Tuning: small(),
		Progress: func(at evd.Progress) { reports = append(reports, at) },
	})
	if _, err := p.Solve(context.Background(), evd.Sym[T]{N: n, Ld: n, Data: a}); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	begins, ends := map[string]float64{}, map[string]float64{}
	for _, c := range p.Costs() {
		begins[c.Stage], ends[c.Stage] = total, total+c.Flops
		total += c.Flops
	}
	last := evd.Progress{}
	values := map[string]map[float64]bool{}
	for _, at := range reports {
		if at.Total != total {
			t.Fatalf("the total is %g, that of the forecast %g", at.Total, total)
		}
		if !(at.Done >= last.Done) {
			t.Errorf("%g operations in %q after %g in %q", at.Done, at.Stage, last.Done, last.Stage)
		}
		if end, costs := ends[at.Stage]; costs && !(at.Done >= begins[at.Stage] && at.Done <= end) {
			t.Errorf("%g operations in %q, which has %g to %g", at.Done, at.Stage, begins[at.Stage], end)
		}
		if values[at.Stage] == nil {
			values[at.Stage] = map[float64]bool{}
		}
		values[at.Stage][at.Done] = true
		last = at
	}
	for phase, least := range map[string]int{
		stages.PhaseBandReduction: 10, stages.PhaseBulgeChasing: 1, stages.PhaseTridiagonal: 3, stages.PhaseApplyQ2: 1, stages.PhaseApplyQ1: 3,
	} {
		if have := len(values[phase]); have < least {
			t.Errorf("%q reports %d values, want at least %d", phase, have, least)
		}
	}
	if last.Done != total {
		t.Errorf("the last report is %g of %g operations", last.Done, total)
	}
}

// TestEveryPhaseIsReported solves with every method, with and without vectors. Each phase of the
// forecast must be reported, Progress.Done must never decrease, and at the end it must be equal to
// Total.
func TestEveryPhaseIsReported(t *testing.T) {
	d := device(t, vk.Options{Batch: 1})
	const n = 21
	a := evd.Sym[float64]{N: n, Ld: n, Data: full(random(n))}
	for _, name := range evd.Solvers() {
		for _, vectors := range []bool{false, true} {
			solver, err := evd.ParseSolver(name)
			if err != nil {
				t.Fatal(err)
			}
			if vectors && !solver.Vectors() {
				continue
			}
			phases, done, total := map[string]bool{}, 0.0, 0.0
			p, err := evd.NewPlan[float64](d, n, evd.Options{
				Vectors: vectors, Solver: solver, Tuning: small(), Progress: func(at evd.Progress) {
					if phases[at.Stage] = true; !(at.Done >= done) {
						t.Errorf("%s, vectors %v: %g operations in %q after %g", name, vectors, at.Done, at.Stage, done)
					}
					done, total = at.Done, at.Total
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if _, err := p.Solve(context.Background(), a); err != nil {
				t.Fatal(err)
			}
			for _, c := range p.Costs() {
				if !phases[c.Stage] {
					t.Errorf("%s, vectors %v: %q is not reported", name, vectors, c.Stage)
				}
			}
			if done != total || total == 0 {
				t.Errorf("%s, vectors %v: the last report is %g of %g operations", name, vectors, done, total)
			}
		}
	}
}
