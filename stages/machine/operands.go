package machine

import (
	"math"
	"math/rand/v2"
)

// operand holds the numbers for one test quotient x/y and one test square root √z. x, y and z are
// finite, y is not 0, and z is not negative.
type operand struct{ x, y, z float64 }

const each = 1 << 14

// operands returns operands of two kinds. The quotients of the first kind are as near to the middle
// between two doubles as possible, and the roots are very near to it. There an inexact division or
// root rounds to the wrong double. The operands of the second kind are random numbers of many
// magnitudes.
func operands() []operand {
	r := rand.New(rand.NewPCG(754, 2008))
	roots := hardRoots(each)
	var list []operand
	for i := range each {
		x, y := hardQuotient(r)
		list = append(list, operand{x, y, roots[i]})
	}
	for range each {
		list = append(list, operand{anyDouble(r), anyDouble(r), math.Abs(anyDouble(r))})
	}
	return list
}

var subnormals = []operand{{0x1p-1040, 4, 1}, {0x1p-1000, 0x1p60, 1}, {3 * 0x1p-1074, 3, 1}, {0x1p-1060, 0x1p-1062, 1}}

// anyDouble returns a random number whose exponent is far from both ends of the range. Therefore
// quotients of such numbers are normal numbers (not subnormal), and so are the remainders from
// which errors are computed.
func anyDouble(r *rand.Rand) float64 {
	const spread = 400
	return math.Ldexp(1+r.Float64(), r.IntN(2*spread)-spread) * float64(1-2*r.IntN(2))
}

// hardQuotient returns integers X and Y below 2⁵³ with
//
//	2⁵⁴·X = M·Y ∓ 1,   M odd with 54 bits.
//
// Then X/Y differs from M·2⁻⁵⁴, the middle between two doubles, by only 2⁻⁵⁴/Y. Such an X exists
// because every odd Y has an inverse modulo 2⁵⁴.
func hardQuotient(r *rand.Rand) (x, y float64) {
	const bits = 54
	for {
		divisor := 1<<(bits-2) | r.Uint64N(1<<(bits-2)) | 1
		c := uint64(1 - 2*r.IntN(2)) // 1, or −1 modulo 2⁶⁴
		m := c * inverse(divisor) % (1 << bits)
		if m>>(bits-1) == 0 {
			continue // the quotient would have a bit less
		}
		hi, lo := mul(m, divisor)
		if c == 1 {
			hi, lo = sub(hi, lo, 1)
		} else {
			hi, lo = add(hi, lo, 1)
		}
		return float64(hi<<(64-bits) | lo>>bits), float64(divisor)
	}
}

// inverse returns the inverse of the odd number a modulo 2⁶⁴, by Newton's iteration. The first
// guess a has three correct low bits. Each step doubles the number of correct bits.
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// hardRoots returns numbers Z below 2⁵³ with 2ᵏ·Z = M² − c, where M is odd with 54 bits, c is
// small, and k is 54. (For k = 55 it returns 2·Z.) Then √Z is nearly M·2⁻²⁷, the middle between two
// doubles; the relative difference is about c/(2·M²). Such an M exists for c ≡ 1 modulo 8, because
// such a c has four square roots modulo 2ᵏ.
func hardRoots(count int) []float64 {
	const bits = 54
	var list []float64
	for c := int64(1); len(list) < count; c = next(c) {
		for _, k := range []int{bits, bits + 1} {
			root := squareRoot(uint64(c), k)
			for _, m := range []uint64{root, -root, root + 1<<(k-1), -root + 1<<(k-1)} {
				m %= 1 << k
				if m>>(bits-1) != 1 {
					continue // fewer bits than 54, or more
				}
				hi, lo := mul(m, m)
				if c > 0 {
					hi, lo = sub(hi, lo, uint64(c))
				} else {
					hi, lo = add(hi, lo, uint64(-c))
				}
				z := hi<<(64-k) | lo>>k
				if z>>(bits-2) == 1 { // 53 bits: M² < 2¹⁰⁷ if k = 54, M² > 2¹⁰⁷ if k = 55
					list = append(list, float64(z<<(k-bits)))
				}
			}
		}
	}
	return list[:count]
}

// next returns the number after c in the sequence 1, −7, 9, −15, 17 … of numbers 1 modulo 8.
func next(c int64) int64 {
	if c > 0 {
		return c - 8*((c-1)/4+1)
	}
	return c + 8*((1-c)/4)
}

// squareRoot returns a square root of c modulo 2ᵏ, for c ≡ 1 modulo 8. It finds the bits one by
// one: if x² ≡ c modulo 2ʲ, then x or x + 2ʲ⁻¹ is a root modulo 2ʲ⁺¹.
func squareRoot(c uint64, k int) uint64 {
	x := uint64(1)
	for j := 3; j < k; j++ {
		if (x*x-c)>>j&1 != 0 {
			x += 1 << (j - 1)
		}
	}
	return x
}
