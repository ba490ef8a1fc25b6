package product

import "fmt"

// Emulation holds the sizes of double-precision products on integer units (package emulated).
type Emulation struct {
	// Tile has the tile sizes for matrix units. Dots has the tile sizes for packed dot products,
	// which are used on devices without matrix units.
	Tile MatrixTile
	Dots DotTile

	// Narrow has the tile sizes for matrix units of products with few columns, which are the
	// products with a symmetric factor. If Narrow.M is 0, these products use Tile. The larger one
	// of Narrow.M and Narrow.N must divide Panel or be larger; then the panels of these products
	// have as many rows. In addition, Narrow.Step must be Tile.Step.
	Narrow MatrixTile

	// Panel is the number of rows of a panel. The residues of the rows of a panel are contiguous in
	// memory. Spacing is the number of unused bytes between two panels. Panel and Spacing are
	// multiples of 16.
	Panel, Spacing int

	// Strip is the number of elements of the result that are computed at a time. The residues of
	// twice as many elements should fit the cache.
	Strip int

	// Planes is the largest number of bytes for the residues of the factors. A product that needs
	// more is computed block by block.
	Planes int

	// Merge is the number of Householder reflectors that back transformations apply together, if it
	// is larger than that of native products (panel.Tuning). A larger inner dimension is of
	// more use to emulated products.
	Merge int `json:",omitempty"`

	// Held is the largest number of bytes for the residues of a symmetric factor, which are kept
	// for several products. If the residues need more bytes, native kernels compute the products.
	Held int

	// HeldGain is the smallest ratio of the rates of products, emulated to native, for which the
	// residues of a symmetric factor are kept. If HeldGain is 0, any ratio suffices, even if the
	// rates were not measured.
	HeldGain float64 `json:",omitempty"`

	// Dispatch is the cost in flops above which a kernel of a product is divided into several
	// dispatches. 0 means no limit. Dispatch limits the time of a dispatch on slow devices, and
	// does not change the bits of a result.
	Dispatch float64 `json:",omitempty"`

	// PerFlop is the number of operations on bytes that take as long as one flop in double
	// precision. 0 means that it was not measured; then 1 is used, which is less than the true
	// number on every device with such units.
	PerFlop float64 `json:",omitempty"`

	// Least has the smallest sizes of emulated products. A product with an m×n result is emulated
	// if m·n is at least Least.M·Least.N, the inner dimension is at least Least.K, and m and n are
	// at least a quarter of Least.M and Least.N. Native kernels compute other products. Least.Count
	// is not used.
	Least Shape
}

// ByGain returns the sizes for a device whose emulated products are `gain` times as fast as its
// native ones. A gain of 0 means that the rates were not measured.
func (e Emulation) ByGain(gain float64) Emulation {
	if gain < e.HeldGain {
		e.Held = 0
	}
	return e
}

// Within returns the sizes for products modulo `count` numbers whose residues need about `room` bytes
// at most. If room is 0, all sizes stay as they are.
func (e Emulation) Within(room, count int) Emulation {
	if room > 0 {
		e.Planes = min(e.Planes, room/3*2)
		e.Strip = min(e.Strip, room/3/(2*count)) // there are two strips, and a residue is a byte
	}
	return e
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
// computes M×N elements of the result, and an invocation computes 8×8 of them. M and N are
// multiples of 16. Swath is a number of neighbouring rows of tiles: the workgroups process the
// tiles of such rows column by column, before they continue with the next rows of tiles.
type DotTile struct{ M, N, Swath uint32 }

// String returns the sizes of the tile as text.
func (t MatrixTile) String() string {
	return fmt.Sprintf("%d×%d×%d tile of %d×%d units, pitch %d, swath %d, %d moduli in turn",
		t.M, t.N, t.Step, t.SubM, t.SubN, t.Pitch, t.Swath, t.Turns)
}
