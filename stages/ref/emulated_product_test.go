package ref

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages/product/moduli"
)

// TestEmulatedFraction checks that EmulatedFraction(x)/2⁶⁴ differs from x/P by at most 2⁻⁶³, where
// P is the product of the moduli. The test includes x near ±P/2 and near zero.
func TestEmulatedFraction(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 1))
	for n := moduli.Least; n <= moduli.Most; n++ {
		s := moduli.New(n)
		half := new(big.Int).Rsh(s.P, 1)
		half.Sub(half, new(big.Int).Rsh(s.P, 40))
		var all []*big.Int
		for k := range half.BitLen() - 1 {
			all = append(all, new(big.Int).Lsh(big.NewInt(1), uint(k)))
			all = append(all, new(big.Int).Sub(half, new(big.Int).Lsh(big.NewInt(1), uint(k))))
		}
		for range 200 {
			x := new(big.Int)
			for range 3 {
				x.Add(x.Lsh(x, 62), big.NewInt(r.Int64N(1<<62)))
			}
			all = append(all, x.Mod(x, half))
		}
		for _, x := range append(all, new(big.Int)) {
			for _, x := range []*big.Int{x, new(big.Int).Neg(x)} {
				h := big.NewInt(EmulatedFraction(s, x))
				off := h.Mul(h, s.P)
				off.Sub(off, new(big.Int).Lsh(x, 64))
				if off.Abs(off).Cmp(new(big.Int).Lsh(s.P, 1)) > 0 {
					t.Fatalf("%d moduli: the fraction of %v is off by %v of 2⁻⁶⁴·P", n, x, off)
				}
			}
		}
	}
}

func TestHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 1))
	for range 10000 {
		h := int64(r.Uint64()) >> r.IntN(64)
		if halves(h) != float64(h) {
			t.Fatalf("%d becomes %g", h, halves(h))
		}
	}
}

// emulatedFamilies returns m×k factors of different kinds for tests of emulated products, by name.
func emulatedFamilies(r *rand.Rand, m, k int) map[string][]float64 {
	fill := func(at func(i, j int) float64) []float64 {
		a := make([]float64, m*k)
		for i := range a {
			a[i] = at(i%m, i/m)
		}
		return a
	}
	return map[string][]float64{
		"normal":    fill(func(int, int) float64 { return r.NormFloat64() }),
		"positive":  fill(func(int, int) float64 { return r.Float64() }),
		"rows":      fill(func(i, _ int) float64 { return r.NormFloat64() * math.Pow(10, -12*float64(i)/float64(m)) }),
		"inner":     fill(func(_, j int) float64 { return r.NormFloat64() * math.Pow(10, -12*float64(j)/float64(k)) }),
		"spread":    fill(func(int, int) float64 { return r.NormFloat64() * math.Exp(2*r.NormFloat64()) }),
		"one large": fill(func(i, j int) float64 { return r.NormFloat64() * (1 + 1e9*float64(max(0, 1-i-j))) }),
	}
}

// TestEmulatedProductObeysItsBound checks the errors of products. The error of the element that row
// a and row b give must be at most 2^(1−α)·√K·(1 + √K/2¹⁰)·‖a‖·‖b‖ + 3u·|a·bᵀ|. Here K is the inner
// dimension, α = ½·(log₂ P − 1), P is the product of the moduli, and u = 2⁻⁵³. For 13 and 14
// moduli, the root mean square of the errors over ‖a‖·‖b‖ must be at most 1.6·2^(−α)/√6 + 2⁻⁵⁴. It
// follows from the bound that 14 moduli satisfy the bound K·u·‖a‖·‖b‖ of native products.
func TestEmulatedProductObeysItsBound(t *testing.T) {
	const m, k = 24, 100
	r := rand.New(rand.NewPCG(11, 1))
	for n := moduli.Least; n <= moduli.Most; n++ {
		s := moduli.New(n)
		p, _ := new(big.Float).SetInt(s.P).Float64()
		alpha := (math.Log2(p) - 1) / 2
		for name, a := range emulatedFamilies(r, m, k) {
			b := emulatedFamilies(r, m, k)["normal"]
			c := make([]float64, m*m)
			EmulatedGemm(n, 1, EmulatedRows[float64]{a, 1, m, m, k, false}, EmulatedRows[float64]{b, 1, m, m, k, false}, 0, c, m)
			squares, worst := 0.0, 0.0
			for i := range m {
				for j := range m {
					exact, na, nb := new(big.Float).SetPrec(300), 0.0, 0.0
					for l := range k {
						x, y := a[i+l*m], b[j+l*m]
						exact.Add(exact, new(big.Float).SetPrec(300).Mul(big.NewFloat(x), big.NewFloat(y)))
						na, nb = na+x*x, nb+y*y
					}
					want, _ := exact.Float64()
					diff, _ := exact.Sub(exact, big.NewFloat(c[i+j*m])).Float64()
					norms := math.Sqrt(na * nb)
					squares += diff / norms * (diff / norms)
					root := math.Sqrt(k)
					bound := math.Exp2(1-alpha)*root*(1+root/1024)*norms + 3*0x1p-53*math.Abs(want)
					worst = max(worst, math.Abs(diff)/bound)
				}
			}
			rms := math.Sqrt(squares / (m * m))
			typical := 1.6*math.Exp2(-alpha)/math.Sqrt(6) + 0x1p-54
			if !(worst <= 1) || n < 15 && !(rms <= typical) {
				t.Errorf("%d moduli, %s: %.2g of the bound, rms %.2g of %.2g", n, name, worst, rms, typical)
			}
		}
	}
}

// TestEmulatedPairsAreBalanced checks that Syr2k and GemmPair balance factors whose norms differ
// greatly. Without the balance, the smaller factor would keep only few bits.
func TestEmulatedPairsAreBalanced(t *testing.T) {
	const n, k = 20, 16
	r := rand.New(rand.NewPCG(12, 1))
	for _, ratio := range []float64{1, 1e9, 1e-9, 1e60, 1e-60} {
		y, z := make([]float64, n*k), make([]float64, n*k)
		for i := range y {
			y[i], z[i] = r.NormFloat64(), ratio*r.NormFloat64()
		}
		c, want := make([]float64, n*n), make([]float64, n*n)
		EmulatedSyr2k(14, EmulatedRows[float64]{y, 1, n, n, k, false}, EmulatedRows[float64]{z, 1, n, n, k, false}, c, n)
		Syr2k(n, k, y, n, z, n, want, n)
		pair := make([]float64, n*n)
		EmulatedGemmPair(14, -1, EmulatedRows[float64]{y, 1, n, n, k, false}, EmulatedRows[float64]{z, 1, n, n, k, false},
			EmulatedRows[float64]{z, 1, n, n, k, false}, EmulatedRows[float64]{y, 1, n, n, k, false}, 0, pair, n)
		for j := range n {
			for i := j; i < n; i++ {
				bound := 100 * 0x1p-53 * k * ratio
				if d := math.Abs(c[i+j*n] - want[i+j*n]); !(d <= bound) {
					t.Fatalf("ratio %g: (%d, %d) is off by %g, bound %g", ratio, i, j, d, bound)
				}
				if d := math.Abs(pair[i+j*n] - want[i+j*n]); !(d <= bound) {
					t.Fatalf("ratio %g: the pair's (%d, %d) is off by %g, bound %g", ratio, i, j, d, bound)
				}
			}
		}
	}
}

// TestEmulatedPairsWithAZeroFactor checks pairs in which a factor of one product is zero. This
// product is zero, whatever the norm of its other factor is. The error of the other product must
// stay small.
func TestEmulatedPairsWithAZeroFactor(t *testing.T) {
	const n, k = 12, 9
	r := rand.New(rand.NewPCG(13, 1))
	for zero := range 4 {
		for _, large := range []float64{1e100, 1e-100} {
			var f [4]EmulatedRows[float64] // A1, B1, A2, B2
			for i := range f {
				f[i] = EmulatedRows[float64]{make([]float64, n*k), 1, n, n, k, false}
				for e := range f[i].At {
					if i != zero {
						f[i].At[e] = r.NormFloat64()
					}
					if i/2 == zero/2 {
						f[i].At[e] *= large
					}
				}
			}
			have, want := make([]float64, n*n), make([]float64, n*n)
			EmulatedGemmPair(14, 1, f[0], f[1], f[2], f[3], 0, have, n)
			whole := 2 - zero/2*2 // index of the left factor of the product that is not zero
			Gemm(NoTrans, Trans, n, n, k, 1, f[whole].At, n, f[whole+1].At, n, 0, want, n)
			for e := range want {
				if !(math.Abs(have[e]-want[e]) <= 1e-13) {
					t.Fatalf("factor %d is zero, its partner is of size %g: element %d is %g, want %g", zero, large, e, have[e], want[e])
				}
			}
		}
	}
}

// TestEmulatedNotFinite puts a NaN or an infinity in row 2 of the left factor. Row 2 of the result
// must be NaN, and the other rows must not be NaN.
func TestEmulatedNotFinite(t *testing.T) {
	const m, k = 5, 7
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		a, b, c := make([]float64, m*k), make([]float64, m*k), make([]float64, m*m)
		for i := range a {
			a[i], b[i] = float64(i%5), float64(i%3)
		}
		a[2+3*m] = bad
		EmulatedGemm(13, 1, EmulatedRows[float64]{a, 1, m, m, k, false}, EmulatedRows[float64]{b, 1, m, m, k, false}, 1, c, m)
		for i, x := range c {
			if math.IsNaN(x) != (i%m == 2) {
				t.Errorf("(%d, %d) is %g", i%m, i/m, x)
			}
		}
	}
}
