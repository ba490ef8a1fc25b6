package machine

import (
	"errors"
	"fmt"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// begun is the text that is stored before a trial that may end the process. "begun 2" means that
// two trials began and gave no result.
const begun = "begun %d"

// mostBegun is the number of trials without a result after which no further trial is made.
const mostBegun = 3

// Attempt returns the result that is stored under the given name. If no result is stored, Attempt
// calls `trial`, which finds the result, and stores it. The result must not begin with "begun".
//
// A driver may crash in a trial, or reset the device. So the trial calls `begin` before the first
// step that may do so, and `begin` stores that a trial has begun. If a process ends before its
// trial does, a later process makes the trial again. After three trials without a result, Attempt
// makes no more, and returns a text for which GaveUp is true. (One of the three may be a trial of
// another process that has not ended yet.) A trial that returns "" counts as a trial without a
// result, as does one that returns vk.ErrDeviceLost. A trial with another error does not count.
// Attempt returns the errors of `trial`.
//
// For a vk.Dry device `trial` is not called, and the result is "" if none is stored.
func (m *Machine) Attempt(name string, trial func(begin func()) (string, error)) (string, error) {
	asking.Lock()
	defer asking.Unlock()
	fresh := false
	answer, err := m.dev.ProbeOnce(name, func() (string, error) {
		fresh = true
		return m.attempt(name, 0, trial)
	})
	if err != nil {
		return "", err
	}
	if runs, ok := unfinished(answer); ok && !fresh && runs < mostBegun {
		if answer, err = m.attempt(name, runs, trial); err != nil {
			return "", err
		}
		m.dev.SetProbe(name, answer)
	}
	return answer, nil
}

// asking is a lock that prevents two goroutines of this process from making a trial at the same
// time. Two processes may make a trial at the same time.
var asking sync.Mutex

// attempt makes a trial and returns the text that Attempt stores. `runs` is the number of earlier
// trials without a result. If the device is lost, what `begin` has stored stays.
func (m *Machine) attempt(name string, runs int, trial func(begin func()) (string, error)) (string, error) {
	answer, err := trial(func() { m.dev.SetProbe(name, fmt.Sprintf(begun, runs+1)) })
	switch {
	case errors.Is(err, vk.ErrDeviceLost):
		return "", err
	case err != nil:
		m.dev.SetProbe(name, fmt.Sprintf(begun, runs))
		return "", err
	case answer == "":
		return fmt.Sprintf(begun, runs+1), nil
	}
	return answer, nil
}

// GaveUp tells whether the stored text `answer` means that Attempt makes no further trial, because
// too many trials gave no result.
func GaveUp(answer string) bool {
	runs, ok := unfinished(answer)
	return ok && runs >= mostBegun
}

// unfinished reads the number of trials without a result from a text such as "begun 2". If the text
// is a result, ok is false.
func unfinished(answer string) (runs int, ok bool) {
	_, err := fmt.Sscanf(answer, begun, &runs)
	return runs, err == nil
}
