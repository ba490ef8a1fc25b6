package product

import "fmt"

// Emulation holds the sizes of double-precision products on integer units (package emulated).
type Emulation struct {
	// Tile has the tile sizes for matrix units. Dots has the tile sizes for packed dot products,
	// which devices without matrix units use.
	Tile MatrixTile
	Dots DotTile

	// Narrow has the tile sizes on matrix units for products with a symmetric factor, whose results
	// have few columns. If Narrow.M is 0, these products use Tile. Let m be the larger one of
	// Narrow.M and Narrow.N. Either m divides Panel, or m is larger than Panel, and then the panels
	// of these products have m rows. Narrow.Step must be Tile.Step.
	Narrow MatrixTile

	// Panel is the number of rows whose residues are contiguous in memory. Spacing is the number of
	// unused bytes between two panels. Both are multiples of 16.
	Panel, Spacing int

	// Strip is the number of elements of the result that are computed at a time. The residues of
	// twice as many elements should fit the cache.
	Strip int

	// Planes is the largest number of bytes for the residues of the factors. A product that needs
	// more is computed block by block.
	Planes int

	// Merge is the number of Householder reflectors that back transformations apply together, if it
	// is larger than that of native products (panel.Tuning): emulated products gain more from a
	// large inner dimension.
	Merge int `json:",omitempty"`

	// Held is the largest number of bytes for the residues of a symmetric factor, which are kept
	// for several products. If they need more, the products are native.
	Held int

	// HeldGain is the smallest ratio of the rates of emulated and native products for which the
	// residues of a symmetric factor are kept. If HeldGain is 0, any ratio suffices, even if the
	// rates were not measured.
	HeldGain float64 `json:",omitempty"`

	// Dispatch is the cost in flops above which a kernel of a product is divided into several
	// dispatches; 0 means no limit. It limits the time of a dispatch on slow devices, and does not
	// change the bits of a result.
	Dispatch float64 `json:",omitempty"`

	// PerFlop is the number of operations on bytes that take as long as one flop in double
	// precision. 0 means that the number was not measured. It then counts as 1, which is less than
	// the true number on every device with integer units.
	PerFlop float64 `json:",omitempty"`

	// Least has the smallest sizes of emulated products. m·n must be at least Least.M·Least.N, and
	// the inner dimension at least Least.K. m must be at least a quarter of Least.M, and n at least
	// a quarter of Least.N. Least.Count is not used.
	Least Shape
}

// ByGain returns the sizes for a device whose emulated products are `gain` times as fast as its
// native ones; 0 means that this was not measured.
func (e Emulation) ByGain(gain float64) Emulation {
	if gain < e.HeldGain {
		e.Held = 0
	}
	return e
}

// Within returns the sizes for products with `count` moduli whose residues may need about `room`
// bytes. If `room` is 0, there is no limit.
func (e Emulation) Within(room, count int) Emulation {
	if room > 0 {
		e.Planes = min(e.Planes, room/3*2)
		e.Strip = min(e.Strip, room/3/(2*count)) // there are two strips, and a residue is a byte
	}
	return e
}

type MatrixTile struct {
	M, N       uint32 // rows and columns of the result that a workgroup computes
	SubM, SubN uint32 // fragments that a subgroup computes, along the rows and along the columns
	Step       uint32 // bytes of each row that shared memory holds at a time
	Pitch      uint32 // bytes from one row to the next in shared memory
	Turns      uint32 // number of planes of residues that a workgroup multiplies one after another
	Swath      uint32 // number of rows of tiles in a swath; workgroups take the tiles swath by swath
}

// DotTile holds the tile sizes with packed dot products. A workgroup computes M×N elements of the
// result, and an invocation 8×8 of them. M and N are multiples of 16. The workgroups process the
// tiles of Swath neighbouring rows of tiles column by column, then the next rows.
type DotTile struct{ M, N, Swath uint32 }

func (t MatrixTile) String() string {
	return fmt.Sprintf("%d×%d×%d tile of %d×%d units, pitch %d, swath %d, %d moduli in turn",
		t.M, t.N, t.Step, t.SubM, t.SubN, t.Pitch, t.Swath, t.Turns)
}
