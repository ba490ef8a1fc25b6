package mrrr

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// solution is one solve in progress. Only one goroutine uses it; the back end may be parallel.
type solution struct {
	backend  Backend
	d, e     []float64 // T, with its blocks scaled
	blocks   []*block
	from, to int // wanted eigenvalues: `from` ≤ index < `to`
	counters Counters
	roots    []float64 // the root representations: row i has dᵢ and lᵢ in roots[2·i] and roots[2·i+1]
}

// block is the diagonal block of rows [lo, hi) of T, multiplied by 2^−exponent.
type block struct {
	lo, hi, exponent int
	members          []member // consecutive eigenvalues: the wanted ones and one more on each side
	first            int      // index of members[0] in the block; 0 is the smallest eigenvalue

	sigma       float64 // the root representation is that of T − σ·I
	negative    bool    // all eigenvalues of the root are negative, otherwise positive
	least, most float64 // the magnitudes of the eigenvalues of the root are between these

	failed   bool // the current attempt has failed
	hopeless bool // another root would not help
}

type member struct {
	lo, hi float64 // an interval that contains the eigenvalue, relative to the representation of the member's node
	value  float64 // the computed eigenvalue of the scaled block
	column int32   // column of the eigenvector in the result; −1 if the eigenvector is not wanted
}

func (b *block) n() int { return b.hi - b.lo }

// member returns eigenvalue number `index`, which must be one of the block's members.
func (b *block) member(index int) *member { return &b.members[index-b.first] }

// newSolution splits T and scales its blocks. T is split where an off-diagonal element is at most
// Roundoff times the largest element of T, or is negligible beside the two diagonal elements next
// to it (tridiag.Negligible). Each block is scaled by a power of two, so that its largest element
// is in [½, 1). newSolution panics if e is too short. The error is a *tridiag.NonFiniteError.
func newSolution(backend Backend, d, e []float64, opt Options) (*solution, error) {
	n := len(d)
	if len(e) < n-1 {
		panic("mrrr: the off-diagonal is shorter than n-1")
	}
	if err := tridiag.CheckFinite(d, e); err != nil {
		return nil, err
	}
	s := &solution{
		backend: backend, d: slices.Clone(d), e: slices.Clone(e[:max(n-1, 0)]),
		from: opt.From, to: opt.To, roots: make([]float64, 2*n),
	}
	norm := tridiag.Largest(s.d, s.e)
	for lo := 0; lo < n && s.from < s.to; {
		hi := lo + 1
		for hi < n && math.Abs(e[hi-1]) > tridiag.Roundoff*norm && !tridiag.Negligible(e[hi-1], d[hi-1], d[hi]) {
			hi++
		}
		b := &block{lo: lo, hi: hi}
		b.exponent = tridiag.Scale(s.d[lo:hi], s.e[lo:hi-1])
		s.blocks = append(s.blocks, b)
		lo = hi
	}
	s.counters.Blocks = len(s.blocks)
	return s, nil
}

func (s *solution) n() int { return len(s.d) }
