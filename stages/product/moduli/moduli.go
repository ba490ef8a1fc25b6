// Package moduli, internal to vkevd, holds the constants of double-precision products on integer
// units (Ozaki's scheme II, arXiv 2504.08009).
//
// Factors of doubles are scaled and rounded to integers. Each integer is kept as its residues
// modulo small numbers pᵢ that have no common divisor. The product of the integers is computed
// modulo each pᵢ in signed bytes with 32-bit sums. The Chinese remainder theorem (CRT) gives the
// product modulo P = ∏pᵢ from these residues.
//
// The kernels have the same numbers in moduli.glsl, and a test compares them.
package moduli

import (
	"fmt"
	"math"
	"math/big"
)

// Least and Most limit the number of moduli of a product on integer units. With 13 moduli, the
// errors satisfy the error bounds of native products if the inner dimension is 89 or more. With 14
// moduli, the errors satisfy these bounds for every inner dimension.
const (
	Least = 13
	Most  = 16

	// Rough is the number of moduli for iterations whose later steps correct the errors. The errors
	// are at most a few times 2⁻³⁹ of the norms of the factors. Fewest is the smallest number of
	// moduli that the kernels support.
	Rough, Fewest = 10, 6
)

// Inexact lists the numbers of moduli below Least that the kernels support, in ascending order.
func Inexact() []int { return []int{Fewest, 8, Rough} }

// Counts lists all numbers of moduli that the kernels support, in ascending order.
func Counts() []int { return append(Inexact(), Least, 14, 15, Most) }

// MostInner is the largest inner dimension of a product. 128²·MostInner is less than 2³¹, so the
// 32-bit sums of products of residues are exact.
const MostInner = 131071

// all has the moduli p₀, p₁, … A residue is a signed byte. Modulo 256 a residue lies in [−128,
// 127]. Modulo each other modulus p, a residue lies in [−(p−1)/2, (p−1)/2].
var all = [Most]int64{256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193}

func Modulus(i int) int64 { return all[i] }

// System holds the constants that depend on the number of moduli.
type System struct {
	// N is the number of moduli. P is the product of all moduli.
	N int
	P *big.Int

	// Exponent is the integer A and Bound is ⌊c·2²⁹⌋, where c·4^A = P/2·(1−2⁻²⁰) and 1 ≤ c < 4. P
	// is the product of the moduli. The scaling of the rows of factors uses A and c.
	Exponent int
	Bound    uint64

	// Inverse has qᵢ = (P/pᵢ)⁻¹ modulo pᵢ for each modulus pᵢ. The residues of the right factor
	// modulo pᵢ are multiplied by qᵢ.
	Inverse []int64
}

// New returns the constants for n moduli. New panics if n is not between 2 and Most.
func New(n int) *System {
	if n < 2 || n > Most {
		panic(fmt.Sprintf("moduli: %d moduli", n))
	}
	s := &System{N: n, P: big.NewInt(1)}
	for _, p := range all[:n] {
		s.P.Mul(s.P, big.NewInt(p))
	}
	for _, p := range all[:n] {
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

// Symmetric returns the residue of x modulo p that lies in [−p/2, p/2).
func Symmetric(x, p int64) int64 {
	r := ((x+p/2)%p + p) % p
	return r - p/2
}

// Weights returns the residues of 256ᵏ·q modulo the modulus pᵢ for k = 0 to 7, as signed bytes in
// two words. The dot product of the eight bytes of an unsigned 64-bit integer x with these residues
// is congruent to x·q modulo pᵢ.
func Weights(i int, q int64) (low, high uint32) {
	p := all[i]
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

// Fraction returns round(2⁸⁰/pᵢ), which is the reciprocal of the modulus pᵢ with FractionBits bits
// after the binary point.
func Fraction(i int) *big.Int {
	p := big.NewInt(all[i])
	x := new(big.Int).Lsh(big.NewInt(1), FractionBits)
	return x.Quo(x.Add(x, new(big.Int).Rsh(p, 1)), p)
}

// Limbs returns the 80-bit number Fraction(i) as four limbs of 20 bits. The first limb has the
// lowest bits.
func Limbs(i int) (limbs [4]uint32) {
	g := Fraction(i)
	for l := range limbs {
		limbs[l] = uint32(new(big.Int).Rsh(g, uint(20*l)).Uint64() & (1<<20 - 1))
	}
	return limbs
}

// Parts returns P, rounded to a double, as 2^exponent·(1 + fraction·2⁻⁵²).
func (s *System) Parts() (fraction uint64, exponent int) {
	f, _ := new(big.Float).SetInt(s.P).Float64()
	bits := math.Float64bits(f)
	return bits & (1<<52 - 1), int(bits>>52) - 1023
}
