package mrrr

// Backend is the interface to the part of the algorithm that costs n·m operations. It keeps the
// representations of all clusters and the vectors. The tasks of one call are independent of each
// other, so that each may have a thread of its own.
//
// Row i of a representation L·D·Lᵀ is the pair dᵢ and lᵢ, where lᵢ is the element of L below dᵢ. In
// one call, either all tasks use root representations or none does.
type Backend interface {
	// Root sets the representations of all blocks: rep[2·i] and rep[2·i+1] are dᵢ and lᵢ of row i
	// of T.
	Root(rep []float64) error

	// Count returns, for each task t, the number of eigenvalues of its representation below x[t].
	Count(tasks []Task, x []float64) ([]int32, error)

	// Bisect shrinks each interval [lo[t], hi[t]], which contains eigenvalue tasks[t].Index, until
	// it is no longer than rtol times its larger end. For a task that is marked Sharp, SharpTol
	// takes the place of rtol.
	Bisect(tasks []Task, lo, hi []float64, rtol float64) error

	// Level finds the vectors of all single eigenvalues of a level. Then it makes the
	// representations of its clusters. Then it finds intervals for the clusters' eigenvalues, as
	// Bisect does, but from intervals that need not contain the eigenvalue at first.
	Level(l *Level) error

	// Sums adds up the m vectors z with signs and weights. lambda has m elements. For each row r
	// and each sample s it computes
	//
	//	sums[(2·s)·n + r]   = Σ ±z[r, c]
	//	sums[(2·s+1)·n + r] = Σ ±λ_c·z[r, c]
	//
	// over the columns c. The sign is − if Negative(c, s) is true.
	Sums(lambda []float64) (sums []float64, err error)

	// Solve computes eigenvalues from … to−1 of the block T(d, e) and their vectors by another
	// method, replaces the vectors of the block by these, and returns the eigenvalues.
	Solve(v Block, d, e []float64, from, to int) ([]float64, error)

	// SolveAll is Solve for the whole matrix and all columns, if the back end has a fast way to do
	// so. Otherwise it returns nil, and the driver calls Solve for large blocks as well.
	SolveAll(d, e []float64, from, to int) ([]float64, error)
}

// RootSlot is the Slot of tasks that use a root representation.
const RootSlot = -1

// Task identifies one eigenvalue of one representation.
type Task struct {
	Lo, Hi int32 // the rows of the block
	Slot   int32 // the representation is in columns Slot and Slot+1; or RootSlot
	Index  int32 // of the eigenvalue in the block, from 0 at the smallest
	Sharp  bool  // the eigenvalue is wanted to the last digits
}

// Block identifies the rows of one block and the columns of the result that belong to it, in
// ascending order.
type Block struct {
	Lo, Hi  int32
	Columns []int32
}

// Level is the work of a back end in one level of the representation tree.
type Level struct {
	// These members describe single eigenvalues. Eigenvalue Vectors[t] is in [Lo[t], Hi[t]], at a
	// distance Gap[t] from any other. Its vector becomes column Column[t] of the result, which is
	// zero outside of the block. The back end sets Lambda and Residual.
	Vectors          []Task
	Column           []int32
	Lo, Hi, Gap      []float64
	Lambda, Residual []float64

	// These members describe clusters. Clusters[c] names the representation that cluster c comes
	// from, and Child[c] is the slot of the cluster's own representation. The candidates for its
	// shift are Shifts[c·Candidates:(c+1)·Candidates]. The back end sets Chosen, the index of the
	// best candidate, and Growth, the largest element of the representation that this candidate
	// leads to. Columns Child[c] and Child[c]+1 may be those of the parent.
	Clusters []Task
	Child    []int32
	Shifts   []float64
	Chosen   []int32
	Growth   []float64

	// These members describe the eigenvalues in the clusters. Members[i] is a task of a new
	// representation, and Of[i] is the number of its cluster. [MemberLo[i], MemberHi[i]] holds the
	// eigenvalue, relative to the parent's shift. The back end makes the interval relative to the
	// child's shift, and refines it until its length is at most RTol times the larger magnitude of
	// its ends.
	Members            []Task
	Of                 []int32
	MemberLo, MemberHi []float64
	RTol               float64
}
