package product

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// gemmtrColumns is the number of columns of C that one product of Gemmtr computes.
const gemmtrColumns = 1024

// Gemmtr implements the interface Ops. It computes C in blocks of columns. A block begins at the
// diagonal, so that half a square of each block lies above the diagonal.
func (g *tiledGemm[T]) Gemmtr(
	rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T],
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
