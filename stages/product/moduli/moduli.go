// Package moduli, internal to vkevd, holds the constants of double-precision products on integer
// units (Ozaki's scheme II, arXiv 2504.08009).
//
// Factors of doubles are scaled and rounded to integers. Each integer is kept as its residues
// modulo small numbers pᵢ that have no common divisor. The product of the integers is computed
// modulo each pᵢ in signed bytes with 32-bit sums. The Chinese remainder theorem (CRT) puts it
// together modulo P = ∏pᵢ.
//
// The package is plain Go and needs no device. The kernels have the same numbers in moduli.glsl,
// which a test compares with these.
package moduli

import (
	"fmt"
	"math"
	"math/big"
)

// Least and Most are the numbers of moduli that a product may use. With 13, errors are as large as
// the bounds of native products for an inner dimension of 89 and more. With 14 they satisfy these
// bounds for every inner dimension.
const (
	Least = 13
	Most  = 16
)

// MostInner is the largest inner dimension: 128²·MostInner is less than 2³¹, so that 32-bit sums
// are exact.
const MostInner = 131071

// OnePass is the largest inner dimension for which one step reduces a sum modulo pᵢ < 256, whose
// residues are at most 127. Sums of a longer inner dimension take two. Modulo 256 the low byte is
// taken.
const OnePass = 1082

// all are the moduli p₀, p₁, … A residue is a signed byte: for 256 in [−128, 127], otherwise in
// [−(p−1)/2, (p−1)/2].
var all = [Most]int64{256, 255, 253, 251, 247, 241, 239, 233, 229, 227, 223, 217, 211, 199, 197, 193}

// Modulus is pᵢ.
func Modulus(i int) int64 { return all[i] }

// System is the constants that depend on the number of moduli.
type System struct {
	// N is the number of moduli, P their product.
	N int
	P *big.Int

	// Exponent and Bound are A and ⌊c·2²⁹⌋ of the scaling: c·4^A = P/2·(1−2⁻²⁰), 1 ≤ c < 4.
	Exponent int
	Bound    uint64

	// Inverse is qᵢ = (P/pᵢ)⁻¹ modulo pᵢ. The residues of the right factor are multiplied by it.
	Inverse []int64
}

// New computes the constants for n moduli. It panics if n is not between 2 and Most.
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
	// half is P/2·(1−2⁻²⁰) in units of 2⁻²¹. The largest A with 4^A ≤ half makes 1 ≤ c < 4.
	half := new(big.Int).Mul(s.P, big.NewInt(1<<20-1))
	s.Exponent = (half.BitLen() - 1 - 21) / 2
	s.Bound = new(big.Int).Rsh(new(big.Int).Lsh(half, 29), uint(21+2*s.Exponent)).Uint64()
	return s
}

// Symmetric is the residue of x modulo p that is nearest to zero: in [−p/2, p/2).
func Symmetric(x, p int64) int64 {
	r := ((x+p/2)%p + p) % p
	return r - p/2
}

// Weights are the residues of 256ᵏ·q modulo pᵢ, k = 0 to 7, as signed bytes in two words. The
// packed dot product of a 64-bit integer's bytes with them is congruent to the integer times q.
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

// Multiplier is round(2³²/pᵢ), which replaces a division by pᵢ.
func Multiplier(i int) int64 { return (1<<32 + all[i]/2) / all[i] }

// FractionBits is the number of bits of Fraction.
const FractionBits = 80

// Fraction is round(2⁸⁰/pᵢ).
func Fraction(i int) *big.Int {
	p := big.NewInt(all[i])
	x := new(big.Int).Lsh(big.NewInt(1), FractionBits)
	return x.Quo(x.Add(x, new(big.Int).Rsh(p, 1)), p)
}

// Limbs is Fraction in four limbs of 20 bits, the lowest first.
func Limbs(i int) (limbs [4]uint32) {
	g := Fraction(i)
	for l := range limbs {
		limbs[l] = uint32(new(big.Int).Rsh(g, uint(20*l)).Uint64() & (1<<20 - 1))
	}
	return limbs
}

// Parts is P rounded to a double, 2^exponent·(1 + fraction·2⁻⁵²): its fraction and its exponent.
func (s *System) Parts() (fraction uint64, exponent int) {
	f, _ := new(big.Float).SetInt(s.P).Float64()
	bits := math.Float64bits(f)
	return bits & (1<<52 - 1), int(bits>>52) - 1023
}
