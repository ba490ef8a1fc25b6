// Package moduli, internal to vkevd, holds the constants of double-precision products on integer
// units (Ozaki's scheme II, arXiv 2504.08009).
//
// Factors of doubles are scaled and rounded to integers. Each integer is kept as its residues
// modulo small numbers pᵢ that have no common divisor. The product of the integers is computed
// modulo each pᵢ in signed bytes with 32-bit sums. The Chinese remainder theorem (CRT) gives the
// product modulo P = ∏pᵢ from these residues.
//
// Products of complex numbers have moduli of their own, modulo each of which −1 is a square: ι² ≡
// −1 modulo p for an integer ι. The number a + i·b has two residues, those of a + ι·b and of a −
// ι·b. Modulo p, the residues of a sum or of a product of complex numbers are the sums or the
// products of their residues. So a product of complex numbers needs two products of bytes for each
// modulus, and not four. The two residues of the conjugate a − i·b are those of a + i·b in the
// other order.
//
// The kernels have the same numbers in moduli.glsl, and a test compares them.
package moduli

import (
	"fmt"
	"math"
	"math/big"
)

// Least and Most limit the number of moduli of an emulated product that is as accurate as a native
// one. With 13 moduli, the errors satisfy the error bounds of native products if the inner
// dimension is 89 or more. With 14 moduli they satisfy them for every inner dimension.
const (
	Least = 13
	Most  = 16

	// Rough is the number of moduli for iterations whose later steps correct the errors. The errors
	// are at most a few times 2⁻³⁹ of the norms of the factors. Fewest is the smallest number of
	// moduli that the kernels support.
	Rough, Fewest = 10, 6

	// LeastComplex takes the place of Least for complex numbers, whose moduli are smaller.
	LeastComplex = 14
)

// Inexact lists the numbers of moduli below Least that the kernels support, in ascending order.
func Inexact() []int { return []int{Fewest, 8, Rough} }

// Counts lists all numbers of moduli that the kernels support for real numbers, in ascending order,
// and ComplexCounts those for complex numbers.
func Counts() []int        { return append(Inexact(), Least, 14, 15, Most) }
func ComplexCounts() []int { return []int{LeastComplex, 15, Most} }

// MostInner is the largest inner dimension of a product. 128²·MostInner is less than 2³¹, so the
// 32-bit sums of products of residues are exact.
const MostInner = 131071

// The moduli p₀, p₁, … A residue is a signed byte. Modulo 256 a residue lies in [−128, 127]. Modulo
// each other modulus p, a residue lies in [−(p−1)/2, (p−1)/2]. Every prime factor of a modulus for
// complex numbers is 1 modulo 4, so −1 is a square. These are the sets of Most such numbers up to
// 256 without common divisors whose products are largest.
var (
	reals     = []int64{256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193}
	complexes = []int64{241, 233, 229, 221, 205, 197, 193, 181, 173, 157, 149, 137, 113, 109, 101, 97}
)

// System holds the constants that depend on the number of moduli.
type System struct {
	// N is the number of moduli. P is the product of all moduli.
	N      int
	P      *big.Int
	Moduli []int64

	// Roots has a number ι with ι² ≡ −1 for each modulus if the products are complex, or is nil.
	Roots []int64

	// Exponent is the integer A and Bound is ⌊c·2²⁹⌋, where c·4^A = P/2·(1−2⁻²⁰) and 1 ≤ c < 4. P
	// is the product of the moduli. The scaling of the rows of factors uses A and c.
	Exponent int
	Bound    uint64

	// Inverse has qᵢ = (P/pᵢ)⁻¹ modulo pᵢ for each modulus pᵢ, where P is the product of the
	// moduli.
	Inverse []int64
}

// New returns the constants for products of real numbers modulo n numbers, and NewComplex those for
// complex numbers. They panic if n is not between 2 and Most.
func New(n int) *System        { return newSystem(reals, n) }
func NewComplex(n int) *System { return newSystem(complexes, n).withRoots() }

func newSystem(all []int64, n int) *System {
	if n < 2 || n > Most {
		panic(fmt.Sprintf("moduli: %d moduli", n))
	}
	s := &System{N: n, P: big.NewInt(1), Moduli: all[:n]}
	for _, p := range s.Moduli {
		s.P.Mul(s.P, big.NewInt(p))
	}
	for _, p := range s.Moduli {
		m := big.NewInt(p)
		s.Inverse = append(s.Inverse, new(big.Int).ModInverse(new(big.Int).Quo(s.P, m), m).Int64())
	}
	// `half` is P/2·(1−2⁻²⁰) in units of 2⁻²¹. With the largest A for which 4^A ≤ P/2·(1−2⁻²⁰), c
	// satisfies 1 ≤ c < 4.
	half := new(big.Int).Mul(s.P, big.NewInt(1<<20-1))
	s.Exponent = (half.BitLen() - 1 - 21) / 2
	s.Bound = new(big.Int).Rsh(new(big.Int).Lsh(half, 29), uint(21+2*s.Exponent)).Uint64()
	return s
}

func (s *System) withRoots() *System {
	for _, p := range s.Moduli {
		root := int64(1)
		for root*root%p != p-1 {
			root++
		}
		s.Roots = append(s.Roots, root)
	}
	return s
}

// Planes returns the number of residues of one matrix element: one for each modulus, or two for a
// complex number.
func (s *System) Planes() int {
	if s.Roots != nil {
		return 2 * s.N
	}
	return s.N
}

// Right returns the number by which the residues of the right factor modulo pᵢ are multiplied. It
// is qᵢ = (P/pᵢ)⁻¹ modulo pᵢ, or ½·qᵢ for complex numbers, where P is the product of the moduli.
// With the factor ½, the real part of a complex product is the sum of its two residues.
func (s *System) Right(i int) int64 {
	if p := s.Moduli[i]; s.Roots != nil {
		return s.Inverse[i] * ((p + 1) / 2) % p
	}
	return s.Inverse[i]
}

// Symmetric returns the residue of x modulo p that lies in [−p/2, p/2).
func Symmetric(x, p int64) int64 {
	r := ((x+p/2)%p + p) % p
	return r - p/2
}

// Weights returns the residues of 256ᵏ·q modulo p for k = 0 to 7, as signed bytes in two words. The
// dot product of the eight bytes of an unsigned 64-bit integer x with these residues is congruent
// to x·q modulo p.
func Weights(p, q int64) (low, high uint32) {
	power := q % p
	for k := range 8 {
		b := uint32(uint8(Symmetric(power, p)))
		if k < 4 {
			low |= b << (8 * k)
		} else {
			high |= b << (8 * (k - 4))
		}
		power = power * 256 % p
	}
	return low, high
}

// Error returns a bound on the errors of an element of a product: it is relative to the norms of
// the row and of the column whose product the element is. The bound is 8/√P, where P is the product
// of the moduli. A row is scaled to integers below √P, so the error of rounding is about 1/√P.
func (s *System) Error() float64 {
	p, _ := new(big.Float).SetInt(s.P).Float64()
	return 8 / math.Sqrt(p)
}

const FractionBits = 80

// Fraction returns round(2⁸⁰/p), which is the reciprocal of p with FractionBits bits after the
// binary point.
func Fraction(modulus int64) *big.Int {
	p := big.NewInt(modulus)
	x := new(big.Int).Lsh(big.NewInt(1), FractionBits)
	return x.Quo(x.Add(x, new(big.Int).Rsh(p, 1)), p)
}

// Limbs returns the 80-bit number Fraction(p) as four limbs of 20 bits, the lowest bits first.
func Limbs(p int64) (limbs [4]uint32) {
	g := Fraction(p)
	for l := range limbs {
		limbs[l] = uint32(new(big.Int).Rsh(g, uint(20*l)).Uint64() & (1<<20 - 1))
	}
	return limbs
}

// Parts returns P, the product of the moduli, rounded to a double: 2^exponent·(1 + fraction·2⁻⁵²).
func (s *System) Parts() (fraction uint64, exponent int) {
	f, _ := new(big.Float).SetInt(s.P).Float64()
	bits := math.Float64bits(f)
	return bits & (1<<52 - 1), int(bits>>52) - 1023
}
