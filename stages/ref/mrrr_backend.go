package ref

import "math"

// MRBackend does what costs n·m operations: it keeps the representations of all
// clusters and the vectors, and runs one lane for each task. An MRTask of the root asks the
// representations that Root was given, one of a cluster those that Level made.
// Tasks of one call are independent.
type MRBackend interface {
	// Root hands over the representations of all blocks: dᵢ and lᵢ of row i in
	// rep[2·i] and rep[2·i+1].
	Root(rep []float64) error

	// Count counts the eigenvalues below x[t] of the representation of tasks[t].
	Count(tasks []MRTask, x []float64) ([]int32, error)

	// Bisect shrinks the interval [lo[t], hi[t]] of eigenvalue tasks[t].Index to the
	// length rtol relative to its ends, or to MRSharp where the task says so.
	Bisect(tasks []MRTask, lo, hi []float64, rtol float64) error

	// Level finds the vectors of all singletons of a level, then makes the
	// representations of its clusters, then brackets their eigenvalues: Bisect for
	// intervals that need not contain what they are about.
	Level(l *MRLevel) error

	// Sums adds up the m vectors, with signs and weights: for each row r and sample s,
	//
	//	sums[(2·s)·n + r]   = Σ ±z[r, c]
	//	sums[(2·s+1)·n + r] = Σ ±λ_c·z[r, c]      − where MRSign(c, s)
	Sums(lambda []float64) (sums []float64, err error)

	// Solve replaces the vectors of a block by those of another method, which finds eigenvalues
	// from … to−1 of T(d, e), and returns these.
	Solve(v MRBlock, d, e []float64, from, to int) ([]float64, error)

	// SolveAll is Solve for the whole matrix and all columns, if the back end has a fast way: else it
	// returns nil, and large blocks go through Solve as well.
	SolveAll(d, e []float64, from, to int) ([]float64, error)
}

// An MRTask is one eigenvalue of one representation.
type MRTask struct {
	Lo, Hi int32 // the rows of its block
	Slot   int32 // where its cluster's representation is kept: columns Slot, Slot+1; or MRRoot
	Index  int32 // of the eigenvalue in the block
	Sharp  bool  // wanted to the last digits
}

// An MRLevel is one level of the representation tree.
type MRLevel struct {
	// The singletons: eigenvalue Vectors[t] in [Lo, Hi], Gap away from any
	// other. Its vector is column Column[t] of the result, zero outside of its block. Level
	// fills Lambda and Residual.
	Vectors          []MRTask
	Column           []int32
	Lo, Hi, Gap      []float64
	Lambda, Residual []float64

	// The clusters: task Clusters[c] names the representation they come
	// from, Child[c] the slot of the new one. MRShifts candidates for its shift lie at
	// Shifts[c·MRShifts]. Level fills Chosen, the best of them, and Growth, its
	// largest element. If the slot is one that the parent uses, the two overlap.
	Clusters []MRTask
	Child    []int32
	Shifts   []float64
	Chosen   []int32
	Growth   []float64

	// The clusters' eigenvalues: tasks of the new representations, and for each
	// of them the cluster. [Lo, Hi] are relative to the parent; Level returns them
	// relative to the child, no longer than RTol.
	Members            []MRTask
	Of                 []int32
	MemberLo, MemberHi []float64
	RTol               float64
}

const (
	// MRRoot is the Slot of the root. The tasks of one call are all of roots or none is.
	MRRoot = -1

	// MRShifts is how many shifts are tried for a cluster, all at once.
	MRShifts = 8

	// MRGrowth is the largest element, beside a norm of about 1, of a representation that is taken
	// without looking further.
	MRGrowth = 8

	// MRSharp is Sharp's accuracy.
	MRSharp = 4 * mrUlp

	// MRSamples is how many times Sums throws its coins.
	MRSamples = 4

	// MRMargin widens an interval that moves to another representation, in ulps of its ends and the shift.
	MRMargin = 4
)

// MRBlock is the columns of the result that belong to one block, ascending, and its rows.
type MRBlock struct {
	Lo, Hi  int32
	Columns []int32
}

// MRSign is a coin thrown for column c.
func MRSign(c, sample uint32) bool {
	x := (c+1)*0x9e3779b9 ^ (sample+1)*0x85ebca6b
	x = (x ^ x>>16) * 0x7feb352d
	x = (x ^ x>>15) * 0x846ca68b
	return (x^x>>16)&1 != 0
}

// MRMove takes an interval to the representation with shift τ.
func MRMove(lo, hi, tau float64) (float64, float64) {
	margin := MRMargin * mrUlp * max(math.Abs(lo), math.Abs(hi), math.Abs(tau))
	return (lo - tau) - margin, (hi - tau) + margin
}

// MRChoose picks a cluster's shift from the growth of all candidates, which come in
// pairs, left and right of the cluster: the better of the nearest good pair, else the best.
func MRChoose(growth []float64) int {
	best := 0
	for j := 0; j < MRShifts; j += 2 {
		for i := j; i < j+2; i++ {
			if growth[i] < growth[best] {
				best = i
			}
		}
		if growth[best] <= MRGrowth {
			break
		}
	}
	return best
}
