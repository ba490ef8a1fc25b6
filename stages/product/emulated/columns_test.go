package emulated

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSyr2kColumns updates some blocks of columns of the lower triangle. The result must have the
// bits of Syr2k on the trailing matrix that begins with the first block, because both use the same
// residues. Nothing else may change, apart from elements of diagonal blocks above the diagonal. In
// two cases the blocks are updated one by one: they do not begin with a panel of residues, or the
// residues do not fit the memory. Their errors may then be up to 1e-12.
func TestSyr2kColumns(t *testing.T) {
	eachUnits(t, func(t *testing.T, u Units) {
		const n, k, width = 150, 24, 32
		y, z, c := stagetest.Normal(n, k, n+1, 1), stagetest.Normal(n, k, n+1, 2), stagetest.Normal(n, n, n+2, 3)
		for name, test := range map[string]struct {
			blocks []int
			shift  int // column j of the blocks begins at j·width + shift; −1: at j·width + j
			planes int
			same   bool // the results must have the same bits
		}{
			"some": {[]int{1, 2, 4}, 0, 1 << 22, true}, "all": {[]int{0, 1, 2, 3, 4}, 0, 1 << 22, true}, "last": {[]int{4}, 0, 1 << 22, true},
			"none": {nil, 0, 1 << 22, true}, "shifted": {[]int{0, 2}, 5, 1 << 22, true}, "uneven": {[]int{1, 2, 4}, -1, 1 << 22, false},
			"little memory": {[]int{1, 2, 4}, 0, 20000, false},
		} {
			sizes := small()
			sizes.Planes = test.planes
			ops := newOps(t, sizes, u, 13, n, 2*k)
			p := bench{stagetest.NewBench(t, (n+2)*(n+2), vk.Together(ops.Work(), ops.Status()))}
			first := func(j int) int {
				if test.shift < 0 { // the distances between blocks are no multiples of a panel
					return j*width + j
				}
				return j*width + test.shift
			}
			have := p.do(t, ops, y, z, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) {
				var blocks []product.ColumnBlock[float64]
				for _, j := range test.blocks {
					at := first(j)
					blocks = append(blocks, product.ColumnBlock[float64]{First: at, C: c.Block(at, at, n-at, min(width, n-at))})
				}
				ops.Syr2kColumns(rec, p.WS, y, z, blocks)
			})
			want := c
			if len(test.blocks) > 0 {
				begin := first(test.blocks[0])
				want = p.do(t, ops, y, z, c, func(rec *vk.Recorder, y, z, c product.Matrix[float64]) {
					part := func(m product.Matrix[float64]) product.Matrix[float64] { return m.Block(begin, 0, n-begin, k) }
					ops.Syr2k(rec, p.WS, part(y), part(z), c.Block(begin, begin, n-begin, n-begin))
				})
			}
			owned := func(col int) bool {
				for _, j := range test.blocks {
					if at := first(j); at <= col && col < at+width {
						return true
					}
				}
				return false
			}
			for col := range n {
				for row := range n {
					h, w := have.Data[row+col*have.Ld], c.Data[row+col*c.Ld]
					if owned(col) && row >= col {
						w = want.Data[row+col*want.Ld]
					}
					switch diagonal := owned(col) && row < col && owned(row); {
					case diagonal: // above the diagonal of a diagonal block: no other code reads this element
					case h != w && (test.same || !(math.Abs(h-w) <= 1e-12)):
						t.Fatalf("%s: element (%d, %d) is %g, want %g", name, row, col, h, w)
					}
				}
			}
		}
	})
}
