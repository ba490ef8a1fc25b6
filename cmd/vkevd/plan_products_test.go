package main

import (
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// emulatingCard describes a device that is not present. It has 24 GB of memory, of which `free`
// bytes are free. Its emulated products are `gain` times as fast as its native ones, and complex
// ones are gain/1.5 times as fast.
func emulatingCard(free uint64, gain float64) machine.Absent {
	card := h200
	card.Name = "card" // the table of an H200 has a rank for native products
	card.ByteMatrices, card.Features = []vk.MatrixShape{{M: 16, N: 16, K: 32}}, []string{"shaderFloat64", "shaderIntegerDotProduct"}
	card.Memory, card.Free = 24e9, free
	a := machine.Absent{Info: card}
	a.Products.Facts.Native, a.Products.Facts.Emulated, a.Products.Facts.Bytes, a.Products.Facts.Right = 12e12/gain, 12e12, 2e14, true
	a.ComplexProducts.Facts = a.Products.Facts
	a.ComplexProducts.Facts.Native *= 1.5
	a.Products, a.ComplexProducts = probe.ChosenProducts[float64](a.Dry()), probe.ChosenProducts[complex128](a.Dry())
	return a
}

// TestPlanChoosesAsASolve checks that a plan has the products that a solve on the device has, and
// says why. Emulated products are chosen if they are much faster. For a large matrix, a refinement,
// or many singular values they are chosen even if they are only a little faster. Native products
// are chosen if emulated ones do not fit the memory. If native products do not fit either, the plan
// must state the memory that they need.
func TestPlanChoosesAsASolve(t *testing.T) {
	const n, slow, fast = 4096, 10, 1.2
	plan := func(j planJob, on machine.Absent, products evd.Products) (f machine.Planned, unfit *vk.OutOfMemoryError, text string) {
		t.Helper()
		j.Session = &cli.Session{Environment: cli.Environment{Machine: machine.Vulkan{}}}
		j.options.products = products.String()
		opt := evd.Options{Vectors: !j.svd, Products: products}
		f, unfit, err := j.Forecast(on, opt)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := j.chosenProducts(target{Absent: on}, f, opt)
		if err != nil {
			t.Fatal(err)
		}
		return f, unfit, chosen.String()
	}
	const ample = 23e9
	dense := planJob{n: n}
	native, _, _ := plan(dense, emulatingCard(ample, slow), evd.ProductsNative)
	emulated, _, _ := plan(dense, emulatingCard(ample, slow), evd.ProductsEmulated)
	few := native.Bytes()
	for _, c := range []struct {
		name  string
		j     planJob
		on    machine.Absent
		bytes uint64 // 0: not checked
		fits  bool
		text  string
	}{
		{"slow", dense, emulatingCard(ample, slow), emulated.Bytes(), true, "emulated: emulated products reach 10 times"},
		{"fast", dense, emulatingCard(ample, fast), few, true, "native: emulated products reach 1.2 times"},
		{"little memory", dense, emulatingCard(few, slow), few, true, "native: emulated products are faster, but need more memory"},
		{"too little memory", dense, emulatingCard(few-1, slow), few, false, "native: emulated products are faster, but need more memory"},
		{"complex", planJob{n: n, complex: true}, emulatingCard(ample, slow), 0, true, "emulated: emulated products reach 6.67 times"},
		{"complex, fast", planJob{n: n, complex: true}, emulatingCard(ample, fast), 0, true, "native: emulated products reach 0.8 times"},
		{"large", planJob{n: evd.LargeOrder}, emulatingCard(200e9, fast), 0, true, "emulated: emulated products reach 1.2 times"},
		{"refinement", planJob{n: n, start: true}, emulatingCard(ample, fast), 0, true, "emulated: emulated products reach 1.2 times"},
		{"singular values", planJob{n: n, rows: n, svd: true}, emulatingCard(ample, fast), 0, true, "native: emulated products reach 1.2 times"},
		{"many singular values", planJob{n: svd.LargeOrder, rows: svd.LargeOrder, svd: true}, emulatingCard(ample, fast), 0, true, "emulated: emulated products reach 1.2 times"},
	} {
		f, unfit, text := plan(c.j, c.on, evd.ProductsAuto)
		if (unfit == nil) != c.fits || c.bytes != 0 && f.Bytes() != c.bytes || !strings.HasPrefix(text, c.text) {
			t.Errorf("%s: %d bytes, want %d; %v; %q, want %q", c.name, f.Bytes(), c.bytes, unfit, text, c.text)
		}
		if unfit != nil && unfit.Need != few {
			t.Errorf("%s: needs %d bytes, native products need %d", c.name, unfit.Need, few)
		}
	}
	// Emulated products need memory for residues: a part of the card's whole memory. This card has
	// little memory. The residues must have the same size in a plan that does not fit as in one
	// that fits.
	tiny := emulatingCard(ample, slow)
	tiny.Memory = 4e8
	want, _, _ := plan(dense, tiny, evd.ProductsEmulated)
	tiny.Free = 1 << 20
	if f, unfit, _ := plan(dense, tiny, evd.ProductsEmulated); unfit == nil || f.Bytes() != want.Bytes() || f.Bytes() >= emulated.Bytes() {
		t.Errorf("emulated products that do not fit: %d bytes, want %d, less than %d; %v", f.Bytes(), want.Bytes(), emulated.Bytes(), unfit)
	}
}
