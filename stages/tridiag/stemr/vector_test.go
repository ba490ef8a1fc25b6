package stemr

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
)

// mrrrBlocks returns representations of blocks that reach the rare branches of stemr_vector. A
// representation is a factorisation L·D·Lᵀ, given as a list of pairs dᵢ, lᵢ.
func mrrrBlocks() [][]float64 {
	random := rand.New(rand.NewPCG(5, 8))
	block := func(n int, row func(i int) (d, l float64)) []float64 {
		rep := make([]float64, 2*n)
		for i := range n {
			rep[2*i], rep[2*i+1] = row(i)
		}
		rep[2*n-1] = 0 // below the last row is nothing
		return rep
	}
	blocks := [][]float64{
		block(12, func(i int) (d, l float64) { return 1, float64(i % 2) }), // λ meets pivots: 0, then ∞, then NaN
		block(13, func(int) (d, l float64) { return 1, 0 }),                // every row is as good a twist as any other
		block(14, func(int) (d, l float64) { return 1e200, 1e200 }),        // computations with these numbers overflow
		{1, 1, 0, 0}, // for λ = 1 no γ is finite
		block(13, func(int) (d, l float64) {
			return random.NormFloat64(),
				random.NormFloat64()
		}), // the pivots of this block have both signs
		block(26, func(int) (d, l float64) { return random.NormFloat64(), random.NormFloat64() }),
	}
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 10} {
		blocks = append(blocks, block(n, func(int) (d, l float64) {
			return 1 + random.Float64(),
				random.NormFloat64()
		}))
	}
	return blocks
}

// TestMRRRVectors checks that the kernel stemr_vector computes eigenvectors with the same bits as
// the function mrrr.Vector, for three sizes of a workgroup. In some cases the last workgroup is not
// full, and vectors of one workgroup belong to blocks of different orders.
func TestMRRRVectors(t *testing.T) {
	roomtest.SkipInexact(t)
	var root []float64
	var blocks []mrrr.Task // one for each row: row k of a block gets the task for eigenvalue k
	for _, rep := range mrrrBlocks() {
		lo := int32(len(root) / 2)
		root = append(root, rep...)
		for k := range int32(len(rep) / 2) {
			blocks = append(blocks, mrrr.Task{Lo: lo, Hi: int32(len(root) / 2), Slot: mrrr.RootSlot, Index: k})
		}
	}
	dev, n := stagetest.Device(t), len(blocks)
	for _, threads := range []uint32{2, 8, 32} {
		tune := SmallestTuning()
		tune.MRRR.Threads, tune.MRRR.Levels, tune.MRRR.Vectors = threads, 1, 41
		s, err := NewMRRR(dev, n, n, nil, tune.MRRR)
		if err != nil {
			t.Fatal(err)
		}
		x := vk.Reserve[float64]("X", n*n)
		ws := stagetest.Arena(t, dev, vk.Together(x, s.Work()))
		r := newMRRRRun(context.Background(), ws, s, stages.NewMatrix(x.In(ws), n, n, n))
		if err := r.Root(root); err != nil {
			t.Fatal(err)
		}
		for _, around := range []struct{ lo, hi, gap float64 }{{0.5, 1.5, 1e-3}, {-4, 4, 0}, {0, 8, 0.1}, {-1, -1, 1}} {
			l := mrrr.Level{Vectors: blocks, Lambda: make([]float64, n), Residual: make([]float64, n)}
			for i := range blocks {
				l.Column = append(l.Column, int32(n-1-i))
				l.Lo, l.Hi, l.Gap = append(l.Lo, around.lo), append(l.Hi, around.hi), append(l.Gap, around.gap)
			}
			if err := r.Level(&l); err != nil {
				t.Fatal(err)
			}
			xt := stagetest.Get(t, dev, x.In(ws))
			for i, b := range blocks {
				z, lambda, residual := mrrr.Vector(root[2*b.Lo:2*b.Hi], int(b.Index), around.lo, around.hi, around.gap)
				want, got := make([]float64, n), make([]float64, n)
				copy(want[b.Lo:], z)
				for row := range got {
					got[row] = xt[n-1-i+row*n]
				}
				if !sameNumbers(got, want) || !sameNumbers([]float64{l.Lambda[i], l.Residual[i]},
					[]float64{lambda, residual}) {
					t.Fatalf("%d threads, %+v, %+v: value %v, residual %v, vector %v; mrrr.Vector has %v, %v, %v",
						threads, b, around, l.Lambda[i], l.Residual[i], got[b.Lo:b.Hi], lambda, residual, z)
				}
			}
		}
	}
}

// sameNumbers reports whether x and y have the same bits, where all NaN are taken as equal.
func sameNumbers(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	})
}
