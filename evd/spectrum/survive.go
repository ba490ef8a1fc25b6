package spectrum

import (
	"errors"

	"github.com/vkevd/vkevd/stages"
)

// Survive returns what solve returns for a call that begin has begun. If a wait between workgroups
// was given up in that call, avoid puts the plan on a path on which no workgroup waits for another,
// and has the device remember the failure (machine.WaitFailed). Then solve runs once more, with a
// new call. The second call has Retried, and in its profile stages.PhaseGivenUp.
//
// The caller has the plan's lock. solve must leave the caller's matrix as it is until its last
// INFO word was read. Errors: those of the first call, unless a wait was given up; ctx.Err() if a
// wait was given up and the context has ended; those of avoid; those of the second call.
func Survive[R any](begin func() *Call, solve func(c *Call) (R, error), avoid func() error) (R, error) {
	first := begin()
	res, err := solve(first)
	if first.gaveUp == nil || !errors.Is(err, first.gaveUp) {
		return res, err
	}
	var none R
	if err := first.Ctx.Err(); err != nil { // a cancelled solve gives its waits up, too
		return none, err
	}
	if err := avoid(); err != nil {
		return none, err
	}
	second := begin()
	second.Retried = first.gaveUp
	second.Profile.Add(stages.PhaseGivenUp, first.Profile.Total())
	return solve(second)
}
