package mrrr

import (
	"fmt"
	"math"
	"slices"
)

// Options tunes the solver. The zero value finds all vectors.
type Options struct {
	// From and To ask for the values and vectors From … To−1 alone; 0, 0 is all.
	From, To int

	// Attempts is how many roots are tried for a block before divide and conquer solves
	// it; 0 stands for 2.
	Attempts int

	// Distrust takes every check for failed, so that the last resort is seen at work.
	Distrust bool
}

const defaultAttempts = 2

// Counters says how a solution came about.
type Counters struct {
	Blocks   int `json:"blocks"`   // T falls into
	Depth    int `json:"depth"`    // of the deepest tree: 1 if no eigenvalue was in a cluster
	Clusters int `json:"clusters"` // in all levels and attempts
	Retried  int `json:"retried"`  // further attempts at a block
	Fallback int `json:"fallback"` // vectors that divide and conquer found
}

// Solve returns the eigenvalues From … To−1 of T(d, e), ascending, and their vectors as
// the columns of an n×m matrix. d and e are left as they are; e may have more than n−1
// elements. Errors: *tridiag.NonFiniteError, and from the last resort *tridiag.NoConvergenceError.
func Solve(d, e []float64, opt Options) (values, z []float64, counters Counters, err error) {
	opt = opt.defaults(len(d))
	b := NewHost(len(d), opt.To-opt.From)
	values, counters, err = SolveWith(b, d, e, opt)
	return values, b.z, counters, err
}

func (opt Options) defaults(n int) Options {
	if opt.From < 0 || opt.To < opt.From || opt.To > n {
		panic(fmt.Sprintf("mrrr: eigenvalues [%d, %d) of order %d", opt.From, opt.To, n))
	}
	if opt.From == 0 && opt.To == 0 {
		opt.To = n
	}
	if opt.Attempts == 0 {
		opt.Attempts = defaultAttempts
	}
	return opt
}

// SolveWith is the general form: it leaves the vectors in b.
func SolveWith(b Backend, d, e []float64, opt Options) ([]float64, Counters, error) {
	opt = opt.defaults(len(d))
	s, err := newSolution(b, d, e, opt)
	if err != nil {
		return nil, Counters{}, err
	}
	open, lost := s.blocks, []*block(nil)
	for attempt := 0; attempt < opt.Attempts && len(open) > 0; attempt++ {
		if attempt > 0 {
			s.counters.Retried += len(open)
		}
		if err := s.attempt(open, attempt); err != nil {
			return nil, s.counters, err
		}
		if err := s.check(open); err != nil {
			return nil, s.counters, err
		}
		for _, b := range open {
			b.failed = b.failed || opt.Distrust && len(b.vectors().Columns) > 0
		}
		lost = append(lost, keep(open, func(b *block) bool { return b.lost })...)
		open = keep(open, func(b *block) bool { return b.failed && !b.lost })
	}
	lost = append(lost, open...)
	rows := 0
	for _, b := range lost {
		rows += b.n()
	}
	if rows > hostRows {
		if values, err := b.SolveAll(d, e, opt.From, opt.To); values != nil || err != nil {
			s.counters.Fallback += len(values)
			return values, s.counters, err
		}
	}
	if err := s.fallBack(lost); err != nil {
		return nil, s.counters, err
	}
	return s.values(), s.counters, nil
}

// hostRows is the number of rows of hopeless blocks that are not worth the attention of the whole device.
const hostRows = 256

// fallBack solves blocks by divide and conquer.
func (s *solution) fallBack(blocks []*block) error {
	for _, b := range blocks {
		from, to := b.wanted()
		values, err := s.backend.Solve(b.vectors(), s.d[b.lo:b.hi], s.e[b.lo:b.hi-1], from, to)
		if err != nil {
			return err
		}
		s.counters.Fallback += to - from
		for i, v := range values {
			b.member(from + i).value = v
		}
	}
	return nil
}

// values returns the eigenvalues of all wanted columns. Columns of several blocks were ordered
// when their values were known to some digits less.
func (s *solution) values() []float64 {
	values := make([]float64, s.to-s.from)
	for _, b := range s.blocks {
		for _, m := range b.members {
			if m.column >= 0 {
				if values[m.column] = math.Ldexp(m.value, b.exponent); b.n() == 1 {
					values[m.column] = math.Ldexp(s.d[b.lo], b.exponent)
				}
			}
		}
	}
	slices.Sort(values)
	return values
}

func keep(blocks []*block, want func(*block) bool) (kept []*block) {
	for _, b := range blocks {
		if want(b) {
			kept = append(kept, b)
		}
	}
	return kept
}
