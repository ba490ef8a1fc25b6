package spectrum

import (
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
)

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ.
//
// Every method's values are within 4·ulp·‖T‖₁ of the eigenvalues of T with the same indices. Sturm
// counts certify that; a value that they do not certify is found again, by more counts around it or
// by Bisection.
type Solver int

const (
	// Auto takes the method that suits the device, the order, and what is asked for.
	Auto Solver = iota

	// DivideConquer finds all vectors (dstedc). For a part of the spectrum it computes the vectors
	// of both halves of T in full, and of T itself that part alone.
	DivideConquer

	// Bisection finds each value by itself (dstebz), and no vectors.
	Bisection

	// MRRR finds all vectors or a part in O(n·m) operations (dstemr). Vectors that it cannot find
	// are left to DivideConquer, whose memory is allocated only then.
	MRRR

	// QR is QL and QR iteration on the host (dsterf, dsteqr): for small orders, and to compare
	// with.
	QR
)

// method is a row of the table of methods.
type method struct {
	solver Solver

	// name is what ParseSolver takes.
	name string

	// phase is the method's in profiles, progress and forecasts.
	phase string

	// vectors says that the method can find vectors.
	vectors bool

	// construct makes the method for vectors, or for values if it finds no vectors.
	construct constructor
}

// methods is the table. A new method is a row here, a constructor, and a case of choose.
var methods = []method{
	{DivideConquer, "dc", stages.PhaseTridiagonal, true, newDivideConquer},
	{Bisection, "bisection", stages.PhaseBisection, false, newBisection},
	{MRRR, "mrrr", stages.PhaseTridiagonal, true, newMRRR},
	{QR, "qr", stages.PhaseTridiagonal, true, newQR},
}

// find returns the row of s, or nil for Auto and for numbers that name no method.
func find(s Solver) *method {
	for i := range methods {
		if methods[i].solver == s {
			return &methods[i]
		}
	}
	return nil
}

// Solvers lists the names that ParseSolver takes, "auto" first.
func Solvers() []string {
	names := []string{Auto.String()}
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// String is the method's name, as ParseSolver takes it.
func (s Solver) String() string {
	if m := find(s); m != nil {
		return m.name
	}
	if s == Auto {
		return "auto"
	}
	return fmt.Sprintf("Solver(%d)", int(s))
}

// Vectors says whether the method can find vectors.
func (s Solver) Vectors() bool {
	if m := find(s); m != nil {
		return m.vectors
	}
	return s == Auto
}

// ParseSolver returns the method of that name. The error is an *OptionError.
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

// noSolver is the error for a name or a number that is no method's.
func noSolver(name string) *OptionError {
	return &OptionError{"Solver", fmt.Sprintf("%s is unknown; there are %s", name, strings.Join(Solvers(), ", "))}
}

// Options say what is wanted of a spectrum. The zero value is all values, by the method that suits.
type Options struct {
	// Vectors asks for eigenvectors.
	Vectors bool

	// Select is the part that is wanted; the zero value is all of the spectrum.
	Select Selection

	// Solver is the method; the zero value is Auto.
	Solver Solver
}

// Check returns an *OptionError for the first option that has no meaning for matrices of order n,
// or does not go with another.
func (o Options) Check(n int) error {
	if err := CheckSelection(o.Select, n); err != nil {
		return err
	}
	switch m := find(o.Solver); {
	case o.Solver == Auto:
	case m == nil:
		return noSolver(o.Solver.String())
	case o.Vectors && !m.vectors:
		return &OptionError{"Solver", m.name + " finds values only, no vectors"}
	}
	return nil
}

// Capacity is the largest number of eigenvalues that there may be to find.
func (o Options) Capacity(n int) int { return Capacity(o.Select, n) }

// choose returns the method for order n, never Auto:
//
//	small orders       QR iteration on the host; the orders in t come from measurements
//	a part, vectors    MRRR: O(n·m) operations
//	all, vectors       divide and conquer
//	values             bisection; where t says so, divide and conquer, which always finds all values
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

// conquersValues says whether values alone are found faster by divide and conquer than by
// bisection. Bisection takes time for each value that is wanted. An interval may hold few values,
// so it is always left to bisection.
func (o Options) conquersValues(n int, t tuning.Tuning) bool {
	few := o.Select.by == selectedByValue || o.Capacity(n)*t.ConquerValues.Share < n
	return t.ConquerValues.From > 0 && n >= t.ConquerValues.From && !few
}
