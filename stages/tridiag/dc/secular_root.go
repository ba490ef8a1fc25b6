package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// secularRoot finds root k of f(λ) = 1/rho + Σ z[j]²/(d[j] − λ), which lies between d[k] and
// d[k+1], or above d[k] if this is the last pole (dlaed4). The root is λ = d[origin] + mu. `steps`
// is the number of evaluations of f. The kernel stedc_secular finds a root with a workgroup in the
// same way.
//
// The unknown is t > 0, the distance from the nearer pole. If the upper pole is nearer, the axis is
// reflected (`side` = −1). `near` and `far` are the squared weights of the nearer pole and of the
// other pole, and `gap` is the distance from the nearer pole to the other pole. The function
//
//	g(t) = side·f = side/rho + ψ(t) + φ(t) − near/t + far/(gap − t)
//
// increases from −∞ at the near pole, t = 0, and has its root in (0, gap/2]. ψ < 0 is the sum over
// the poles beyond the near pole, and φ > 0 is the sum over the poles beyond the far pole. The last
// root has no pole above it. In this case the far pole is the pole below the near pole, gap < 0,
// and φ < 0 is the sum over all other poles. The t of the last root is below 2·rho, because ‖z‖ ≈
// 1.
//
// Each step replaces ψ and φ by c − s/t and c' + s'/(gap − t), which have the same values and
// derivatives at t (the middle way of Li, LAPACK Working Note 89). The step then solves a quadratic
// equation. About five steps are usual and twenty are rare.
//
// The loop ends for any rounding errors, because the interval [lo, hi] around the root shrinks. The
// progress of every three steps is checked. Either they must have excluded the mean of the interval
// from the search, or they must have reduced |g| to a tenth. Otherwise the next t is the mean of
// [lo, hi].
func secularRoot(d, z []float64, rho float64, k int) (origin int, mu float64, steps int) {
	top := len(d) - 1
	if top == 0 {
		return 0, rho * z[0] * z[0], 1
	}
	lower := min(k, top-1) // the pole at lower and the next pole have separate terms
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

	// The root t solves near/t = flat + ψ + φ + far/(gap − t), where flat is side/rho. The right
	// side increases with t. So for t ≤ hi the right side is at most the sum of its positive terms
	// at hi. The t with near/t equal to this sum is a lower bound of the root, and half of it is a
	// safe lower end.
	lo := near / (max(flat, 0) + max(phi+far/(gap-hi), 0)) / 2

	// The sums over K = len(d) poles have rounding errors of a few ulp, plus about √K/2 ulp.
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
			break // there is no floating-point number between lo and hi
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

// secularSums returns sums of z[j]²/(d[j] − λ), and their derivatives, at λ = shift + mu. `psi` is
// the sum over the poles with index less than `lower`, and `phi` that over the poles with index
// greater than `lower`+1. If `above` is true, λ is above all poles: `psi` is 0, and `phi` is the
// sum over the poles with index less than `lower`. The terms of the farthest poles, which are
// usually the smallest, are added first.
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

// secularQuadratic returns the root t of c − s/t + sFar/(gap − t) in (0, gap). If gap < 0 < c, it
// returns the root t > 0. s > 0 and sFar ≥ 0 must hold. The root solves c·t² − b·t + s·gap = 0 with
// b = c·gap + s + sFar. The discriminant b² − 4·c·s·gap is computed as a sum of two terms that are
// not negative, so that no digits cancel.
func secularQuadratic(c, s, sFar, gap float64) float64 {
	b := c*gap + s + sFar
	h := c*gap - s + sFar
	r := math.Copysign(math.Sqrt(h*h+4*s*sFar), gap)
	if b*gap > 0 {
		return 2 * s * gap / (b + r)
	}
	return (b - r) / (2 * c)
}

// secularMean returns the point at which a bisection divides the interval (lo, hi), 0 < lo: the
// geometric mean if hi/lo is large, and the arithmetic mean otherwise.
func secularMean(lo, hi float64) float64 {
	if hi > 4*lo {
		return math.Sqrt(lo) * math.Sqrt(hi)
	}
	return lo + (hi-lo)/2
}
