package product

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkTallProducts measures products A·Y and Aᵀ·Y of a square matrix A and a matrix Y with few
// columns, which take most of the time of a reduction to an upper band. It measures tiles that are
// not in the table, with several splits of the inner dimension, and prints the fastest split of
// each tile. To run it: go test -bench TallProducts -benchtime 5x ./stages/product.
func BenchmarkTallProducts(b *testing.B) {
	d := stagetest.Device(b)
	orders, most := []int{2048, 8192, 16384}, 16384
	if d.Info().Type == "cpu" {
		orders, most = []int{256}, 256
	}
	x, y, z := vk.Reserve[float64]("x", most*most), vk.Reserve[float64]("y", most*64), vk.Reserve[float64]("z", most*64)
	units := Tables.Device.Units
	work := vk.Reserve[float64]("partial products", 64*most*64)
	ws := filled(b, d, vk.Together(), x, y, z, work)
	for _, columns := range []int{32, 64} {
		for _, tile := range tallTiles {
			if int(tile.N) > columns || tile.Fits(d.Info()) != nil {
				continue
			}
			tune := Tuning{Tiles: []Tile{tile}, Syr2k: tile, Units: units}
			g, err := newTiledGemm[float64](d, tune)
			if err != nil {
				b.Fatal(err)
			}
			g.sums.region, g.capacity = work, work.Len()
			line := ""
			for _, n := range orders {
				for _, op := range []Op{NoTrans, Trans} {
					rate, pieces := tallRate(b, d, g, ws, single(op, NoTrans, 1, Pair[float64]{
						NewMatrix(x.In(ws), n, n, n), NewMatrix(y.In(ws), n, columns, n),
					}, 0, NewMatrix(z.In(ws), n, columns, n)))
					line += fmt.Sprintf("%8.2f (%2d)", rate/1e12, pieces)
				}
			}
			fmt.Printf("%d columns: %s TFLOP/s  %v, %d buffers\n", columns, line, tile, tile.Buffers) // b.Log would print only ten lines
		}
	}
}

var tallTiles = []Tile{
	{M: 128, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
	{M: 128, N: 32, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 128, N: 32, K: 32, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 1},
	{M: 256, N: 32, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 256, N: 32, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 256, N: 32, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 1},
	{M: 128, N: 32, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 128, N: 32, K: 16, ThreadM: 16, ThreadN: 4, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 128, N: 32, K: 16, ThreadM: 4, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 2},
	{M: 128, N: 32, K: 8, ThreadM: 8, ThreadN: 4, Unroll: 8, Buffers: 2, Resident: 2},
	{M: 64, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 32, K: 16, ThreadM: 4, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 4},
	{M: 64, N: 32, K: 32, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
	{M: 128, N: 64, K: 8, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 1},
	{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2},
	{M: 64, N: 64, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 2},
}

// tallRate returns the rate of a product in flops per second with the fastest split of its inner
// dimension, and the number of pieces of this split.
func tallRate(b *testing.B, d *vk.Device, g *tiledGemm[float64], ws *vk.Arena, r request[float64]) (best float64, pieces int) {
	k := r.inner()[0]
	for count := 1; count <= 64 && count*32 <= k; count = more(count) {
		x := g.split(0, k, count)
		if r.partials(x) > g.capacity {
			break
		}
		rec := vk.NewRecorder(d)
		rec.Phase("product", 0, 1)
		for range 4 {
			g.record(rec, ws, r, x)
		}
		stagetest.Run(b, d, rec) // the first run compiles the kernels and warms up the device
		if rate := 4 * 2 * float64(r.c.Rows) * float64(r.c.Cols) * float64(k) / stagetest.Run(b, d, rec).Total(); rate > best {
			best, pieces = rate, x.splits
		}
	}
	return best, pieces
}
