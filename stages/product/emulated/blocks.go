package emulated

import "github.com/vkevd/vkevd/vk"

// blocks records a product in blocks of C whose planes fit the memory. It is false, and records
// nothing, if not even the planes of one tile fit.
//
// The planes of a block of columns serve all blocks of rows above each other only if they are not
// overwritten; converting them anew is a small part of a block's product, so each block is a product of
// its own. The bits do not depend on the blocks, but for a pair: its balance is that of the block.
func (o *Ops) blocks(rec *vk.Recorder, ws *vk.Arena, p problem) bool {
	m, n := o.block(p)
	if m == 0 {
		return false
	}
	for j := 0; j < p.c.Cols; j += n {
		for i := 0; i < p.c.Rows; i += m {
			o.k.record(rec, ws, o.mem, p.block(i, j, min(m, p.c.Rows-i), min(n, p.c.Cols-j)))
		}
	}
	return true
}

// block is the size of the blocks of C: all of it if that fits, else squares, or what remains beside
// all of the shorter side. Both are 0 if nothing fits.
func (o *Ops) block(p problem) (m, n int) {
	factors, pad := len(p.left), o.k.padRows
	row := factors * o.k.geometry(pad, p.left[0].inner).words(o.k.moduli.N) // words of pad rows
	most := min((o.planes-4*64)/max(row, 1), o.rows/pad)                    // of both sides
	m, n = vk.Tiles(p.c.Rows, uint32(pad)), vk.Tiles(p.c.Cols, uint32(pad))
	if m+n > most {
		if most < 2 {
			return 0, 0
		}
		half := most / 2
		switch {
		case m <= half:
			n = most - m
		case n <= half:
			m = most - n
		default:
			m, n = half, half
		}
	}
	return m * pad, n * pad
}

// block is the product for some rows and columns of C.
func (p problem) block(i, j, m, n int) problem {
	part := func(all []rows, first, count int) []rows {
		var out []rows
		for _, f := range all {
			f.at, f.rows = f.at.From(first*f.stepRow), count
			out = append(out, f)
		}
		return out
	}
	p.left, p.right = part(p.left, i, m), part(p.right, j, n)
	p.c = p.c.Block(i, j, m, n)
	return p
}
