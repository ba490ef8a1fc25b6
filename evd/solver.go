package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ.
//
// Every method's values are within 4·ulp·‖T‖₁ of the eigenvalues of T with the same indices. Sturm
// counts certify that; a value that they do not certify is found again, by more counts around it or
// by Bisection.
type Solver = spectrum.Solver

const (
	// Auto takes the method that suits the device, the order, and what is asked for.
	Auto = spectrum.Auto

	// DivideConquer finds all vectors (dstedc). For a part of the spectrum it computes the vectors
	// of both halves of T in full, and of T itself that part alone.
	DivideConquer = spectrum.DivideConquer

	// Bisection finds each value by itself (dstebz), and no vectors.
	Bisection = spectrum.Bisection

	// MRRR finds all vectors or a part in O(n·m) operations (dstemr). Vectors that it cannot find
	// are left to DivideConquer, whose memory is allocated only then.
	MRRR = spectrum.MRRR

	// QR is QL and QR iteration on the host (dsterf, dsteqr): for small orders, and to compare
	// with.
	QR = spectrum.QR
)

// Solvers lists the names that ParseSolver takes, "auto" first.
func Solvers() []string { return spectrum.Solvers() }

// ParseSolver returns the method of that name, as Solver.String gives it. The error is an
// *OptionError.
func ParseSolver(name string) (Solver, error) { return spectrum.ParseSolver(name) }
