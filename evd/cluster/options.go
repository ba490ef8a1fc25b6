package cluster

import (
	"fmt"
	"math"
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

// Index is the part with the indices from ≤ i < to. Index 0 is the smallest eigenvalue.
func Index(from, to int) Part { return Part{kind: byIndex, from: from, to: to} }

// Interval is the part with a < λ ≤ b. With vectors it needs two solves: one for all values, to
// find the indices of the part, and one for the vectors.
func Interval(a, b float64) Part { return Part{kind: byInterval, a: a, b: b} }

// A Triangle says which elements of a matrix are read.
type Triangle int

// Both means the whole matrix, Lower the elements a(i,j) with i ≥ j, and Upper the elements a(i,j)
// with i ≤ j.
const (
	Both Triangle = iota
	Lower
	Upper
)

// An OptionError says that an option of Solve or Plan is not possible.
type OptionError struct{ Option, Reason string }

func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

// check returns an *OptionError if the selected part does not exist for matrices of order n.
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
	// Ratios are the measured errors of the result. It is nil if Options.Check was not set.
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

// ulp is the distance from 1 to the next double: LAPACK's dlamch('P').
const ulp = 0x1p-52

func notMeasured() *Ratios {
	nan := math.NaN()
	return &Ratios{nan, nan, nan, nan}
}
