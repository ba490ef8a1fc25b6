package evd

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestTuningIsCopied changes the caller's sizes after NewPlan. A plan that replaces its stages
// reads the sizes again, and must not see the change.
func TestTuningIsCopied(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	given := tuning.Smallest()
	p, err := NewPlan[float64](d, 300, Options{Tuning: &given})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	r, err := newRefinePlan[float64](d, 300, Options{Tuning: &given})
	if err != nil {
		t.Fatal(err)
	}
	want := given.Band
	given = tuning.Tuning{}
	for _, opt := range []Options{p.opt, r.opt} {
		if got := opt.config().Table(d).Band; got != want {
			t.Errorf("half-bandwidth %d after a change of the caller's sizes, want %d", got, want)
		}
	}
}

// TestImpossibleTuningIsAnError checks what Options.Tuning promises: sizes that are not possible
// are an error of NewPlan.
func TestImpossibleTuningIsAnError(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 1 << 40, Free: 1 << 40})
	for _, n := range []int{2, 40, 300} {
		_, err := NewPlan[float64](d, n, Options{Tuning: &tuning.Tuning{}, Vectors: true})
		if !errors.As(err, new(*OptionError)) {
			t.Errorf("n = %d: have %v, want an *OptionError", n, err)
		}
	}
}
