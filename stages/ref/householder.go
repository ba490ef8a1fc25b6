package ref

import "math"

// Householder computes the reflector H = I − τ·v·vᵀ with H·x = β·e1, where β = −sign(x0)·‖x‖
// (dlarfg). It overwrites x with v, v[0] = 1, and returns β and τ. H is orthogonal.
//
// If all elements of x after the first are zero, then H = I: τ = 0, β = x0, v = e1. A value x0 = 0
// counts as positive. All sums use x divided by its largest magnitude, so that numbers near
// overflow and denormal numbers do not make the results inaccurate. β overflows only if ‖x‖ does.
func Householder(x []float64) (beta, tau float64) {
	var tail float64
	for _, v := range x[1:] {
		tail = max(tail, math.Abs(v))
	}
	if tail == 0 {
		beta, x[0] = x[0], 1
		return beta, 0
	}
	scale := max(tail, math.Abs(x[0]))
	var sum float64
	for i := range x {
		x[i] /= scale
		sum += x[i] * x[i]
	}
	x0 := x[0]
	norm := math.Sqrt(sum)
	if x0 >= 0 {
		norm = -norm // away from x0, so that x0 − β does not cancel
	}
	x[0] = 1
	for i := range x[1:] {
		x[1+i] /= x0 - norm
	}
	return norm * scale, (norm - x0) / norm
}

// reflectLeft replaces the len(v)×cols matrix X by H·X, where H = I − tau·v·vᵀ.
func reflectLeft(tau float64, v []float64, cols int, x []float64, ldx int) {
	for j := range cols {
		column := x[j*ldx : j*ldx+len(v)]
		var dot float64
		for i, vi := range v {
			dot += vi * column[i]
		}
		for i, vi := range v {
			column[i] -= tau * dot * vi
		}
	}
}
