package emulated

import (
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TestSizesOnADevice checks what a device with matrix units and 8 GB of memory builds and reserves.
// The residues of factors may take a part of the memory. The kernels for products with few columns
// are built when a product with a symmetric factor is reserved, and not before.
func TestSizesOnADevice(t *testing.T) {
	const memory = 8e9
	shape := vk.MatrixShape{M: 16, N: 16, K: 32}
	dev := vk.Dry(vk.Info{
		Name: "card", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: memory, Free: memory,
		ByteMatrices: []vk.MatrixShape{shape}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
	})
	plain, err := product.New[float64](dev, native)
	if err != nil {
		t.Fatal(err)
	}
	e := benchTuning
	e.Planes, e.Held = 4<<30, 4<<30
	e.Narrow = product.MatrixTile{M: 256, N: 64, SubM: 4, SubN: 4, Step: 64, Pitch: 80, Swath: 8, Turns: 2}
	ops, err := NewOn(dev, plain, e, 14, Units{Shape: shape, Order: dots.Order})
	if err != nil {
		t.Fatal(err)
	}
	if sizes := ops.k.tuning; sizes.Planes != int(memory)/planesShare || sizes.Held != memory/heldShare {
		t.Errorf("%d bytes for factors, %d for symmetric ones", sizes.Planes, sizes.Held)
	}
	if err := ops.Reserve(product.Shape{M: 2048, N: 2048, K: 512, Count: 1}); err != nil || ops.symm.k != ops.k {
		t.Errorf("kernels for few columns are built for other products; %v", err)
	}
	if err := ops.Reserve(product.Shape{M: 2048, N: 32, K: 2048, Held: true}); err != nil || ops.symm.k == ops.k || ops.symm.k.tileN != 64 {
		t.Errorf("no kernels for few columns; %v", err)
	}
}

// TestTilesThatDoNotFitAreRefused changes one size of a tile for matrix units at a time, so that it
// contradicts the others. NewOn must then return an error.
func TestTilesThatDoNotFitAreRefused(t *testing.T) {
	shape := vk.MatrixShape{M: 16, N: 16, K: 32}
	dev := vk.Dry(vk.Info{
		Name: "card", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Memory: 8e9, Free: 8e9,
		ByteMatrices: []vk.MatrixShape{shape}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
	})
	plain, err := product.New[float64](dev, native)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(t *product.MatrixTile){
		"SubM 0": func(t *product.MatrixTile) { t.SubM = 0 }, "SubN 0": func(t *product.MatrixTile) { t.SubN = 0 },
		"SubM 3": func(t *product.MatrixTile) { t.SubM = 3 }, "SubN 3": func(t *product.MatrixTile) { t.SubN = 3 },
		"Pitch below Step": func(t *product.MatrixTile) { t.Pitch = t.Step - 16 }, "Pitch": func(t *product.MatrixTile) { t.Pitch++ },
		"Swath": func(t *product.MatrixTile) { t.Swath = 0 }, "Turns": func(t *product.MatrixTile) { t.Turns = 0 },
	} {
		e := benchTuning
		if _, err := NewOn(dev, plain, e, 14, Units{Shape: shape, Order: dots.Order}); err != nil {
			t.Fatal(err)
		}
		if change(&e.Tile); e.Tile == benchTuning.Tile {
			t.Fatalf("%s: no change", name)
		}
		if _, err := NewOn(dev, plain, e, 14, Units{Shape: shape, Order: dots.Order}); err == nil {
			t.Errorf("%s: %+v is not refused", name, e.Tile)
		}
	}
}
