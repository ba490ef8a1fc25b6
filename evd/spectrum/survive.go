package spectrum

import (
	"errors"

	"github.com/vkevd/vkevd/stages"
)

// Survive calls solve with a call that begin has begun, and returns the result. If a wait between
// workgroups was given up in that call, the function avoid must put the plan on a path on which no
// workgroup waits for another, and store the failure for the device (machine.WaitFailed). Then
// solve runs once more, with a new call. This call has Retried, and stages.PhaseGivenUp in its
// profile. The same holds for emulated products that refused a matrix, where avoid must choose
// native ones, and the profile has stages.PhaseRefused. Call.GaveUp tells which it was.
//
// The caller must have the plan's lock. solve must leave the caller's matrix unchanged until its
// last INFO word was read. If no wait was given up, the error is that of the first call. Otherwise
// it is ctx.Err() if the context has ended, that of avoid, or that of the second call.
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
	lost := stages.PhaseGivenUp
	if first.gaveUp.Stage == stages.PhaseEmulated {
		lost = stages.PhaseRefused
	}
	second.Profile.Add(lost, first.Profile.Total())
	return solve(second)
}
