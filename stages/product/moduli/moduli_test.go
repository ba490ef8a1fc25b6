package moduli

import (
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

func TestModuliAreCoprimeAndResiduesAreBytes(t *testing.T) {
	for i := range Most {
		p := Modulus(i)
		for j := range i {
			if new(big.Int).GCD(nil, nil, big.NewInt(p), big.NewInt(Modulus(j))).Int64() != 1 {
				t.Errorf("%d and %d have a common divisor", p, Modulus(j))
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

// TestWeights checks the function Weights, which returns small numbers congruent to 256ᵏ·q modulo
// p. Let xₖ be the bytes of x = Σ 256ᵏ·xₖ. If the weights replace the powers 256ᵏ, the sum must be
// congruent to q·x modulo p, and its magnitude must be below 2¹⁸.
func TestWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range Most {
		p := Modulus(i)
		for q := int64(1); q < p; q += 1 + r.Int64N(20) {
			low, high := Weights(i, q)
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
	}
}

// TestReduction checks the reduction of 32-bit sums modulo p: one step must give the symmetric
// residue of every sum of OnePass terms, and two steps must give the symmetric residue of every sum
// of MostInner terms. The test uses sums half-way between two multiples of p, because the rounding
// changes there.
func TestReduction(t *testing.T) {
	step := func(x, p, m int64) int64 { return x - (x*m+1<<31)>>32*p }
	for i := 1; i < Most; i++ { // modulo 256 there is no reduction: the low byte is the residue
		p, m := Modulus(i), Multiplier(i)
		for _, c := range []struct {
			most  int64
			steps int
		}{{127 * 127 * OnePass, 1}, {127 * 127 * MostInner, 2}} {
			for centre := int64(0); centre <= c.most; centre += p * max(1, c.most/p/100000) {
				for _, x := range []int64{centre, centre + p/2, centre + p/2 + 1, centre + p - 1, c.most - centre} {
					x = min(x, c.most)
					for _, x := range []int64{x, -x} {
						y := x
						for range c.steps {
							y = step(y, p, m)
						}
						if y != Symmetric(x, p) {
							t.Fatalf("%d modulo %d is %d, not %d, after %d steps", x, p, Symmetric(x, p), y, c.steps)
						}
					}
				}
			}
		}
	}
}

// TestLimbs checks the function Limbs: the four limbs of 20 bits must hold 2⁸⁰/p rounded to an
// integer for each modulus p, and the sums of limbs over all moduli must fit 32 bits.
func TestLimbs(t *testing.T) {
	most := int64(0)
	for i := range Most {
		x, limbs := new(big.Int), Limbs(i)
		for l := 3; l >= 0; l-- {
			x.Add(x.Lsh(x, 20), big.NewInt(int64(limbs[l])))
			most = max(most, int64(limbs[l]))
		}
		error := new(big.Int).Sub(new(big.Int).Mul(x, big.NewInt(Modulus(i))), new(big.Int).Lsh(big.NewInt(1), 80))
		if 2*error.Int64() > Modulus(i) || 2*error.Int64() < -Modulus(i) {
			t.Errorf("2⁸⁰/%d is off by %v", Modulus(i), error)
		}
	}
	if Most*128*most >= 1<<31 {
		t.Errorf("sums of limbs reach %d", Most*128*most)
	}
}
