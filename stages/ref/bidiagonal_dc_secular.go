package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// poles are the triplets of M that remain after deflation: pole 0 first, in strictly ascending
// order. The singular values of M are the roots σ > 0 of the secular equation
//
//	f(σ²) = 1 + Σ z_i² / (d_i² − σ²) = 0
//
// One root lies between each pair of neighbours, and one above the last pole.
type poles []triplet

// A singularRoot is the root σ² = d_o² + mu. Pole o, the origin, is the nearer one of the two poles
// around the root.
type singularRoot struct {
	origin int
	mu     float64
}

// gap returns d_i² − d_o², to an ulp or two of itself. The difference of rounded squares would
// serve as well, because these are the exact squares of poles moved by half an ulp. But then each
// square must be rounded before it is subtracted, everywhere: a fused multiply and subtract would
// make the vectors less orthogonal.
func (p poles) gap(i, o int) float64 { return (p[i].sigma - p[o].sigma) * (p[i].sigma + p[o].sigma) }

// toRoot returns d_i² − σ², to some ulps of itself.
func (p poles) toRoot(i int, r singularRoot) float64 { return p.gap(i, r.origin) - r.mu }

// negative reports whether f(d_o² + mu) < 0. Every operation is monotone in mu, and so is the
// computed sum. So between two poles the answer changes only once.
func (p poles) negative(r singularRoot) bool {
	f := 1.0
	for i, t := range p {
		f += t.z * t.z / p.toRoot(i, r)
	}
	return f < 0
}

// root finds the root above pole j by bisection, until no number is left between the ends. (dlasd4
// has faster steps.) f rises from −∞ to ∞ between two poles. The last root is not above d² + ‖z‖²,
// where d is the last pole.
func (p poles) root(j int) singularRoot {
	from := func(origin int) func(mu float64) bool {
		return func(mu float64) bool { return p.negative(singularRoot{origin, mu}) }
	}
	if j+1 == len(p) {
		width := 0.0
		for _, t := range p {
			width += t.z * t.z
		}
		return singularRoot{j, bisectSign(0, width*(1+8*tridiag.Ulp), from(j))}
	}
	half := p.gap(j+1, j) / 2
	if p.negative(singularRoot{j, half}) {
		return singularRoot{j + 1, bisectSign(-half, math.Copysign(0, -1), from(j+1))}
	}
	return singularRoot{j, bisectSign(0, half, from(j))}
}

// weights returns the row ẑ for which the computed roots are exact, by Löwner's formula
//
//	ẑ_i² = Π_j (σ_j² − d_i²) / Π_{j≠i} (d_j² − d_i²)
//
// With ẑ instead of z, the vectors are orthogonal however near the roots are to each other (Gu and
// Eisenstat).
func (p poles) weights(roots []singularRoot) []float64 {
	weights := make([]float64, len(p))
	for i, t := range p {
		square := -p.toRoot(i, roots[i])
		for j, r := range roots {
			if j != i {
				square *= p.toRoot(i, r) / p.gap(i, j)
			}
		}
		weights[i] = math.Copysign(math.Sqrt(square), t.z)
	}
	return weights
}

// solve returns the triplets of M in the bases of the whole block. In the bases of the poles, the
// vectors of a root σ have these elements, before they are normalised:
//
//	right:  ẑ_i / (d_i² − σ²)
//	left:   −1 for pole 0, d_i·ẑ_i / (d_i² − σ²) for the others
func (p poles) solve() []triplet {
	roots := make([]singularRoot, len(p))
	for j := range roots {
		roots[j] = p.root(j)
	}
	weights := p.weights(roots)
	solved := make([]triplet, len(p))
	left, right := make([]float64, len(p)), make([]float64, len(p))
	for j, r := range roots {
		for i, t := range p {
			right[i] = weights[i] / p.toRoot(i, r)
			left[i] = t.sigma * right[i]
		}
		left[0] = -1
		d := p[r.origin].sigma
		solved[j] = triplet{
			sigma: d + r.mu/(d+math.Sqrt(d*d+r.mu)), // √(d² + mu)
			s:     p.combination(left, func(t triplet) []float64 { return t.s }),
			w:     p.combination(right, func(t triplet) []float64 { return t.w }),
		}
	}
	return solved
}

// combination returns Σ c_i·x_i/‖c‖. The function vector selects x_i, one of the two vectors of
// pole i.
func (p poles) combination(c []float64, vector func(triplet) []float64) []float64 {
	norm := 0.0
	for _, x := range c {
		norm += x * x
	}
	norm = math.Sqrt(norm)
	sum := make([]float64, len(vector(p[0])))
	for i, t := range p {
		for row, x := range vector(t) {
			sum[row] += c[i] / norm * x
		}
	}
	return sum
}
