package product

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSymmTogether records a symmetric product and other products that run concurrently. Each
// product must have the bits that it has alone, also if the partial products do not fit the
// workspace together. All factors are blocks of one matrix, as in a band reduction.
func TestSymmTogether(t *testing.T) {
	const n, cols, other = 300, 3, 20
	for _, missing := range []int{0, 1} {
		ops, err := New[float64](stagetest.Device(t), Tables.Smallest)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, n*(n+cols+1), ops.Work())
		symm := ops.tiledSymm.split(2, n, 2)
		ops.tiledSymm.known.by[problem{m: n, n: cols, k: n, count: 1, alongK: 2}] = symm // without this entry, the model of costs would not split the product
		gemm := ops.tiledGemm.choose(problem{m: other, n: cols, k: n, count: 1, alongK: 2})
		needed := symm.splits*n*cols + gemm.splits*other*cols
		if symm.splits < 2 || gemm.splits < 2 || ops.tiledGemm.capacity < needed {
			t.Fatalf("splits %+v and %+v, %d elements of %d", symm, gemm, needed, ops.tiledGemm.capacity)
		}
		ops.tiledGemm.capacity = needed - missing
		a, w := stagetest.Normal(n, n, n+1, 1), stagetest.Normal(n, cols, n, 2)
		c := stagetest.Normal(n, 2*cols, n, 3)
		record := func(multiply func(rec *vk.Recorder, a, w, p Matrix[float64], others ...Product[float64])) stagetest.Sample {
			return p.do(t, a, w, c, func(rec *vk.Recorder, a, w, c Matrix[float64]) {
				multiply(rec, a, w, c.Block(0, 0, n, cols),
					Product[float64]{OpA: Trans, A: a.Block(0, 0, n, other), B: w, C: c.Block(0, cols, other, cols)},
					Product[float64]{OpA: Trans, A: a.Block(0, 0, n, 0), B: w, C: c.Block(0, cols, 0, cols)})
			})
		}
		have := record(func(rec *vk.Recorder, a, w, c Matrix[float64], others ...Product[float64]) {
			ops.SymmTogether(rec, p.WS, a, w, c, others...)
		})
		want := record(func(rec *vk.Recorder, a, w, c Matrix[float64], others ...Product[float64]) {
			ops.Symm(rec, p.WS, a, w, c)
			for _, x := range others {
				ops.Gemm(rec, p.WS, x.OpA, x.OpB, 1, x.A, x.B, 0, x.C)
			}
		})
		if !slices.EqualFunc(have.Data, want.Data, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
			t.Errorf("%d elements missing: the bits are others", missing)
		}
	}
}
