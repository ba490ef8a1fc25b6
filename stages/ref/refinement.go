package ref

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

const (
	// refinementAngle is about the largest element of the correction E for a pair of vectors in
	// different clusters. If the element would be larger, the two vectors are put into one cluster.
	refinementAngle = 1.0 / 32

	// refinementRoom determines how near another eigenvalue may be to a cluster: not nearer than
	// refinementRoom·√m times the largest coupling of the cluster, where m is the number of the
	// cluster's indices.
	refinementRoom = 8

	// The gap of a pair of vectors is the distance of their eigenvalues. Their coupling is their
	// element of XᵀAX, corrected for the error of orthonormality. The noise is the size of rounding
	// errors. refinementTight is the largest ratio of gap to noise at which a pair whose coupling
	// is only noise is taken as one multiple eigenvalue. For larger gaps, the elements of the
	// correction E that come from rounding errors are at most 2⁻²⁶, and the square of this is
	// negligible.
	refinementTight = 0x1p26

	// refinementDisorder is the largest difference by which two eigenvalues may be in the wrong
	// order, in units of the noise (the size of rounding errors).
	refinementDisorder = 4
)

// RefinementNoise is the magnitude up to which an element of XᵀAX counts as a rounding error, for
// n×n matrices A and X. The columns of X are the vectors. The argument `norm` is ‖A‖₂.
func RefinementNoise(n int, norm float64) float64 {
	return (4 + math.Sqrt(float64(n))/16) * tridiag.Ulp * norm
}

type RefinementStep struct {
	// Values are the eigenvalues. Outside of clusters they are Rayleigh quotients; in a cluster
	// they are the eigenvalues of the cluster's small matrix (Ritz values).
	Values []float64

	// Change is ‖E‖_∞, the size of the correction E of the vectors, before the clusters are
	// rotated. Left estimates the error after the step, relative to 1 in XᵀX and to ‖A‖ in XᵀAX:
	// ‖E‖_∞·(‖E‖_∞ + ‖G‖_∞/‖A‖₂), where G has the couplings within clusters.
	Change, Left float64

	// Clusters is the number of clusters with two or more eigenvalues, and Largest is the number of
	// eigenvalues in the largest of them. Both are 0 if there is none.
	Clusters, Largest int
}

// Refinement does one step of the iteration of Ogita and Aishima (RefSyEv, 2018) on the n×n matrix
// X of approximate eigenvectors of A, in place:
//
//	R = I − XᵀX,  S = XᵀAX,  λᵢ = sᵢᵢ/(1 − rᵢᵢ)
//	eᵢⱼ = rᵢⱼ/2                      in each of three cases: i = j; i and j are in one cluster;
//	                                 |gᵢⱼ| ≤ noise and |λⱼ − λᵢ| ≤ refinementTight·noise
//	eᵢⱼ = (sᵢⱼ + λⱼ·rᵢⱼ)/(λⱼ − λᵢ)   otherwise
//	X ← X·(I + E)·W
//
// Here gᵢⱼ = sᵢⱼ + ½·(λᵢ + λⱼ)·rᵢⱼ is the coupling of the pair i, j, corrected for the error of
// orthonormality R. The noise (RefinementNoise) is the size of rounding errors. A pair is coupled
// in each of two cases: |gᵢⱼ| exceeds both the noise and |λᵢ − λⱼ|/32, or the eigenvalues are in
// the wrong order by more than refinementDisorder times the noise. A cluster is a range of indices;
// all indices that are coupled to an index of the cluster are in the cluster. Clusters that are too
// near to each other (refinementRoom) are merged. W is block diagonal: it has the eigenvectors of
// the matrix (gᵢⱼ) of each cluster (Rayleigh and Ritz), where gᵢᵢ = λᵢ. E is accurate to second
// order, so that the error is squared in each step.
//
// The argument a holds both triangles of A. X must be nearly orthonormal, and its columns must be
// nearly in the order of the eigenvalues.
func Refinement(n int, a, x []float64) RefinementStep {
	r := refinement{n: n, s: make([]float64, n*n), g: make([]float64, n*n), lambda: make([]float64, n)}
	y := make([]float64, n*n)
	Gemm(Trans, NoTrans, n, n, n, 1, a, n, x, n, 0, y, n)
	Gemm(Trans, NoTrans, n, n, n, 1, x, n, y, n, 0, r.s, n)
	Gemm(Trans, NoTrans, n, n, n, 1, x, n, x, n, 0, r.g, n)
	norm := 0.0
	for i := range n {
		r.lambda[i] = r.s[i+i*n] / r.g[i+i*n]
		norm = max(norm, math.Abs(r.lambda[i]))
	}
	r.noise = RefinementNoise(n, norm)
	clusters := r.clusters()
	e := r.correction(clusters)
	step := RefinementStep{Values: r.lambda, Change: normInf(n, e)}
	inside := 0.0
	for _, c := range clusters {
		if c.to-c.from > 1 {
			step.Clusters++
			step.Largest = max(step.Largest, c.to-c.from)
			inside = max(inside, r.ritz(c, e))
		}
	}
	step.Left = step.Change * step.Change
	if norm > 0 {
		step.Left += step.Change * inside / norm
	}
	copy(y, x)
	Gemm(NoTrans, NoTrans, n, n, n, 1, x, n, e, n, 1, y, n)
	copy(x, y)
	return step
}

// refinement holds the matrices of one step of the refinement. g is the Gram matrix XᵀX of the
// vectors X.
type refinement struct {
	n      int
	s, g   []float64
	lambda []float64
	noise  float64
}

type interval struct{ from, to int }

func (r *refinement) residual(i, j int) float64 {
	if i == j {
		return 1 - r.g[i+j*r.n]
	}
	return -r.g[max(i, j)+min(i, j)*r.n]
}

func (r *refinement) coupling(i, j int) float64 {
	return r.s[max(i, j)+min(i, j)*r.n] + (r.lambda[i]+r.lambda[j])/2*r.residual(i, j)
}

// coupled tells whether the coupling of the vectors j < i, which is their element of XᵀAX, is large
// compared with the difference of their eigenvalues, or whether these are in the wrong order.
func (r *refinement) coupled(i, j int) bool {
	gap, g := r.lambda[i]-r.lambda[j], math.Abs(r.coupling(i, j))
	return gap < -refinementDisorder*r.noise || g > r.noise && g > refinementAngle*math.Abs(gap)
}

// clusters divides all indices into clusters, in ascending order. A cluster contains all indices
// that are coupled to one of its indices. A cluster that is too near to another one is merged with
// it (refinementRoom).
func (r *refinement) clusters() []interval {
	var all []interval
	strength := make([]float64, r.n) // largest coupling of a coupled pair
	for from := 0; from < r.n; {
		to := from + 1
		for j := from; j < to; j++ {
			for i := j + 1; i < r.n; i++ {
				if r.coupled(i, j) {
					to = max(to, i+1)
					strength[j] = max(strength[j], math.Abs(r.coupling(i, j)))
				}
			}
		}
		all = append(all, interval{from, to})
		from = to
	}
	for grown := true; grown; {
		grown = false
		var next []interval
		for k := 0; k < len(all); k++ {
			c, strongest := all[k], 0.0
			for j := c.from; j < c.to; j++ {
				strongest = max(strongest, strength[j])
			}
			room := refinementRoom * strongest * math.Sqrt(float64(c.to-c.from))
			for len(next) > 0 && r.lambda[c.from]-r.lambda[c.from-1] < room {
				c.from = next[len(next)-1].from
				next = next[:len(next)-1]
				grown = true
			}
			for k+1 < len(all) && r.lambda[c.to]-r.lambda[c.to-1] < room {
				k++
				c.to = all[k].to
				grown = true
			}
			next = append(next, c)
		}
		all = next
	}
	return all
}

func (r *refinement) correction(clusters []interval) []float64 {
	n, e := r.n, make([]float64, r.n*r.n)
	cluster := make([]int, n)
	for id, c := range clusters {
		for j := c.from; j < c.to; j++ {
			cluster[j] = id
		}
	}
	for j := range n {
		for i := range n {
			rij, gap := r.residual(i, j), r.lambda[j]-r.lambda[i]
			single := i == j || cluster[i] == cluster[j] ||
				math.Abs(r.coupling(i, j)) <= r.noise && math.Abs(gap) <= r.noise*refinementTight
			if single {
				e[i+j*n] = rij / 2
			} else {
				e[i+j*n] = (r.s[max(i, j)+min(i, j)*n] + r.lambda[j]*rij) / gap
			}
		}
	}
	return e
}

// ritz computes the eigenvectors W of the small matrix of cluster c, whose off-diagonal elements
// are couplings. It replaces λ by the eigenvalues of this matrix (Ritz values), and the columns of
// the correction E by those of (I + E)·W − I. It returns the largest column sum of the magnitudes
// of the couplings within the cluster.
func (r *refinement) ritz(c interval, e []float64) (inside float64) {
	n, m := r.n, c.to-c.from
	b := make([]float64, m*m)
	for j := range m {
		sum := 0.0
		for i := range m {
			if i == j {
				b[i+i*m] = r.lambda[c.from+i]
				continue
			}
			b[i+j*m] = r.coupling(c.from+i, c.from+j)
			sum += math.Abs(b[i+j*m])
		}
		inside = max(inside, sum)
	}
	values, w := JacobiDense(m, b)
	copy(r.lambda[c.from:c.to], values)
	for j := c.from; j < c.to; j++ {
		e[j+j*n]++
	}
	rotated := make([]float64, n*m)
	Gemm(NoTrans, NoTrans, n, m, m, 1, e[c.from*n:], n, w, m, 0, rotated, n)
	copy(e[c.from*n:], rotated)
	for j := c.from; j < c.to; j++ {
		e[j+j*n]--
	}
	return inside
}

func normInf(n int, a []float64) float64 {
	top := 0.0
	for j := range n {
		sum := 0.0
		for i := range n {
			sum += math.Abs(a[j+i*n])
		}
		top = max(top, sum)
	}
	return top
}
