package tridiag

import "math"

const (
	// Ulp is the distance from 1 to the next larger float64. It is dlamch('P') of LAPACK.
	Ulp = 0x1p-52

	// Roundoff is the largest relative error of a rounded operation, Ulp/2: LAPACK's dlamch('E').
	Roundoff = 0x1p-53
)

const (
	// Pivmin, the smallest normal number, is the smallest magnitude of a pivot in Sturm counts of a
	// T whose largest element is below 1. For each off-diagonal element e of such a T, e²/Pivmin is
	// finite.
	Pivmin = 0x1p-1022

	// Tiny is the magnitude below which an off-diagonal element of a T with norm about 1 is taken
	// as zero. It is far below all rounding errors, and its reciprocal, which QL iteration
	// computes, is far from overflow.
	Tiny = 0x1p-400
)

// Largest returns the largest magnitude of an element of T, or 0 for an empty T.
func Largest(d, e []float64) (norm float64) {
	for _, x := range d {
		norm = max(norm, math.Abs(x))
	}
	for _, x := range e {
		norm = max(norm, math.Abs(x))
	}
	return norm
}

// Scale multiplies the tridiagonal matrix with diagonal d and off-diagonal e by 2^−exponent, so
// that its largest element is in [½, 1), and returns the exponent. The scaling is exact, except for
// elements that become subnormal. If all elements are zero, the exponent is 0.
func Scale(d, e []float64) (exponent int) {
	_, exponent = math.Frexp(Largest(d, e))
	for i := range d {
		d[i] = math.Ldexp(d[i], -exponent)
	}
	for i := range e {
		e[i] = math.Ldexp(e[i], -exponent)
	}
	return exponent
}

// Negligible reports whether the off-diagonal element e between the diagonal elements a and b may
// be set to zero. The change does not harm even eigenvalues as small as a and b (dstedc's rule).
func Negligible(e, a, b float64) bool {
	return math.Abs(e) <= Roundoff*math.Sqrt(math.Abs(a))*math.Sqrt(math.Abs(b))
}
