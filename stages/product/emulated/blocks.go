package emulated

import "github.com/vkevd/vkevd/vk"

// blocks records the product p as one product for each block of the result C. A block is so small
// that the residues of its factors fit the memory. If not even the residues for one tile fit,
// blocks returns false and records nothing.
//
// Each block converts its rows of A and its columns of B again. This conversion is a small part of
// the work of a block. The bits of a single product A·B do not depend on the blocks. The bits of a
// pair A·B + D·E do: A and D share one scaling of each row, and each block chooses a power of two
// that balances A against D. B and E are balanced by the inverse power.
func (o *Ops[T]) blocks(rec *vk.Recorder, ws *vk.Arena, p problem[T]) bool {
	m, n := o.block(p)
	if m == 0 {
		return false
	}
	for j := 0; j < p.c.Cols; j += n {
		for i := 0; i < p.c.Rows; i += m {
			part := p.block(i, j, min(m, p.c.Rows-i), min(n, p.c.Cols-j))
			single := len(p.left) == 1
			part.counted = [2]bool{single && j > 0, single && i > 0}
			o.k.record(rec, ws, o.mem, part)
		}
	}
	return true
}

// block returns the numbers of rows and columns of the blocks into which the result is divided, as
// multiples of the padding. A block is the whole result if the residues of its factors fit the
// memory. Otherwise, if the residues of one side of the product fit half of the memory, a block has
// all rows of this side, and as many rows of the other side as fit. Otherwise it is square. The
// numbers are 0, 0 if no block fits.
func (o *Ops[T]) block(p problem[T]) (m, n int) {
	factors, pad := len(p.left), o.k.padRows
	row := factors * o.k.geometry(pad, p.left[0].inner).words(o.k.moduli.Planes()) // number of 32-bit words for pad rows
	most := min((o.planes-4*64)/max(row, 1), o.rows/pad)                           // groups of pad rows that fit, both sides together
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

func (p problem[T]) block(i, j, m, n int) problem[T] {
	part := func(all []rows[T], first, count int) []rows[T] {
		var out []rows[T]
		for _, f := range all {
			out = append(out, f.part(first, count))
		}
		return out
	}
	p.left, p.right = part(p.left, i, m), part(p.right, j, n)
	p.c = p.c.Block(i, j, m, n)
	return p
}
