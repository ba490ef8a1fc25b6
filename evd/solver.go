package evd

import (
	"fmt"
	"strings"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ. By each of them values are within 4·ulp·‖T‖₁ of T's:
// Sturm counts certify those of the others, and what they do not is found again, nearby by more counts or else by Bisection.
type Solver int

const (
	Auto          Solver = iota // the one that suits the device, the order and what is asked for
	DivideConquer               // dstedc: all vectors; of a part of them it forms all for the halves of T, and the part at the end
	Bisection                   // dstebz: values alone, each by itself
	MRRR                        // dstemr: vectors, also a part of them, in O(n·m); DivideConquer takes over where need be, and asks for its memory then
	QR                          // dsterf and dsteqr on the host: for small orders, and to compare with
)

// solvers is the table of methods. A new one is an entry here and a case in choose.
var solvers = []struct {
	solver  Solver
	name    string
	stage   string // in profiles, progress and forecasts
	vectors bool   // it can find them
	make    func(dev *vk.Device, n, m int, ops product.Ops, t stages.Tuning) (tridiagonalSolver, error)
}{
	{DivideConquer, "dc", stages.PhaseTridiagonal, true, newDivideConquer},
	{Bisection, "bisection", stages.PhaseBisection, false, newBisection},
	{MRRR, "mrrr", stages.PhaseTridiagonal, true, newMRRR},
	{QR, "qr", stages.PhaseTridiagonal, true, newQR},
}

// A tridiagonalSolver is a method, ready for one order. They are chosen once, in a plan.
type tridiagonalSolver interface {
	// Work is needed while Solve runs.
	Work() *vk.Layout

	// Room is how many elements of X's memory Solve needs, if that is more than X has.
	Room() int

	// Flops is about what m of the eigenvalues, or eigenpairs, cost.
	Flops(m int) float64

	// Solve finds λ[from] … λ[to−1] of T, ascending, where from < to. Unless it has
	// no rows, xt, (to−from)×n, receives the vectors, one a row; its memory,
	// Room included, begins as anything. T stays as it is, here and there.
	Solve(c *call, t tridiagonal, from, to int, xt stages.Matrix) ([]float64, error)
}

// tridiagonal is T in both places: methods differ in which side begins.
type tridiagonal struct {
	d, e vk.Slice[float64]
	host Tridiagonal[float64]
}

// Solvers lists the methods by the names that String gives and ParseSolver knows.
func Solvers() []string {
	names := []string{Auto.String()}
	for _, s := range solvers {
		names = append(names, s.name)
	}
	return names
}

// String is the method's name, as ParseSolver takes it.
func (s Solver) String() string {
	for _, known := range solvers {
		if known.solver == s {
			return known.name
		}
	}
	if s == Auto {
		return "auto"
	}
	return fmt.Sprintf("Solver(%d)", int(s))
}

// Vectors says whether the method can find them.
func (s Solver) Vectors() bool {
	for _, known := range solvers {
		if known.solver == s {
			return known.vectors
		}
	}
	return s == Auto
}

// ParseSolver is the way back from String. The error is an *OptionError.
func ParseSolver(name string) (Solver, error) {
	if name == Auto.String() {
		return Auto, nil
	}
	for _, s := range solvers {
		if s.name == name {
			return s.solver, nil
		}
	}
	return Auto, &OptionError{"Solver", fmt.Sprintf("%q is none of %s", name, strings.Join(Solvers(), ", "))}
}

// choose is what Auto stands for. The orders come from measurements.
func (opt Options) choose(n int, t stages.Tuning) Solver {
	switch {
	case opt.Solver != Auto:
		return opt.Solver
	case opt.Vectors && n <= t.QR.Vectors, !opt.Vectors && n <= t.QR.Values:
		return QR
	case opt.Vectors && opt.Select.capacity(n) < n:
		return MRRR
	case opt.Vectors:
		return DivideConquer
	}
	return Bisection
}

// newSolver makes the method that the options ask for; stage is its name.
func (opt Options) newSolver(dev *vk.Device, n int, ops product.Ops, t stages.Tuning) (method tridiagonalSolver, stage string, err error) {
	chosen := opt.choose(n, t)
	for _, s := range solvers {
		if s.solver != chosen {
			continue
		}
		if opt.Vectors && !s.vectors {
			return nil, "", &OptionError{"Solver", s.name + " finds values only, no vectors"}
		}
		if chosen == DivideConquer && !opt.Vectors {
			s.make = newDivideConquerValues
		}
		method, err = s.make(dev, n, opt.Select.capacity(n), ops, t)
		return method, s.stage, err
	}
	return nil, "", &OptionError{"Solver", fmt.Sprintf("%v is none of %s", chosen, strings.Join(Solvers(), ", "))}
}
