package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Backend does what costs n·m operations: it keeps the representations of all
// clusters and the vectors, and runs one lane for each task. An Task of the root asks the
// representations that Root was given, one of a cluster those that Level made.
// Tasks of one call are independent.
type Backend interface {
	// Root hands over the representations of all blocks: dᵢ and lᵢ of row i in
	// rep[2·i] and rep[2·i+1].
	Root(rep []float64) error

	// Count counts the eigenvalues below x[t] of the representation of tasks[t].
	Count(tasks []Task, x []float64) ([]int32, error)

	// Bisect shrinks the interval [lo[t], hi[t]] of eigenvalue tasks[t].Index to the
	// length rtol relative to its ends, or to SharpTol where the task says so.
	Bisect(tasks []Task, lo, hi []float64, rtol float64) error

	// Level finds the vectors of all singletons of a level, then makes the
	// representations of its clusters, then brackets their eigenvalues: Bisect for
	// intervals that need not contain what they are about.
	Level(l *Level) error

	// Sums adds up the m vectors, with signs and weights: for each row r and sample s,
	//
	//	sums[(2·s)·n + r]   = Σ ±z[r, c]
	//	sums[(2·s+1)·n + r] = Σ ±λ_c·z[r, c]      − where Negative(c, s)
	Sums(lambda []float64) (sums []float64, err error)

	// Solve replaces the vectors of a block by those of another method, which finds eigenvalues
	// from … to−1 of T(d, e), and returns these.
	Solve(v Block, d, e []float64, from, to int) ([]float64, error)

	// SolveAll is Solve for the whole matrix and all columns, if the back end has a fast way: else it
	// returns nil, and large blocks go through Solve as well.
	SolveAll(d, e []float64, from, to int) ([]float64, error)
}

// An Task is one eigenvalue of one representation.
type Task struct {
	Lo, Hi int32 // the rows of its block
	Slot   int32 // where its cluster's representation is kept: columns Slot, Slot+1; or RootSlot
	Index  int32 // of the eigenvalue in the block
	Sharp  bool  // wanted to the last digits
}

// An Level is one level of the representation tree.
type Level struct {
	// The singletons: eigenvalue Vectors[t] in [Lo, Hi], Gap away from any
	// other. Its vector is column Column[t] of the result, zero outside of its block. Level
	// fills Lambda and Residual.
	Vectors          []Task
	Column           []int32
	Lo, Hi, Gap      []float64
	Lambda, Residual []float64

	// The clusters: task Clusters[c] names the representation they come
	// from, Child[c] the slot of the new one. Candidates candidates for its shift lie at
	// Shifts[c·Candidates]. Level fills Chosen, the best of them, and Growth, its
	// largest element. If the slot is one that the parent uses, the two overlap.
	Clusters []Task
	Child    []int32
	Shifts   []float64
	Chosen   []int32
	Growth   []float64

	// The clusters' eigenvalues: tasks of the new representations, and for each
	// of them the cluster. [Lo, Hi] are relative to the parent; Level returns them
	// relative to the child, no longer than RTol.
	Members            []Task
	Of                 []int32
	MemberLo, MemberHi []float64
	RTol               float64
}

const (
	// RootSlot is the Slot of the root. The tasks of one call are all of roots or none is.
	RootSlot = -1

	// Candidates is how many shifts are tried for a cluster, all at once.
	Candidates = 8

	// GoodGrowth is the largest element, beside a norm of about 1, of a representation that is taken
	// without looking further.
	GoodGrowth = 8

	// SharpTol is Sharp's accuracy.
	SharpTol = 4 * tridiag.Ulp

	// Samples is how many times Sums throws its coins.
	Samples = 4

	// MoveMargin widens an interval that moves to another representation, in ulps of its ends and the shift.
	MoveMargin = 4
)

// Block is the columns of the result that belong to one block, ascending, and its rows.
type Block struct {
	Lo, Hi  int32
	Columns []int32
}

// Negative is a coin thrown for column c.
func Negative(c, sample uint32) bool {
	x := (c+1)*0x9e3779b9 ^ (sample+1)*0x85ebca6b
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return (x^x>>16)&1 != 0
}

// Move takes an interval to the representation with shift τ.
func Move(lo, hi, tau float64) (float64, float64) {
	margin := MoveMargin * tridiag.Ulp * max(math.Abs(lo), math.Abs(hi), math.Abs(tau))
	return (lo - tau) - margin, (hi - tau) + margin
}

// Choose picks a cluster's shift from the growth of all candidates, which come in
// pairs, left and right of the cluster: the better of the nearest good pair, else the best.
func Choose(growth []float64) int {
	best := 0
	for j := 0; j < Candidates; j += 2 {
		for i := j; i < j+2; i++ {
			if growth[i] < growth[best] {
				best = i
			}
		}
		if growth[best] <= GoodGrowth {
			break
		}
	}
	return best
}
