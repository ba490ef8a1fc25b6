package evd

import "github.com/vkevd/vkevd/evd/spectrum"

// Solver names a method for the tridiagonal problem T = S·Λ·Sᵀ.
//
// The values of every method are within 4·ulp·‖T‖₁ of the eigenvalues of T with the same indices.
// Sturm counts certify this. If they do not certify a value, it is found again, by more counts
// around it or by Bisection.
type Solver = spectrum.Solver

const (
	// Auto chooses the method that suits the device, the order, and the other options.
	Auto = spectrum.Auto

	// DivideConquer finds all vectors (dstedc). For a part of the spectrum it computes all vectors
	// of both halves of T, and only the wanted vectors of T itself.
	DivideConquer = spectrum.DivideConquer

	// Bisection finds each value independently of the others (dstebz), and no vectors.
	Bisection = spectrum.Bisection

	// MRRR finds all vectors or a part in O(n·m) operations (dstemr). If it cannot find some
	// vectors, DivideConquer finds them, and memory for it is allocated only then.
	MRRR = spectrum.MRRR

	// QR is QL and QR iteration on the host (dsterf, dsteqr). It is for small orders, and for
	// comparison.
	QR = spectrum.QR
)

// Solvers lists the names that ParseSolver accepts, "auto" first.
func Solvers() []string { return spectrum.Solvers() }

// ParseSolver returns the method with the given name, which is that of Solver.String. The error is
// an *OptionError.
func ParseSolver(name string) (Solver, error) { return spectrum.ParseSolver(name) }
