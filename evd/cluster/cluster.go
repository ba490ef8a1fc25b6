// Package cluster computes eigenvalues and eigenvectors of a symmetric matrix with the processes of
// an MPI job, for matrices that no single GPU can hold:
//
//	A = Q·diag(λ)·Qᵀ,  λ ascending,  QᵀQ = I.
//
// A library that clusters usually have, here called the engine, solves the problem: ELPA, or a
// library with ScaLAPACK's routines. Package cluster distributes the matrix from its file, checks
// that it is symmetric, scales it, and measures the result. All processes write the vectors to one
// file in parallel. If the matrix is large and the job has several processes, no process holds the
// whole matrix.
//
//	runtime.LockOSThread()                     // in the goroutine that makes all calls
//	w, err := cluster.Start(cluster.ELPA)      // calls MPI_Init, if the caller has not done so
//	defer w.Close()
//	s, err := cluster.Solve(ctx, w, source, cluster.Options{Vectors: true})
//
// Engines are linked with cgo. A build tag selects the engines of a program:
//
//	go build -tags elpa        ELPA and ScaLAPACK
//	go build -tags scalapack   ScaLAPACK alone
//
// pkg-config must have entries for elpa, scalapack-openmpi and mpi-c, which are Debian's names. Where
// they have other names (Spack, modules, MPICH, MKL), the tag nopkgconfig leaves them out, and the
// flags come from two variables. On a cluster with modules and Slurm:
//
//	module load openmpi elpa scalapack
//	export CGO_CFLAGS="$(mpicc --showme:compile) -I$ELPA/include/elpa-2026.02"
//	export CGO_LDFLAGS="-L$ELPA/lib -lelpa -lscalapack $(mpicc --showme:link)"
//	go build -tags elpa,nopkgconfig ./cmd/vkevd
//	srun -n 64 ./vkevd solve --engine elpa --out-vectors Q.npy A.npy
//
// With MPICH it is mpicc -compile_info and -link_info. Without a tag, Start returns a
// *NotBuiltError, and only the forecasts of Plan work.
//
// # Contracts
//
// All processes of the job call Start, Solve and the methods of a Solution in the same order. Each
// process makes these calls from one goroutine that is locked to its thread. If a step fails on
// some processes, the call returns an error on all processes. Among the processes that failed, the
// one with the lowest rank returns its own error. The others return a *ProcessError about it.
//
// An engine cannot be interrupted. If the context ends, the call returns after the current step.
//
// # Method
//
//	cluster.go   options, results, errors, and a forecast of memory and operations without MPI
//	world.go     Start; the interfaces to MPI, ScaLAPACK and an engine
//	solve.go     the steps of a solve on all processes; residual and orthogonality
//	layout.go    the distribution of the elements to the processes
//	load.go      the matrix, from the file to the processes; the vectors, from these to a file
//	mpi.go scalapack.go elpa.go   the implementations of the interfaces
package cluster

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Options say what Solve computes. The zero value means all eigenvalues and no vectors.
type Options struct {
	// Vectors says whether eigenvectors are wanted in addition to eigenvalues.
	Vectors bool
	// Select is the wanted part of the spectrum. The zero value is the whole spectrum.
	Select Part
	// Triangle says which part of the matrix Solve reads. The zero value, Both, reads both
	// triangles, and Solve checks that they agree.
	Triangle Triangle
	// Symmetrize replaces the matrix A by (A + Aᵀ)/2, even if A is far from symmetric.
	Symmetrize bool
	// Check makes Solve measure the result. With Vectors, Solve reads the matrix a second time.
	Check bool
	// Progress is called on every process at the beginning of each step. nil means no calls.
	Progress func(step string)
}

// A Part is a part of the spectrum. The zero value is the whole spectrum.
type Part struct {
	kind     int
	from, to int
	a, b     float64
}

const (
	whole = iota
	byIndex
	byInterval
)

// Index is the part with the indices `from` ≤ i < `to`. Index 0 is the smallest eigenvalue.
func Index(from, to int) Part { return Part{kind: byIndex, from: from, to: to} }

// Interval is the part with a < λ ≤ b. With vectors it needs two solves: one for all values, to
// find the indices of the part, and one for the vectors.
func Interval(a, b float64) Part { return Part{kind: byInterval, a: a, b: b} }

// A Triangle says which elements of a matrix are read.
type Triangle int

// Both means the whole matrix, Lower the elements a(i,j) with i ≥ j, and Upper those with i ≤ j.
const (
	Both Triangle = iota
	Lower
	Upper
)

// An OptionError says that an option of Solve or Plan is not possible.
type OptionError struct{ Option, Reason string }

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// check returns an *OptionError if the selected part does not exist for matrices of order n, or if
// options contradict each other.
func (o Options) check(n int) error {
	switch p := o.Select; {
	case p.kind == byIndex && (p.from < 0 || p.from > p.to || p.to > n):
		return &OptionError{"Select", fmt.Sprintf("%d:%d is not within 0:%d", p.from, p.to, n)}
	case p.kind == byInterval && !(p.a < p.b):
		return &OptionError{"Select", fmt.Sprintf("(%v, %v] holds no number", p.a, p.b)}
	case o.Symmetrize && o.Triangle != Both:
		return &OptionError{"Symmetrize", "it needs both triangles"}
	}
	return nil
}

// A Source is a square matrix that the processes read. Each process reads only its own columns.
type Source interface {
	Order() int
	// ReadColumns copies the columns [from, to) to dst, one after the other without gaps.
	ReadColumns(dst []float64, from, to int) error
}

// A Solution is the result of Solve. Every process has one. Values are the same on all processes.
type Solution struct {
	// Values are the selected eigenvalues of the matrix, in ascending order.
	Values []float64
	// First is the index of the eigenvalue Values[0] among all eigenvalues. The smallest eigenvalue
	// has the index 0.
	First int
	// Averaged is the largest |a(i,j) − a(j,i)| of a pair that Solve replaced by its mean.
	Averaged float64
	// Processes is the number of processes that have elements of the matrix. A small matrix does
	// not use all processes of the job.
	Processes int
	// Ratios are the measured errors of the result. It is nil if Options.Check was not set, and may
	// be nil if the selected part is empty.
	Ratios *Ratios

	w        *World
	members  group // nil on a process that has no part in the grid
	grid     grid
	q        *matrix // vectors; nil without vectors
	from, to int     // columns of q that are wanted
	reversed bool    // whether these columns are in descending order of the values
}

// Ratios are LAPACK's measures: an error divided by n·ulp and by a norm. A correct result has
// ratios below 60. A ratio that was not measured is NaN.
type Ratios struct {
	Residual      float64 // ‖A·Q − Q·Λ‖₁ / (‖A‖₁·n·ulp), with vectors
	Orthogonality float64 // ‖QᵀQ − I‖₁ / (n·ulp), with vectors
	Trace         float64 // |Σλ − tr A| / (n·ulp·‖A‖F), for all values
	Squares       float64 // |Σλ² − ‖A‖F²| / (n·ulp·‖A‖F²), for all values
}

const ulp = tridiag.Ulp

func notMeasured() *Ratios {
	nan := math.NaN()
	return &Ratios{nan, nan, nan, nan}
}

// A NotBuiltError says that the program was built without the engine, the library that solves,
// which the argument of Start names.
type NotBuiltError struct{ Engine Engine }

func (e *NotBuiltError) Error() string {
	return fmt.Sprintf("this program was built without the engine %s; go build -tags %s adds it, and go doc of evd/cluster names the packages", e.Engine, e.Engine)
}

// A ProcessError says that another process of the job has failed. Process is the lowest rank among
// the processes that failed, and Text is the error of that process. Err is the error of this
// process, or nil.
type ProcessError struct {
	Process int
	Text    string
	Err     error
}

func (e *ProcessError) Unwrap() error { return e.Err }

func (e *ProcessError) Error() string { return fmt.Sprintf("process %d: %s", e.Process, e.Text) }

// An EngineError is an error of the engine, the library that solves. Code is the number that the
// library returned.
type EngineError struct {
	Engine  Engine
	Routine string
	Code    int
	Text    string // "" if the library gives no text
}

func (e *EngineError) Error() string {
	if e.Text != "" {
		return fmt.Sprintf("%s: %s returned %d: %s", e.Engine, e.Routine, e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s returned %d", e.Engine, e.Routine, e.Code)
}

// A NonFiniteError says that an entry of the matrix is NaN or infinite. Row and Col are its
// indices, counted from 0.
type NonFiniteError struct{ Row, Col int }

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("a(%d,%d) is not finite (rows and columns from 1)", e.Row+1, e.Col+1)
}

// A NotSymmetricError says that the entries (Row, Col) and (Col, Row) differ by more than rounding
// errors. Difference is |a(Row, Col) − a(Col, Row)|, the largest such difference in the matrix.
type NotSymmetricError struct {
	Row, Col   int // counted from 0
	Difference float64
}

func (e *NotSymmetricError) Error() string {
	return fmt.Sprintf("not symmetric: a(%d,%d) and a(%d,%d) differ by %.3g (rows and columns from 1)",
		e.Row+1, e.Col+1, e.Col+1, e.Row+1, e.Difference)
}

// An OverflowError says that an eigenvalue is beyond the largest double. Index is its index,
// counted from 0 at the smallest eigenvalue. If several eigenvalues overflow, Index is that of the
// first one in the result. Value is +Inf or −Inf. The result is returned beside this error.
type OverflowError struct {
	Index int
	Value float64
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("eigenvalue %d is beyond the largest float64, and is %v in the result (indices from 0)", e.Index, e.Value)
}

// A Forecast says how much memory and how many operations a solve needs. Plan makes it without MPI.
type Forecast struct {
	// Rows and Cols are the shape of the process grid. Rows·Cols may be less than the number of
	// processes. Block is the order of a block of the block-cyclic distribution.
	Rows, Cols, Block int
	// Matrix is the number of bytes of the largest part of an n×n matrix on one process.
	Matrix uint64
	// Bytes is the memory in bytes that the process with the largest part needs.
	Bytes uint64
	// Flops is the number of operations of all processes together.
	Flops float64
}

const (
	// programBytes is the memory of a process without the matrix: Go, MPI and ScaLAPACK.
	programBytes = 48 << 20
	// matricesHeld is an upper bound for the memory of a solve, in multiples of Forecast.Matrix. It
	// includes ScaLAPACK's copies and ELPA's workspace. Measurements gave 5.0 on one process and
	// 4.7 on four processes (n = 4000, vectors, ELPA 2022.11 and ScaLAPACK 2.2.1).
	matricesHeld = 5
)

// Plan returns a forecast of a solve of order n on the given number of processes. With
// Options.Vectors, `wanted` = k vectors are computed. The operations are those of the two-stage
// method: 4/3·n³ for the reduction, at most 4/3·n²·k for divide and conquer, and 4·n²·k for the two
// back transformations. The error is an *OptionError, which Solve would return, too.
func Plan(n, processes int, opt Options, wanted int) (Forecast, error) {
	s := arrange(n, processes)
	rows, cols := cyclic{n, s.block, s.rows, 0}, cyclic{n, s.block, s.cols, 0} // part 0 has the most
	f := Forecast{Rows: s.rows, Cols: s.cols, Block: s.block}
	f.Matrix = 8 * uint64(rows.count()) * uint64(cols.count())
	slab := 8 * uint64(n) * uint64(slabColumns(n, s.rows*s.cols))
	held := uint64(matricesHeld)
	if opt.Check && opt.Vectors {
		held++
	}
	f.Bytes = programBytes + held*f.Matrix + 2*slab
	order := float64(n)
	f.Flops = 4. / 3 * order * order * order
	if opt.Vectors {
		f.Flops += (4./3 + 4) * order * order * float64(wanted)
	}
	return f, s.check(n)
}
