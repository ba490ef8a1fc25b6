package spectrum

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// Parallel calls do(0) … do(n−1), each in a goroutine of its own, waits for all, and returns their
// errors. If one of them panics, or ends its goroutine, Parallel does the same.
func Parallel(n int, do func(k int) error) []error {
	errs, thrown, ended := make([]error, n), make([]any, n), make([]bool, n)
	var wait sync.WaitGroup
	for k := range n {
		wait.Go(func() {
			defer func() { thrown[k] = recover() }()
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

// First returns the first error that is not context.Canceled, or else the first one, with its number.
// Without an error it returns nil.
func First(errs []error) (k int, err error) {
	for i, e := range errs {
		if e != nil && (err == nil || errors.Is(err, context.Canceled) && !errors.Is(e, context.Canceled)) {
			k, err = i, e
		}
	}
	return k, err
}

// Slowest reports the progress of several devices that go through the same phases: that of the device
// which is furthest behind.
type Slowest struct {
	lock   sync.Mutex
	report func(vk.Progress) // nil if no progress is wanted
	phases []string          // in the order of the devices' marks
	at     []mark            // the last mark of each device
	last   mark              // the last mark that was reported
}

// mark is a place in the phases: the number of a phase, from 1, and the part of it that is done. The
// zero value is the place before all phases.
type mark struct {
	phase int
	done  float64
	from  vk.Progress
}

// before tells whether m is an earlier place than other.
func (m mark) before(other mark) bool {
	return m.phase < other.phase || m.phase == other.phase && m.done < other.done
}

// NewSlowest returns a Slowest for a number of devices. report may be nil.
func NewSlowest(devices int, report func(vk.Progress)) *Slowest {
	return &Slowest{report: report, at: make([]mark, devices)}
}

// Of returns the function to which device k reports; nil if no progress is wanted.
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

// Ended says that device k makes no more marks.
func (s *Slowest) Ended(k int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.at[k] = mark{phase: int(^uint(0) >> 1)}
	s.tell()
}

// mark returns the place of a mark.
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

// tell reports the earliest of the places, if it is later than the last one that was reported.
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
