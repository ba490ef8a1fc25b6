package matgen

import "math"

// kacMurdockSzego has the elements ρ^|i−j| with ρ = ½. It is a dense Toeplitz matrix whose inverse
// is tridiagonal. Its eigenvalues are (1−ρ²)/(1 − 2ρ·cosθ + ρ²) at the n zeros θ in (0, π) of g(θ)
// = sin((n+1)θ) − 2ρ·sin(nθ) + ρ²·sin((n−1)θ).
var kacMurdockSzego = entries("kac-murdock-szego",
	func(_, i, j int) float64 { return math.Pow(kmsRho, float64(i-j)) },
	func(n int) []float64 {
		return vector(n, func(k int) float64 {
			return (1 - kmsRho*kmsRho) / (1 - 2*kmsRho*math.Cos(kmsAngle(n, k)) + kmsRho*kmsRho)
		})
	})

const kmsRho = 0.5

// kmsAngle returns the zero number k of g, the function in the comment of kacMurdockSzego. For 0 <
// ρ < 1 there is exactly one zero between kπ/(n+1) and (k+1)π/(n+1), because g has the sign (−1)^k
// at the left end and the opposite sign at the right end. For k = 0 the left end is the angle 0,
// where g is 0. The sign is there that of the slope n+1 − 2ρn + ρ²(n−1), which is positive.
func kmsAngle(n, k int) float64 {
	g := func(theta float64) float64 {
		s := func(m int) float64 { return math.Sin(float64(m) * theta) }
		return s(n+1) - 2*kmsRho*s(n) + kmsRho*kmsRho*s(n-1)
	}
	lo := float64(k) * math.Pi / float64(n+1)
	hi := float64(k+1) * math.Pi / float64(n+1)
	for {
		mid := (lo + hi) / 2
		if mid <= lo || mid >= hi {
			return mid
		}
		if (g(mid) > 0) == (k%2 == 0) {
			lo = mid
		} else {
			hi = mid
		}
	}
}
