package dc

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages/tridiag"

	"gonum.org/v1/gonum/floats"
)

// secularFamilies are families of poles and weights. The gaps between poles and the weights are
// above 8 ulp, as after deflation, unless the name contains "wild".
var secularFamilies = []struct {
	name   string
	gap, z func(r *rand.Rand, i int) float64
}{
	{"uniform", secularUniform, secularNormal},
	{"equal gaps, equal weights", secularOne, secularOne},
	{"graded weights", secularUniform, secularDecades(14)},
	{"graded gaps", secularDecades(13), secularNormal},
	{"graded gaps and weights", secularDecades(13), secularDecades(14)},
	{"clusters", func(_ *rand.Rand, i int) float64 { return []float64{1, 1e-12}[min(i%10, 1)] }, secularNormal},
	{"one large weight in two", secularOne, func(_ *rand.Rand, i int) float64 { return []float64{1, 1e-9}[i%2] }},
	{"all poles but one together", func(_ *rand.Rand, i int) float64 { return []float64{1, 1e-14}[min(i, 1)] },
		secularOne},
	{"wild weights", secularUniform, secularDecades(50)},
	{"wild gaps", secularDecades(50), secularNormal},
	{"wild gaps and weights", secularDecades(50), secularDecades(120)},
}

func secularUniform(r *rand.Rand, _ int) float64 { return r.Float64() }
func secularNormal(r *rand.Rand, _ int) float64  { return r.NormFloat64() }
func secularOne(*rand.Rand, int) float64         { return 1 }
func secularDecades(k float64) func(*rand.Rand, int) float64 {
	return func(r *rand.Rand, _ int) float64 { return math.Pow(10, -k*r.Float64()) }
}

// secularEachProblem calls f for secular equations of every family. The first pole is 0, so that
// small gaps are not lost. The last pole is at most about 1. The norm of the weights is 1.
func secularEachProblem(f func(name string, p *Secular)) {
	for _, family := range secularFamilies {
		for _, k := range []int{1, 2, 3, 4, 7, 20, 65} {
			for _, rho := range []float64{1e-12, 1e-6, 1e-2, 1, 2} {
				r := rand.New(rand.NewPCG(uint64(k), 7))
				gaps, z, d := make([]float64, k), make([]float64, k), make([]float64, k)
				for i := range k {
					gaps[i], z[i] = family.gap(r, i), family.z(r, i)
				}
				floats.Scale(1/floats.Norm(z, 2), z)
				sum := floats.Sum(gaps)
				for i := 1; i < k; i++ {
					d[i] = max(d[i-1]+gaps[i]/sum, math.Nextafter(d[i-1], 2))
				}
				f(fmt.Sprintf("%s k=%d rho=%g", family.name, k, rho), &Secular{D: d, Z: z, Rho: rho})
			}
		}
	}
}

// TestSecularRoots checks each computed root of a secular equation by exact arithmetic. The root
// must lie strictly between its poles, its origin must be the nearer pole, and it must solve the
// equation up to rounding errors of the terms.
func TestSecularRoots(t *testing.T) {
	most, worst := 0, 0.0
	secularEachProblem(func(name string, p *Secular) {
		k := len(p.D)
		for j := range k {
			origin, mu, steps := secularRoot(p.D, p.Z, p.Rho, j)
			most = max(most, steps)
			ok := origin == j && mu > 0
			if j+1 < k {
				gap := p.D[j+1] - p.D[j]
				ok = ok && mu <= gap/2 || origin == j+1 && mu < 0 && -mu <= gap/2
			}
			if !ok {
				t.Fatalf("%s: root %d is %d%+g", name, j, origin, mu)
			}
			bad := secularExact(p, origin, mu)
			worst = max(worst, bad)
			if !(bad <= 2*(8+math.Sqrt(float64(k)))) {
				t.Errorf("%s: root %d = %d%+g is off by %.3g ulp of its terms", name, j, origin, mu, bad)
			}
		}
	})
	if most > 40 {
		t.Errorf("a root took %d steps", most)
	}
	t.Logf("at most %d steps, %.3g ulp of the terms", most, worst)
}

// secularExact computes the function f of the secular equation with 2000 bits at the root d[origin]
// + mu. It returns |f|, divided by the sum of the magnitudes of all terms and by the roundoff.
func secularExact(p *Secular, origin int, mu float64) float64 {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }
	lambda := num(p.D[origin])
	lambda.Add(lambda, num(mu))
	sum := num(1)
	sum.Quo(sum, num(p.Rho))
	terms, _ := sum.Float64()
	for i, d := range p.D {
		x := num(p.Z[i])
		x.Mul(x, x).Quo(x, new(big.Float).Sub(num(d), lambda))
		sum.Add(sum, x)
		v, _ := x.Float64()
		terms += math.Abs(v)
	}
	f, _ := sum.Float64()
	return math.Abs(f) / (terms * tridiag.Roundoff)
}

// TestSecularVectors checks the eigenvectors that are computed from the roots of secular equations.
// With k poles, they must be orthonormal up to 10·k·ulp, and the residuals must be at most
// 10·k·ulp·(1 + Rho).
func TestSecularVectors(t *testing.T) {
	worstO, worstR := 0.0, 0.0
	secularEachProblem(func(name string, p *Secular) {
		k := len(p.D)
		solveSecular(p)
		row := make([]int32, k)
		for i := range row {
			row[i] = int32(k - 1 - i)
		}
		s := make([][]float64, k)
		unit := float64(k) * 2 * tridiag.Roundoff
		for j := range s {
			s[j] = make([]float64, k)
			p.Vector(j, row, s[j])
			for i := range j + 1 {
				dot := floats.Dot(s[i], s[j])
				if i == j {
					dot--
				}
				worstO = max(worstO, math.Abs(dot)/unit)
				if !(math.Abs(dot) < 10*unit) {
					t.Errorf("%s: vectors %d and %d: %.3g·k·ulp", name, i, j, dot/unit)
				}
			}
			residual, zs := 0.0, 0.0
			for i, r := range row {
				zs += p.Z[i] * s[j][r]
			}
			for i, r := range row {
				residual += math.Abs((p.D[i]-p.Value(j))*s[j][r] + p.Rho*p.Z[i]*zs)
			}
			residual /= unit * (1 + p.Rho)
			worstR = max(worstR, residual)
			if !(residual < 10) {
				t.Errorf("%s: vector %d: residual %.3g·k·ulp", name, j, residual)
			}
		}
	})
	t.Logf("worst orthogonality %.3g, residual %.3g", worstO, worstR)
}

func BenchmarkSecular(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	p := &Secular{D: make([]float64, 1000), Z: make([]float64, 1000), Rho: 1}
	for i := range p.D {
		p.D[i] = (float64(i) + r.Float64()) / 1000
		p.Z[i] = r.NormFloat64() / math.Sqrt(1000)
	}
	for range b.N {
		solveSecular(p)
	}
}
