// Package plantest, internal to vkevd, is for tests only. It writes the cost, memory and phases of
// plans as text for golden files, and calls the methods of plans at the same time.
package plantest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// Forecast is what a plan tells before a solve.
type Forecast interface {
	Costs() []plan.StageCost
	Bytes() uint64
	Memory() []vk.Placed
}

// WriteForecast writes the operations and the regions of memory of a plan.
func WriteForecast(text *strings.Builder, name string, p Forecast) {
	fmt.Fprintf(text, "\n%s: %d bytes\n", name, p.Bytes())
	for _, c := range p.Costs() {
		fmt.Fprintf(text, "  %s: %.6g flops", c.Stage, c.Flops)
		if c.Products != 0 {
			fmt.Fprintf(text, ", %.6g in products", c.Products)
		}
		if c.Native {
			text.WriteString(", native")
		}
		if c.Model != nil {
			fmt.Fprintf(text, ", model %+v", *c.Model)
		}
		text.WriteString("\n")
	}
	for _, r := range p.Memory() {
		if r.Bytes > 0 {
			fmt.Fprintf(text, "  %d at %d: %s\n", r.Bytes, r.Offset, r.Name)
		}
	}
}

// WriteProfile writes the names of the phases of a solve, and how often each kernel ran. The phases
// are in their order in time. If several devices worked at the same time, this order is different
// in each run, so the names are sorted.
func WriteProfile(text *strings.Builder, p *vk.Profile, several bool) {
	kernels, phases := map[string]int{}, []string{}
	for _, k := range p.Kernels {
		kernels[k.Name] += k.Count
	}
	for _, phase := range p.Phases {
		phases = append(phases, phase.Name)
	}
	if several {
		slices.Sort(phases)
	}
	fmt.Fprintf(text, "  profile: %s\n  kernels: %v\n", strings.Join(phases, "; "), kernels)
}

// Plan is a plan with device memory.
type Plan interface {
	Bytes() uint64
	Memory() []vk.Placed
	Close()
}

// AtOnce calls methods of the plans at the same time, from several goroutines: `solves`, which need
// the device, the function `ask`, which calls methods that need no device, and the methods of Plan.
// A method that needs the device may return ErrClosed, and must do so after Close. With the race
// detector AtOnce finds accesses that no lock guards.
func AtOnce(t *testing.T, solves []func() error, ask func(), plans ...Plan) {
	t.Helper()
	var all sync.WaitGroup
	for k, solve := range solves {
		for range 2 {
			all.Go(func() {
				for range 3 {
					if err := solve(); err != nil && !errors.Is(err, plan.ErrClosed) {
						t.Errorf("method %d: %v", k, err)
					}
				}
			})
		}
	}
	all.Go(func() {
		for range 20 {
			for _, p := range plans {
				p.Bytes()
				p.Memory()
			}
			ask()
		}
	})
	for _, p := range plans {
		all.Go(p.Close)
		all.Go(p.Close)
	}
	all.Wait()
	for k, solve := range solves {
		if err := solve(); !errors.Is(err, plan.ErrClosed) || !errors.Is(err, vk.ErrClosed) {
			t.Errorf("%d, closed: %v", k, err)
		}
	}
}
