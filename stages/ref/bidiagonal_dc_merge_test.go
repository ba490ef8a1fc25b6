package ref

import (
	"math"
	"math/big"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag"
)

// mergedPoles returns the singular triplets of a merged matrix M with the diagonal `sigma` and the
// full row z. Their vectors are unit vectors, so that the triplets describe M itself.
func mergedPoles(sigma, z []float64) []triplet {
	s, w := unitVectors(len(sigma)), unitVectors(len(sigma))
	p := make([]triplet, len(sigma))
	for i := range p {
		p[i] = triplet{sigma[i], s[i], w[i], z[i]}
	}
	return p
}

// fromPoles returns the largest element of M − S·M'·Wᵀ. M is the matrix before deflation: its first
// row is z and its diagonal is `sigma`. M' is the matrix after deflation: its first row has the
// elements z of the remaining poles, and its diagonal has the singular values of all triplets. S
// and W hold the vectors of all triplets.
func fromPoles(sigma, z []float64, remaining poles, solved []triplet) float64 {
	n := len(sigma)
	m := make([]float64, n*n)
	for i := range n {
		m[i+i*n] = sigma[i]
		m[i*n] += z[i]
	}
	outer := func(x float64, s, w []float64) {
		for i := range n {
			for j := range n {
				m[i+j*n] -= x * s[i] * w[j]
			}
		}
	}
	for _, p := range remaining {
		outer(p.z, remaining[0].s, p.w)
	}
	for _, t := range append(append([]triplet{}, remaining...), solved...) {
		outer(t.sigma, t.s, t.w)
	}
	return maxOf(m)
}

func maxOf(x []float64) (top float64) {
	for _, v := range x {
		top = max(top, math.Abs(v))
	}
	return top
}

// TestBidiagonalDeflation deflates a matrix M. Deflation may change an element of M by at most
// 3·tol. The remaining poles must satisfy the conditions of the secular equation.
func TestBidiagonalDeflation(t *testing.T) {
	const tol = 0x1p-40 // larger than usual, so that roundoff does not matter
	for name, c := range map[string]struct {
		sigma, z []float64
		remain   int
	}{
		"nothing":            {[]float64{0, 0.3, 0.6, 0.9}, []float64{0.5, 0.4, -0.3, 0.2}, 4},
		"z zero":             {[]float64{0, 0.3, 0.6, 0.9}, []float64{0.5, 0, -0.3, tol}, 2},
		"z small, z0 zero":   {[]float64{0, 0.3, 0.6, 0.9}, []float64{0, tol / 2, 0.3, 0.2}, 3},
		"pole zero":          {[]float64{0, 0, 0, 0.9}, []float64{-0.5, 0.4, -0.3, 0.2}, 2},
		"pole zero, z0 zero": {[]float64{0, 0, 0.6, 0.9}, []float64{0, -0.4, -0.3, 0.2}, 3},
		"pole near zero":     {[]float64{0, 0.001, 0.6, 0.9}, []float64{-0.5, 100 * tol, -0.3, 0.2}, 3},
		"equal poles":        {[]float64{0, 0.3, 0.3, 0.3}, []float64{0.5, 0.4, -0.3, 0.2}, 2},
		"close poles":        {[]float64{0, 0.3, 0.3 + tol, 0.3 + 2*tol}, []float64{0.5, 0.4, -0.3, 0.2}, 2},
		"not close poles":    {[]float64{0, 0.3, 0.3 + 9*tol, 0.9}, []float64{0.5, 0.4, -0.3, 0.2}, 4},
		"all zero":           {[]float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, 1},
	} {
		p := mergedPoles(c.sigma, c.z)
		remaining, solved := deflateBidiagonal(p[0], p[1:], tol)
		if len(remaining) != c.remain || len(remaining)+len(solved) != len(p) {
			t.Errorf("%s: %d poles remain, %d are solved", name, len(remaining), len(solved))
		}
		if off := fromPoles(c.sigma, c.z, remaining, solved); !(off <= 3*tol) {
			t.Errorf("%s: M has changed by %g tol", name, off/tol)
		}
		for i, p := range remaining {
			z := math.Abs(p.z)
			if !(z >= tol) || i > 0 && (z == tol || !(p.sigma > max(tol, remaining[i-1].sigma))) {
				t.Errorf("%s: pole %d is %g with z = %g", name, i, p.sigma, p.z)
			}
		}
		for _, p := range solved {
			if !(p.sigma >= 0) {
				t.Errorf("%s: a value is %g", name, p.sigma)
			}
		}
	}
}

// TestBidiagonalGap checks that the relative error of the function `gap` is at most two ulps,
// however close the two poles are.
func TestBidiagonalGap(t *testing.T) {
	for _, x := range [][2]float64{{1.3, 1.3 + tridiag.Ulp}, {1e-15, 0.7}, {0.7, 0.7 - 3*tridiag.Ulp}, {0, 0.3}} {
		p := poles{{sigma: x[0]}, {sigma: x[1]}}
		a, b := new(big.Float).SetPrec(200).SetFloat64(x[0]), new(big.Float).SetPrec(200).SetFloat64(x[1])
		want, _ := a.Sub(a.Mul(a, a), b.Mul(b, b)).Float64()
		if got := p.gap(0, 1); !(math.Abs(got-want) <= 2*tridiag.Ulp*math.Abs(want)) || p.gap(1, 0) != -got {
			t.Errorf("%g² − %g² is %g, want %g", x[0], x[1], got, want)
		}
	}
}

// TestBidiagonalSecularWithPolesAnUlpApart checks poles that differ by an ulp. They need no
// deflation, because the differences of their squares are computed to two ulps: the vectors must be
// orthogonal, and the values must lie between the poles.
func TestBidiagonalSecularWithPolesAnUlpApart(t *testing.T) {
	for _, z := range []float64{1, 1e-8, 1e-15} {
		sigma, row := []float64{0}, []float64{z}
		for i := range 20 {
			sigma = append(sigma, 1.3+float64(i)*tridiag.Ulp)
			row = append(row, z)
		}
		n := len(sigma)
		p := poles(mergedPoles(sigma, row))
		var s, w []float64
		solved := p.solve()
		for j, x := range solved {
			s, w = append(s, x.s...), append(w, x.w...)
			if !(x.sigma >= sigma[j]) || j+1 < n && !(x.sigma <= sigma[j+1]) {
				t.Errorf("z = %g: σ%d is %g, not between its poles", z, j, x.sigma)
			}
		}
		for name, x := range map[string][]float64{"S": s, "W": w} {
			if r := ratio.Orthogonality(n, n, x, n); !(r < threshold) {
				t.Errorf("z = %g: orthogonality of %s is %g", z, name, r)
			}
		}
		none := poles{{s: make([]float64, n), w: make([]float64, n)}}
		if off := fromPoles(sigma, row, none, solved); !(off < 20*float64(n)*tridiag.Ulp) {
			t.Errorf("z = %g: M − S·Σ·Wᵀ is %g", z, off)
		}
	}
}

func TestRotation(t *testing.T) {
	for _, x := range [][5]float64{{0, 0, 1, 0, 0}, {0, -2, 0, -1, 2}, {-2, 0, -1, 0, 2}, {3, 4, 0.6, 0.8, 5}} {
		if c, s, r := rotation(x[0], x[1]); c != x[2] || s != x[3] || r != x[4] {
			t.Errorf("rotation of (%g, %g) is %g, %g, %g", x[0], x[1], c, s, r)
		}
	}
}
