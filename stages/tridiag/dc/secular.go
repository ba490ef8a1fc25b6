package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Secular is the eigenproblem of a diagonal matrix plus a matrix of rank one,
//
//	diag(D) + Rho·Z·Zᵀ    D strictly ascending, Z without zeros, Rho > 0, ‖Z‖ ≈ 1
//
// (LAPACK dlaed3 and dlaed4). Its K eigenvalues are the roots of
//
//	f(λ) = 1/Rho + Σ Z[j]²/(D[j] − λ)
//
// One root lies between each pole and the next one, and one root lies above the last pole. A root λ
// is stored as its nearer pole and its distance from this pole, because λ alone would lose digits
// of the differences D[i] − λ, which the eigenvectors need.
//
// Each root, each element of ZHat and each vector can be computed independently, for example by one
// thread or one workgroup. Every sum and product has one fixed order, so that the bits do not
// depend on the distribution of the work.
type Secular struct {
	D, Z []float64
	Rho  float64

	Origin []int32   // root j is D[Origin[j]] + Mu[j]; Origin[j] is j or j+1
	Mu     []float64 // distance of each root from its pole, never 0
	ZHat   []float64 // the weights, times √Rho, for which the computed roots are exact
}

func (p *Secular) Value(j int) float64 { return p.D[p.Origin[j]] + p.Mu[j] }

// delta returns D[i] − λ[j] to nearly full relative accuracy. No digits cancel: |Mu[j]| is at most
// half the distance between the two poles next to λ[j], or λ[j] is above all poles.
func (p *Secular) delta(i, j int) float64 { return (p.D[i] - p.D[p.Origin[j]]) - p.Mu[j] }

// Vector writes the unit eigenvector j to s. Its element for pole i is s[row[i]]. ZHat must be set.
//
// All vectors are orthogonal to working accuracy, however close the roots are. They are the exact
// vectors of a nearby problem, which has the weights ZHat (Gu and Eisenstat, SIAM J. Matrix Anal.
// Appl. 15, 1994).
func (p *Secular) Vector(j int, row []int32, s []float64) {
	sum := 0.0
	for i, z := range p.ZHat {
		x := z / p.delta(i, j)
		sum += x * x
		s[row[i]] = x
	}
	scale := 1 / math.Sqrt(sum)
	for i := range s[:len(row)] {
		s[i] *= scale
	}
}

// products returns the inner products of the unit eigenvector j with x and with y, which have one
// element for each pole.
func (p *Secular) products(j int, x, y []float64) (withX, withY float64) {
	sum := 0.0
	for i, z := range p.ZHat {
		s := z / p.delta(i, j)
		sum += s * s
		withX += s * x[i]
		withY += s * y[i]
	}
	scale := 1 / math.Sqrt(sum)
	return withX * scale, withY * scale
}

// weight returns ZHat[i] by Löwner's formula. If numbers λ interlace with the poles, they are the
// eigenvalues of the problem with the weights ẑ that satisfy
//
//	Rho·ẑ[i]² = (λ[i] − D[i]) · Π (λ[j] − D[i])/(D[j] − D[i])   over j ≠ i
//
// ZHat[i] is √Rho·ẑ[i]. The factor √Rho has no effect, because the vectors are normalised.
func (p *Secular) weight(i int) float64 {
	w := -p.delta(i, i)
	for j := range p.D {
		if j != i {
			w *= p.delta(i, j) / (p.D[i] - p.D[j])
		}
	}
	return math.Copysign(math.Sqrt(w), p.Z[i])
}

// solveSecular sets Origin, Mu and ZHat of each problem, on all processors.
func solveSecular(problems ...*Secular) {
	for _, p := range problems {
		k := len(p.D)
		p.Origin, p.Mu, p.ZHat = make([]int32, k), make([]float64, k), make([]float64, k)
	}
	secularEach(problems, func(p *Secular, j int) {
		origin, mu, _ := secularRoot(p.D, p.Z, p.Rho, j)
		p.Origin[j], p.Mu[j] = int32(origin), mu
	})
	secularEach(problems, func(p *Secular, i int) { p.ZHat[i] = p.weight(i) })
}

// secularEach calls f for each index of each problem, on all processors. One call costs about
// len(D) operations. A goroutine makes many calls, so that the cost of starting goroutines is
// small.
func secularEach(problems []*Secular, f func(p *Secular, i int)) {
	const portion = 1 << 14
	type part struct {
		p      *Secular
		lo, hi int
	}
	var parts []part
	for _, p := range problems {
		k := len(p.D)
		step := 1 + portion/(k+1)
		for lo := 0; lo < k; lo += step {
			parts = append(parts, part{p, lo, min(lo+step, k)})
		}
	}
	tridiag.Parallel(len(parts), func(t int) {
		for i := parts[t].lo; i < parts[t].hi; i++ {
			f(parts[t].p, i)
		}
	})
}
