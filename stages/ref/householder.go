package ref

import "math"

// Householder computes the unitary reflector H = I − τ·v·vᴴ with Hᴴ·x = β·e1, where β = −sign(Re
// x0)·‖x‖ is real (dlarfg, zlarfg). For a real x also τ is real, and H = Hᴴ. Householder overwrites
// x with v, v[0] = 1, and returns β and τ.
//
// If all elements of x after the first are zero and x0 is real, then H = I: τ = 0, β = x0, v = e1.
// A real part 0 of x0 counts as positive. All sums use x divided by the largest magnitude of a
// part, so that numbers near overflow and denormal numbers do not make the results inaccurate. β
// overflows only if ‖x‖ does.
func Householder[T Number](x []T) (beta, tau T) {
	var tail float64
	for _, v := range x[1:] {
		tail = max(tail, largestPart(v))
	}
	if _, im := parts(x[0]); tail == 0 && im == 0 {
		beta, x[0] = x[0], 1
		return beta, 0
	}
	scale := max(tail, largestPart(x[0]))
	var sum float64
	for i := range x {
		x[i] /= ofReal[T](scale)
		sum += abs2(x[i])
	}
	x0 := x[0]
	root := math.Sqrt(sum)
	if realPart(x0) >= 0 {
		root = -root // away from x0, so that x0 − β does not cancel
	}
	norm := ofReal[T](root)
	x[0] = 1
	for i := range x[1:] {
		x[1+i] /= x0 - norm
	}
	return ofReal[T](root * scale), (norm - x0) / norm
}

// reflectLeft replaces the len(v)×cols matrix X by X − tau·v·vᴴ·X. This is H·X if tau is the τ of
// the reflector H, and Hᴴ·X if it is conj(τ).
func reflectLeft[T Number](tau T, v []T, cols int, x []T, ldx int) {
	for j := range cols {
		column := x[j*ldx : j*ldx+len(v)]
		var dot T
		for i, vi := range v {
			dot += conj(vi) * column[i]
		}
		for i, vi := range v {
			column[i] -= tau * dot * vi
		}
	}
}
