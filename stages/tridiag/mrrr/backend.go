package mrrr

// Backend is the interface of the part of the algorithm that costs n·m operations, where m is the
// number of vectors. It stores the vectors and the representations of all clusters, which are
// factorisations L·D·Lᵀ of shifted blocks of T. Row i of a representation is the pair dᵢ and lᵢ,
// where lᵢ is the element of L below dᵢ.
//
// The tasks of one call are independent of each other, so that each task may have its own thread.
// In one call, either all tasks use root representations, or no task does. Level.Members are an
// exception: they never use root representations.
type Backend interface {
	// Root sets the root representations of all blocks: `rep[2·i]` and `rep[2·i+1]` are dᵢ and lᵢ
	// of row i of T.
	Root(rep []float64) error

	// Count returns, for each task t, how many eigenvalues of the task's representation L·D·Lᵀ are
	// below x[t].
	Count(tasks []Task, x []float64) ([]int32, error)

	// Bisect shrinks each interval [lo[t], hi[t]], which contains eigenvalue tasks[t].Index, until
	// its length is at most rtol times the larger absolute value of its ends. For tasks that are
	// marked Sharp, SharpTol is used instead of rtol.
	Bisect(tasks []Task, lo, hi []float64, rtol float64) error

	// Level does three things for one level of the representation tree. It finds the vectors of all
	// single eigenvalues. It makes a new representation for each cluster. It finds intervals for
	// the clusters' eigenvalues as Bisect does, except that at first an interval need not contain
	// its eigenvalue.
	Level(l *Level) error

	// Sums computes sums of the m vectors z with signs and weights. `lambda` has m elements. For
	// each row r and each sample s, Sums computes
	//
	//	sums[(2·s)·n + r]   = Σ ±z[r, c]
	//	sums[(2·s+1)·n + r] = Σ ±λ_c·z[r, c]
	//
	// over the columns c, where λ_c is lambda[c]. The sign is − if Negative(c, s) is true.
	Sums(lambda []float64) (sums []float64, err error)

	// Solve computes the eigenvalues with the indices `from`, …, `to`−1 of the block v by another
	// method, and returns them. d and e are the diagonal and the off-diagonal of the block. Solve
	// writes the eigenvectors to the columns v.Columns of the result, in place of the old ones.
	Solve(v Block, d, e []float64, from, to int) ([]float64, error)

	// SolveAll is Solve for the whole matrix and all columns, if the back end has a fast way to do
	// so. Otherwise it returns nil, and the solver calls Solve for large blocks, too.
	SolveAll(d, e []float64, from, to int) ([]float64, error)
}

// RootSlot is the value of Task.Slot for tasks that use the root representation of their block.
const RootSlot = -1

// Task is one eigenvalue of one representation.
type Task struct {
	Lo, Hi int32 // the rows of the block
	Slot   int32 // the representation is in columns Slot and Slot+1; or RootSlot
	Index  int32 // index of the eigenvalue in the block; 0 is the smallest
	Sharp  bool  // the eigenvalue is wanted to the last digits
}

// Block is the rows of one diagonal block of T, and the columns of the result that have its
// eigenvectors, in ascending order.
type Block struct {
	Lo, Hi  int32
	Columns []int32
}

// Level is the work of a back end in one level of the representation tree.
type Level struct {
	// Single eigenvalues. Eigenvalue Vectors[t] is in [Lo[t], Hi[t]], and its distance from any
	// other eigenvalue is at least Gap[t]. Its vector becomes column Column[t] of the result, which
	// is zero outside the block. The back end sets Lambda and Residual.
	Vectors          []Task
	Column           []int32
	Lo, Hi, Gap      []float64
	Lambda, Residual []float64

	// Clusters. Clusters[c] names the representation from which cluster c comes (the parent), and
	// Child[c] is the place in memory of the cluster's own representation. The candidates for the
	// shift of the cluster are Shifts[c·Candidates:(c+1)·Candidates]. The back end sets Chosen to
	// the index of the best candidate, and Growth to the largest magnitude of an element of D in
	// the representation with this shift. Columns Child[c] and Child[c]+1 may be columns of the
	// parent.
	Clusters []Task
	Child    []int32
	Shifts   []float64
	Chosen   []int32
	Growth   []float64

	// Eigenvalues in the clusters. Members[i] is a task of a new representation, and Of[i] is the
	// number of its cluster. [MemberLo[i], MemberHi[i]] contains the eigenvalue, relative to the
	// parent's shift. The back end makes the interval relative to the child's shift, and shrinks it
	// until its length is at most RTol times its larger end.
	Members            []Task
	Of                 []int32
	MemberLo, MemberHi []float64
	RTol               float64
}
