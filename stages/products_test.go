package stages

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk"
)

// The lower triangle is updated and nothing else is looked at or touched.
func TestSyr2kEdges(t *testing.T) {
	s, err := NewTiledRankTwoK(testDevice(t), SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 90*90, vk.Together())
	worst := 0.0
	// 9 rows of tiles and more reach the second swath.
	for _, n := range []int{0, 1, 7, 8, 9, 31, 65, 73, 80} {
		for _, k := range []int{0, 1, 4, 6, 17} {
			y, z := normal(n, k, n+1, 1), normal(n, k, n+2, 2)
			c := normal(n, n, n+3, 3).lower()
			want, bound := normal(n, n, n+3, 3).lower(), c.abs()
			ref.Syr2k(n, k, y.data, y.ld, z.data, z.ld, want.data, want.ld)
			minus := normal(n, k, n+1, 1).fill(func(i, j int) float64 { return -math.Abs(y.data[i+j*y.ld]) })
			ref.Syr2k(n, k, minus.data, y.ld, z.abs().data, z.ld, bound.data, bound.ld)
			got := p.do(t, y, z, c, func(rec *vk.Recorder, y, z, c Matrix) { s.Record(rec, p.ws, y, z, c) })
			worst = max(worst, furthest(t, fmt.Sprintf("syr2k n=%d k=%d", n, k), got, want, bound))
		}
	}
	t.Logf("worst error %.2g ulp", worst)
}

// A is read below its diagonal only, with and without splits, in every tile.
func TestSymmEdges(t *testing.T) {
	s, err := NewTiledSymm(testDevice(t), SmallestTuning().Products)
	if err != nil {
		t.Fatal(err)
	}
	p := newProductBench(t, 90*90, s.Work())
	worst := 0.0
	for tile := range s.tiles {
		for _, m := range []int{0, 1, 7, 8, 9, 16, 17, 50, 80} {
			for _, n := range []int{0, 1, 4, 8, 12} {
				for _, pieces := range []int{1, 2, 4} {
					a := normal(m, m, m+3, 1).lower()
					w, c := normal(m, n, m+1, 2), poisoned(m, n, m+2)
					want, bound := poisoned(m, n, m+2), poisoned(m, n, m+2)
					ref.Symm(m, n, a.data, a.ld, w.data, w.ld, want.data, want.ld)
					ref.Symm(m, n, a.abs().data, a.ld, w.abs().data, w.ld, bound.data, bound.ld)
					got := p.do(t, a, w, c, func(rec *vk.Recorder, a, w, c Matrix) {
						s.record(rec, p.ws, a, w, c, s.split(tile, m, pieces))
					})
					worst = max(worst, furthest(t, fmt.Sprintf("symm m=%d n=%d in %d", m, n, pieces), got, want, bound))
				}
			}
		}
	}
	t.Logf("worst error %.2g ulp", worst)
}
