package vk

import "math"

// A placement gives every region of a layout an offset. Offsets are virtual: they count bytes over
// several buffers. The multiples of `limit` divide the offsets into cells, and each cell in use
// becomes one buffer. No region crosses the end of a cell, so a kernel sees each region in one
// piece. There are two exceptions, in which a region lies in several buffers and kernels find its
// memory by a page table (Arena): a region larger than a cell, and every region of a dense
// placement.
//
// For example, regions a, b and c of 3, 2 and 2 units, in cells of 4 units, take two buffers of 3
// and 4 units. The offset 3 between the two buffers has no memory:
//
//	offset  0 1 2 3 | 4 5 6 7
//	region  a a a   | b b c c
//
// The parts of an InTurn begin at the same offset and share cells. The buffer of a shared cell is
// as large as the part that uses most of the cell.
type placement struct {
	// limit is the size of a cell in bytes, and `guard` is the number of unused bytes after each
	// region. Both are multiples of the constant `alignment`.
	limit, guard uint64

	leaves []placed // the regions, in the order of the layout
	ends   []uint64 // bytes in use in each cell, which is the size of its buffer
	paged  bool     // some region lies in several cells

	// dense says that regions have the same offsets as in one buffer. A region may then cross the
	// end of a cell even if it is smaller than a cell.
	dense bool
}

type placed struct {
	leaf   *Layout
	offset uint64
	alone  bool // no other region shares its bytes
	paged  bool // the region, with its guard bytes, lies in several cells
}

const unlimited = math.MaxUint64 &^ (alignment - 1)

// place computes the placement of the layout `l` in cells of `limit` bytes. A `limit` of 0 means
// one cell of unlimited size. The same arguments always give the same offsets.
func (l *Layout) place(limit, guard uint64, dense bool) *placement {
	if limit &^= alignment - 1; limit == 0 {
		limit = unlimited
	}
	p := &placement{limit: limit, guard: guard, dense: dense}
	p.walk(l, 0, true)
	return p
}

// walk assigns offsets to the regions of the layout `l`, from the offset `at` on. It returns the
// first offset after this layout. `alone` is true if the regions share bytes with no other region.
func (p *placement) walk(l *Layout, at uint64, alone bool) uint64 {
	if l.parts == nil {
		return p.put(l, at, alone)
	}
	end := at
	for _, part := range l.parts {
		from := end
		if l.inTurn {
			from = at
		}
		end = max(end, p.walk(part, from, alone && !l.inTurn))
	}
	return end
}

// put assigns an offset to one region: the first offset from `at` on at which the region does not
// cross the end of a cell. A region that is larger than a cell gets the offset `at`, and so does
// every region of a dense placement. The result is the offset after the region and its guard bytes.
func (p *placement) put(leaf *Layout, at uint64, alone bool) uint64 {
	need := alignUp(leaf.bytes) + p.guard
	crosses := need > 0 && at/p.limit != (at+need-1)/p.limit
	if crosses && need <= p.limit && !p.dense {
		at, crosses = (at/p.limit+1)*p.limit, false
	}
	p.paged = p.paged || crosses
	p.leaves = append(p.leaves, placed{leaf, at, alone, crosses})
	for from, end := at, at+need; from < end; {
		cell := from / p.limit
		from = min(end, (cell+1)*p.limit)
		for uint64(len(p.ends)) <= cell {
			p.ends = append(p.ends, 0)
		}
		p.ends[cell] = max(p.ends[cell], from-cell*p.limit)
	}
	return at + need
}

func (p *placement) bytes() uint64 {
	sum := uint64(0)
	for _, n := range p.ends {
		sum += n
	}
	return sum
}

func (p *placement) table() []Placed {
	var rows []Placed
	for _, l := range p.leaves {
		rows = append(rows, Placed{l.leaf.name, l.offset, l.leaf.bytes, l.paged})
	}
	return rows
}
