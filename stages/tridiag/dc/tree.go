package dc

import (
	"math"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// Tree says how T is divided. Leaves has the smallest parts of T, which cover all rows in order.
// Levels[0] has the merges of pairs of leaves. Levels[1] has merges of pairs of blocks, at least
// one of which is a result of Levels[0], and so on. The merges of one level use different rows. A
// block that is not part of a larger block is not coupled to its neighbours: the elements of T
// between them count as zero.
type Tree struct {
	Leaves []Pair
	Levels [][]Pair
}

// Pair is two adjacent diagonal blocks, of orders N1 and N2. The first one begins at row and column
// Lo. A leaf is a pair with N2 = 0.
type Pair struct{ Lo, N1, N2 int }

func (p Pair) N() int { return p.N1 + p.N2 }

func (p Pair) Hi() int { return p.Lo + p.N() }

// block describes the rows [lo, hi) of T. The solver works on these rows multiplied by 2^−exponent.
type block struct{ lo, hi, exponent int }

// split divides T into independent blocks, at the off-diagonal elements that are negligible.
func split(d, e []float64) (blocks []block) {
	n := len(d)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && !tridiag.Negligible(e[hi-1], d[hi-1], d[hi]) {
			hi++
		}
		blocks = append(blocks, block{lo: lo, hi: hi})
		lo = hi
	}
	return blocks
}

// scale scales the block by tridiag.Scale, and then sets elements of e with magnitudes below
// tridiag.Tiny to zero.
func scale(d, e []float64) (exponent int) {
	exponent = tridiag.Scale(d, e)
	for i := range e {
		if math.Abs(e[i]) < tridiag.Tiny {
			e[i] = 0
		}
	}
	return exponent
}

// tear divides the block of n rows that begins at row lo into leaves, and adds these and the merges
// to the tree. It returns the number of levels. To cut T between rows m−1 and m, tear takes the
// element e = e[m−1] out of T,
//
//	T = diag(T1, T2) + |e|·v·vᵀ      v = (0 … 0, 1, ±1, 0 … 0)
//
// where ±1 has the sign of e. Therefore |e| is subtracted from d[m−1] and d[m].
func (t *Tree) tear(d, e []float64, lo, n, leafSize int) (levels int) {
	return t.Halve(lo, n, leafSize, func(m int) {
		cut := math.Abs(e[m-1])
		d[m-1] -= cut
		d[m] -= cut
	})
}

// Halve halves the block of n rows that begins at row lo, until the parts have at most leafSize
// rows, and adds leaves and merges to the tree. It calls `cut` for the first row m of each lower
// half. It returns the number of levels.
func (t *Tree) Halve(lo, n, leafSize int, cut func(m int)) (levels int) {
	if n <= leafSize {
		t.Leaves = append(t.Leaves, Pair{Lo: lo, N1: n})
		return 0
	}
	p := Pair{lo, n / 2, n - n/2}
	m := lo + p.N1
	cut(m)
	level := max(t.Halve(lo, p.N1, leafSize, cut), t.Halve(m, p.N2, leafSize, cut))
	if level == len(t.Levels) {
		t.Levels = append(t.Levels, nil)
	}
	t.Levels[level] = append(t.Levels[level], p)
	return level + 1
}
