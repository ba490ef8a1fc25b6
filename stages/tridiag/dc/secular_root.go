package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// secularRoot finds root k of f(λ) = 1/rho + Σ z[j]²/(d[j] − λ), the one between
// d[k] and d[k+1], as λ = d[origin] + mu. It is complete in itself: what one GPU
// lane runs. steps counts the evaluations of f.
//
// The unknown is t > 0, the distance from the nearer pole, and everything is
// reflected (side = −1) when that is the upper one, so that
//
//	g(t) = side·f = side/rho + ψ(t) + φ(t) − near/t + far/(gap − t)
//
// rises from −∞ at the near pole, t = 0, and its root is at most gap/2. ψ < 0 has
// the poles behind the near one, φ > 0 those beyond the far one. The last root has
// no pole above it: then the far pole is the one below the near one, gap < 0,
// φ < 0 has all other poles, and the root is below 2·rho, for ‖z‖ ≈ 1.
//
// Each step replaces ψ and φ by c − s/t and c' + s'/(gap − t), equal to them in
// value and derivative (the middle way of Li, LAPACK Working Note 89), and solves
// the quadratic equation. About five steps are usual and twenty are rare. They
// end, whatever the rounding errors are, because [lo, hi] shrinks around the root
// and its mean is taken when three steps have neither excluded the mean of three
// steps ago nor brought |g| down to a tenth.
func secularRoot(d, z []float64, rho float64, k int) (origin int, mu float64, steps int) {
	top := len(d) - 1
	if top == 0 {
		return 0, rho * z[0] * z[0], 1
	}
	lower := min(k, top-1) // this pole and the next are those set apart
	other := 2*lower + 1 - k
	near, far, gap := z[k]*z[k], z[other]*z[other], d[other]-d[k]

	hi := gap / 2
	if k == top {
		hi = 2 * rho
	}
	origin = k
	side := 1.0
	psi, _, phi, _ := secularSums(d, z, lower, d[k], hi, k == top)
	if k < top && 1/rho+psi+phi+(far-near)/hi < 0 {
		origin, side = k+1, -1
		near, far, psi, phi = far, near, -phi, -psi
	}
	shift, flat := d[origin], side/rho

	// The root solves near/t = flat + ψ + φ + far/(gap − t), a rising function,
	// which up to hi is at most its positive terms there. Half of that, for safety.
	lo := near / (max(flat, 0) + max(phi+far/(gap-hi), 0)) / 2

	// Sums of K terms carry rounding errors of a few ulp, and about √K more.
	noise := tridiag.Roundoff * (8 + math.Sqrt(float64(len(d))))
	oldMean, oldG := secularMean(lo, hi), math.Inf(1)
	t := secularQuadratic(flat+psi+phi, near, far, gap)
	for steps = 2; ; steps++ {
		var dpsi, dphi float64
		if !(lo < t && t < hi) {
			t = secularMean(lo, hi)
		}
		psi, dpsi, phi, dphi = secularSums(d, z, lower, shift, side*t, k == top)
		if side < 0 {
			psi, dpsi, phi, dphi = -phi, dphi, -psi, dpsi
		}
		down, up := near/t, far/(gap-t)
		g := (flat + psi + phi) + (up - down)
		if math.Abs(g) <= noise*(math.Abs(flat)-psi+math.Abs(phi)+down+math.Abs(up)) {
			break
		}
		if g < 0 {
			lo = t
		} else {
			hi = t
		}
		mean := secularMean(lo, hi)
		if !(lo < mean && mean < hi) {
			break // no number is left between the two
		}
		s, sFar := near+t*t*dpsi, far+(gap-t)*(gap-t)*dphi
		t = secularQuadratic(flat+(psi+t*dpsi)+(phi-(gap-t)*dphi), s, sFar, gap)
		if steps%3 == 0 {
			if lo < oldMean && oldMean < hi && math.Abs(g) > oldG/10 {
				t = mean
			}
			oldMean, oldG = mean, math.Abs(g)
		}
	}
	return origin, side * t, steps
}

// secularSums returns the sums of z[j]²/(d[j] − λ) and their derivatives at
// λ = shift + mu: psi over the poles below lower, phi over those above lower+1. If
// λ is above all poles, the first sum is given as phi. Small terms come first.
func secularSums(d, z []float64, lower int, shift, mu float64, above bool) (psi, dpsi, phi, dphi float64) {
	for j, pole := range d[:lower] {
		x := z[j] / ((pole - shift) - mu)
		psi += z[j] * x
		dpsi += x * x
	}
	if above {
		return 0, 0, psi, dpsi
	}
	d, z = d[lower+2:], z[lower+2:]
	for j := len(d) - 1; j >= 0; j-- {
		x := z[j] / ((d[j] - shift) - mu)
		phi += z[j] * x
		dphi += x * x
	}
	return psi, dpsi, phi, dphi
}

// secularQuadratic returns the one root t of c − s/t + sFar/(gap − t) that is in
// (0, gap), or above 0 if gap < 0 < c; s > 0, sFar ≥ 0. It solves
// c·t² − b·t + s·gap = 0, b = c·gap + s + sFar. The discriminant b² − 4·c·s·gap is
// written as a sum of two squares, so nothing cancels.
func secularQuadratic(c, s, sFar, gap float64) float64 {
	b := c*gap + s + sFar
	h := c*gap - s + sFar
	r := math.Copysign(math.Sqrt(h*h+4*s*sFar), gap)
	if b*gap > 0 {
		return 2 * s * gap / (b + r)
	}
	return (b - r) / (2 * c)
}

// secularMean halves the interval (lo, hi), 0 < lo: its range of exponents while
// that is wide, its width when it is not.
func secularMean(lo, hi float64) float64 {
	if hi > 4*lo {
		return math.Sqrt(lo) * math.Sqrt(hi)
	}
	return lo + (hi-lo)/2
}
