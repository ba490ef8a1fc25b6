package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// poles are the triplets of the merged matrix M that remain after deflation. Pole 0 comes first,
// and the poles ascend strictly. d_i is the value of pole i, and z_i is its element of the full row
// of M. The singular values of M are the roots σ > 0 of the secular equation
//
//	f(σ²) = 1 + Σ z_i² / (d_i² − σ²) = 0
//
// There is one root between each pair of neighbouring poles, and one root above the last pole.
type poles []triplet

// singularRoot is the root σ² = d_o² + mu of the secular equation, where d_o is the value of pole
// o, the origin. If the root lies between two poles, the origin is the nearer one. The origin of
// the root above the last pole is the last pole.
type singularRoot struct {
	origin int
	mu     float64
}

// gap returns the difference d_i² − d_o² of two squared poles with a relative error of one or two
// ulps. The difference of the rounded squares would also be accurate enough: it is the exact
// difference for poles that are moved by half an ulp. But then every kernel would have to round
// each square before the subtraction. A fused multiply-subtract does not round the square, and
// would make the vectors less orthogonal.
func (p poles) gap(i, o int) float64 { return (p[i].sigma - p[o].sigma) * (p[i].sigma + p[o].sigma) }

// toRoot returns d_i² − σ² with a relative error of some ulps, where d_i is the value of pole i and
// σ² is the root r.
func (p poles) toRoot(i int, r singularRoot) float64 { return p.gap(i, r.origin) - r.mu }

// negative reports whether f(d_o² + mu) < 0, where f is the function of the secular equation, d_o
// is a pole and mu is the distance of r from its square. Every operation is monotone in mu, and so
// the computed sum is monotone, too. Therefore the result changes only once between two poles.
func (p poles) negative(r singularRoot) bool {
	f := 1.0
	for i, t := range p {
		f += t.z * t.z / p.toRoot(i, r)
	}
	return f < 0
}

// root finds the root above pole j by bisection, until no floating-point number is left between the
// two ends of the interval. (The steps of dlasd4 converge faster.) Between two poles, the secular
// function increases from −∞ to ∞. The last root is at most d² + ‖z‖², where d is the last pole.
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

// weights returns the row ẑ for which the computed roots σ_j are exact, by Löwner's formula
//
//	ẑ_i² = Π_j (σ_j² − d_i²) / Π_{j≠i} (d_j² − d_i²)
//
// The vectors are computed with ẑ instead of z, because then they are orthogonal even if roots are
// very close to each other (Gu and Eisenstat).
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

// solve returns the triplets of the merged matrix M. Their vectors are given in the rows and
// columns of the whole block. In the bases of the vectors of the poles, the vectors of a root σ
// have these elements before normalisation:
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

// combination returns Σ c_i·x_i/‖c‖. The function `vector` returns x_i, which is the left or the
// right vector of pole i.
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
