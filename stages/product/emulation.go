package product

import "fmt"

// Emulation holds the sizes of double-precision products on integer units (package emulated).
type Emulation struct {
	// Tile has the sizes for matrix units. Dots has the sizes for packed dot products, which run on
	// devices without matrix units.
	Tile MatrixTile
	Dots DotTile

	// Panel is the number of rows of a panel. The residues of a panel are contiguous in memory.
	// Spacing is the number of unused bytes between two panels. Both are multiples of 16.
	Panel, Spacing int

	// Strip is the number of elements of a result that are computed at a time. The residues of two
	// strips should fit the cache.
	Strip int

	// Planes is the largest number of bytes that the residues of the factors may take. A product that
	// needs more is computed block by block.
	Planes int

	// Least has the smallest sizes of emulated products: a product of m×n elements is emulated if m·n
	// is at least Least.M·Least.N and its inner dimension is at least Least.K. Native kernels compute
	// smaller products. Least.Count is not used.
	Least Shape
}

// MatrixTile holds the tile sizes of a product of residues on matrix units.
type MatrixTile struct {
	M, N       uint32 // rows and columns of the result that a workgroup computes
	SubM, SubN uint32 // fragments that a subgroup computes, along the rows and along the columns
	Step       uint32 // bytes of each row that shared memory holds at a time
	Pitch      uint32 // bytes from one row to the next in shared memory
	Turns      uint32 // number of moduli that a workgroup takes one after another
	Swath      uint32 // number of rows of tiles in a swath; workgroups take the tiles swath by swath
}

// DotTile holds the tile sizes of a product of residues with packed dot products. A workgroup
// computes M×N elements of the result, and an invocation computes 8×8 of them. M and N are multiples
// of 16. Swath is the number of rows of tiles in a swath.
type DotTile struct{ M, N, Swath uint32 }

// String returns the sizes of the tile as text.
func (t MatrixTile) String() string {
	return fmt.Sprintf("%d×%d×%d tile of %d×%d units, pitch %d, swath %d, %d moduli in turn",
		t.M, t.N, t.Step, t.SubM, t.SubN, t.Pitch, t.Swath, t.Turns)
}
