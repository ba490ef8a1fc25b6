package cluster

import (
	"fmt"
	"math"
)

// cyclic is one dimension, rows or columns, of ScaLAPACK's block-cyclic distribution. The n indices
// are divided into blocks. Block k belongs to part k mod parts.
type cyclic struct {
	n, block  int
	parts, me int // the number of parts, and that of this process's part, counted from 0
}

// count returns how many of the indices belong to the part `me` (ScaLAPACK's NUMROC).
func (c cyclic) count() int {
	whole := c.n / c.block
	mine := whole / c.parts * c.block
	switch extra := whole % c.parts; {
	case c.me < extra:
		mine += c.block
	case c.me == extra:
		mine += c.n % c.block
	}
	return mine
}

func (c cyclic) global(l int) int {
	return (l/c.block*c.parts+c.me)*c.block + l%c.block
}

// matrix is this process's part of a distributed matrix. The local element (i, j) is data[i+j·ld].
// Its global row is rows.global(i), and its global column is cols.global(j).
type matrix struct {
	rows, cols cyclic
	ld         int
	data       []float64
}

func newMatrix(rows, cols cyclic) *matrix {
	ld := max(1, rows.count()) // ScaLAPACK refuses 0
	return &matrix{rows, cols, ld, make([]float64, ld*max(1, cols.count()))}
}

func (m *matrix) like(n int) *matrix {
	cols := m.cols
	cols.n = n
	return newMatrix(m.rows, cols)
}

func (m *matrix) column(j int) []float64 { return m.data[j*m.ld:][:m.rows.count()] }

type shape struct{ rows, cols, block int }

const (
	largestBlock  = 64 // order of a block for large matrices; ELPA's guide recommends 32 to 64
	smallestBlock = 16 // for small ones: a process has too little work on a smaller block
)

// arrange chooses a grid of at most p processes for matrices of order n. The grid is as near to a
// square as p allows, because a square grid needs the fewest messages. Every process has at least
// one block row and one block column, because ELPA refuses a process without elements. For a small
// matrix the grid may have fewer than p processes.
func arrange(n, p int) shape {
	most := max(1, n/smallestBlock)
	rows := int(math.Sqrt(float64(p)))
	for rows > 1 && p%rows != 0 {
		rows--
	}
	if best := int(math.Sqrt(float64(p))); rows*2 <= best { // such as 1 for a prime p
		rows = best
	}
	rows = min(rows, most)
	cols := min(p/rows, most)
	block := largestBlock
	for block > 1 && block*max(rows, cols) > max(1, n) {
		block /= 2
	}
	return shape{rows, cols, block}
}

// mostElements is the largest allowed number of elements of a distributed matrix on one process.
// ScaLAPACK counts elements with 32 bits, and its routine pdsyevd counts twice as many elements.
const mostElements = 1<<30 - 1<<24

func (s shape) check(n int) error {
	rows, cols := cyclic{n, s.block, s.rows, 0}, cyclic{n, s.block, s.cols, 0} // part 0 has the most
	if elements := rows.count() * cols.count(); elements > mostElements {
		least := (n/1024*(n/1024)*1024*1024 + mostElements - 1) / mostElements
		return &OptionError{"processes", fmt.Sprintf(
			"%d elements in one process are more than ScaLAPACK can count; at least %d processes are needed", elements, least)}
	}
	return nil
}
