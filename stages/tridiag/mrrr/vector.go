package mrrr

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// twisted finds the eigenvector of one eigenvalue of a representation, by twisted factorisations
// (dlar1v; Dhillon, Parlett and Vömel). For a number λ and every row r,
//
//	L·D·Lᵀ − λ·I = N_r·Δ_r·N_rᵀ,   Δ_r = diag(d⁺₀ … d⁺_{r−1}, γ_r, d⁻_{r+1} … d⁻_{n−1})
//
// where the d⁺ are computed from the top down to r, and the d⁻ from the bottom up to r. The row r
// with the smallest |γ_r| is the twist. At the twist, N_rᵀ·z = e_r gives the vector z without
// additions, so that no digits cancel, and
//
//	(L·D·Lᵀ − λ·I)·z = γ_r·e_r.
type twisted struct {
	representation
	s []float64 // s̃ᵢ of the stationary transform, from the top down
	u []float64 // U⁻ of the progressive transform, from the bottom up; later z
}

// factor returns γ_r at the twist, the twist itself, and the number of eigenvalues below λ. If
// several rows have the smallest |γ_r|, the twist is the last of them. factor sets t.s, and all
// elements of t.u except t.u[0]. A pivot of zero makes the next pivot infinite. The pivot after
// that is computed with the limit of the recurrence, because the recurrence would give ∞·0.
func (t twisted) factor(lambda float64) (gamma float64, twist, below int) {
	s := 0.0
	for i := range t.n {
		d, l := t.row(i)
		t.s[i] = s
		dp := d + (s - lambda)
		if dp < 0 {
			below++
		}
		lp := float64(l*d) / dp
		s = float64(float64(lp*l) * (s - lambda))
		if lp == 0 || math.IsNaN(s) {
			s = float64(l * float64(l*d)) // the limit for an infinite pivot
		}
	}
	p, after, best, counted := 0.0, 0, math.Inf(1), 0
	for i := t.n - 1; i >= 0; i-- {
		d, l := t.row(i)
		if i == t.n-1 {
			p = d - lambda
		} else {
			dm := float64(l*float64(l*d)) + p
			if dm < 0 {
				after++
			}
			q := d / dm
			t.u[i+1] = float64(l * q)
			p = float64(p*q) - lambda
			if q == 0 || math.IsNaN(p) {
				p = d - lambda
			}
		}
		if d+(t.s[i]-lambda) < 0 {
			below--
		}
		if g := t.s[i] + p; math.Abs(g) < best {
			best, gamma, twist = math.Abs(g), g, i
			counted = below + after
			if g < 0 {
				counted++
			}
		}
	}
	return gamma, twist, counted
}

// solve writes the eigenvector z for `lambda` with z_r = 1 to the field u, and returns zᵀ·z, whose
// parts before and after row r are summed separately. s and u must have the values that `factor`
// has set. If an element of z is zero, the next one is computed from the row of L·D·Lᵀ and not from
// the recurrence.
func (t twisted) solve(lambda float64, r int) float64 {
	z := t.u
	coupling := func(i int) float64 { d, l := t.row(i); return l * d }
	above, below := 0.0, 0.0
	z[r] = 1
	for i := r - 1; i >= 0; i-- {
		d, l := t.row(i)
		lp := float64(l*d) / (d + (t.s[i] - lambda))
		v := -float64(lp * z[i+1])
		if z[i+1] == 0 && i+2 <= r {
			v = -float64(coupling(i+1)/float64(l*d)) * z[i+2]
		}
		z[i] = v
		above += float64(v * v)
	}
	for i := r; i < t.n-1; i++ {
		v := -float64(z[i+1] * z[i])
		if z[i] == 0 && i-1 >= r {
			v = -float64(coupling(i-1)/coupling(i)) * z[i-1]
		}
		z[i+1] = v
		below += float64(v * v)
	}
	return (1 + above) + below
}

// Vector finds eigenvalue k of one representation and its vector z, as Backend.Level does. The
// interval [lo, hi] contains the eigenvalue, and `gap` is its distance to the nearest other one.
// Row i of the representation is `rep[2·i]` and `rep[2·i+1]`. z has norm 1.
func Vector(rep []float64, k int, lo, hi, gap float64) (z []float64, lambda, residual float64) {
	n := len(rep) / 2
	t := twisted{representation{rep, 2, n}, make([]float64, n), make([]float64, n)}
	lambda, residual = t.vector(k, lo, hi, gap)
	return t.u, lambda, residual
}

// vector is Vector, but stores z in u. It is a Rayleigh quotient iteration (dlarrv), with a
// bisection if a step would leave the interval. The iteration ends if the residual ‖L·D·Lᵀ·z − λ·z‖
// is so small that no other vector contributes to z, or if λ cannot be improved, or after maxSteps
// steps. `residual` is in the scale of the representation.
func (t twisted) vector(k int, lo, hi, gap float64) (lambda, residual float64) {
	lambda = 0.5 * (lo + hi)
	for step := 0; ; step++ {
		gamma, r, below := t.factor(lambda)
		norm2 := t.solve(lambda, r)
		correction := gamma / norm2
		residual = math.Abs(gamma) / math.Sqrt(norm2)
		if residual <= gapUlps*tridiag.Ulp*gap || math.Abs(correction) <= correctionUlps*tridiag.Ulp*math.Abs(lambda) || step == maxSteps {
			scale := 1 / math.Sqrt(norm2)
			for i := range t.n {
				t.u[i] *= scale
			}
			if next := lambda + correction; lo <= next && next <= hi {
				lambda = next
			}
			return lambda, residual
		}
		if below > k {
			hi = lambda
		} else {
			lo = lambda
		}
		next := lambda + correction
		if !(lo <= next && next <= hi) || step >= QuotientSteps {
			next = 0.5 * (lo + hi)
		}
		if step == maxSteps-1 {
			lo, hi = t.bisect(k, lo, hi, LastTol, true)
			next = 0.5 * (lo + hi)
		}
		lambda = next
	}
}

const (
	gapUlps        = 2 // a residual below this many ulps of the gap ends the iteration
	correctionUlps = 1 // a correction below this many ulps of λ also ends it
	maxSteps       = QuotientSteps + 1
)
