package spectrum

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Progress says how far a solve is. Stage is a phase of the solve. Done and Total are
// floating-point operations; Done never falls.
type Progress struct {
	// Stage is the phase that is running.
	Stage string

	// Done of Total operations have been done.
	Done, Total float64
}

// StageCost is one line of a plan's forecast: the floating-point operations of one phase of a
// solve.
type StageCost struct {
	Stage string  `json:"stage"`
	Flops float64 `json:"flops"`

	// Model is there for bulge chasing alone. Its time is that of steps one after another, not of
	// operations.
	Model *stages.ChaseModel `json:"model,omitempty"`
}

// ProgressOf returns what Base.Begin takes: a function that turns the marks of recordings into
// operations done of the whole, and reports them. costs lists the phases in the order of the solve.
// report may be nil.
//
// The marks of one phase are in units of its own: of Total, Done is done. A phase that costs does
// not list leaves Done of the whole as it is. When a phase is reported, those before it count as
// done.
func ProgressOf(costs []StageCost, report func(Progress)) func(vk.Progress) {
	if report == nil {
		return nil
	}
	done, total := 0.0, 0.0
	for _, c := range costs {
		total += c.Flops
	}
	return func(at vk.Progress) {
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

// Rising returns a function that reports as report does, for a solve that may begin again, perhaps
// by another method: Total stays that of the first report, and until the second attempt has come as
// far as the first, Done stays, too. report may be nil.
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
