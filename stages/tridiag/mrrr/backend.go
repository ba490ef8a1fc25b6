package mrrr

// Backend does what costs n·m operations. It keeps the representations of all clusters and the
// vectors. Tasks of one call are independent of each other, so that each may have a thread of its
// own.
//
// Row i of a representation L·D·Lᵀ is dᵢ and lᵢ, the element of L below dᵢ. In one call, the tasks
// are all of roots or all of clusters.
type Backend interface {
	// Root sets the representations of all blocks: rep[2·i] and rep[2·i+1] are dᵢ and lᵢ of row i
	// of T.
	Root(rep []float64) error

	// Count returns, for each task t, the number of eigenvalues of its representation below x[t].
	Count(tasks []Task, x []float64) ([]int32, error)

	// Bisect shrinks the interval [lo[t], hi[t]], which contains eigenvalue tasks[t].Index, until
	// it is no longer than rtol times its larger end. Where the task says Sharp, SharpTol takes the
	// place of rtol.
	Bisect(tasks []Task, lo, hi []float64, rtol float64) error

	// Level finds the vectors of all single eigenvalues of a level, then makes the representations
	// of its clusters, then finds intervals for the clusters' eigenvalues. The latter is Bisect for
	// intervals that need not contain the eigenvalue at first.
	Level(l *Level) error

	// Sums adds up the m vectors, with signs and weights. lambda has m elements. For each row r and
	// each sample s, with − where Negative(c, s),
	//
	//	sums[(2·s)·n + r]   = Σ ±z[r, c]
	//	sums[(2·s+1)·n + r] = Σ ±λ_c·z[r, c]
	Sums(lambda []float64) (sums []float64, err error)

	// Solve replaces the vectors of a block by those of another method, which finds eigenvalues
	// from … to−1 of the block T(d, e), and returns these eigenvalues.
	Solve(v Block, d, e []float64, from, to int) ([]float64, error)

	// SolveAll is Solve for the whole matrix and all columns, if the back end has a fast way to do
	// it. Otherwise it returns nil, and large blocks go through Solve as well.
	SolveAll(d, e []float64, from, to int) ([]float64, error)
}

// RootSlot is the Slot of tasks that are about a root.
const RootSlot = -1

// Task is about one eigenvalue of one representation.
type Task struct {
	Lo, Hi int32 // the rows of the block
	Slot   int32 // the representation is in columns Slot and Slot+1; or RootSlot
	Index  int32 // of the eigenvalue in the block, from 0 at the smallest
	Sharp  bool  // the eigenvalue is wanted to the last digits
}

// Block is the columns of the result that belong to one block, ascending, and its rows.
type Block struct {
	Lo, Hi  int32
	Columns []int32
}

// Level is what a back end does in one level of the representation tree.
type Level struct {
	// Single eigenvalues. Eigenvalue Vectors[t] is in [Lo[t], Hi[t]], and Gap[t] away from any
	// other. Its vector becomes column Column[t] of the result, which is zero outside of the block.
	// Level sets Lambda and Residual.
	Vectors          []Task
	Column           []int32
	Lo, Hi, Gap      []float64
	Lambda, Residual []float64

	// Clusters. Clusters[c] names the representation that the cluster comes from, Child[c] the slot
	// of its own. The candidates for its shift are Shifts[c·Candidates:(c+1)·Candidates]. Level
	// sets Chosen, the index of the best one, and Growth, the largest element that it leads to.
	// Columns Child[c] and Child[c]+1 may be the parent's.
	Clusters []Task
	Child    []int32
	Shifts   []float64
	Chosen   []int32
	Growth   []float64

	// The eigenvalues in the clusters. Members[i] is a task of a new representation, and Of[i] is
	// the number of its cluster. [MemberLo[i], MemberHi[i]] holds the eigenvalue, relative to the
	// parent's shift. Level makes the interval relative to the child's shift, and refines it until
	// its length is at most RTol times the larger magnitude of its ends.
	Members            []Task
	Of                 []int32
	MemberLo, MemberHi []float64
	RTol               float64
}
