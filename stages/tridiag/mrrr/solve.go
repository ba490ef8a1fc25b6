package mrrr

import (
	"fmt"
	"math"
	"slices"
)

type Options struct {
	// From and To select the eigenvalues From … To−1 and their vectors. If From and To are 0, all
	// eigenvalues are found.
	From, To int

	// Attempts is the number of root representations that are tried before divide and conquer
	// solves a block. 0 means 2.
	Attempts int

	// Distrust is for tests: every check of vectors fails, so that the fallback, divide and
	// conquer, is reached.
	Distrust bool
}

const defaultAttempts = 2

type Counters struct {
	Blocks   int `json:"blocks"`   // number of blocks of T
	Depth    int `json:"depth"`    // number of levels of the deepest tree; 1 if no eigenvalue was in a cluster
	Clusters int `json:"clusters"` // number of clusters in all levels and attempts
	Retried  int `json:"retried"`  // number of further attempts; each is for one block
	Fallback int `json:"fallback"` // number of vectors that divide and conquer found
}

// Solve returns the m = To − From eigenvalues From … To−1 of the symmetric tridiagonal matrix with
// diagonal d and off-diagonal e, in ascending order, and their vectors as the columns of an n×m
// matrix, column-major. d has n elements. e has n−1 elements or more, of which only n−1 are read. d
// and e are not written. Solve panics if the range is not within [0, n]. The error is a
// *tridiag.NonFiniteError, or a *tridiag.NoConvergenceError from the fallback, divide and conquer.
func Solve(d, e []float64, opt Options) (values, z []float64, counters Counters, err error) {
	opt = opt.defaults(len(d))
	host := NewHost(len(d), opt.To-opt.From)
	values, counters, err = SolveWith(host, d, e, opt)
	return values, host.z, counters, err
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

// SolveWith does the same as Solve with the given back end, which keeps the vectors. The errors are
// those of Solve and of the back end. For each block it does these steps:
//
//	attempt      from a new root, level by level, the vectors of all wanted eigenvalues
//	check        of residuals and orthogonality, by a few sums of all vectors
//	attempt      again, from another root, if the check failed
//	last resort  by divide and conquer, if all attempts failed or another root would not help
//
// After an error of the back end, values and vectors are undefined, but the counters tell what was
// done before the error.
func SolveWith(backend Backend, d, e []float64, opt Options) ([]float64, Counters, error) {
	opt = opt.defaults(len(d))
	s, err := newSolution(backend, d, e, opt)
	if err != nil {
		return nil, Counters{}, err
	}
	// Blocks that pass the check are no longer open. A block is hopeless if another root would not
	// help, or if all attempts have failed.
	open, hopeless := s.blocks, []*block(nil)
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
		hopeless = append(hopeless, filter(open, func(b *block) bool { return b.hopeless })...)
		open = filter(open, func(b *block) bool { return b.failed && !b.hopeless })
	}
	hopeless = append(hopeless, open...)
	// If the hopeless blocks have many rows, the back end may solve all of T again, including the
	// vectors.
	rows := 0
	for _, b := range hopeless {
		rows += b.n()
	}
	if rows > hostRows {
		if values, err := backend.SolveAll(d, e, opt.From, opt.To); values != nil || err != nil {
			s.counters.Fallback += len(values)
			return values, s.counters, err
		}
	}
	if err := s.fallBack(hopeless); err != nil {
		return nil, s.counters, err
	}
	return s.values(), s.counters, nil
}

// If the hopeless blocks have more than hostRows rows together, Backend.SolveAll is tried before
// they are solved one by one.
const hostRows = 256

// fallBack solves blocks by divide and conquer, one by one. The eigenvalues are those of the scaled
// blocks.
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

// values returns the eigenvalues of all wanted columns, in ascending order. They are sorted again,
// because the columns of several blocks were ordered when the eigenvalues were known to fewer
// digits.
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

func filter(blocks []*block, keep func(*block) bool) (kept []*block) {
	for _, b := range blocks {
		if keep(b) {
			kept = append(kept, b)
		}
	}
	return kept
}
