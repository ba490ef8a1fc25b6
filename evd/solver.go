package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ.
//
// With every method, each value is within 4·ulp·‖T‖₁ of the eigenvalue of T with the same index.
// Sturm counts certify this distance. A value that they do not certify is computed again, by more
// counts around the value or by Bisection.
type Solver spectrum.Solver

const (
	// Auto chooses the method that suits the device, the order, and the other options.
	Auto Solver = Solver(spectrum.Auto)

	// DivideConquer finds all vectors, as LAPACK's dstedc does. For a part of the spectrum it
	// computes all vectors of both halves of the tridiagonal matrix T, and only the wanted vectors
	// of T itself.
	DivideConquer Solver = Solver(spectrum.DivideConquer)

	// Bisection finds each value independently of the other values, as LAPACK's dstebz does. It
	// finds no vectors.
	Bisection Solver = Solver(spectrum.Bisection)

	// MRRR finds m of the n vectors in O(n·m) operations, as LAPACK's dstemr does. If it fails for
	// some vectors, DivideConquer finds them. The memory for DivideConquer is allocated only then.
	MRRR Solver = Solver(spectrum.MRRR)

	// QR is QL and QR iteration on the host, as in LAPACK's dsterf and dsteqr. It is for small
	// orders, and for comparison.
	QR Solver = Solver(spectrum.QR)
)

// String returns the method's name, which ParseSolver accepts.
func (s Solver) String() string { return spectrum.Solver(s).String() }

// Vectors reports whether the method can find vectors.
func (s Solver) Vectors() bool { return spectrum.Solver(s).Vectors() }

// Solvers lists the names that ParseSolver accepts, "auto" first.
func Solvers() []string { return spectrum.Solvers() }

// ParseSolver returns the method with the given name, which is the result of Solver.String. For an
// unknown name the error is an *OptionError.
func ParseSolver(name string) (Solver, error) {
	s, err := spectrum.ParseSolver(name)
	return Solver(s), err
}
