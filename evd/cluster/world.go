package cluster

import (
	"errors"
	"slices"
	"strings"
)

// An Engine is the name of a library that solves the problem on many processes.
type Engine string

// These are the names of all engines. Not every program is linked with all of them.
const (
	ELPA      Engine = "elpa"
	ScaLAPACK Engine = "scalapack"
)

// Engines returns the names of all engines, also of those with which the program is not linked.
func Engines() []Engine { return []Engine{ELPA, ScaLAPACK} }

// built lists the engines of this program. Each file with a build tag adds its engine.
var built []Engine

// begin starts MPI. It is nil in a program that is not linked with any engine.
var begin func() (group, error)

// Built reports whether this program is linked with the engine.
func Built(e Engine) bool { return slices.Contains(built, e) }

// A World is an MPI job, as one of its processes sees it. The process solves together with all
// other processes of the job.
type World struct {
	engine Engine
	all    group
}

// Start joins the MPI job. It calls MPI_Init_thread, unless MPI has been initialised already. The
// calling goroutine must be locked to its thread (runtime.LockOSThread). The error is a
// *NotBuiltError, or an error of MPI.
func Start(e Engine) (*World, error) {
	if !Built(e) {
		return nil, &NotBuiltError{e}
	}
	all, err := begin()
	if err != nil {
		return nil, err
	}
	return &World{e, all}, nil
}

// Rank is the number of this process in the job, counted from 0.
func (w *World) Rank() int { return w.all.rank() }

// Size is the number of processes of the job.
func (w *World) Size() int { return w.all.size() }

// Close leaves the job. It calls MPI_Finalize if Start has initialised MPI.
func (w *World) Close() { w.all.end() }

// Agree returns nil if err is nil on all processes. Otherwise, among the processes with an error,
// the one of the lowest rank gets its own error back. All other processes get a *ProcessError about
// that error. All processes must call Agree together.
func (w *World) Agree(err error) error { return agree(w.all, err) }

// agree is Agree for the processes of a group. Without it, a process that returned alone after an
// error would leave the others waiting in MPI without end.
func agree(g group, err error) error {
	// A *ProcessError is only a report about another process. So a process whose error is a
	// *ProcessError does not count as failed. The process that really failed then keeps its own
	// error, even if `agree` is called twice: first by a part of the processes, and then by all.
	var heard *ProcessError
	failed := []float64{float64(-g.size())} // the negative of the lowest rank with an error of its own
	if err != nil && !errors.As(err, &heard) {
		failed[0] = float64(-g.rank())
	}
	g.largest(failed)
	first := int(-failed[0])
	if first == g.size() {
		return err
	}
	name := make([]byte, longestText)
	if g.rank() == first {
		copy(name, err.Error())
	}
	g.share(name, first)
	if g.rank() == first || heard != nil {
		return err
	}
	return &ProcessError{first, text(name), err}
}

const longestText = 4096 // bytes of an error's text, or of a file's name, for other processes

func text(b []byte) string {
	text, _, _ := strings.Cut(string(b), "\x00")
	return text
}

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
	// share copies the bytes b of the process with the rank `from` to all other processes.
	share(b []byte, from int)
	// part returns a group of the first p processes of this group, and nil on the others.
	part(p int) group
	// grid arranges the processes of the group in a rectangle of the shape s, row by row. `engine`
	// is the library that will solve on this grid.
	grid(s shape, engine Engine) (grid, error)
	// `end` ends the use of the group. For the group of all processes, `end` also calls
	// MPI_Finalize if this package has called MPI_Init.
	end()
}

// A grid is a rectangle of processes. Its methods call ScaLAPACK. Indices count from 0, although
// those of ScaLAPACK's routines count from 1.
type grid interface {
	// `at` returns the row and the column of this process in the grid of processes.
	at() (row, col int)
	// spread copies columns to a distributed matrix (pdgemr2d). Before, each process has up to w
	// consecutive whole columns of a.rows.n elements, in its argument `slab`. Together the
	// processes have `columns` columns; the last processes may have fewer than w columns, or none.
	// They become the columns `from`, `from`+1, … of the matrix a.
	spread(slab []float64, w, columns int, a *matrix, from int)
	// collect copies columns of the distributed matrix `a` to the processes, so that each process
	// has up to w whole columns in its argument `slab`. `columns` is the number of all copied
	// columns, and `from` is the first of them. collect is the inverse of `spread`.
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
