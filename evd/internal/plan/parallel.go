package plan

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// Parallel calls do(0) … do(n−1), each in a goroutine of its own, waits for all, and returns their
// errors. If a call returns an error, panics, or ends its goroutine, Parallel calls the function
// `cancel` at once, so that the other calls end early. Then, if a call has panicked or has ended
// its goroutine, Parallel does the same.
func Parallel(n int, cancel func(), do func(k int) error) []error {
	errs, thrown, ended := make([]error, n), make([]any, n), make([]bool, n)
	var wait sync.WaitGroup
	for k := range n {
		wait.Go(func() {
			defer func() {
				if thrown[k] = recover(); !ended[k] || errs[k] != nil {
					cancel()
				}
			}()
			errs[k] = do(k)
			ended[k] = true
		})
	}
	wait.Wait()
	for k := range n {
		switch {
		case thrown[k] != nil:
			panic(thrown[k])
		case !ended[k]:
			runtime.Goexit()
		}
	}
	return errs
}

// First chooses one error of a list, and returns the error and its index k. It chooses the first
// error that is not context.Canceled. If all errors are context.Canceled, First chooses the first
// one. If the list has no error, err is nil.
func First(errs []error) (k int, err error) {
	for i, e := range errs {
		if e != nil && (err == nil || errors.Is(err, context.Canceled) && !errors.Is(e, context.Canceled)) {
			k, err = i, e
		}
	}
	return k, err
}

// Slowest combines the progress reports of several devices that go through the same phases at the
// same time. It reports the progress of the slowest device.
type Slowest struct {
	lock   sync.Mutex
	report func(vk.Progress) // nil if no progress is wanted
	phases []string          // in the order in which they were first reported
	at     []mark            // the last mark of each device
	last   mark              // the last mark that was reported
}

// mark is how far a device has come: the number of its phase, counted from 1, and the fraction of
// this phase that is done. The zero value means that the device has not begun.
type mark struct {
	phase int
	done  float64
	from  vk.Progress
}

// `before` tells whether the mark m is less far than the mark `other`.
func (m mark) before(other mark) bool {
	return m.phase < other.phase || m.phase == other.phase && m.done < other.done
}

// NewSlowest returns a Slowest for the given number of devices. The function `report` receives the
// progress of the slowest device. `report` may be nil.
func NewSlowest(devices int, report func(vk.Progress)) *Slowest {
	return &Slowest{report: report, at: make([]mark, devices)}
}

// Of returns a function to which device k reports its progress. It returns nil if no progress is
// wanted.
func (s *Slowest) Of(k int) func(vk.Progress) {
	if s.report == nil {
		return nil
	}
	return func(p vk.Progress) {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.at[k] = s.mark(p)
		s.tell()
	}
}

// Ended says that device k has ended and will report no further progress.
func (s *Slowest) Ended(k int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.at[k] = mark{phase: int(^uint(0) >> 1)}
	s.tell()
}

// mark converts a progress report. A phase that no device has reported before gets the next number.
func (s *Slowest) mark(p vk.Progress) mark {
	m := mark{from: p}
	if p.Total > 0 {
		m.done = p.Done / p.Total
	}
	for i, name := range s.phases {
		if name == p.Phase {
			m.phase = i + 1
			return m
		}
	}
	s.phases = append(s.phases, p.Phase)
	m.phase = len(s.phases)
	return m
}

// tell reports the progress of the slowest device if this progress is larger than in the last
// report.
func (s *Slowest) tell() {
	first := s.at[0]
	for _, m := range s.at[1:] {
		if m.before(first) {
			first = m
		}
	}
	if s.report != nil && s.last.before(first) && first.from.Phase != "" {
		s.last = first
		s.report(first.from)
	}
}
