package matgen

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/cblas128"
)

// A HermitianKind is a family of complex Hermitian matrices, one for each order. Its methods are
// those of a DenseKind.
type HermitianKind struct {
	name     string
	fill     func(n int, r *rand.Rand) []complex128
	spectrum func(n int, r *rand.Rand) []float64 // as in DenseKind
}

// Name returns the name of this family. The names of all families in Hermitians differ.
func (k HermitianKind) Name() string { return k.name }

// Dense returns the matrix of order n with both triangles, column-major with leading dimension n.
// Element (j, i) has exactly the conjugate of element (i, j), and the diagonal is exactly real.
func (k HermitianKind) Dense(n int) []complex128 { return k.fill(n, seeded(k.name, n)) }

// Eigenvalues returns the n eigenvalues in ascending order, if a formula is known.
func (k HermitianKind) Eigenvalues(n int) (values []float64, known bool) {
	return ascending(k.name, n, k.spectrum)
}

// Hermitians returns every family of complex test matrices. It includes every real kind with
// phases.
func Hermitians() []HermitianKind {
	kinds := []HermitianKind{
		gue, imaginary, gradedHermitian,
		Haldane(1.0/3, math.Pi/2, 0), Haldane(0.1, 0.7, 0.4),
		Harper(0, 0), Harper(0.3, 0.7),
		Unitary("even", func(n int) []float64 { return even(n, 1/ulp) }),
		Unitary("geometric", func(n int) []float64 { return geometric(n, 1/ulp) }),
		Unitary("clustered", func(n int) []float64 { return clustered(n, 1/ulp) }),
		Unitary("two-clusters", twoClusters), Unitary("triples", triples),
	}
	for _, k := range Dense() {
		kinds = append(kinds, Phased(k))
	}
	return kinds
}

// Phased makes the family D·A·Dᴴ for the matrices A of a real kind. D is diagonal with random
// elements of modulus 1. The matrix has A's eigenvalues, and its eigenvectors are D times those of
// A.
func Phased(k DenseKind) HermitianKind {
	phased := HermitianKind{name: k.name + "·phases", fill: func(n int, r *rand.Rand) []complex128 {
		a, d := k.Dense(n), Phases(n, r)
		return hermitian(n, func(i, j int) complex128 {
			turn := d[i] * cmplx.Conj(d[j])
			return complex(a[i+j*n]*real(turn), a[i+j*n]*imag(turn))
		})
	}}
	if k.spectrum != nil {
		phased.spectrum = drawless(func(n int) []float64 {
			values, _ := k.Eigenvalues(n)
			return values
		})
	}
	return phased
}

// Phases returns n random numbers of modulus 1.
func Phases(n int, r *rand.Rand) []complex128 {
	d := make([]complex128, n)
	for i := range d {
		d[i] = cmplx.Rect(1, 2*math.Pi*r.Float64())
	}
	return d
}

var (
	// gue is the Gaussian unitary ensemble: independent normal real and imaginary parts (M. L.
	// Mehta, Random Matrices, 2004, §2.5).
	gue = HermitianKind{"gue", func(n int, r *rand.Rand) []complex128 {
		return hermitian(n, func(i, j int) complex128 {
			if i == j {
				return complex(math.Sqrt2*r.NormFloat64(), 0)
			}
			return complexNormal(r)
		})
	}, nil}

	// imaginary is i·K with a skew matrix K. Its eigenvalues are pairs ±λ, and 0 for an odd order.
	imaginary = HermitianKind{"imaginary", func(n int, r *rand.Rand) []complex128 {
		return hermitian(n, func(i, j int) complex128 {
			if i == j {
				return 0
			}
			return complex(0, r.NormFloat64())
		})
	}, nil}

	// gradedHermitian has entries that grow towards the last row and column, by a factor of about
	// 2⁷⁴.
	gradedHermitian = HermitianKind{"graded-hermitian", func(n int, r *rand.Rand) []complex128 {
		return hermitian(n, func(i, j int) complex128 {
			g := math.Ldexp(1, (i+j-2*n)*37/max(1, n))
			if i == j {
				return complex(g*r.NormFloat64(), 0)
			}
			return complex(g, 0) * complexNormal(r)
		})
	}, nil}
)

func complexNormal(r *rand.Rand) complex128 { return complex(r.NormFloat64(), r.NormFloat64()) }

// Harper makes the matrices of electrons on a square lattice in a magnetic field (P. G. Harper,
// 1955; D. R. Hofstadter, Phys. Rev. B 14, 2239, 1976): 2·cos(2π·m·p/n + ky) on the diagonal,
// e^{±i·kx} beside it, and the same in the corners, which close the cycle. The flux p/n is near the
// golden ratio. A diagonal matrix of phases makes all elements real but those in the corners, where
// e^{±i·n·kx} remains.
func Harper(kx, ky float64) HermitianKind {
	return HermitianKind{fmt.Sprintf("harper(%g,%g)", kx, ky), func(n int, _ *rand.Rand) []complex128 {
		a := lattice{n, make([]complex128, n*n)}
		p := math.Round(float64(n) * (math.Sqrt(5) - 1) / 2)
		for m := range n {
			a.site(m, 2*math.Cos(2*math.Pi*math.Mod(float64(m)*p, float64(n))/float64(n)+ky))
			a.hop(m, (m+1)%n, cmplx.Rect(1, kx))
		}
		return a.entries
	}, nil}
}

// Haldane makes the matrices of F. D. M. Haldane's model of a honeycomb lattice (Phys. Rev. Lett.
// 61, 2015, 1988) with n/2 cells: hopping 1 between neighbours, t2·e^{±iφ} between second
// neighbours, and the energies ±mass of the two sites of a cell. Cells are numbered along a helix:
// the neighbours of cell c are c ± 1 and c ± w with w ≈ √(n/2), modulo n/2. So Bloch waves with the
// phases κ = 2πk/(n/2) and w·κ are eigenvectors, and the eigenvalues are those of a 2×2 matrix for
// each k. The last row of an odd order is zero.
func Haldane(t2, phi, mass float64) HermitianKind {
	// The displacements between second neighbours form a triangle: a1, a2 − a1, −a2.
	second := func(w int) [3]int { return [3]int{1, w - 1, -w} }
	width := func(cells int) int { return int(math.Round(math.Sqrt(float64(cells)))) }
	return HermitianKind{fmt.Sprintf("haldane(%.2g,%.2g,%g)", t2, phi, mass), func(n int, _ *rand.Rand) []complex128 {
		a, cells := lattice{n, make([]complex128, n*n)}, n/2
		w := width(cells)
		for c := range cells {
			site := func(by, sublattice int) int { return 2*((c+by+cells)%cells) + sublattice }
			a.site(site(0, 0), mass)
			a.site(site(0, 1), -mass)
			for _, by := range []int{0, -1, -w} {
				a.hop(site(0, 0), site(by, 1), 1)
			}
			for _, by := range second(w) {
				a.hop(site(0, 0), site(by, 0), cmplx.Rect(t2, phi))
				a.hop(site(0, 1), site(by, 1), cmplx.Rect(t2, -phi))
			}
		}
		return a.entries
	}, drawless(func(n int) []float64 {
		values, cells := make([]float64, n), n/2
		w := width(cells)
		for k := range cells {
			angle := func(by int) float64 { return 2 * math.Pi * float64(k*by%cells) / float64(cells) }
			first, last := mass, -mass // the diagonal of the 2×2 matrix
			for _, by := range second(w) {
				first += 2 * t2 * math.Cos(phi-angle(by))
				last += 2 * t2 * math.Cos(phi+angle(by))
			}
			mixed := cmplx.Abs(1 + cmplx.Rect(1, angle(-1)) + cmplx.Rect(1, angle(-w)))
			middle, radius := (first+last)/2, math.Hypot((first-last)/2, mixed)
			values[2*k], values[2*k+1] = middle-radius, middle+radius
		}
		return values
	})}
}

// A lattice is the matrix of a model of electrons that hop between n sites.
type lattice struct {
	n       int
	entries []complex128
}

func (l lattice) site(i int, energy float64) { l.entries[i+i*l.n] += complex(energy, 0) }

// hop adds the given amplitude from site `from` to site `to`, and the conjugate one back.
func (l lattice) hop(from, to int, amplitude complex128) {
	l.entries[to+from*l.n] += amplitude
	l.entries[from+to*l.n] += cmplx.Conj(amplitude)
}

// Unitary makes a kind of test matrices with given eigenvalues: Uᴴ·diag(`values`)·U. The random
// unitary matrix U is a product of n−1 Householder reflectors of the lengths 2 to n, as in LAPACK's
// zlaghe.
func Unitary(name string, values func(n int) []float64) HermitianKind {
	return HermitianKind{"unitary-" + name, func(n int, r *rand.Rand) []complex128 {
		a := make([]complex128, n*n)
		for i, v := range values(n) {
			a[i+i*n] = complex(v, 0)
		}
		for i := n - 2; i >= 0; i-- { // as in `similar`
			v := cblas128.Vector{N: n - i, Inc: 1, Data: make([]complex128, n-i)}
			for j := range v.Data {
				v.Data[j] = complexNormal(r)
			}
			// The lower triangle is the upper one of gonum's row-major storage, where the matrix is
			// Aᵀ.
			sub := cblas128.Hermitian{Uplo: blas.Upper, N: n - i, Stride: n, Data: a[i+i*n:]}
			tau := complex(2/math.Pow(cblas128.Nrm2(v), 2), 0)
			q := cblas128.Vector{N: n - i, Inc: 1, Data: make([]complex128, n-i)}
			cblas128.Hemv(tau, sub, v, 0, q)
			cblas128.Axpy(-tau/2*cblas128.Dotc(q, v), v, q)
			cblas128.Her2(-1, v, q, sub)
		}
		return hermitian(n, func(i, j int) complex128 { return a[i+j*n] })
	}, drawless(values)}
}

// hermitian returns a Hermitian matrix with both triangles. The formula `at` gives the elements of
// the lower triangle, and is called column by column. Imaginary parts of the diagonal are dropped.
func hermitian(n int, at func(i, j int) complex128) []complex128 {
	a := make([]complex128, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			v := at(i, j)
			a[i+j*n], a[j+i*n] = v, cmplx.Conj(v)
		}
		a[j+j*n] = complex(real(a[j+j*n]), 0)
	}
	return a
}
