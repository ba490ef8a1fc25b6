package plan

import (
	"errors"
	"runtime"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// mostAttempts is the largest number of attempts of Survive. Each of three causes of a failure is
// avoided after it has happened once: waits for all other workgroups, other waits, and emulated
// products.
const mostAttempts = 4

// Survive calls the function `begin`, calls the function `solve` with the Call that `begin`
// returned, and returns the result of `solve`. If a wait between workgroups failed in this call, or
// emulated products refused the matrix (Call.GaveUp, InfoError.Cause), Survive calls the function
// `avoid` with the call and then makes another attempt: it calls `begin` and `solve` once more. The
// function `avoid` must replace the plan's stages by stages without waits of this kind
// (Call.AvoidWaits), or with native products. In the next Call, the field Retried is the error of
// the attempt before it, and the profile has the time of all earlier attempts under
// stages.PhaseGivenUp or stages.PhaseRefused.
//
// The caller must have the plan's lock. The function `solve` must leave the caller's matrix
// unchanged until the host has read the last INFO word, the status of a stage. The error is that of
// the last attempt, or ctx.Err() if the context has ended, or that of `avoid`.
func Survive[R any](begin func() *Call, solve func(c *Call) (R, error), avoid func(failed *Call) error) (R, error) {
	var none R
	call, lost := begin(), vk.NewProfile() // lost: times of earlier attempts
	for attempt := 1; ; attempt++ {
		res, err := solve(call)
		failed := call.gaveUp
		if failed == nil || !errors.Is(err, failed) || attempt == mostAttempts {
			return res, err
		}
		if err := call.Ctx.Err(); err != nil { // a cancelled solve also ends its waits
			return none, err
		}
		if err := avoid(call); err != nil {
			return none, err
		}
		phase := stages.PhaseGivenUp
		if failed.Cause == stages.CauseRefused {
			phase = stages.PhaseRefused
		}
		seconds := call.Profile.Total() - lost.Total()
		lost.Add(phase, seconds)
		call = begin()
		runtime.GC() // frees the failed attempt's host memory for vectors, because the next attempt needs as much
		call.Retried = failed
		for _, t := range lost.Phases {
			call.Profile.Add(t.Name, t.Seconds)
		}
	}
}
