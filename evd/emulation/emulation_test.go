package emulation

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestPanel checks that more reflectors are applied together only if products are emulated, and
// never fewer.
func TestPanel(t *testing.T) {
	for _, c := range []struct {
		products            Products
		merge, emulated, it int
	}{{nil, 512, 1024, 512}, {make(Products, 2), 512, 1024, 1024}, {make(Products, 2), 512, 0, 512}} {
		sizes := tuning.Tuning{Panel: panel.Tuning{Merge: c.merge}}
		sizes.Products = product.Tuning{Emulated: product.Emulation{Merge: c.emulated}}
		if have := c.products.Panel(sizes).Merge; have != c.it {
			t.Errorf("%d emulated, %d and %d: %d reflectors", len(c.products), c.merge, c.emulated, have)
		}
	}
}

// TestModuliOfBoth checks the numbers of moduli of the products for the reduction and for the
// vectors. Complex numbers need more of them, because the moduli are smaller.
func TestModuliOfBoth(t *testing.T) {
	t.Run("real", func(t *testing.T) {
		testModuliOfBoth[float64](t, map[int][]int{0: {13, 14}, 13: {13, 13}, 14: {13, 14}, 15: {14, 15}, 16: {15, 16}})
	})
	t.Run("complex", func(t *testing.T) {
		testModuliOfBoth[complex128](t, map[int][]int{0: {14, 15}, 14: {14, 14}, 15: {14, 15}, 16: {15, 16}})
	})
}

func testModuliOfBoth[T emulated.Double](t *testing.T, all map[int][]int) {
	for moduli, want := range all {
		var have []int
		maker := Maker[T](func(moduli, room int) (*emulated.Ops[T], error) {
			have = append(have, moduli)
			return nil, nil
		})
		_, err := maker.Both(moduli)
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("%d: %v moduli, want %v; %v", moduli, have, want, err)
		}
	}
}

// TestNativePartHasTheSizesOfThePlan checks that the native products of a plan with emulated
// products use the tiles of the given tuning, and not those of the device's table. The given tile
// does not fit the device, so the products must be refused with the error about this tile.
func TestNativePartHasTheSizesOfThePlan(t *testing.T) {
	dev := vk.Dry(vk.Info{Name: "card", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Features: []string{"shaderFloat64"}})
	sizes := tuning.On(dev.Info())
	if _, err := product.New[float64](dev, sizes.Products); err != nil {
		t.Fatal(err)
	}
	sizes.Products.Tiles = []product.Tile{{M: 4096, N: 4096}}
	_, want := product.New[float64](dev, sizes.Products)
	if want == nil {
		t.Fatal("the tile fits the device")
	}
	if _, err := By[float64](dev, sizes, emulated.Facts{})(14, 0); err == nil || err.Error() != want.Error() {
		t.Errorf("%v, want %v", err, want)
	}
}
