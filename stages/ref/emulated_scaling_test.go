package ref

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/product/moduli"
)

// checkScaling scales a row and computes the sum of the squares of its integers exactly. The sum
// must be below P/2, where P is the product of the moduli. The sum must also be at least P/64,
// because otherwise a larger shift would keep more bits; this is not required if the shift is so
// large that no bit is lost. Each integer must be rounded correctly, and the norm must not depend
// on the order of the elements.
func checkScaling(t *testing.T, row []float64) {
	t.Helper()
	norm := NewEmulatedNorm(row)
	backwards := slices.Clone(row)
	slices.Reverse(backwards)
	if NewEmulatedNorm(backwards) != norm {
		t.Fatalf("%v backwards has another norm", row)
	}
	for n := moduli.Least; n <= moduli.Most; n++ {
		s := moduli.New(n)
		shift := norm.Shift(s)
		if shift == NotFinite {
			if norm.E != NotFinite && norm.Log() < s.Exponent-EmulatedShiftLeast-2 {
				t.Fatalf("%d moduli: a row with norm %+v is refused", n, norm)
			}
			continue
		}
		sum := new(big.Int)
		for _, x := range row {
			a := big.NewInt(EmulatedInteger(x, shift))
			want, _ := new(big.Float).SetMantExp(big.NewFloat(math.Abs(x)), shift).Float64()
			if !(want >= 1<<52 || math.Abs(want-math.Abs(float64(a.Int64()))) <= 0.5) {
				t.Fatalf("%d moduli: %g·2^%d becomes %v", n, x, shift, a)
			}
			sum.Add(sum, a.Mul(a, a))
		}
		if new(big.Int).Lsh(sum, 1).Cmp(s.P) >= 0 {
			t.Fatalf("%d moduli: ‖a′‖² = %v, not below P/2 of P = %v", n, sum, s.P)
		}
		if norm.Q > 0 && shift < 1074 && new(big.Int).Lsh(sum, 6).Cmp(s.P) < 0 {
			t.Fatalf("%d moduli: ‖a′‖² = %v is far below P/2 of P = %v", n, sum, s.P)
		}
	}
}

func TestEmulatedScaling(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for k := 1; k < 200; k = 3*k/2 + 1 {
		for name, at := range map[string]func(int) float64{
			"zero":                      func(int) float64 { return 0 },
			"constant":                  func(int) float64 { return 3 },
			"ones":                      func(int) float64 { return -1 },
			"random":                    func(int) float64 { return r.NormFloat64() },
			"one large":                 func(i int) float64 { return max(1, 1e9*float64(1-i)) },
			"powers":                    func(i int) float64 { return math.Ldexp(1, -i) },
			"wide":                      func(int) float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) },
			"largest":                   func(int) float64 { return math.MaxFloat64 },
			"subnormal":                 func(i int) float64 { return math.Float64frombits(uint64(i + 1)) },
			"2^1000":                    func(int) float64 { return 0x1p1000 },
			"2^400":                     func(int) float64 { return 0x1.8p400 },
			"2^-1000":                   func(int) float64 { return 0x1p-1000 },
			"just below a power of two": func(int) float64 { return math.Nextafter(4, 0) },
		} {
			row := make([]float64, k)
			for i := range row {
				row[i] = at(i)
			}
			t.Run(name, func(t *testing.T) { checkScaling(t, row) })
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if e := NewEmulatedNorm([]float64{1, x, 2}).E; e != NotFinite {
			t.Errorf("%g has exponent %d", x, e)
		}
	}
}

func FuzzEmulatedScaling(f *testing.F) {
	f.Add([]byte("sixteen bytes of "))
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var row []float64
		for ; len(bytes) >= 8; bytes = bytes[8:] {
			if x := math.Float64frombits(binary.LittleEndian.Uint64(bytes)); !math.IsNaN(x) && !math.IsInf(x, 0) {
				row = append(row, x)
			}
		}
		checkScaling(t, row)
	})
}

// TestEmulatedJointNorm checks that the method Join returns an upper bound of the norm of a row
// [2^shift·x, y], for random rows and shifts. The square of the bound must be at most twice the
// square of the norm.
func TestEmulatedJointNorm(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 2000 {
		a, b := make([]float64, 1+r.IntN(5)), make([]float64, 1+r.IntN(5))
		square := func(x []float64, shift int) *big.Float {
			sum := new(big.Float).SetPrec(4000)
			for i := range x {
				y := new(big.Float).SetPrec(4000).SetMantExp(big.NewFloat(x[i]), shift)
				sum.Add(sum, y.Mul(y, y))
			}
			return sum
		}
		for i := range a {
			a[i] = math.Ldexp(r.NormFloat64(), r.IntN(90))
		}
		for i := range b {
			b[i] = math.Ldexp(r.NormFloat64(), r.IntN(90))
		}
		balance := r.IntN(120) - 60
		joint := NewEmulatedNorm(a).Join(balance, NewEmulatedNorm(b))
		bound := new(big.Float).SetMantExp(new(big.Float).SetUint64(joint.Q), 2*(joint.E-12))
		sum := square(a, balance)
		sum.Add(sum, square(b, 0))
		if sum.Cmp(bound) > 0 || new(big.Float).SetMantExp(sum, 1).Cmp(bound) < 0 {
			t.Fatalf("%v·2^%d and %v: norm² %v, bound %v", a, balance, b, sum, bound)
		}
	}
}
