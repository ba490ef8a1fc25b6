package product

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// BenchmarkProducts measures products with the shapes of the solver, in every tile of the device's
// table and with the chosen tile: go test -bench Products ./stages/product. The unit of size is 256
// on a CPU and 8192 on a GPU. The results are GFLOP/s by the device's own clock.
func BenchmarkProducts(b *testing.B) {
	d := stagetest.Device(b)
	n, k, band := 8192, 512, 32
	if d.Info().Type == "cpu" {
		n, k, band = 256, 64, 16
	}
	ops, err := New[float64](d, Tables.Device)
	if err != nil {
		b.Fatal(err)
	}
	gemm, symm := ops.tiledGemm, ops.tiledSymm
	x, y, z := vk.Reserve[float64]("x", n*n), vk.Reserve[float64]("y", n*n), vk.Reserve[float64]("z", n*n)
	ws := filled(b, d, ops.Work(), x, y, z)
	at := func(r vk.Region[float64], rows, cols int) Matrix[float64] {
		return NewMatrix(r.In(ws), rows, cols, rows)
	}
	time := func(name string, flops float64, record func(rec *vk.Recorder)) {
		b.Run(name, func(b *testing.B) {
			rec := vk.NewRecorder(d)
			rec.Phase(name, 0, 1)
			record(rec)
			stagetest.Run(b, d, rec) // the first run compiles the kernels and warms up the device
			seconds := 0.0
			for b.Loop() {
				seconds += stagetest.Run(b, d, rec).Total()
			}
			b.ReportMetric(flops*float64(b.N)/seconds/1e9, "GFLOP/s")
			b.ReportMetric(0, "ns/op")
		})
	}

	for _, s := range []struct {
		name     string
		m, n, k  int
		opA, opB Op
	}{
		{"square", n, n, k, NoTrans, Trans},
		{"W=YT", n, band, band, NoTrans, NoTrans},
		{"ZtW", k / 2, band, n, Trans, NoTrans},
		{"YS", n, band, k / 2, NoTrans, NoTrans},
		{"YtY", band, band, n, Trans, NoTrans},
		{"XY", n, k, n, NoTrans, NoTrans},
	} {
		a, bb, c := at(x, s.m, s.k), at(y, s.k, s.n), at(z, s.m, s.n)
		if s.opA.Transposes() {
			a = at(x, s.k, s.m)
		}
		if s.opB.Transposes() {
			bb = at(y, s.n, s.k)
		}
		flops := 2 * float64(s.m) * float64(s.n) * float64(s.k)
		r := single(s.opA, s.opB, 1, Pair[float64]{a, bb}, 0, c)
		shape := fmt.Sprintf("gemm/%s/%d×%d×%d/", s.name, s.m, s.n, s.k)
		for i, tile := range gemm.tiles {
			time(shape+tile.String(), flops, func(rec *vk.Recorder) { gemm.record(rec, ws, r, gemm.split(i, s.k, 1)) })
		}
		chosen := gemm.choose(r.problem())
		time(fmt.Sprintf("%schosen: tile %d in %d", shape, chosen.tile, chosen.splits), flops, func(rec *vk.Recorder) { gemm.record(rec, ws, r, chosen) })
	}

	for _, m := range []int{n, n / 4} {
		flops := 2 * float64(m) * float64(m) * float64(band)
		chosen := symm.choose(problem{m, band, m, 1, 2})
		a, w, p := at(x, m, m), at(y, m, band), at(z, m, band)
		for i, tile := range symm.tiles {
			time(fmt.Sprintf("symm/%d×%d/%v", m, band, tile), flops, func(rec *vk.Recorder) { symm.record(rec, ws, a, w, p, symm.split(i, m, 1)) })
		}
		time(fmt.Sprintf("symm/%d×%d/chosen: tile %d in %d", m, band, chosen.tile, chosen.splits), flops, func(rec *vk.Recorder) { symm.record(rec, ws, a, w, p, chosen) })
	}
	time(fmt.Sprintf("syr2k/%d×%d", n, k), 2*float64(n)*float64(n)*float64(k), func(rec *vk.Recorder) {
		ops.Syr2k(rec, ws, at(x, n, k), at(y, n, k), at(z, n, n))
	})
}

// filled allocates an arena with the regions and the workspace `work`, and fills the regions with
// finite numbers.
func filled(b *testing.B, d *vk.Device, work *vk.Layout, regions ...vk.Region[float64]) *vk.Arena {
	b.Helper()
	spaces := []vk.Space{work}
	for _, r := range regions {
		spaces = append(spaces, r)
	}
	ws, err := d.NewArena(vk.Together(spaces...))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(ws.Close)
	rec := vk.NewRecorder(d)
	for _, r := range regions {
		vk.Fill(rec, r.In(ws), 0x3f3f3f3f)
	}
	stagetest.Run(b, d, rec)
	return ws
}

// BenchmarkTileSearch measures tiles that are not in the table, for the two products that take most
// of the time. The measurements alternate, so that the device is equally warm for each tile. Tiles
// that do not fit the device are left out. To run it: go test -bench TileSearch -benchtime 20x
// ./stages/product.
func BenchmarkTileSearch(b *testing.B) {
	d := stagetest.Device(b)
	n, k, tall, narrow := 8192, 1024, 32768, 32
	if d.Info().Type == "cpu" {
		n, k, tall, narrow = 256, 64, 256, 32
	}
	x, y, z := vk.Reserve[float64]("x", tall*tall), vk.Reserve[float64]("y", n*k), vk.Reserve[float64]("z", n*n)
	ws := filled(b, d, vk.Together(), x, y, z)

	type candidate struct {
		name    string
		flops   float64
		rec     *vk.Recorder
		seconds float64
	}
	var all []*candidate
	add := func(name string, flops float64, record func(rec *vk.Recorder)) {
		c := &candidate{name, flops, vk.NewRecorder(d), 0}
		c.rec.Phase(name, 0, 1)
		record(c.rec)
		stagetest.Run(b, d, c.rec) // the first run compiles the kernels
		all = append(all, c)
	}
	for _, side := range [][4]uint32{{128, 128, 8, 8}, {128, 128, 4, 16}, {128, 64, 8, 8}, {128, 64, 8, 4}, {64, 64, 8, 8}, {64, 64, 8, 4}, {64, 64, 4, 4},
		{128, 32, 8, 4}, {128, 32, 4, 4}, {64, 32, 8, 4}, {64, 32, 4, 4}, {256, 32, 8, 8}} {
		for _, inner := range [][3]uint32{{16, 16, 1}, {16, 8, 1}, {16, 4, 1}, {8, 8, 2}, {8, 8, 1}, {32, 16, 1}} {
			tile := Tile{M: side[0], N: side[1], ThreadM: side[2], ThreadN: side[3], K: inner[0], Unroll: inner[1], Buffers: inner[2], Resident: 1}
			if tile.Fits(d.Info()) != nil {
				continue
			}
			tune := Tuning{Tiles: []Tile{tile}, Syr2k: tile, Units: 1}
			name := fmt.Sprintf("%v, unroll %d, %d buffers", tile, tile.Unroll, tile.Buffers)
			if r, err := newTiledSyr2k[float64](d, tune); err == nil {
				add("syr2k "+name, 2*float64(n)*float64(n)*float64(k), func(rec *vk.Recorder) {
					r.Syr2k(rec, ws, NewMatrix(x.In(ws), n, k, n), NewMatrix(y.In(ws), n, k, n), NewMatrix(z.In(ws), n, n, n))
				})
				continue
			}
			if s, err := newTiledSymm[float64](d, tune); err == nil && tile.N == 32 {
				add("symm  "+name, 2*float64(tall)*float64(tall)*float64(narrow), func(rec *vk.Recorder) {
					a, w, p := NewMatrix(x.In(ws), tall, tall, tall), NewMatrix(y.In(ws), tall, narrow, tall), NewMatrix(z.In(ws), tall, narrow, tall)
					s.record(rec, ws, a, w, p, s.split(0, tall, 1))
				})
			}
		}
	}
	for b.Loop() {
		for _, c := range all {
			c.seconds += stagetest.Run(b, d, c.rec).Total()
		}
	}
	for _, c := range all {
		fmt.Printf("%8.1f GFLOP/s  %s\n", c.flops*float64(b.N)/c.seconds/1e9, c.name) // b.Log would print only ten lines
	}
}
