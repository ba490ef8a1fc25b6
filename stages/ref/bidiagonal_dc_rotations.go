package ref

import "math"

// rotation returns the plane rotation c, s with c·f + s·g = r, −s·f + c·g = 0 and r ≥ 0. If f and g
// are zero, the rotation is the identity.
func rotation(f, g float64) (c, s, r float64) {
	r = math.Hypot(f, g)
	if r == 0 {
		return 1, 0, 0
	}
	return f / r, g / r, r
}

func rotateVectors(c, s float64, x, y []float64) {
	for i := range x {
		x[i], y[i] = c*x[i]+s*y[i], c*y[i]-s*x[i]
	}
}

func unitVectors(n int) [][]float64 {
	x := make([][]float64, n)
	for i := range x {
		x[i] = make([]float64, n)
		x[i][i] = 1
	}
	return x
}

func negate(x []float64) {
	for i := range x {
		x[i] = -x[i]
	}
}
