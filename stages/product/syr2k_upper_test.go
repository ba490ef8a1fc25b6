package product

import (
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestSyr2kLeavesUpperTriangle checks that a rank-2k update does not change the upper triangle of
// C. TestSyr2kEdges cannot detect a store above the diagonal: its upper triangle is NaN, and NaN
// minus a number is NaN.
func TestSyr2kLeavesUpperTriangle(t *testing.T) {
	eachTuning(t, func(t *testing.T, tune Tuning) {
		s, err := newTiledSyr2k[float64](stagetest.Device(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 60*60, vk.Together())
		for _, n := range []int{2, 7, 17, 50} {
			const k = 3
			y, z := stagetest.Normal(n, k, n, 1), stagetest.Normal(n, k, n, 2)
			c, want := stagetest.Normal(n, n, n+3, 3), stagetest.Normal(n, n, n+3, 3)
			ref.Syr2k(n, k, y.Data, y.Ld, z.Data, z.Ld, want.Data, want.Ld)
			have := p.do(t, y, z, c, func(rec *vk.Recorder, y, z, c Matrix[float64]) { s.Syr2k(rec, p.WS, y, z, c) })
			for j := range n {
				for i := range j {
					if at := i + j*want.Ld; have.Data[at] != want.Data[at] {
						t.Fatalf("n=%d: element (%d, %d) became %g", n, i, j, have.Data[at])
					}
				}
			}
		}
	})
}
