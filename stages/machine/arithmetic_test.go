package machine

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestHardQuotients checks the operands of the function hardQuotient: each quotient X/Y must be as
// near as possible to the middle between two doubles. This means 2⁵⁴·X = M·Y ∓ 1, where M is odd
// with 54 bits.
func TestHardQuotients(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		x, y := hardQuotient(r)
		left := new(big.Int).Lsh(exactly(t, x), 54)
		m, rest := new(big.Int), new(big.Int)
		m.DivMod(left.Add(left, big.NewInt(1)), exactly(t, y), rest) // of M·Y or of M·Y + 2
		if rest.Int64() != 0 && rest.Int64() != 2 || m.Bit(0) != 1 || m.BitLen() != 54 {
			t.Fatalf("%g/%g: M = %v, rest %v", x, y, m, rest)
		}
	}
}

// TestHardRoots checks the operands of the function hardRoots: each square root √Z must be very
// near to the middle between two doubles. This means 2⁵⁴·Z = M² − c, where M is odd with 54 bits
// and c is small.
func TestHardRoots(t *testing.T) {
	seen := map[float64]bool{}
	for _, z := range hardRoots(each) {
		if seen[z] {
			t.Fatalf("%g comes twice", z)
		}
		seen[z] = true
		left := new(big.Int).Lsh(exactly(t, z), 54)
		m := new(big.Int).Sqrt(left)
		if m.Bit(0) == 0 { // a little below the square
			m.Add(m, big.NewInt(1))
		}
		c := new(big.Int).Sub(new(big.Int).Mul(m, m), left)
		if m.BitLen() != 54 || m.Bit(0) != 1 || !c.IsInt64() || max(c.Int64(), -c.Int64()) > 1<<17 {
			t.Fatalf("%g: M = %v, c = %v", z, m, c)
		}
	}
}

func exactly(t *testing.T, x float64) *big.Int {
	t.Helper()
	i, accuracy := big.NewFloat(x).Int(nil)
	if accuracy != big.Exact {
		t.Fatalf("%g is no integer", x)
	}
	return i
}

// TestErrorsAreSeen checks the functions that measure rounding errors: the error of a correctly
// rounded result must be at most half an ulp, and the errors of the doubles next to this result
// must be above 0.24 ulp. The error of a result that is NaN, infinite or 0 must be infinite.
func TestErrorsAreSeen(t *testing.T) {
	down := math.Inf(-1)
	worst := [2]float64{}
	for _, o := range operands() {
		q, s := o.x/o.y, math.Sqrt(o.z)
		worst[0], worst[1] = max(worst[0], divisionError(o.x, o.y, q)), max(worst[1], rootError(o.z, s))
		for _, wrong := range []float64{
			divisionError(o.x, o.y, math.Nextafter(q, math.Inf(1))), divisionError(o.x, o.y, math.Nextafter(q, down)),
			rootError(o.z, math.Nextafter(s, math.Inf(1))), rootError(o.z, math.Nextafter(s, down)),
		} {
			if !(wrong > 0.24) { // half an ulp just below a power of two is a quarter of an ulp just above it
				t.Fatalf("%+v: a neighbour is %g ulp off", o, wrong)
			}
		}
		if e := divisionError(o.x, o.y, q*(1+0x1p-50)); !(e > 2 && e < 10) {
			t.Fatalf("%+v: %g ulp", o, e)
		}
	}
	for i, w := range worst {
		if !(w > 0.5-1e-9 && w <= 0.5) {
			t.Errorf("the hardest of correctly rounded results (%d) is %.17g ulp off, want nearly 1/2", i, w)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 0} {
		if !math.IsInf(divisionError(1, 3, bad), 1) || !math.IsInf(rootError(3, bad), 1) {
			t.Errorf("%g passes for a result", bad)
		}
	}
}

// TestDevice checks that the errors of quotients and of square roots on the device are small, which
// the solver needs on every device. It also checks that Machine.Arithmetic returns the same errors.
func TestDevice(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE")})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	a, err := MeasureArithmetic(context.Background(), dev)
	t.Logf("%s: %+v", dev.Info().Name, a)
	if err != nil || a.Operands != 2*each || !(a.Division < 4) || !(a.Sqrt < 4) {
		t.Errorf("%+v, %v", a, err)
	}
	if kept, err := Of(dev).Arithmetic(context.Background()); err != nil || kept != a {
		t.Errorf("kept is %+v, %v; measured %+v", kept, err, a)
	}
	if dividesInexactly && !(a.Division >= 0.6 && a.Sqrt >= 0.6) {
		t.Errorf("divisions and roots should be inexact: %+v", a)
	}
	if dev.Info().Type == "cpu" && !dividesInexactly && !(a.Division <= 0.5 && a.Sqrt <= 0.5) {
		t.Errorf("the CPU's own division rounds correctly, this is %+v", a)
	}
	// The CPU driver of Mesa 25 keeps subnormal doubles, and the CPU driver of Mesa 26.2 does not.
	// Neither driver promises to keep them.
	if !a.Subnormals && !dividesInexactly && slices.Contains(dev.Info().FloatControls, "shaderDenormPreserveFloat64") {
		t.Errorf("the driver promises to keep subnormal numbers, this is %+v", a)
	}
}
