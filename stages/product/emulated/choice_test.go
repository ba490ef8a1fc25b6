package emulated

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/moduli"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestGoldenHash checks that goldenHash is the hash of the product that package ref computes.
func TestGoldenHash(t *testing.T) {
	a, b := goldenFactors()
	left := ref.EmulatedOperand(a, goldenM, false, false, goldenM, goldenK)
	right := ref.EmulatedOperand(b, goldenN, true, true, goldenN, goldenK)
	c := make([]float64, goldenM*goldenN)
	ref.EmulatedGemm(moduli.New(measureModuli), 1, left, right, 0, c, goldenM)
	if h := hashOf(c); h != goldenHash {
		t.Errorf("the hash is %#x", h)
	}
}

// TestMeasure checks the measurement of emulated products on a device: the golden product (the test
// product with known bits) must have the right bits, and the rates must be positive.
func TestMeasure(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		tune := native
		tune.Emulated = small()
		tune.Emulated.Planes, tune.Emulated.Strip = 1<<24, 1<<14
		dev, ctx := stagetest.Device(t), context.Background()
		right, err := multipliesRight(ctx, dev, tune, u)
		if err != nil || !right {
			t.Errorf("the golden product is right: %v, %v", right, err)
		}
		// If the order in which invocations hold the elements of a matrix unit's result is wrong,
		// products must be wrong, too.
		wrong := u
		wrong.Order ^= 0x11
		if right, err := multipliesRight(ctx, dev, tune, wrong); err != nil || right {
			t.Errorf("wrong units are right: %v, %v", right, err)
		}
		plain, emulated, err := race(ctx, dev, tune, u, 128, 64)
		if err != nil || !(plain > 0 && plain <= 10 && emulated > 0 && emulated <= 10) {
			t.Errorf("%g s native, %g s emulated, %v", plain, emulated, err)
		}
	})
}

// TestMeasured checks that the rates of products are measured once and then read from storage. (An
// earlier version deadlocked on devices with matrix units, because it called FindUnits during the
// measurement.)
func TestMeasured(t *testing.T) {
	tune := native
	tune.Emulated = small()
	tune.Emulated.Planes, tune.Emulated.Strip = 1<<24, 1<<14
	dev := stagetest.Device(t)
	f, err := measured(context.Background(), dev, tune, 64)
	if err != nil || !f.Right || !(f.Native > 0 && f.Emulated > 0 && f.Bytes > f.Emulated) {
		t.Errorf("%+v, %v", f, err)
	}
	if again, err := Measured(context.Background(), dev, tune); again != f || err != nil || Known(dev) != f {
		t.Errorf("%+v, then %+v, %v", f, again, err)
	}
}

// TestChoose checks the reasons for native products: the device cannot emulate, was not measured,
// computes wrongly, or gains too little.
func TestChoose(t *testing.T) {
	dots := vk.Info{Type: "discrete", Subgroup: 32, Features: []string{"shaderIntegerDotProduct"}}
	fast, matrix := dots, dots
	fast.FastDots, matrix.ByteMatrices = true, []vk.MatrixShape{{M: 16, N: 16, K: 32}}
	for _, c := range []struct {
		info  vk.Info
		facts Facts
		want  string
	}{
		{vk.Info{}, Facts{}, "native: the device has no packed dot products"},
		{dots, Facts{Native: 1e12, Emulated: 9e12, Bytes: 1e14, Right: true}, "native: the device has no matrix units for bytes, and no instr"},
		{fast, Facts{}, "native: the rates of products are not measured"},
		{matrix, Facts{Native: 1e12, Emulated: 9e12, Bytes: 1e14}, "native: the integer units computed a product wrongly"},
		{matrix, Facts{Native: 20e12, Emulated: 24e12, Bytes: 3e14, Right: true}, "native: emulated products reach 1.2 times"},
		{matrix, Facts{Native: 1.2e12, Emulated: 15e12, Bytes: 2e14, Right: true}, "emulated: emulated products reach 12.5 times"},
		{fast, Facts{Native: 0.3e12, Emulated: 0.9e12, Bytes: 2e13, Right: true}, "emulated: emulated products reach 3 times"},
	} {
		dev := vk.Dry(c.info)
		if c.facts != (Facts{}) {
			c.facts.Keep(dev)
		}
		chosen, err := Choose(context.Background(), dev, product.Tuning{Emulated: small()})
		if err != nil || !strings.HasPrefix(chosen.String(), c.want) || Chosen(dev).String() != chosen.String() {
			t.Errorf("%+v: %v, %v", c.facts, chosen, err)
		}
	}
}

// TestChooseAfterAnError checks that a kernel of emulated products that the driver cannot compile, or
// for which there is too little memory, means native products. The end of the context, and a device
// that is lost or closed, must stay errors.
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
