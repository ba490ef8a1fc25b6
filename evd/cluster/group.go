package cluster

// A group is a set of processes, with the functions of an MPI communicator that this package needs.
// All processes of the group must call each method together, except the methods `rank` and `size`.
type group interface {
	rank() int
	size() int
	// largest replaces each element of x by its maximum over all processes. No element may be NaN.
	largest(x []float64)
	// sum replaces each element of x by its sum over all processes.
	sum(x []float64)
	// share copies b from the process of rank `from` to all other processes.
	share(b []byte, from int)
	// part returns the group of the first p processes. On all other processes it returns nil.
	part(p int) group
	// grid arranges the processes of the group in a rectangle, row by row. The given engine will
	// solve on this grid.
	grid(s shape, engine Engine) (grid, error)
	// end ends the group. For the group of all processes, `end` also calls MPI_Finalize, if this
	// package called MPI_Init.
	end()
}

// A grid is a rectangle of processes. Its methods call ScaLAPACK. Indices count from 0, although
// those of ScaLAPACK's routines count from 1.
type grid interface {
	// at returns the grid row and the grid column of this process.
	at() (row, col int)
	// spread copies the columns of a slab to the columns `from`, `from`+1, … of the distributed
	// matrix a (pdgemr2d). The slab is divided among the processes: each process has w consecutive
	// columns of a.rows.n elements in its argument `slab`. The last processes may have fewer
	// columns or none. `columns` is the number of all columns.
	spread(slab []float64, w, columns int, a *matrix, from int)
	// collect copies in the reverse direction of `spread`: from columns of the matrix `a` to the
	// slabs of the processes.
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
	// `q`. `solve` destroys A.
	solve(a, q *matrix, count int) (values []float64, err error)
	free()
}
