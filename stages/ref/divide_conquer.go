package ref

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// DivideConquer returns the eigenvalues of the symmetric tridiagonal matrix T with diagonal d and
// off-diagonal e, in ascending order, and the matrix Z of its eigenvectors, n×n and column-major: T
// = Z·diag(values)·Zᵀ. It is Cuppen's method in its simplest form (dstedc; Cuppen 1981, Gu and
// Eisenstat 1995). T is divided until the parts are single rows:
//
//	T = diag(T1, T2) + ρ·v·vᵀ      v = (0 … 0, 1, ±1, 0 … 0), ρ = |e|, the sign is e's
//	  = Q·(D + ρ·z·zᵀ)·Qᵀ          Q = diag(Q1, Q2), z = Qᵀ·v
//
// D has the eigenvalues of T1 and T2. The steps of a merge are deflation, the roots λ of the
// secular equation 1/ρ + Σ z²/(d − λ) = 0, weights by Löwner's formula, the vectors of D + ρ·z·zᵀ,
// and their product with Q. Package stages/tridiag/dc has the same method level by level, blocked
// and in parallel; it shares no code with this function.
//
// e has n−1 elements or more; the elements from n−1 on are ignored. DivideConquer needs O(n³)
// operations with a large constant. The errors of the values and the residuals are a few n·ulp·‖T‖,
// and the vectors are orthogonal to a few n·ulp.
func DivideConquer(d, e []float64) (values, z []float64) {
	n := len(d)
	if n == 0 {
		return nil, nil
	}
	_, exponent := math.Frexp(tridiag.Largest(d, e[:n-1]))
	scaled := func(x []float64) []float64 {
		y := slices.Clone(x)
		for i := range y {
			y[i] = math.Ldexp(y[i], -exponent)
		}
		return y
	}
	for _, p := range conquer(scaled(d), scaled(e[:n-1])) {
		values, z = append(values, math.Ldexp(p.d, exponent)), append(z, p.q...)
	}
	return values, z
}

// eigenpair is an eigenvalue d of a diagonal block and its eigenvector q. While the block is
// merged, z is the inner product of q and the part of v that belongs to the block, where ρ·v·vᵀ
// joins the two blocks.
type eigenpair struct {
	d float64
	q []float64
	z float64
}

func conquer(d, e []float64) []eigenpair {
	n := len(d)
	if n == 1 {
		return []eigenpair{{d: d[0], q: []float64{1}}}
	}
	m := n / 2
	rho, sign := math.Abs(e[m-1]), math.Copysign(1, e[m-1])
	d = slices.Clone(d)
	d[m-1] -= rho
	d[m] -= rho
	var pairs []eigenpair
	for _, p := range conquer(d[:m], e[:m-1]) {
		pairs = append(pairs, eigenpair{p.d, append(p.q, make([]float64, n-m)...), p.q[m-1]})
	}
	for _, p := range conquer(d[m:], e[m:]) {
		pairs = append(pairs, eigenpair{p.d, append(make([]float64, m), p.q...), sign * p.q[0]})
	}
	slices.SortStableFunc(pairs, ascending)
	poles, solved := deflate(pairs, rho)
	solved = append(solved, solveSecular(poles, rho)...)
	slices.SortStableFunc(solved, ascending)
	return solved
}

func ascending(a, b eigenpair) int {
	switch {
	case a.d < b.d:
		return -1
	case a.d > b.d:
		return 1
	}
	return 0
}

// deflate divides the eigenpairs of two blocks, whose merged matrix is D + ρ·z·zᵀ. A pair whose
// element of z is zero is an eigenpair of the merged matrix already, to working accuracy; such
// pairs are returned as `solved`. If two eigenvalues d are equal, a rotation of their vectors makes
// one of their elements of z zero (dlaed2). The other pairs are returned as `poles`.
func deflate(pairs []eigenpair, rho float64) (poles, solved []eigenpair) {
	norm := 0.0
	for _, p := range pairs {
		norm = max(norm, math.Abs(p.d), math.Abs(p.z))
	}
	tol := 8 * tridiag.Roundoff * norm
	for _, p := range pairs {
		if rho*math.Abs(p.z) <= tol {
			solved = append(solved, p)
			continue
		}
		if len(poles) > 0 {
			last := &poles[len(poles)-1]
			r := math.Hypot(last.z, p.z)
			c, s := p.z/r, last.z/r
			if math.Abs((p.d-last.d)*c*s) <= tol {
				a, b := *last, p
				q := rotated(c, a.q, -s, b.q)
				solved = append(solved, eigenpair{d: a.d*c*c + b.d*s*s, q: q})
				*last = eigenpair{a.d*s*s + b.d*c*c, rotated(s, a.q, c, b.q), r}
				continue
			}
		}
		poles = append(poles, p)
	}
	return poles, solved
}

func rotated(a float64, x []float64, b float64, y []float64) []float64 {
	sum := make([]float64, len(x))
	for i := range sum {
		sum[i] = a*x[i] + b*y[i]
	}
	return sum
}

// root is a root of the secular equation: the eigenvalue d[origin] + mu of D + ρ·z·zᵀ. The
// difference d[i] − λ is computed as (d[i] − d[origin]) − mu, so that no digits are lost.
type root struct {
	origin int
	mu     float64
}

// solveSecular returns the eigenpairs of D + ρ·z·zᵀ. Each pole is an element d of D with its
// element of z. The d must ascend strictly, and no element of z may be zero. The vectors are
// computed with the weights ẑ for which the roots are exact, because then the vectors are
// orthogonal (Gu and Eisenstat).
func solveSecular(poles []eigenpair, rho float64) []eigenpair {
	k := len(poles)
	roots := make([]root, k)
	for j := range roots {
		roots[j] = secularRoot(poles, rho, j)
	}
	minus := func(i, j int) float64 { // d[i] − λ[j]
		return (poles[i].d - poles[roots[j].origin].d) - roots[j].mu
	}
	weights := make([]float64, k) // Löwner's formula, but for the factor ρ
	for i := range weights {
		w := -minus(i, i)
		for j := range weights {
			if j != i {
				w *= minus(i, j) / (poles[i].d - poles[j].d)
			}
		}
		weights[i] = math.Copysign(math.Sqrt(w), poles[i].z)
	}
	pairs := make([]eigenpair, k)
	for j := range pairs {
		s, norm := make([]float64, k), 0.0
		for i, w := range weights {
			s[i] = w / minus(i, j)
			norm = math.Hypot(norm, s[i])
		}
		q := make([]float64, len(poles[0].q))
		for i, p := range poles {
			for row, x := range p.q {
				q[row] += s[i] / norm * x
			}
		}
		pairs[j] = eigenpair{d: poles[roots[j].origin].d + roots[j].mu, q: q}
	}
	return pairs
}

// secularRoot finds root k of f(λ) = 1/ρ + Σ z²/(d − λ) by bisection, until no number is left
// between the ends of the interval. The root lies between d[k] and d[k+1], where f increases from
// −∞ to ∞. The last root lies below d[k] + ρ·‖z‖².
func secularRoot(poles []eigenpair, rho float64, k int) root {
	f := func(origin int, mu float64) float64 {
		sum := 1 / rho
		for _, p := range poles {
			sum += p.z * p.z / ((p.d - poles[origin].d) - mu)
		}
		return sum
	}
	width := 0.0
	if k+1 < len(poles) {
		width = (poles[k+1].d - poles[k].d) / 2
		if f(k, width) < 0 { // the root is nearer to the upper pole
			return root{k + 1, bisectSign(-width, math.Copysign(0, -1),
				func(mu float64) bool { return f(k+1, mu) < 0 })}
		}
	} else {
		for _, p := range poles {
			width += rho * p.z * p.z
		}
		width *= 1 + 8*tridiag.Ulp
	}
	return root{k, bisectSign(0, width, func(mu float64) bool { return f(k, mu) < 0 })}
}

// bisectSign finds by bisection the point in (lo, hi) at which the function `below` changes from
// true to false. It returns one of the two neighbouring floating-point numbers between which this
// point lies: not 0, and neither lo nor hi if another number lies between them.
func bisectSign(lo, hi float64, below func(x float64) bool) float64 {
	from, to := lo, hi
	for {
		mid := lo + (hi-lo)/2
		if !(lo < mid && mid < hi) { // or an end is NaN
			break
		}
		if below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	if hi == to && lo != from || hi == 0 {
		return lo
	}
	return hi
}
