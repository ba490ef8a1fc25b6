package back

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestApplyQ1 compares Q1·X with package ref. The reflectors are those of package ref. In some
// cases the number of reflectors that are applied together does not divide the number of all
// reflectors, and in some cases there are fewer vectors than the stage was prepared for. Q1·X is
// also computed block by block, as if several devices had the reflectors.
func TestApplyQ1(t *testing.T) {
	for _, s := range []struct{ n, b, m, merge int }{
		{0, 3, 4, 6}, {1, 3, 2, 6}, {4, 4, 4, 8}, {5, 4, 5, 8}, {9, 4, 3, 4}, {37, 4, 1, 12}, {50, 3, 50, 1},
		{50, 3, 7, 30}, {50, 8, 50, 24}, {33, 1, 5, 5}, {41, 5, 12, 1000}, {50, 4, 0, 16}, {300, 4, 3, 272},
	} {
		tune := SmallestTuning()
		tune.Panel.Merge = s.merge
		y := stagetest.Symmetric(s.n) // becomes the reflectors
		_, factors := ref.BandReduction(s.n, s.b, 2*s.b, y, max(s.n, 1))
		x := make([]float64, s.n*s.m)
		random := rand.New(rand.NewPCG(uint64(s.n), uint64(s.m)))
		for i := range x {
			x[i] = random.NormFloat64()
		}
		for _, how := range []string{"whole", "in blocks"} {
			got := applyQ1(t, s.n, s.b, s.m, tune, y, factors, x, how)
			want := append([]float64(nil), x...)
			ref.ApplyQ1(s.n, s.b, y, max(s.n, 1), factors, s.m, want, max(s.n, 1))
			for i := range want {
				if d := math.Abs(got[i] - want[i]); !(d < 1e-13) {
					t.Fatalf("%+v, %s: component %d of vector %d = %g, the reference has %g", s, how, i%s.n, i/s.n, got[i], want[i])
				}
			}
		}
	}
}

// applyQ1 multiplies the n×m matrix x by Q1 on the device. `how` says whether the
// reflectors are applied in blocks of 2·b columns.
func applyQ1(t *testing.T, n, b, m int, tune Tables, y, factors, x []float64, how string) []float64 {
	t.Helper()
	d := stagetest.Device(t)
	ops, err := product.New[float64](d, tune.Products)
	if err != nil {
		t.Fatal(err)
	}
	width := n
	if how == "in blocks" {
		width = 2 * b
	}
	q, err := NewApplyQ1InBlocks(d, Size{n, b, m + n%3}, width, ops, tune.Panel) // n%3 vectors fewer than the stage is prepared for
	if err != nil {
		t.Fatal(err)
	}
	lda, ldx := n+1, m+2
	a := vk.Reserve[float64]("Y", lda*n)
	xx := vk.Reserve[float64]("X", ldx*n)
	tt := vk.Reserve[float64]("T", len(factors))
	ws := stagetest.Arena(t, d, vk.Together(a, xx, tt, q.Work(), ops.Work()))
	stagetest.Put(t, d, a.In(ws), stagetest.Padded(n, n, y, lda))
	stagetest.Put(t, d, tt.In(ws), factors)
	stagetest.Put(t, d, xx.In(ws), stagetest.Padded(m, n, stagetest.Transpose(n, m, x), ldx))

	rec := vk.NewRecorder(d)
	reflectors, vectors := stages.NewMatrix(a.In(ws), n, n, lda), stages.NewMatrix(xx.In(ws), m, n, ldx)
	if how == "whole" {
		q.Record(rec, ws, reflectors, tt.In(ws), vectors)
	} else {
		for first := (max(n, 1) - 1) / width * width; first >= 0 && n > 0; first -= width {
			q.RecordBlock(rec, ws, reflectors.Block(first, first, n-first, min(width, n-first)), first, tt.In(ws), vectors)
		}
	}
	stagetest.Run(t, d, rec)
	return stagetest.Transpose(m, n, stagetest.Unpadded(t, m, n, stagetest.Get(t, d, xx.In(ws)), ldx))
}

func TestApplyQ1Refuses(t *testing.T) {
	for _, s := range [][3]int{{-1, 4, 4}, {4, 0, 4}, {4, 4, -1}} {
		if _, err := NewApplyQ1[float64](stagetest.Device(t), Size{s[0], s[1], s[2]}, nil, SmallestTuning().Panel); err == nil {
			t.Errorf("%s was accepted", fmt.Sprint(s))
		}
	}
	for _, width := range []int{0, 2, 6} {
		if _, err := NewApplyQ1InBlocks[float64](stagetest.Device(t), Size{9, 4, 1}, width, nil, SmallestTuning().Panel); err == nil {
			t.Errorf("blocks of %d columns were accepted", width)
		}
	}
}
