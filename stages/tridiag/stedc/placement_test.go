package stedc

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// layoutOnly is a back end of divide and conquer that chooses the offsets of all matrices in
// memory, but forms no vectors. The values of a leaf are its diagonal elements. The first and last
// rows of the vectors are random numbers.
type layoutOnly struct {
	*vectorsRun
	r *rand.Rand
	t *testing.T
}

func (b layoutOnly) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	b.begin(tree)
	for _, l := range tree.Leaves {
		slices.Sort(d[l.Lo:l.Hi()])
	}
	for c := range d {
		rows.First[c], rows.Last[c] = b.r.NormFloat64(), b.r.NormFloat64()
		if b.r.IntN(3) == 0 {
			rows.First[c], rows.Last[c] = 0, 0 // zero rows make the columns deflate
		}
	}
	return nil
}

func (b layoutOnly) Roots(merges []*dc.Merge) error {
	dc.NewHost(0).Roots(merges)
	for _, m := range merges {
		for j := range m.Q.First {
			m.Q.First[j], m.Q.Last[j] = b.r.NormFloat64(), b.r.NormFloat64()
		}
	}
	return nil
}

func (b layoutOnly) Vectors(levels [][]*dc.Merge, order []int32) error {
	for level, merges := range levels {
		b.prepare(level, merges)
	}
	b.complete(levels, order)
	// The vectors of the solved blocks must not overlap in memory. The following loop checks this
	// for each level of merges.
	blocks := b.tree.Leaves
	for level := -1; level < len(levels); level++ {
		used := make([]bool, b.pass.q.Len())
		if level >= 0 {
			blocks = b.tree.Levels[level]
		}
		for _, p := range blocks {
			if p == b.last && p.N2 > 0 {
				continue
			}
			for i := range p.N() * p.N() {
				if used[b.offset[p.Lo]+i] {
					b.t.Fatalf("block %+v overlaps another", p)
				}
				used[b.offset[p.Lo]+i] = true
			}
		}
	}
	return nil
}

// TestDivideConquerFitsItsMemory checks that three matrices fit into their reserved memory: Q, the
// vectors of the solved blocks; W, the rotated vectors of the merges; and S, the vectors of the
// secular equations. It does so for many ways in which T splits and columns deflate. The stage
// panics if a matrix does not fit.
func TestDivideConquerFitsItsMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for trial := range 400 {
		n := 2 + r.IntN(70)
		tune := SmallestTuning()
		tune.DivideConquer.Leaf = 1 + r.IntN(4)
		b := stages.Builder{Dev: vk.Dry(vk.Info{SharedBytes: 48 << 10, MaxLocal: 1024})}
		ops, err := product.New[float64](b.Dev, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		s := newVectorsPass(&b, n, tune.DivideConquer.levels(n), ops, tune.Products, tune.DivideConquer)
		d, e := stagetest.RandomTridiagonal(n, uint64(trial))
		for i := range e {
			if trial%4 > 0 && r.IntN(n) < trial%4 {
				e[i] = 0
			}
			if trial%5 == 0 {
				d[i] = math.Round(d[i]) // equal elements, which make chains
			}
		}
		_, err = dc.SolveWith(layoutOnly{&vectorsRun{pass: &s}, r, t}, d, e,
			dc.Options{LeafSize: tune.DivideConquer.Leaf})
		if err != nil {
			t.Fatal(err)
		}
	}
}
