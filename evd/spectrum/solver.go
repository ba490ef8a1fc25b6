package spectrum

import (
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
)

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ.
//
// With every method, each value is within 4·ulp·‖T‖₁ of the eigenvalue of T with the same index.
// Sturm counts certify this distance. A value that they do not certify is computed again, by more
// counts around the value or by Bisection.
type Solver int

const (
	// Auto chooses the method that suits the device, the order, and the other options.
	Auto Solver = iota

	// DivideConquer finds all vectors, as LAPACK's dstedc does. For a part of the spectrum it
	// computes all vectors of both halves of the tridiagonal matrix T, and only the wanted vectors
	// of T itself.
	DivideConquer

	// Bisection finds each value independently of the other values, as LAPACK's dstebz does. It
	// finds no vectors.
	Bisection

	// MRRR finds m of the n vectors in O(n·m) operations, as LAPACK's dstemr does. If it fails for
	// some vectors, DivideConquer finds them. The memory for DivideConquer is allocated only then.
	MRRR

	// QR is QL and QR iteration on the host, as in LAPACK's dsterf and dsteqr. It is for small
	// orders, and for comparison.
	QR
)

type method struct {
	solver Solver

	name string

	// phase is the method's phase in profiles, progress and forecasts.
	phase string

	vectors bool

	// construct makes the method. If `vectors` is false, the method finds only eigenvalues.
	construct constructor

	// onHost is the method on the host, for devices without double precision.
	onHost hostMethod
}

// To add a method, add a row with its two functions, and a case in Options.choose.
var methods = []method{
	{DivideConquer, "dc", stages.PhaseTridiagonal, true, newDivideConquer, hostDivideConquer},
	{Bisection, "bisection", stages.PhaseBisection, false, newBisection, hostBisection},
	{MRRR, "mrrr", stages.PhaseTridiagonal, true, newMRRR, hostMRRR},
	{QR, "qr", stages.PhaseTridiagonal, true, newQR, hostQR},
}

// find returns the row of a solver, or nil for Auto and for numbers that name no method.
func find(s Solver) *method {
	for i := range methods {
		if methods[i].solver == s {
			return &methods[i]
		}
	}
	return nil
}

// Solvers lists the names that ParseSolver accepts, "auto" first.
func Solvers() []string {
	names := []string{Auto.String()}
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// String returns the method's name, which ParseSolver accepts.
func (s Solver) String() string {
	if m := find(s); m != nil {
		return m.name
	}
	if s == Auto {
		return "auto"
	}
	return fmt.Sprintf("Solver(%d)", int(s))
}

// Vectors reports whether the method can find vectors.
func (s Solver) Vectors() bool {
	if m := find(s); m != nil {
		return m.vectors
	}
	return s == Auto
}

// ParseSolver returns the method with the given name. Unknown names give an *OptionError.
func ParseSolver(name string) (Solver, error) {
	if name == Auto.String() {
		return Auto, nil
	}
	for _, m := range methods {
		if m.name == name {
			return m.solver, nil
		}
	}
	return Auto, noSolver(fmt.Sprintf("%q", name))
}

func noSolver(name string) *plan.OptionError {
	return plan.BadOption("Solver", fmt.Sprintf("%s is unknown; there are %s", name, strings.Join(Solvers(), ", ")))
}

// Options say which part of a spectrum to compute, and by which method. The zero value means all
// values, no vectors, and the method that Auto chooses.
type Options struct {
	// Vectors says whether eigenvectors are wanted.
	Vectors bool

	// Select is the wanted part of the spectrum. The zero value is the whole spectrum.
	Select Selection

	// Solver is the method. The zero value is Auto.
	Solver Solver

	// Part is the largest number of vectors that the first of several devices computes, if they may
	// solve the problem together. Of the methods only DivideConquer does so (Stage.Shared). If Part
	// is 0, the first device computes all vectors.
	Part int
}

// Check returns an *OptionError for the first option that is not possible for order n, or with
// another option.
func (o Options) Check(n int) error {
	if err := CheckSelection(o.Select, n); err != nil {
		return err
	}
	switch m := find(o.Solver); {
	case o.Solver == Auto:
	case m == nil:
		return noSolver(o.Solver.String())
	case o.Vectors && !m.vectors:
		return plan.BadOption("Solver", m.name+" finds values only, no vectors")
	}
	return nil
}

// Capacity is the largest number of eigenvalues that a solve with the options o may have to find.
func (o Options) Capacity(n int) int { return Capacity(o.Select, n) }

// choose returns the method that the options name. For Auto and order n it is:
//
//	small orders       QR iteration on the host; `t` has the measured largest order
//	a part, vectors    MRRR: O(n·m) operations
//	all, vectors       divide and conquer
//	values             bisection, or divide and conquer if conquersValues says that it is faster
func (o Options) choose(n int, t tuning.Tuning) Solver {
	switch {
	case o.Solver != Auto:
		return o.Solver
	case o.Vectors && n <= t.QR.Vectors, !o.Vectors && n <= t.QR.Values:
		return QR
	case o.Vectors && o.Capacity(n) < n:
		return MRRR
	case o.Vectors, o.conquersValues(n, t):
		return DivideConquer
	}
	return Bisection
}

// conquersValues reports whether divide and conquer, which finds all values, is faster than
// bisection, whose time is proportional to the number of wanted values. It is false for an
// interval, which may hold few values.
func (o Options) conquersValues(n int, t tuning.Tuning) bool {
	few := o.Select.by == selectedByValue || o.Capacity(n)*t.ConquerValues.Share < n
	return t.ConquerValues.From > 0 && n >= t.ConquerValues.From && !few
}
