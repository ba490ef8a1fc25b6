package ref

import "math"

// secularRoot finds root k of f(λ) = 1/rho + Σ z[j]²/(d[j] − λ), the one between
// d[k] and d[k+1], as λ = d[origin] + mu. It is complete in itself: what one GPU
// lane runs. steps counts the evaluations of f.
//
// The last root has no pole above it. A phantom pole of weight zero is put at
// d[k] + 4·rho, beyond the root (which is below d[k] + rho·‖z‖²) and so far that
// the root lies in the lower half of the interval; then no case is special.
//
// The unknown is t > 0, the distance from the nearer pole, and everything is
// reflected (side = −1) when that is the upper one, so that
//
//	g(t) = side·f = side/rho + ψ(t) + φ(t) − near/t + far/(gap − t)
//
// rises from −∞ at the near pole, t = 0; its root is at most gap/2. ψ < 0 has the
// poles behind the near one, φ > 0 those beyond the far one.
//
// Each step replaces ψ and φ by c + s/(−t) and c' + s'/(gap − t), equal to them
// in value and derivative (the middle way of Li, LAPACK Working Note 89), and
// solves the quadratic. [lo, hi] always holds the root and a mean of the two is
// taken whenever a step has neither halved it nor brought |g| down to a tenth, so
// the iteration ends, whatever the rounding errors are.
func secularRoot(d, z []float64, rho float64, k int) (origin int, mu float64, steps int) {
	gap, near, far := 4*rho, z[k]*z[k], 0.0
	if k+1 < len(d) {
		gap, far = d[k+1]-d[k], z[k+1]*z[k+1]
	}
	half := gap / 2
	psi, dpsi, phi, dphi := secularRest(d, z, k, d[k], half)
	origin = k
	side := 1.0
	if k+1 < len(d) && 1/rho+psi+phi+(far-near)/half < 0 {
		origin, side = k+1, -1
		near, far, psi, phi = far, near, -phi, -psi
	}
	shift, flat := d[origin], side/rho

	// The root solves near/t = flat + ψ + φ + far/(gap − t), a rising function,
	// which up to gap/2 is at most its positive terms there.
	lo, hi := near/(max(flat, 0)+phi+far/half)/2, half
	t := secularQuadratic(flat+psi+phi, near, far, gap)
	if !(lo < t && t < hi) {
		t = secularMean(lo, hi)
	}

	// Sums of K terms carry rounding errors of a few ulp, and about √K more.
	noise := secularUlp * (8 + math.Sqrt(float64(len(d))))
	last, width := math.Inf(1), math.Inf(1)
	for steps = 2; ; steps++ {
		psi, dpsi, phi, dphi = secularRest(d, z, k, shift, side*t)
		if side < 0 {
			psi, dpsi, phi, dphi = -phi, dphi, -psi, dpsi
		}
		down, up := near/t, far/(gap-t)
		g := (flat + psi + phi) + (up - down)
		if math.Abs(g) <= noise*(math.Abs(flat)-psi+phi+down+up) {
			break
		}
		if g < 0 {
			lo = t
		} else {
			hi = t
		}
		s := near + t*t*dpsi
		sFar := far + (gap-t)*(gap-t)*dphi
		c := flat + (psi + t*dpsi) + (phi - (gap-t)*dphi)
		next := secularQuadratic(c, s, sFar, gap)
		if !(lo < next && next < hi) || (math.Abs(g) > last/10 && hi-lo > width/2) {
			next = secularMean(lo, hi)
		}
		if !(lo < next && next < hi) {
			break // no number is left between the two
		}
		last, width = math.Abs(g), hi-lo
		t = next
	}
	return origin, side * t, steps
}

// secularUlp is half the distance from 1 to the next number, LAPACK's eps.
const secularUlp = 1.0 / (1 << 53)

// secularRest returns the sums of z[j]²/(d[j] − λ) over the poles below k and over
// those above k+1, and their derivatives, at λ = shift + mu. The two poles beside
// the root are left to the caller. The nearest poles come last: small terms first.
func secularRest(d, z []float64, k int, shift, mu float64) (psi, dpsi, phi, dphi float64) {
	for j := 0; j < k; j++ {
		x := z[j] / ((d[j] - shift) - mu)
		psi += z[j] * x
		dpsi += x * x
	}
	for j := len(d) - 1; j > k+1; j-- {
		x := z[j] / ((d[j] - shift) - mu)
		phi += z[j] * x
		dphi += x * x
	}
	return
}

// secularQuadratic returns the root in (0, gap) of c − s/t + sFar/(gap − t), where
// s > 0 and sFar ≥ 0: of c·t² − b·t + s·gap with b = c·gap + s + sFar. The
// discriminant b² − 4·c·s·gap is written as a sum of two squares; no cancellation.
func secularQuadratic(c, s, sFar, gap float64) float64 {
	b := c*gap + s + sFar
	h := c*gap - s + sFar
	r := math.Sqrt(h*h + 4*s*sFar)
	if b > 0 {
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
