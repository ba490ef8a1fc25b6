package stages

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk"
)

// eachProductTuning runs test with tiles of a few elements, the device's own, and
// those that must run anywhere.
func eachProductTuning(t *testing.T, test func(t *testing.T, tune ProductTuning)) {
	for name, tune := range map[string]ProductTuning{
		"smallest": smallestProducts, "device": TuningFor(testDevice(t).Info()).Products, "other": otherProducts,
	} {
		t.Run(name, func(t *testing.T) { test(t, tune) })
	}
}

// The lower triangle is updated and nothing else is looked at or touched.
func TestSyr2kEdges(t *testing.T) {
	eachProductTuning(t, func(t *testing.T, tune ProductTuning) {
		s, err := NewTiledRankTwoK(testDevice(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newProductBench(t, 135*135, vk.Together())
		worst := 0.0
		// 9 rows of tiles and more reach the second swath.
		for _, n := range []int{0, 1, 7, 8, 9, 31, 73, 80, 129} {
			for _, k := range []int{0, 1, 4, 6, 17} {
				worst = max(worst, checkSyr2k(t, p, n, k, func(rec *vk.Recorder, y, z, c Matrix) { s.Record(rec, p.ws, y, z, c) }))
			}
		}
		t.Logf("worst error %.2g ulp", worst)
	})
}

func checkSyr2k(t *testing.T, p *productBench, n, k int, record func(rec *vk.Recorder, y, z, c Matrix)) float64 {
	t.Helper()
	y, z := normal(n, k, n+1, 1), normal(n, k, n+2, 2)
	c := normal(n, n, n+3, 3).lower()
	want, bound := normal(n, n, n+3, 3).lower(), c.abs()
	ref.Syr2k(n, k, y.data, y.ld, z.data, z.ld, want.data, want.ld)
	minus := normal(n, k, n+1, 1).fill(func(i, j int) float64 { return -math.Abs(y.data[i+j*y.ld]) })
	ref.Syr2k(n, k, minus.data, y.ld, z.abs().data, z.ld, bound.data, bound.ld)
	return furthest(t, fmt.Sprintf("syr2k n=%d k=%d", n, k), p.do(t, y, z, c, record), want, bound)
}

// A is read below its diagonal only, with and without splits, in every tile.
func TestSymmEdges(t *testing.T) {
	eachProductTuning(t, func(t *testing.T, tune ProductTuning) {
		s, err := NewTiledSymm(testDevice(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newProductBench(t, 135*135, s.Work())
		worst := 0.0
		for tile := range s.tiles {
			for _, m := range []int{0, 1, 7, 8, 9, 17, 50, 80, 129} {
				for i, n := range []int{0, 1, 4, 9} {
					x := s.split(tile, m, 1+i+m%2)
					if m*n*x.splits > s.room {
						x = s.split(tile, m, 1)
					}
					worst = max(worst, checkSymm(t, p, m, n, func(rec *vk.Recorder, a, w, c Matrix) { s.record(rec, p.ws, a, w, c, x) }))
				}
			}
		}
		t.Logf("worst error %.2g ulp", worst)
	})
}

func checkSymm(t *testing.T, p *productBench, m, n int, record func(rec *vk.Recorder, a, w, c Matrix)) float64 {
	t.Helper()
	a := normal(m, m, m+3, 1).lower()
	w, c := normal(m, n, m+1, 2), poisoned(m, n, m+2)
	want, bound := poisoned(m, n, m+2), poisoned(m, n, m+2)
	ref.Symm(m, n, a.data, a.ld, w.data, w.ld, want.data, want.ld)
	ref.Symm(m, n, a.abs().data, a.ld, w.abs().data, w.ld, bound.data, bound.ld)
	return furthest(t, fmt.Sprintf("symm m=%d n=%d", m, n), p.do(t, a, w, c, record), want, bound)
}

// What is chosen is the same for the same shape, covers it, and fits the room.
func TestCuts(t *testing.T) {
	for name, tune := range map[string]ProductTuning{"nvidia": nvidiaProducts, "cpu": cpuProducts, "other": otherProducts, "smallest": smallestProducts} {
		c := newCutter(tune)
		for _, m := range []int{1, 32, 1000, 65536} {
			for _, n := range []int{1, 32, 1000, 65536} {
				for _, k := range []int{0, 1, 32, 1000, 65536} {
					for _, count := range []int{1, 100} {
						x := c.choose(m, n, k, count, 1)
						if x != c.choose(m, n, k, count, 1) || x != c.search(m, n, k, count, 1) || x.splits < 1 || x.splits*x.stretch < k || (x.splits-1)*x.stretch > max(k-1, 0) {
							t.Errorf("%s: %d×%d×%d is cut into %+v", name, m, n, k, x)
						}
						if x.splits > 1 && (m*n*count*x.splits > c.room || x.splits > vk.MostGroups() || x.stretch%int(c.tiles[x.tile].K) != 0) {
							t.Errorf("%s: %d×%d×%d is cut into %+v, which has no room", name, m, n, k, x)
						}
					}
				}
			}
		}
	}
	nvidia := newCutter(nvidiaProducts)
	if x := nvidia.choose(8192, 8192, 1024, 1, 0); x.tile != 0 || x.splits != 1 {
		t.Errorf("a large square is cut into %+v", x)
	}
	if x := nvidia.choose(32768, 32, 32768, 1, 2); nvidia.tiles[x.tile].K < lineElements {
		t.Errorf("a symmetric matrix is read by parts of lines: %+v", x)
	}
	if x := nvidia.choose(32, 32, 65536, 1, 0); x.splits < 100 {
		t.Errorf("a long inner product is cut into %+v", x)
	}
	if x := nvidia.choose(65536, 32, 512, 1, 0); nvidia.tiles[x.tile].N != 32 || x.splits != 1 {
		t.Errorf("a tall product is cut into %+v", x)
	}
}

// A plan that finds another number of vectors each time does not keep cuts for all of them.
func TestCutsAreForgotten(t *testing.T) {
	c := newCutter(smallestProducts)
	for m := range mostCuts + 10 {
		c.choose(m, 8, 8, 1, 0)
	}
	if known := len(c.known.by); known == 0 || known > mostCuts {
		t.Errorf("%d cuts are kept", known)
	}
	if x := c.choose(3, 8, 8, 1, 0); x != c.search(3, 8, 8, 1, 0) {
		t.Errorf("a cut that was forgotten became %+v", x)
	}
}

// Tables are refused that would compute nonsense, or do not fit the device.
func TestTilesThatDoNotFit(t *testing.T) {
	d := testDevice(t)
	good := otherProducts.Tiles[0]
	if err := good.fits(d); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(t *Tile){
		"no size":            func(t *Tile) { t.M = 0 },
		"parts do not fit":   func(t *Tile) { t.ThreadM = 7 },
		"uneven unrolling":   func(t *Tile) { t.Unroll = 3 },
		"uneven loads":       func(t *Tile) { t.K = 12; t.Unroll = 4 },
		"three buffers":      func(t *Tile) { t.Buffers = 3 },
		"none resident":      func(t *Tile) { t.Resident = 0 },
		"too many threads":   func(t *Tile) { t.M, t.N, t.ThreadM, t.ThreadN = 256, 256, 1, 1 },
		"too much to share":  func(t *Tile) { t.M, t.N, t.K, t.ThreadM, t.ThreadN = 256, 256, 64, 16, 16 },
		"a side too long":    func(t *Tile) { t.M, t.ThreadM = 192, 24 },
		"nothing for anyone": func(t *Tile) { *t = Tile{} },
	} {
		bad := good
		change(&bad)
		if bad.fits(d) == nil {
			t.Errorf("%s: %+v is accepted", what, bad)
		}
	}
	wide := otherProducts
	wide.RankTwoK.M, wide.RankTwoK.N = 32, 64
	if _, err := NewTiledRankTwoK(d, wide); err == nil {
		t.Error("syr2k accepts a tile that does not divide a square")
	}
}
