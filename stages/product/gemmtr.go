package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// gemmtrColumns is the number of columns of the result that one product of Gemmtr computes.
const gemmtrColumns = 1024

// Gemmtr computes blocks of columns of the result, with the rows from the diagonal on. So Gemmtr
// also computes elements above the diagonal in the first rows of each block. Ops allows any values
// for these elements.
func (g *tiledGemm[T]) Gemmtr(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T],
) {
	n := c.Rows
	if c.Cols != n {
		panic(fmt.Sprintf("product: gemmtr into %d×%d", n, c.Cols))
	}
	all := single(opA, opB, alpha, Pair[T]{a, b}, beta, c)
	all.inner() // panics if the shapes do not fit
	for j := 0; j < n; j += g.columns {
		r := all.block(j, j, n-j, min(g.columns, n-j))
		g.record(rec, ws, r, g.choose(r.problem()))
	}
}
