package stages_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ulps returns the error of a number, with its sign, in units in the last place of the exact
// number. Numbers have `digits` binary digits. For a NaN or an infinity the result is +Inf.
func ulps(got float64, exact *big.Float, digits int) float64 {
	if math.IsNaN(got) || math.IsInf(got, 0) {
		return math.Inf(1)
	}
	diff, _ := new(big.Float).Sub(big.NewFloat(got), exact).Float64()
	return math.Ldexp(diff, digits-exact.MantExp(nil))
}

func digitsOf[T spirv.Real]() int {
	if spirv.KindOf[T]() == "float32" {
		return 24
	}
	return 53
}

// The following functions compute with `precise` binary digits. Tests use them for the exact
// results of the functions in probe_numerics.comp.
const precise = 200

func exact(x float64) *big.Float        { return new(big.Float).SetPrec(precise).SetFloat64(x) }
func over(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(precise).Quo(x, y) }
func times(x, y *big.Float) *big.Float  { return new(big.Float).SetPrec(precise).Mul(x, y) }
func plus(x, y *big.Float) *big.Float   { return new(big.Float).SetPrec(precise).Add(x, y) }
func rootOf(x *big.Float) *big.Float    { return new(big.Float).SetPrec(precise).Sqrt(x) }
func inverseOf(x *big.Float) *big.Float { return over(exact(1), x) }

// numericsProbe holds the arguments of the functions in probe_numerics.comp, and their results on
// the device.
type numericsProbe[T spirv.Real] struct {
	x, pairs []T
	one, all []T
}

// probeNumerics runs the functions of probe_numerics.comp on the device. The functions of one
// variable get the numbers x. The functions for reflectors get `pairs`: the first element of a
// vector, and the sum of the squares of the other elements. They compute the reflector that maps
// the vector to β·e1, and one of their results is β·2ᵉ. The test is skipped if the kernel cannot be
// built.
func probeNumerics[T spirv.Real](t *testing.T, x, pairs []T, e int) numericsProbe[T] {
	t.Helper()
	dev, count := stagetest.Device(t), len(x)
	kernel, err := vk.Build(dev, shaders.ProbeNumerics[T](), shaders.ProbeNumericsDefaults())
	if err != nil {
		t.Skip(err)
	}
	reserve := func(name string, n int) vk.Region[T] { return vk.Reserve[T](name, n) }
	rx, ry := reserve("x", count), reserve("pairs", 2*count)
	one, all := reserve("results", shaders.ProbeNumericsOne*count), reserve("reflectors", shaders.ProbeNumericsAll*count)
	ws := stagetest.Arena(t, dev, vk.Together(rx, ry, one, all))
	stagetest.Put(t, dev, rx.In(ws), x)
	stagetest.Put(t, dev, ry.In(ws), pairs)
	rec := vk.NewRecorder(dev)
	kernel.Dispatch(rec, vk.Folded(vk.Tiles(count, kernel.Spec.LocalSize)), shaders.ProbeNumericsPush[T]{
		X: rx.In(ws).Addr(), Y: ry.In(ws).Addr(), One: one.In(ws).Addr(), All: all.In(ws).Addr(), Count: uint32(count), E: int32(e),
	})
	stagetest.Run(t, dev, rec)
	return numericsProbe[T]{x, pairs, stagetest.Get(t, dev, one.In(ws)), stagetest.Get(t, dev, all.In(ws))}
}

// randomNumbers returns positive numbers whose exponents are spread over [least, most).
func randomNumbers[T spirv.Real](count, least, most int, seed uint64) []T {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]T, count)
	for i := range x {
		x[i] = T(math.Ldexp(1+r.Float64(), least+r.IntN(most-least)))
	}
	return x
}

// TestNumericHelpers measures the errors of the functions of one variable that kernels share, in
// ulps and in both precisions, over many arguments. The mean error of the function `inverse` must
// be at most 0.02 ulps.
func TestNumericHelpers(t *testing.T) {
	t.Run("float64", testNumericHelpers[float64])
	t.Run("float32", testNumericHelpers[float32])
}

func testNumericHelpers[T spirv.Real](t *testing.T) {
	const count = 20000
	digits := digitsOf[T]()
	got := probeNumerics(t, randomNumbers[T](count, -80, 80, 1), randomNumbers[T](2*count, 0, 1, 2), 0)
	for k, f := range []struct {
		name  string
		exact func(x *big.Float) *big.Float
		most  float64
	}{
		{"inverse_root", func(x *big.Float) *big.Float { return inverseOf(rootOf(x)) }, 2},
		{"inverse", inverseOf, 2}, {"reciprocal", inverseOf, 1.5}, {"root", rootOf, 1.5},
		{"power_of_two(exponent_of)", func(x *big.Float) *big.Float { return new(big.Float).SetMantExp(exact(1), x.MantExp(nil)) }, 0},
	} {
		worst, sum, at := 0.0, 0.0, T(0)
		for i, x := range got.x {
			e := ulps(float64(got.one[shaders.ProbeNumericsOne*i+k]), f.exact(exact(float64(x))), digits)
			sum += e
			if e = math.Abs(e); e > worst || math.IsNaN(e) {
				worst, at = e, x
			}
		}
		mean := sum / count
		t.Logf("%s: at most %.2f ulps, mean %.3f", f.name, worst, mean)
		if !(worst <= f.most) {
			t.Errorf("%s(%g) has an error of %g ulps, at most %g are allowed", f.name, at, worst, f.most)
		}
		if f.name == "inverse" && !(math.Abs(mean) <= 0.02) {
			t.Errorf("%s has errors with the mean %g ulps", f.name, mean)
		}
	}
}

// TestInverseRootNear checks the function inverse_root_near, which approximates 1/√x. Its relative
// error must be below 2⁻²⁰ for numbers x from 2⁻⁶⁰⁰ to 2¹⁰²³.
func TestInverseRootNear(t *testing.T) {
	const count = 20000
	got := probeNumerics(t, randomNumbers[float64](count, -600, 1023, 3), randomNumbers[float64](2*count, 0, 1, 2), 0)
	for i, x := range got.x {
		y := got.one[shaders.ProbeNumericsOne*i+5]
		if e := math.Abs(y*math.Sqrt(x) - 1); !(e < 0x1p-20) {
			t.Fatalf("inverse_root_near(%g) is %g: relative error %g", x, y, e)
		}
	}
}

// TestNearestHalf compares the function nearest_half, which rounds a float32 to half precision,
// with the host's rounding. The arguments are the finite half-precision numbers, the midpoints
// between two of them, the float32 numbers next to the midpoints, infinities and NaN.
func TestNearestHalf(t *testing.T) {
	var x []float32
	for h := range spirv.Float16(0x7c00) {
		low, high := h.Float64(), 65536.0
		if h+1 < 0x7c00 {
			high = (h + 1).Float64()
		}
		middle := float32((low + high) / 2)
		x = append(x, float32(low), -float32(low), middle, -middle, math.Nextafter32(middle, 0), math.Nextafter32(middle, 1e6))
	}
	x = append(x, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, 1e6, float32(math.NaN()))
	got := probeNumerics(t, x, make([]float32, 2*len(x)), 0)
	for i, x := range x {
		have, want := float64(got.one[shaders.ProbeNumericsOne*i+6]), spirv.NewFloat16(float64(x)).Float64()
		if have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
			t.Fatalf("nearest_half(%g) is %g, want %g", x, have, want)
		}
	}
}

// TestReflectorHelpers measures the errors of the reflectors of reflector.glsl and of
// panel_reflector.glsl, in ulps and in both precisions. The first elements are positive and
// negative, and larger and smaller than the rest of the vector.
func TestReflectorHelpers(t *testing.T) {
	t.Run("float64", testReflectorHelpers[float64])
	t.Run("float32", testReflectorHelpers[float32])
}

func testReflectorHelpers[T spirv.Real](t *testing.T) {
	const count, e = 20000, 7
	digits := digitsOf[T]()
	heads, squares, pairs := randomNumbers[T](count, -20, 1, 4), randomNumbers[T](count, -40, 5, 5), make([]T, 2*count)
	for i := range count {
		pairs[2*i], pairs[2*i+1] = heads[i], squares[i]
		if i%2 == 0 {
			pairs[2*i] = -heads[i]
		}
	}
	got := probeNumerics(t, randomNumbers[T](count, 0, 1, 1), pairs, e)
	names := []string{"γ", "u0", "inverse", "β", "τ", "β of panels", "τ of panels", "inverse of panels"}
	most := []float64{5, 2, 6, 2, 2.5, 2, 2.5, 3}
	worst := make([]float64, len(names))
	for i := range count {
		head, square := exact(float64(pairs[2*i])), exact(float64(pairs[2*i+1]))
		size := new(big.Float).Abs(head)
		q := plus(times(head, head), square)
		norm := rootOf(q)
		u0, tau, beta := plus(size, norm), plus(exact(1), over(size, norm)), new(big.Float).Neg(norm)
		if head.Sign() < 0 {
			u0.Neg(u0)
			beta.Neg(beta)
		}
		scaled := new(big.Float).SetMantExp(beta, e)
		want := []*big.Float{inverseOf(plus(q, times(norm, size))), u0, inverseOf(u0), scaled, tau, beta, tau, inverseOf(u0)}
		for k := range want {
			worst[k] = max(worst[k], math.Abs(ulps(float64(got.all[shaders.ProbeNumericsAll*i+k]), want[k], digits)))
		}
	}
	for k, name := range names {
		t.Logf("%s: at most %.2f ulps", name, worst[k])
		if !(worst[k] <= most[k]) {
			t.Errorf("%s has an error of %g ulps, at most %g are allowed", name, worst[k], most[k])
		}
	}
}
