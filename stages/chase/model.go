package chase

import (
	"fmt"
)

// ChaseModel is the duration of a bulge chasing, counted in steps on its critical path. It is the
// performance model of Wang and others (PPoPP 2025, §3.3):
//
//  1. a sweep begins Lag steps after the previous sweep;
//  2. a sweep that has r rows below its first row has r/b steps, rounded up, where b is the
//     half-bandwidth;
//  3. at most Room sweeps are in flight, and the next sweep waits until one of them ends.
//
// The paper gives a closed formula for the duration, as if n/b and n/Room were integers. ModelChase
// adds up the steps sweep by sweep.
type ChaseModel struct {
	Lag  int `json:"lag"`  // steps from the beginning of a sweep to that of the next
	Room int `json:"room"` // largest number of sweeps in flight; 0: all sweeps

	Path   int `json:"path"`   // critical path in steps, if Room were unlimited; about Lag·n
	Stalls int `json:"stalls"` // steps that waiting for Room adds

	// Seconds is the predicted time: the number of steps times the seconds of one step. It is 0 if
	// the tuning table has no measured time of a step.
	Seconds float64 `json:"seconds,omitempty"`
}

// ModelChase counts the steps for order n and half-bandwidth b. If `room` is 0, the number of
// sweeps in flight has no limit.
func ModelChase(n, b, lag, room int) ChaseModel {
	if n < 0 || b < 1 || lag < 1 || room < 0 {
		panic(fmt.Sprintf("stages: model of a bulge chasing, n = %d, b = %d, lag %d, room for %d", n, b, lag, room))
	}
	m := ChaseModel{Lag: lag, Room: room}
	sweeps := max(0, n-2)
	if b == 1 || sweeps == 0 {
		return m
	}
	steps := func(sweep int) int { return (n - 1 - sweep + b - 1) / b }
	m.Path = lag*(sweeps-1) + steps(sweeps-1)

	begins := make([]int, sweeps) // each sweep ends before the next one, because no sweep overtakes another
	for i := 1; i < sweeps; i++ {
		begins[i] = begins[i-1] + lag
		if room > 0 && i >= room {
			begins[i] = max(begins[i], begins[i-room]+steps(i-room))
		}
	}
	m.Stalls = begins[sweeps-1] + steps(sweeps-1) - m.Path
	return m
}

// Model predicts the time of a run. It assumes that a sweep begins 1 + chaseLead = 3 steps after
// the previous one. In the kernel with three teams, a sweep publishes its progress in the middle of
// a step, so that the next sweep could begin a little earlier. But the latency of the flag makes
// the lag about three steps again.
func (s *BulgeChasing[T]) Model() ChaseModel {
	room, step := 0, s.tune.Step
	if s.waits() {
		room = s.groups(s.Sweeps())
	}
	if s.teams != nil {
		step = s.tune.TeamStep
	}
	m := ModelChase(s.N, s.B, 1+chaseLead, room)
	m.Seconds = float64(m.Path+m.Stalls) * step
	return m
}
