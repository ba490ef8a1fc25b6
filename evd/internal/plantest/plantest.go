// Package plantest, internal to vkevd, for tests only, writes what plans tell as text for golden
// files.
package plantest

import (
	"fmt"
	"slices"
	"strings"

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
