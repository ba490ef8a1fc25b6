package stages_test

import (
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestIndexHeaders checks the index computations of the kernels: offsets beyond 2³² elements, the
// numbers of workgroups in a grid of several rows, and the sequence of the tiles of matrices with
// up to 8192×8192 tiles.
func TestIndexHeaders(t *testing.T) {
	d := stagetest.Device(t)
	b := stages.Builder{Dev: d}
	kernel := stages.Build(&b, shaders.ProbeIndex(), shaders.ProbeIndexSpec{LocalSize: 1})
	if b.Err != nil {
		t.Fatal(b.Err)
	}
	const count = 70000
	reserve := func(name string, n int) vk.Region[uint64] { return vk.Reserve[uint64](name, n) }
	places, offsets, groups := reserve("places", 3*count), reserve("offsets", count), reserve("groups", count)
	lower, swath := vk.Reserve[uint32]("lower", 2*count), vk.Reserve[uint32]("swath", 2*count)
	ws := stagetest.Arena(t, d, vk.Together(places, offsets, groups, lower, swath))
	in := make([]uint64, 3*count)
	for i := range uint64(count) {
		in[3*i], in[3*i+1], in[3*i+2] = i*0x10001, i*0x1003, 1<<32+i
	}
	stagetest.Put(t, d, places.In(ws), in)
	grid := vk.Folded(count)
	if grid.Y < 2 {
		t.Fatalf("%v is not folded", grid)
	}
	for _, tiles := range []struct{ rows, cols, first int }{
		{1, count, 0}, {7, count, 0}, {8, count, 0}, {373, 188, 0}, {512, 512, 0}, {512, 512, 512*513/2 - count}, {8192, 8192, 4096 * 8191}, {8192, 8192, 8192*8193/2 - count},
	} {
		rec := vk.NewRecorder(d)
		kernel.Dispatch(rec, grid, shaders.ProbeIndexPush{
			Places: places.In(ws).Addr(), Offsets: offsets.In(ws).Addr(), Groups: groups.In(ws).Addr(),
			Lower: lower.In(ws).Addr(), Swath: swath.In(ws).Addr(),
			Count: count, First: uint32(tiles.first), Rows: uint32(tiles.rows), Cols: uint32(tiles.cols),
		})
		stagetest.Run(t, d, rec)
		gotLower, gotSwath := stagetest.Get(t, d, lower.In(ws)), stagetest.Get(t, d, swath.In(ws))
		check := func(what string, got []uint32, cols int, last func(row int) int) {
			at := -tiles.first
			inSwaths(tiles.rows, cols, last, func(row, col int) bool {
				if at >= 0 && (got[2*at] != uint32(row) || got[2*at+1] != uint32(col)) {
					t.Fatalf("%s tile %d of %d×%d is (%d, %d), want (%d, %d)", what, tiles.first+at, tiles.rows, cols, got[2*at], got[2*at+1], row, col)
				}
				at++
				return at < count
			})
		}
		check("lower", gotLower, tiles.rows, func(row int) int { return row })
		check("swath", gotSwath, tiles.cols, func(int) int { return tiles.cols - 1 })
	}
	got, numbers := stagetest.Get(t, d, offsets.In(ws)), stagetest.Get(t, d, groups.In(ws))
	for i := range uint64(count) {
		if want := 8 * (in[3*i] + in[3*i+1]*in[3*i+2]); got[i] != want || numbers[i] != i+1 {
			t.Fatalf("workgroup %d: number %d, offset %d, want %d", i, numbers[i]-1, got[i], want)
		}
	}
}

// inSwaths calls `visit` for each tile of a grid of rows×cols tiles. The grid is divided into
// swaths of eight rows, and each swath is visited column by column. Row r has tiles in columns 0 …
// last(r). inSwaths ends when `visit` returns false.
func inSwaths(rows, cols int, last func(row int) int, visit func(row, col int) bool) {
	for first := 0; first < rows; first += 8 {
		end := min(first+8, rows)
		for col := 0; col < cols && col <= last(end-1); col++ {
			for row := first; row < end; row++ {
				if col <= last(row) && !visit(row, col) {
					return
				}
			}
		}
	}
}
