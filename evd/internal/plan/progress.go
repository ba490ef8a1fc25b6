package plan

import (
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/vk"
)

// Progress says how much of a solve is done. Stage is a phase of the solve. Done and Total count
// floating-point operations. Done never decreases, and at the end of a solve it is Total.
type Progress struct {
	// Stage is the phase of the solve that is running.
	Stage string

	// Done is the number of floating-point operations done so far. Total is the number for the
	// whole solve.
	Done, Total float64
}

// StageCost is one line of a plan's forecast: the number of floating-point operations of one phase
// of a solve.
type StageCost struct {
	Stage string  `json:"stage"`
	Flops float64 `json:"flops"`

	// Products is set only for a back transformation 2 that runs by large products. It is the part
	// of Flops in these products.
	Products float64 `json:"products,omitempty"`

	// Native says that this phase has native products in a plan whose other large products are
	// emulated by integer units.
	Native bool `json:"native,omitempty"`

	// Model is set only for bulge chasing. The time of bulge chasing depends on the length of a
	// chain of dependent steps, and not on the number of operations.
	Model *chase.ChaseModel `json:"model,omitempty"`
}

// Flops is the number of operations of all phases together.
func Flops(costs []StageCost) (sum float64) {
	for _, c := range costs {
		sum += c.Flops
	}
	return sum
}

// ProgressOf returns a function for the argument `progress` of Base.Begin. The function converts
// the progress of recordings into operations of the whole solve, and reports them. `costs` lists
// the phases in the order of the solve. `report` may be nil.
//
// The progress of a phase has units of its own: Done of Total. If a phase is not in `costs`, its
// progress does not change Done of the whole solve. When a phase is reported, all phases before it
// count as done. A report without the name of a phase says that the whole solve is done.
func ProgressOf(costs []StageCost, report func(Progress)) func(vk.Progress) {
	if report == nil {
		return nil
	}
	done, total, phase := 0.0, Flops(costs), ""
	return func(at vk.Progress) {
		if at.Phase == "" {
			report(Progress{phase, total, total})
			return
		}
		phase = at.Phase
		before := 0.0
		for _, c := range costs {
			if c.Stage == at.Phase {
				done = before
				if at.Total > 0 {
					done += c.Flops * at.Done / at.Total
				}
				break
			}
			before += c.Flops
		}
		report(Progress{at.Phase, done, total})
	}
}

// Rising returns a function that passes progress on to `report`, for a solve that may need a second
// attempt, perhaps by another method. Total stays that of the first attempt. Done never decreases:
// in a second attempt it stays the same until this attempt has done more than the first one.
// `report` may be nil.
func Rising(report func(Progress)) func(Progress) {
	if report == nil {
		return nil
	}
	done, total := 0.0, 0.0
	return func(at Progress) {
		if total == 0 {
			total = at.Total
		}
		if at.Total != total && at.Total > 0 {
			at.Done, at.Total = at.Done*(total/at.Total), total
		}
		done = max(done, at.Done)
		at.Done = done
		report(at)
	}
}
