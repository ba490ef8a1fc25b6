package cluster

// A group is a set of processes, with the functions of an MPI communicator that this package needs.
// All processes of the group must call each method together, except the methods `rank` and `size`.
type group interface {
	rank() int
	size() int
	// largest replaces each element of x by the maximum of this element over all processes. No
	// element may be NaN.
	largest(x []float64)
	// sum replaces each element of x by the sum of this element over all processes.
	sum(x []float64)
	// share copies the bytes b of one process to all other processes. `from` is the rank of this
	// process.
	share(b []byte, from int)
	// part returns a group of the first p processes of this group. It returns nil on the other
	// processes.
	part(p int) group
	// grid arranges the processes of the group in a rectangle of the shape s, row by row. `engine`
	// is the library that will solve on this grid.
	grid(s shape, engine Engine) (grid, error)
	// end ends the use of the group. For the group of all processes, it also calls MPI_Finalize if
	// this package has called MPI_Init.
	end()
}

// A grid is a rectangle of processes. Its methods call ScaLAPACK. Indices count from 0, although
// those of ScaLAPACK's routines count from 1.
type grid interface {
	// at returns the row and the column of this process in the grid of processes.
	at() (row, col int)
	// spread copies columns to a distributed matrix (pdgemr2d). Before, each process has up to w
	// consecutive whole columns of a.rows.n elements, in its argument `slab`. Together the
	// processes have `columns` columns; the last processes may have fewer than w columns, or none.
	// They become the columns `from`, `from`+1, … of the matrix a.
	spread(slab []float64, w, columns int, a *matrix, from int)
	// collect copies columns of the distributed matrix `a` to the processes, so that each process
	// has up to w whole columns in its argument `slab`. `columns` is the number of all copied
	// columns, and `from` is the first of them. It is the inverse of `spread`.
	collect(slab []float64, w, columns int, a *matrix, from int)
	// transpose computes C = Aᵀ for square matrices with the same distribution (pdtran).
	transpose(a, c *matrix)
	// multiply computes C[:, J] = A·B[:, J] − C[:, J] with the columns J = [from, to) (pdgemm). C
	// has the distribution of B.
	multiply(a, b, c *matrix, from, to int)
	// gram computes C = A[:, J]ᵀ·A[:, J] − C with the columns J = [from, to) (pdgemm). C is square,
	// of order to − from.
	gram(a *matrix, from, to int, c *matrix)
	// norm1 returns the largest sum of magnitudes of one of the columns [from, to) of A (pdlange).
	norm1(a *matrix, from, to int) float64
	// solve computes the smallest eigenvalues of the matrix A, in ascending order; `count` is their
	// number. If `q` is not nil, `solve` also writes their vectors to the first `count` columns of
	// the matrix `q`. The contents of A are lost.
	solve(a, q *matrix, count int) (values []float64, err error)
	free()
}
