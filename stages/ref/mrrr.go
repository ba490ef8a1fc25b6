package ref

import (
	"fmt"
	"math"
	"slices"
)

// The method of multiple relatively robust representations (LAPACK dstemr; Dhillon
// and Parlett 2004), level by level, so that all work of a level is independent.
//
//	T − σ·I = L·D·Lᵀ            a root for each block, definite
//	L·D·Lᵀ·z = λ·z              where λ stands apart from all others, relative to itself
//	L⁺·D⁺·L⁺ᵀ = L·D·Lᵀ − τ·I    where it does not: a child for the cluster, τ close by,
//	                            in which the λ − τ stand apart, or clusters of them do
//
//	mrrr.go                 the driver: attempts, and what is handed over
//	mrrr_blocks.go          splitting, scaling, roots, which eigenvalues are wanted
//	mrrr_tree.go            one attempt: clusters and singletons of a level, and the next
//	mrrr_check.go           what the vectors are worth
//	mrrr_backend.go         who keeps representations and vectors: the interface
//	mrrr_plain.go           the same in plain Go
//	mrrr_representation.go  counts, bisection and shifts of one representation
//	mrrr_vector.go          one vector
//
// LAPACK takes a child only if its elements are not much larger than those of the root, which
// is sufficient and not necessary, and gives up on matrices with clusters that have
// no such child. Here the best of some children is taken, whatever its elements are, and the vectors
// are looked at afterwards: a block whose vectors are not orthogonal is solved again
// from another root, at last by divide and conquer. The counters tell.

// MROptions tunes the solver. The zero value finds all vectors.
type MROptions struct {
	// From and To ask for the values and vectors From … To−1 alone; 0, 0 is all.
	From, To int

	// Attempts is how many roots are tried for a block before divide and conquer solves
	// it; 0 stands for 2.
	Attempts int

	// Distrust takes every check for failed, so that the last resort is seen at work.
	Distrust bool
}

const mrAttempts = 2

// MRCounters says how a solution came about.
type MRCounters struct {
	Blocks   int `json:"blocks"`   // T falls into
	Depth    int `json:"depth"`    // of the deepest tree: 1 if no eigenvalue was in a cluster
	Clusters int `json:"clusters"` // in all levels and attempts
	Retried  int `json:"retried"`  // further attempts at a block
	Fallback int `json:"fallback"` // vectors that divide and conquer found
}

// MRRR returns the eigenvalues From … To−1 of T(d, e), ascending, and their vectors as
// the columns of an n×m matrix. d and e are left as they are; e may have more than n−1
// elements. Errors: *DCNonFiniteError, and from the last resort *DCNoConvergenceError.
func MRRR(d, e []float64, opt MROptions) (values, z []float64, counters MRCounters, err error) {
	opt = opt.defaults(len(d))
	b := newMRPlain(len(d), opt.To-opt.From)
	values, counters, err = MRRRWith(b, d, e, opt)
	return values, b.z, counters, err
}

func (opt MROptions) defaults(n int) MROptions {
	if opt.From < 0 || opt.To < opt.From || opt.To > n {
		panic(fmt.Sprintf("ref: eigenvalues [%d, %d) of order %d", opt.From, opt.To, n))
	}
	if opt.From == 0 && opt.To == 0 {
		opt.To = n
	}
	if opt.Attempts == 0 {
		opt.Attempts = mrAttempts
	}
	return opt
}

// MRRRWith is the general form: it leaves the vectors in b.
func MRRRWith(b MRBackend, d, e []float64, opt MROptions) ([]float64, MRCounters, error) {
	opt = opt.defaults(len(d))
	s, err := newMRSolver(b, d, e, opt)
	if err != nil {
		return nil, MRCounters{}, err
	}
	open, lost := s.blocks, []*mrBlock(nil)
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
		lost = append(lost, keep(open, func(b *mrBlock) bool { return b.lost })...)
		open = keep(open, func(b *mrBlock) bool { return b.failed && !b.lost })
	}
	lost = append(lost, open...)
	rows := 0
	for _, b := range lost {
		rows += b.n()
	}
	if rows > mrAlone {
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

// mrAlone is the number of rows of hopeless blocks that are not worth the attention of the whole device.
const mrAlone = 256

// fallBack solves blocks by divide and conquer.
func (s *mrSolver) fallBack(blocks []*mrBlock) error {
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
func (s *mrSolver) values() []float64 {
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

func keep(blocks []*mrBlock, want func(*mrBlock) bool) (kept []*mrBlock) {
	for _, b := range blocks {
		if want(b) {
			kept = append(kept, b)
		}
	}
	return kept
}
