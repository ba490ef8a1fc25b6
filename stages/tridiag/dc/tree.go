package dc

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag"
)

// solution is the plan of one divide-and-conquer solution and its state. T falls
// into blocks where elements of e are negligible; each block is scaled, and torn
// into leaves, which are merged again two by two, level by level.
type solution struct {
	// d and e start as the torn T. When rows [lo, hi) are solved, d[lo:hi] holds
	// their eigenvalues, in the order of Q's columns.
	d, e []float64

	// rows of Q's blocks, and for each block how its values ascend, counted from its
	// first column.
	rows  Rows
	order []int32

	blocks []block
	Tree
}

// block is the rows [lo, hi) of T, which were multiplied by 2^−scale.
type block struct{ lo, hi, scale int }

func newSolution(d, e []float64, opt Options) (*solution, error) {
	n := len(d)
	if len(e) < n-1 {
		panic("dc: the off-diagonal is shorter than n-1")
	}
	if opt.From < 0 || opt.To < opt.From || opt.To > n {
		panic("dc: no such range of vectors")
	}
	if err := tridiag.CheckFinite(d, e); err != nil {
		return nil, err
	}
	leaf := opt.LeafSize
	if leaf <= 0 {
		leaf = defaultLeaf
	}
	t := &solution{d: slices.Clone(d), e: slices.Clone(e[:max(n-1, 0)]), rows: newRows(n), order: make([]int32, n)}
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && !tridiag.Negligible(e[hi-1], d[hi-1], d[hi]) {
			hi++
		}
		t.scale(lo, hi)
		t.tear(lo, hi-lo, leaf)
		lo = hi
	}
	return t, nil
}

// scale brings the block's largest element into [½, 1), by a power of two.
func (t *solution) scale(lo, hi int) {
	d, e := t.d[lo:hi], t.e[lo:hi-1]
	norm := 0.0
	for _, x := range d {
		norm = max(norm, math.Abs(x))
	}
	for _, x := range e {
		norm = max(norm, math.Abs(x))
	}
	_, exp := math.Frexp(norm)
	for i := range d {
		d[i] = math.Ldexp(d[i], -exp)
	}
	for i := range e {
		e[i] = math.Ldexp(e[i], -exp)
		if math.Abs(e[i]) < tridiag.Tiny {
			e[i] = 0
		}
	}
	t.blocks = append(t.blocks, block{lo, hi, exp})
}

// tear halves the block of n rows from lo until the parts are leaves. At a cut
// between rows m−1 and m,
//
//	T = diag(T1, T2) + |e|·v·vᵀ    v = (0 … 0, 1, ±1, 0 … 0)
//
// with the sign of e = e[m−1], so |e| is taken from d[m−1] and d[m]. Returned is
// the number of levels below this node.
func (t *solution) tear(lo, n, leaf int) int {
	if n <= leaf {
		t.Leaves = append(t.Leaves, Pair{Lo: lo, N1: n})
		return 0
	}
	p := Pair{lo, n / 2, n - n/2}
	cut := math.Abs(t.rho(p))
	t.d[lo+p.N1-1] -= cut
	t.d[lo+p.N1] -= cut
	level := max(t.tear(lo, p.N1, leaf), t.tear(lo+p.N1, p.N2, leaf))
	if level == len(t.Levels) {
		t.Levels = append(t.Levels, nil)
	}
	t.Levels[level] = append(t.Levels[level], p)
	return level + 1
}

// rho returns the element that was torn out between the two blocks of p.
func (t *solution) rho(p Pair) float64 { return t.e[p.Lo+p.N1-1] }

// leavesAscend notes that the leaves' values ascend as they are.
func (t *solution) leavesAscend() {
	for _, l := range t.Leaves {
		for i := range l.N1 {
			t.order[l.Lo+i] = int32(i)
		}
	}
}

// merge prepares the merge of a pair whose halves are solved.
func (t *solution) merge(p Pair) *Merge {
	lo, mid, hi := p.Lo, p.Lo+p.N1, p.Hi()
	return newMerge(p, t.d[lo:hi], t.rows.of(lo, hi), mergedOrder(t.d[lo:hi], t.order[lo:mid], t.order[mid:hi]), t.rho(p))
}

// merged takes over what the merge found.
func (t *solution) merged(m *Merge) {
	d := t.d[m.Lo:m.Hi()]
	m.values(d)
	copy(t.rows.First[m.Lo:], m.Q.First)
	copy(t.rows.Last[m.Lo:], m.Q.Last)
	roots := make([]int32, m.K)
	for j := range roots {
		roots[j] = int32(j)
	}
	gone := mergedOrder(m.deflated, ascending(m.deflated[:m.rotated]), ascending(m.deflated[m.rotated:]))
	copy(t.order[m.Lo:], mergedOrder(d, roots, gone))
}

// mergedOrder is the permutation that makes d ascend, given those, each counted from
// zero, of its beginning and of the rest.
func mergedOrder(d []float64, upper, lower []int32) []int32 {
	order, n1 := make([]int32, 0, len(d)), int32(len(upper))
	for len(upper) > 0 && len(lower) > 0 {
		if u, l := upper[0], lower[0]+n1; d[l] < d[u] {
			order, lower = append(order, l), lower[1:]
		} else {
			order, upper = append(order, u), upper[1:]
		}
	}
	order = append(order, upper...)
	for _, l := range lower {
		order = append(order, l+n1)
	}
	return order
}

// result returns all eigenvalues, ascending and with the scaling undone, and which
// columns of Q are the vectors wanted, in this order.
func (t *solution) result(opt Options) (values []float64, wanted []int32) {
	v := make([]float64, len(t.d))
	for _, b := range t.blocks {
		for i := b.lo; i < b.hi; i++ {
			v[i] = math.Ldexp(t.d[i], b.scale)
		}
	}
	order := t.order
	if len(t.blocks) > 1 {
		order = ascending(v)
	}
	values = make([]float64, len(v))
	for j, c := range order {
		values[j] = v[c]
	}
	if opt.From == 0 && opt.To == 0 {
		return values, order
	}
	return values, order[opt.From:opt.To]
}
