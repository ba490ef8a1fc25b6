package emulated

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestGoldenHash checks that goldenHash is the hash of the golden product (a test product with
// known bits) as package ref computes it.
func TestGoldenHash(t *testing.T) {
	t.Run("real", testGoldenHash[float64])
	t.Run("complex", testGoldenHash[complex128])
}

func testGoldenHash[T Double](t *testing.T) {
	a, b := goldenFactors[T]()
	left := ref.EmulatedOperand(a, goldenM, ref.NoTrans, false, goldenM, goldenK)
	right := ref.EmulatedOperand(b, goldenN, ref.Trans, true, goldenN, goldenK)
	c := make([]T, goldenM*goldenN)
	ref.EmulatedGemm(measureModuli, 1, left, right, 0, c, goldenM)
	if h := hashOf(c); h != goldenHash[isComplex[T]()] {
		t.Errorf("the hash is %#x", h)
	}
}

// TestMeasure checks the measurement of emulated products on a device. The golden product (the test
// product with known bits) must have the right bits, and other bits if Units.Order is wrong. The
// times of both products must be above 0 and at most 10 s.
func TestMeasure(t *testing.T) {
	t.Run("real", testMeasure[float64])
	t.Run("complex", testMeasure[complex128])
}

func testMeasure[T Double](t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		tune := native
		tune.Emulated = small()
		tune.Emulated.Planes, tune.Emulated.Strip = 1<<24, 1<<14
		dev, ctx := stagetest.Device(t), context.Background()
		right, err := multipliesRight[T](ctx, dev, tune, u)
		if err != nil || !right {
			t.Errorf("the golden product is right: %v, %v", right, err)
		}
		// If the order in which invocations hold the elements of a matrix unit's result is wrong,
		// products must be wrong, too.
		wrong := u
		wrong.Order ^= 0x11
		if right, err := multipliesRight[T](ctx, dev, tune, wrong); err != nil || right {
			t.Errorf("wrong units are right: %v, %v", right, err)
		}
		plain, emulated, err := race[T](ctx, dev, tune, u, 128, 64)
		if err != nil || !(plain > 0 && plain <= 10 && emulated > 0 && emulated <= 10) {
			t.Errorf("%g s native, %g s emulated, %v", plain, emulated, err)
		}
	})
}

// TestMeasureFailsWithTheProducts checks that a measurement fails if the native products or the
// emulated ones cannot be made, and that this does not count as right or as wrong bits.
func TestMeasureFailsWithTheProducts(t *testing.T) {
	dev, ctx := stagetest.Device(t), context.Background()
	for _, broken := range []func(t *product.Tuning){
		func(t *product.Tuning) { t.Tiles[0].Unroll = 0 },
		func(t *product.Tuning) { t.Emulated.Spacing = 1 },
	} {
		tune := native
		tune.Tiles = slices.Clone(tune.Tiles)
		tune.Emulated = small()
		tune.Emulated.Planes, tune.Emulated.Strip = 1<<24, 1<<14
		broken(&tune)
		if right, err := multipliesRight[float64](ctx, dev, tune, dots); right || err == nil {
			t.Errorf("%+v: right %v, %v", tune, right, err)
		}
	}
}

// TestForceEndsWithItsContext checks that the search for the units of a device ends with the
// context of the caller. A device without matrix units does not search.
func TestForceEndsWithItsContext(t *testing.T) {
	dev, err := vk.Open(vk.Options{Device: stagetest.Info().Name})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if all := Candidates(dev.Info()); !all[len(all)-1].Matrix() {
		t.Skip("no matrix units for bytes")
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	tune := native
	tune.Emulated = small()
	if _, err := Force[float64](ended, dev, tune); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestMeasured checks that the rates of products are measured once and then read from storage. (An
// earlier version deadlocked on devices with matrix units, because it called FindUnits during the
// measurement.)
func TestMeasured(t *testing.T) {
	tune := native
	tune.Emulated = small()
	tune.Emulated.Planes, tune.Emulated.Strip = 1<<24, 1<<14
	dev := stagetest.Device(t)
	f, err := measured[float64](context.Background(), dev, tune, 64)
	if err != nil || !f.Right || !(f.Native > 0 && f.Emulated > 0 && f.Bytes > f.Emulated) {
		t.Errorf("%+v, %v", f, err)
	}
	if again, err := Measured[float64](context.Background(), dev, tune); again != f || err != nil || Known[float64](dev) != f {
		t.Errorf("%+v, then %+v, %v", f, again, err)
	}
}

// TestChoose checks the choices and their reasons. Products are native if the device cannot emulate
// them, was not measured, computes wrongly, or gains too little.
func TestChoose(t *testing.T) {
	dots := vk.Info{Type: "discrete", Subgroup: 32, Features: []string{"shaderIntegerDotProduct"}}
	fast, matrix := dots, dots
	fast.FastDots, matrix.ByteMatrices = true, []vk.MatrixShape{{M: 16, N: 16, K: 32}}
	for _, c := range []struct {
		info  vk.Info
		facts Facts
		want  string
	}{
		{vk.Info{}, Facts{}, "native: the device has no packed dot products of bytes"},
		{dots, Facts{Native: 1e12, Emulated: 9e12, Bytes: 1e14, Right: true}, "native: the device has no matrix units for bytes, and no instructions for packed dot products"},
		{fast, Facts{}, "native: the rates of products are not measured yet"},
		{matrix, Facts{Native: 1e12, Emulated: 9e12, Bytes: 1e14}, "native: the integer units computed a product wrongly"},
		{matrix, Facts{Native: 20e12, Emulated: 24e12, Bytes: 3e14, Right: true}, "native: emulated products reach 1.2 times the rate of native ones (24 and 20 TFLOP/s), and 1.5 is worth it"},
		{matrix, Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}, "emulated: emulated products reach 12.5 times the rate of native ones (15 and 1.2 TFLOP/s), and 1.5 is worth it"},
		{fast, Facts{Native: 0.3e12, Emulated: 0.9e12, Bytes: 2e13, Right: true}, "emulated: emulated products reach 3 times the rate of native ones (0.9 and 0.3 TFLOP/s), and 1.5 is worth it"},
	} {
		dev := vk.Dry(c.info)
		if c.facts != (Facts{}) {
			c.facts.Keep(dev)
		}
		chosen, err := Choose[float64](context.Background(), dev, product.Tuning{Emulated: small()})
		if err != nil || chosen.String() != c.want || Chosen[float64](dev).String() != chosen.String() {
			t.Errorf("%+v: %v, %v", c.facts, chosen, err)
		}
	}
	chosen, err := Choose[float64](context.Background(), vk.Dry(fast), product.Tuning{})
	if want := "native: the tuning has no sizes of emulated products"; err != nil || chosen.String() != want {
		t.Errorf("%v, %v, want %s", chosen, err, want)
	}
	forced, err := Force[float64](context.Background(), vk.Dry(matrix), product.Tuning{Emulated: small()})
	if want := "emulated: the caller wants emulated products"; err != nil || forced.String() != want {
		t.Errorf("%v, %v, want %s", forced, err, want)
	}
	for text, want := range map[string]string{
		"1 2 3":      `emulated: the stored rates are "1 2 3": EOF`,
		"1 2 x true": `emulated: the stored rates are "1 2 x true": strconv.ParseFloat: parsing "": invalid syntax`,
	} {
		if f, err := read(text); err == nil || err.Error() != want || f != (Facts{}) {
			t.Errorf("%+v, %v, want %s", f, err, want)
		}
	}
}

// TestNamesOfFacts checks the names under which rates are stored. Rates of real products must not
// count for complex ones.
func TestNamesOfFacts(t *testing.T) {
	for name, known := range map[string][2]func(*vk.Device) Facts{
		"emulated products, 3: flops a second native and emulated, operations on bytes, right":         {Known[float64], Known[complex128]},
		"emulated complex products, 1: flops a second native and emulated, operations on bytes, right": {Known[complex128], Known[float64]},
	} {
		dev := vk.Dry(vk.Info{})
		dev.SetProbe(name, "1 2 3 true")
		if mine, others := known[0](dev), known[1](dev); mine != (Facts{Native: 1, Emulated: 2, Bytes: 3, Right: true}) || others != (Facts{}) {
			t.Errorf("%s: %+v and %+v", name, mine, others)
		}
	}
}

// TestChooseAfterAnError checks that a kernel of emulated products that the driver cannot compile,
// or for which there is too little memory, means native products. The end of the context, and a
// device that is lost or closed, must stay errors.
func TestChooseAfterAnError(t *testing.T) {
	open := context.Background()
	ended, cancel := context.WithCancel(open)
	cancel()
	uncompiled := &vk.Error{Op: "compiling", Kernel: "emulated_product_matrix", Err: errors.New("VK_ERROR_UNKNOWN")}
	for _, c := range []struct {
		ctx  context.Context
		err  error
		fail bool
	}{
		{open, uncompiled, false},
		{open, &vk.OutOfMemoryError{What: "arena", Need: 1}, false},
		{open, &vk.UnsupportedError{Device: "card", Feature: "x"}, false},
		{open, fmt.Errorf("a run: %w", vk.ErrDeviceLost), true},
		{open, vk.ErrClosed, true},
		{ended, context.Canceled, true},
	} {
		choice, err := chosen(c.ctx, Facts{}, c.err)
		if choice.Emulated || !strings.Contains(choice.Why, c.err.Error()) || (err != nil) != c.fail || c.fail && !errors.Is(err, c.err) {
			t.Errorf("after %v: %v, %v", c.err, choice, err)
		}
	}
}
