package spectrum

import (
	"errors"

	"github.com/vkevd/vkevd/stages"
)

// Survive calls the function `begin`, calls the function `solve` with the Call that `begin`
// returned, and returns the result of `solve`. If a wait between workgroups failed in this call,
// Survive calls the function `avoid` and then makes a second attempt: it calls `begin` and `solve`
// once more. The function `avoid` must replace the plan's stages by stages in which no workgroup
// waits for another workgroup, and must record the failure for the device (machine.WaitFailed). The
// second Call has the field Retried, and its profile has the time of the first attempt under
// stages.PhaseGivenUp.
//
// Survive does the same if emulated products refused a matrix. Then `avoid` must choose native
// products, and the profile has stages.PhaseRefused. Call.GaveUp returns the error, whose field
// Stage says which of the two has happened.
//
// The caller must have the plan's lock. The function `solve` must leave the caller's matrix
// unchanged until the host has read the last INFO word, the status of a stage. The error is that of
// the first attempt if there is no second attempt. Otherwise the error is ctx.Err() if the context
// has ended, that of `avoid`, or that of the second attempt.
func Survive[R any](begin func() *Call, solve func(c *Call) (R, error), avoid func() error) (R, error) {
	first := begin()
	res, err := solve(first)
	if first.gaveUp == nil || !errors.Is(err, first.gaveUp) {
		return res, err
	}
	var none R
	if err := first.Ctx.Err(); err != nil { // a cancelled solve also ends its waits
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
