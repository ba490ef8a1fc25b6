package product

import "fmt"

// Emulation is the sizes of double-precision products on integer units (package emulated).
type Emulation struct {
	// Tile is for matrix units; Dots for packed dot products, where there are no matrix units.
	Tile MatrixTile
	Dots DotTile

	// Panel is the number of rows whose residues lie together, a multiple of 16. Spacing is the
	// number of bytes between two panels, a multiple of 16.
	Panel, Spacing int

	// Strip is the number of elements of a result that are computed at a time. The residues of two
	// strips should fit the cache.
	Strip int

	// Planes bounds the memory of residues of factors, in bytes. Larger products are cut into blocks.
	Planes int

	// Least bounds the products that are emulated: m·n is at least M·N, and the inner dimension at
	// least K. Smaller ones are native. Count is not used.
	Least Shape
}

// MatrixTile is how a product of residues is tiled for matrix units. M×N×K below is the shape of
// the device's units.
type MatrixTile struct {
	M, N       uint32 // tile of a workgroup
	SubM, SubN uint32 // units of a subgroup, along the rows and columns
	Step       uint32 // bytes of a row that pass through shared memory at a time
	Pitch      uint32 // bytes from row to row in shared memory
	Turns      uint32 // moduli that a workgroup takes one after another
	Swath      uint32 // rows of tiles in the order of workgroups
}

// DotTile is how a product of residues is tiled for packed dot products. An invocation has 8×8
// elements. M and N are multiples of 16.
type DotTile struct{ M, N, Swath uint32 }

// String names the tile by its sizes.
func (t MatrixTile) String() string {
	return fmt.Sprintf("%d×%d×%d tile of %d×%d units, pitch %d, swath %d, %d moduli in turn",
		t.M, t.N, t.Step, t.SubM, t.SubN, t.Pitch, t.Swath, t.Turns)
}
