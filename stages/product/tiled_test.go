package product

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// eachTuning runs the function `test` with three tuning tables for products: one with tiles of a
// few elements, the device's own table, and the table that must fit every device.
func eachTuning(t *testing.T, test func(t *testing.T, tune Tuning)) {
	for name, tune := range map[string]Tuning{
		"smallest": Tables.Smallest, "device": Tables.Device, "other": Tables.Other,
	} {
		t.Run(name, func(t *testing.T) { test(t, tune) })
	}
}

// TestSyr2kEdges checks that a rank-2k update changes the lower triangle of the result, and that no
// other memory is read or written.
func TestSyr2kEdges(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	eachTuning(t, func(t *testing.T, tune Tuning) {
		s, err := newTiledSyr2k[float64](stagetest.Device(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 135*135, vk.Together())
		worst := 0.0
		// Tiles are numbered column by column in swaths of eight rows of tiles (see
		// tile_order.glsl). The largest orders have more than one swath.
		for _, n := range []int{0, 1, 7, 8, 9, 31, 73, 80, 129} {
			for _, k := range []int{0, 1, 4, 6, 17} {
				worst = max(worst, checkSyr2k(t, p, n, k, func(rec *vk.Recorder, y, z, c Matrix[float64]) { s.Syr2k(rec, p.WS, y, z, c) }))
			}
		}
		t.Logf("worst error %.2g ulp", worst)
	})
}

func checkSyr2k(t *testing.T, p bench, n, k int, record func(rec *vk.Recorder, y, z, c Matrix[float64])) float64 {
	t.Helper()
	y, z := stagetest.Normal(n, k, n+1, 1), stagetest.Normal(n, k, n+2, 2)
	c := stagetest.Normal(n, n, n+3, 3).Lower()
	want, bound := stagetest.Normal(n, n, n+3, 3).Lower(), c.Abs()
	ref.Syr2k(n, k, y.Data, y.Ld, z.Data, z.Ld, want.Data, want.Ld)
	minus := stagetest.Normal(n, k, n+1, 1).Fill(func(i, j int) float64 { return -math.Abs(y.Data[i+j*y.Ld]) })
	ref.Syr2k(n, k, minus.Data, y.Ld, z.Abs().Data, z.Ld, bound.Data, bound.Ld)
	return stagetest.Furthest(t, fmt.Sprintf("syr2k n=%d k=%d", n, k), p.do(t, y, z, c, record), want, bound)
}

// TestSymmEdges checks the product with a symmetric matrix A, which may be read only on and below
// its diagonal. It tries every tile, with and without split-K.
func TestSymmEdges(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	eachTuning(t, func(t *testing.T, tune Tuning) {
		s, err := newTiledSymm[float64](stagetest.Device(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, 135*135, vk.Together(s.sums.region))
		worst := 0.0
		for tile := range s.tiles {
			for _, m := range []int{0, 1, 7, 8, 9, 17, 50, 80, 129} {
				for i, n := range []int{0, 1, 4, 9} {
					x := s.split(tile, m, 1+i+m%2)
					if m*n*x.splits > s.capacity {
						x = s.split(tile, m, 1)
					}
					worst = max(worst, checkSymm(t, p, m, n, func(rec *vk.Recorder, a, w, c Matrix[float64]) { s.record(rec, p.WS, a, w, c, x) }))
				}
			}
		}
		t.Logf("worst error %.2g ulp", worst)
	})
}

func checkSymm(t *testing.T, p bench, m, n int, record func(rec *vk.Recorder, a, w, c Matrix[float64])) float64 {
	t.Helper()
	a := stagetest.Normal(m, m, m+3, 1).Lower()
	w, c := stagetest.Normal(m, n, m+1, 2), stagetest.Poisoned(m, n, m+2)
	want, bound := stagetest.Poisoned(m, n, m+2), stagetest.Poisoned(m, n, m+2)
	ref.Symm(m, n, a.Data, a.Ld, w.Data, w.Ld, want.Data, want.Ld)
	ref.Symm(m, n, a.Abs().Data, a.Ld, w.Abs().Data, w.Ld, bound.Data, bound.Ld)
	return stagetest.Furthest(t, fmt.Sprintf("symm m=%d n=%d", m, n), p.do(t, a, w, c, record), want, bound)
}

// TestCuts checks the choice of tiles and splits: products of equal shapes must get the same tile
// and the same split of the inner dimension. The pieces of a split must cover the inner dimension,
// and the partial products must fit the memory.
func TestCuts(t *testing.T) {
	for name, tune := range map[string]Tuning{"nvidia": Tables.NVIDIA, "cpu": Tables.CPU, "other": Tables.Other, "smallest": Tables.Smallest} {
		c := newChooser(tune)
		for _, m := range []int{1, 32, 1000, 65536} {
			for _, n := range []int{1, 32, 1000, 65536} {
				for _, k := range []int{0, 1, 32, 1000, 65536} {
					for _, count := range []int{1, 100} {
						p := problem{m, n, k, count, 1}
						x := c.choose(p)
						if x != c.choose(p) || x != c.search(p) || x.splits < 1 || x.splits*x.depth < k || (x.splits-1)*x.depth > max(k-1, 0) {
							t.Errorf("%s: %d×%d×%d is cut into %+v", name, m, n, k, x)
						}
						if x.splits > 1 && (m*n*count*x.splits > c.capacity || x.splits > vk.MaxGroups() || x.depth%int(c.tiles[x.tile].K) != 0) {
							t.Errorf("%s: %d×%d×%d is cut into %+v, which has no room", name, m, n, k, x)
						}
					}
				}
			}
		}
	}
	nvidia := newChooser(Tables.NVIDIA)
	if x := nvidia.choose(problem{8192, 8192, 1024, 1, 0}); x.tile != 0 || x.splits != 1 {
		t.Errorf("a large square is cut into %+v", x)
	}
	if x := nvidia.choose(problem{32768, 32, 32768, 1, 2}); nvidia.tiles[x.tile].K < lineElements {
		t.Errorf("a symmetric matrix is read by parts of lines: %+v", x)
	}
	if x := nvidia.choose(problem{32, 32, 65536, 1, 0}); x.splits < 100 {
		t.Errorf("a long inner product is cut into %+v", x)
	}
	if x := nvidia.choose(problem{65536, 32, 512, 1, 0}); nvidia.tiles[x.tile].N != 32 || x.splits != 1 {
		t.Errorf("a tall product is cut into %+v", x)
	}
}

// TestCutsAreForgotten checks a plan that needs products of new shapes in each run. The cache of
// choices of tiles and splits must not grow without limit.
func TestCutsAreForgotten(t *testing.T) {
	c := newChooser(Tables.Smallest)
	for m := range mostChoices + 10 {
		c.choose(problem{m, 8, 8, 1, 0})
	}
	if known := len(c.known.by); known == 0 || known > mostChoices {
		t.Errorf("%d cuts are kept", known)
	}
	if x := c.choose(problem{3, 8, 8, 1, 0}); x != c.search(problem{3, 8, 8, 1, 0}) {
		t.Errorf("a cut that was forgotten became %+v", x)
	}
}

// TestTilesThatDoNotFit checks that tuning tables are refused if their tiles would give wrong
// results or do not fit the device.
func TestTilesThatDoNotFit(t *testing.T) {
	d := stagetest.Device(t)
	good := Tables.Other.Tiles[0]
	if err := good.Fits(d.Info()); err != nil {
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
		"packs in no buffer": func(t *Tile) { t.K, t.Unroll, t.Buffers, t.Packed = 1, 1, 0, true },
		"half packs":         func(t *Tile) { t.N, t.ThreadN, t.Packed = 32, 2, true },
		"packs of two loads": func(t *Tile) { t.K, t.N, t.Packed = 64, 64, true },
		"nothing for anyone": func(t *Tile) { *t = Tile{} },
	} {
		bad := good
		change(&bad)
		if bad.Fits(d.Info()) == nil {
			t.Errorf("%s: %+v is accepted", what, bad)
		}
	}
	wide := Tables.Other
	wide.Syr2k.M, wide.Syr2k.N = 32, 64
	if _, err := newTiledSyr2k[float64](d, wide); err == nil {
		t.Error("syr2k accepts a tile that does not divide a square")
	}
}
