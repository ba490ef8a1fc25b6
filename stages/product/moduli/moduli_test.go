package moduli

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// published holds the constants of emulated products for some numbers of moduli. A separate program
// computed them.
var published = []struct {
	n, exponent int
	bound       uint64
	inverse     []int64
}{
	{12, 46, 1873906881, []int64{185, 211, 124, 76, 72, 231, 45, 78, 45, 217, 10, 149}},
	{13, 50, 1544509187, []int64{195, 1, 238, 224, 245, 161, 24, 60, 112, 29, 185, 156, 46}},
	{14, 54, 1200614563, []int64{37, 214, 183, 15, 175, 197, 95, 149, 210, 153, 206, 136, 172, 142}},
	{15, 58, 923910425, []int64{225, 137, 191, 181, 120, 1, 140, 80, 65, 63, 95, 80, 48, 128, 91}},
	{16, 62, 696541844, []int64{33, 224, 195, 157, 135, 5, 184, 231, 30, 125, 34, 69, 138, 45, 125, 116}},
}

func everyModulus(do func(p int64)) {
	for _, p := range slices.Concat(New(Most).Moduli, NewComplex(Most).Moduli) {
		do(p)
	}
}

func TestConstants(t *testing.T) {
	for _, w := range published {
		s := New(w.n)
		if s.Exponent != w.exponent || s.Bound != w.bound || !slices.Equal(s.Inverse, w.inverse) {
			t.Errorf("%d moduli: %d %d %v, want %+v", w.n, s.Exponent, s.Bound, s.Inverse, w)
		}
	}
	if p := New(14).P.String(); p != "1451455329416086687492492043070720" {
		t.Errorf("P of 14 moduli is %s", p)
	}
}

// TestComplexConstants compares the constants of complex products with published ones. The
// published log₂P have two decimals.
func TestComplexConstants(t *testing.T) {
	roots := []int64{64, 89, 107, 21, 32, 14, 81, 19, 80, 28, 44, 37, 15, 33, 10, 22}
	for n, want := range map[int]float64{14: 104.43, 15: 111.09, 16: 117.69} {
		s := NewComplex(n)
		if !slices.Equal(s.Roots, roots[:n]) {
			t.Errorf("%d moduli: the roots of −1 are %v", n, s.Roots)
		}
		p, _ := new(big.Float).SetInt(s.P).Float64()
		if log := math.Log2(p); !(math.Abs(log-want) <= 0.005) {
			t.Errorf("%d moduli: log₂P is %g, want %g", n, log, want)
		}
		for i, p := range s.Moduli {
			if q := s.Right(i); 2*q%p != s.Inverse[i] || (s.Roots[i]*s.Roots[i]+1)%p != 0 {
				t.Errorf("modulo %d: ½·%d is %d, the square of %d is not −1", p, s.Inverse[i], q, s.Roots[i])
			}
		}
		if s.Planes() != 2*n {
			t.Errorf("%d moduli: %d planes", n, s.Planes())
		}
	}
}

func TestModuliAreCoprimeAndResiduesAreBytes(t *testing.T) {
	for _, s := range []*System{New(Most), NewComplex(Most)} {
		for i, p := range s.Moduli {
			for _, q := range s.Moduli[:i] {
				if new(big.Int).GCD(nil, nil, big.NewInt(p), big.NewInt(q)).Int64() != 1 {
					t.Errorf("%d and %d have a common divisor", p, q)
				}
			}
			for x := int64(-1000); x <= 1000; x++ {
				r := Symmetric(x, p)
				if (x-r)%p != 0 || 2*r >= p || 2*r < -p || r < -128 || r > 127 {
					t.Fatalf("%d modulo %d is %d", x, p, r)
				}
			}
		}
	}
}

// TestWeights checks the function Weights, which returns small numbers congruent to 256ᵏ·q modulo
// p. Let xₖ be the bytes of x = Σ 256ᵏ·xₖ. If the weights replace the powers 256ᵏ, the sum must be
// congruent to q·x modulo p, and its magnitude must be below 2¹⁸.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	everyModulus(func(p int64) {
		for q := int64(1); q < p; q += 1 + r.Int64N(20) {
			low, high := Weights(p, q)
			x := r.Uint64()
			sum := int64(0)
			for k := range 8 {
				w := int64(int8(low >> (8 * (k % 4))))
				if k > 3 {
					w = int64(int8(high >> (8 * (k % 4))))
				}
				sum += w * int64(x>>(8*k)&255)
			}
			want := new(big.Int).Mul(new(big.Int).SetUint64(x), big.NewInt(q))
			want.Sub(want, big.NewInt(sum))
			if want.Mod(want, big.NewInt(p)).Sign() != 0 || sum >= 1<<18 || sum <= -1<<18 {
				t.Fatalf("%d·%d modulo %d: %d", x, q, p, sum)
			}
		}
	})
}

// TestReduction checks the arithmetic of residue.glsl. For each modulus p, a kernel adds the four
// bytes of a 32-bit sum, weighted by the residues of 256ᵏ. From this weighted sum it computes a low
// byte, which must be the symmetric residue of the 32-bit sum. The kernel multiplies by the
// reciprocal of p in single precision, and adds a number to round the quotient. The test tries
// reciprocals that are some ulps off. It rounds the two operations together, and each alone. The
// weighted sums are all numbers in a range. The 32-bit sums are near multiples of p, and at the
// ends of their range.
func TestReduction(t *testing.T) {
	const magic = 1.5 * (1 << 23)
	everyModulus(func(p int64) {
		low, _ := Weights(p, 1)
		exact := float32(1 / float64(p))
		inverses := []float32{exact}
		for _, towards := range []float32{0, 1} {
			off := exact
			for range 3 {
				off = math.Nextafter32(off, towards)
			}
			inverses = append(inverses, off)
		}
		residue := func(x, inverse float32, fused bool) int8 {
			quotient := float32(x*inverse) + magic
			if fused {
				quotient = float32(float64(x)*float64(inverse) + magic) // the product of two floats is exact
			}
			return int8(int64(x) - p*int64(quotient-magic))
		}
		const most = 4*255*128 + 128*128 // no weighted sum is larger; the last product bounds the offset with which it starts
		// mostOfFactors is a bound on the weighted sums of the factors. One part of an element is a
		// sum of eight weighted bytes, and a complex number has two parts. A weight is at most 128,
		// and at most 120 for the moduli of complex numbers, which are below 242.
		const mostOfFactors = max(most+4*255*128, 2*(8*255*120+128*120))
		for x := int64(-mostOfFactors); x <= mostOfFactors; x++ {
			for _, inverse := range inverses {
				for _, fused := range []bool{false, true} {
					if y := residue(float32(x), inverse, fused); int64(y) != Symmetric(x, p) {
						t.Fatalf("%d modulo %d is %d, want %d", x, p, y, Symmetric(x, p))
					}
				}
			}
		}
		const largest = 128 * 128 * MostInner
		for centre := int64(0); centre <= largest; centre += p * max(1, largest/p/100000) {
			for _, x := range []int64{centre, centre + p/2, centre + p/2 + 1, centre + p - 1, largest - centre} {
				for _, x := range []int64{min(x, largest), -min(x, largest)} {
					sum := uint32(x) + 1<<31
					weighted := int64(0)
					for k := range 4 {
						weighted += int64(uint8(sum>>(8*k))) * int64(int8(low>>(8*k)))
					}
					weighted -= 128 * int64(int8(low>>24))
					if weighted < -most || weighted > most || Symmetric(weighted, p) != Symmetric(x, p) {
						t.Fatalf("%d modulo %d: the weighted sum is %d", x, p, weighted)
					}
				}
			}
		}
	})
}

// TestLimbs checks the function Limbs: the four limbs of 20 bits must hold 2⁸⁰/p rounded to an
// integer for each modulus p, and the sums of limbs over all moduli must fit 32 bits.
func TestLimbs(t *testing.T) {
	most := int64(0)
	everyModulus(func(p int64) {
		x, limbs := new(big.Int), Limbs(p)
		for l := 3; l >= 0; l-- {
			x.Add(x.Lsh(x, 20), big.NewInt(int64(limbs[l])))
			most = max(most, int64(limbs[l]))
		}
		error := new(big.Int).Sub(new(big.Int).Mul(x, big.NewInt(p)), new(big.Int).Lsh(big.NewInt(1), 80))
		if 2*error.Int64() > p || 2*error.Int64() < -p {
			t.Errorf("2⁸⁰/%d is off by %v", p, error)
		}
	})
	if Most*128*most >= 1<<31 {
		t.Errorf("sums of limbs reach %d", Most*128*most)
	}
}
