package emulation

import (
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestPanel checks that more reflectors are applied together only if products are emulated, and never
// fewer.
func TestPanel(t *testing.T) {
	for _, c := range []struct {
		products            Products
		merge, emulated, it int
	}{{nil, 512, 1024, 512}, {make(Products, 2), 512, 1024, 1024}, {make(Products, 2), 512, 0, 512}} {
		sizes := tuning.Tuning{Panel: stages.PanelTuning{Merge: c.merge}}
		sizes.Products = product.Tuning{Emulated: product.Emulation{Merge: c.emulated}}
		if have := c.products.Panel(sizes).Merge; have != c.it {
			t.Errorf("%d emulated, %d and %d: %d reflectors", len(c.products), c.merge, c.emulated, have)
		}
	}
}
