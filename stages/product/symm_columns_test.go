package product

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// columnsCase is a product with the columns of one device.
type columnsCase struct {
	n, width, top, cols int
	owner               []int // number of the device that has each block
	device              int
}

func (x columnsCase) String() string {
	return fmt.Sprintf("n=%d from %d on, %d columns, device %d has blocks of %d: %v", x.n, x.top, x.cols, x.device, x.width, x.owner)
}

func (x columnsCase) columns() Columns {
	c, at := Columns{N: x.n, Width: x.width}, 0
	for j, owner := range x.owner {
		if from := j * x.width; owner == x.device {
			c.Blocks, c.At = append(c.Blocks, j), append(c.At, at)
			at += (x.n - from) * (min(from+x.width, x.n) - from)
		}
	}
	return c
}

// memory returns the device's columns of the symmetric matrix a. Elements before row or column
// `top` are NaN.
func (x columnsCase) memory(a stagetest.Sample) stagetest.Sample {
	data := storedColumns(x, func(row, col int) float64 { return a.Data[max(row, col)+min(row, col)*a.Ld] })
	return stagetest.Sample{Rows: len(data), Cols: 1, Ld: max(len(data), 1), Data: data}
}

// storedColumns is columnsCase.memory for the elements that `of` returns.
func storedColumns[T spirv.Scalar](x columnsCase, of func(row, col int) T) (data []T) {
	for _, j := range x.columns().Blocks {
		from, to := j*x.width, min((j+1)*x.width, x.n)
		for col := from; col < to; col++ {
			for row := from; row < x.n; row++ {
				value := stagetest.NaN[T]()
				if min(row, col) >= x.top {
					value = of(row, col)
				}
				data = append(data, value)
			}
		}
	}
	return data
}

// owners returns, for each block of columns, the device that has the block. If inTurn is true, the
// devices get one block after another; otherwise they get them in an irregular order.
func owners(n, width, devices int, inTurn bool) (owner []int) {
	for j := range vk.Tiles(n, uint32(width)) {
		if inTurn {
			owner = append(owner, j%devices)
		} else {
			owner = append(owner, j*j/3%devices)
		}
	}
	return owner
}

// TestSymmColumns checks the parts of one to three devices, with every tile, and with and without
// split-K. The order and the first column of the trailing matrix are at and near multiples of the
// sizes of blocks and tiles. It also checks divisions in which a device has no columns of the
// trailing matrix, or none at all.
func TestSymmColumns(t *testing.T) {
	when.Skip(t, when.Quick, "TestSymmColumnsTogether and TestSymmColumnsSplits")
	eachTuning(t, func(t *testing.T, tune Tuning) {
		ops, err := New[float64](stagetest.Device(t), tune)
		if err != nil {
			t.Fatal(err)
		}
		worst, turn := 0.0, 0
		for _, size := range [][2]int{{1, 2}, {17, 16}, {50, 7}, {50, 64}, {80, 16}, {150, 64}} {
			n, width := size[0], size[1]
			for _, devices := range []int{1, 2, 3} {
				for device := range devices {
					turn++
					x := columnsCase{n: n, width: width, owner: owners(n, width, devices, turn%2 == 0), device: device}
					for _, top := range []int{0, 3, width, width + 5, 2*width - 1, n - 1} {
						if x.top = top; top < n {
							x.cols = []int{1, 4, 9}[turn%3]
							worst = max(worst, x.check(t, ops, turn))
							turn++
						}
					}
				}
			}
		}
		t.Logf("worst error %.2g ulp", worst)
	})
}

// check computes the product with each tile, with the inner dimension in one or more pieces. If
// there are two pieces, each dispatch computes one tile.
func (x columnsCase) check(t *testing.T, ops *Tiled[float64], turn int) (worst float64) {
	t.Helper()
	s, err := NewSymmColumns(stagetest.Device(t), ops, x.columns())
	if err != nil {
		t.Fatal(err)
	}
	a, m := stagetest.Normal(x.n, x.n, x.n, 1), x.n-x.top
	w, c := stagetest.Normal(m, x.cols, m+1, 2), stagetest.Poisoned(m, x.cols, m+2)
	want, bound := stagetest.Poisoned(m, x.cols, m+2), stagetest.Poisoned(m, x.cols, m+2)
	own := func(column int) bool { return x.owner[column/x.width] == x.device }
	ref.SymmColumns(x.n, x.cols, x.top, own, a.Data, a.Ld, w.Data, w.Ld, want.Data, want.Ld)
	ref.SymmColumns(x.n, x.cols, x.top, own, a.Abs().Data, a.Ld, w.Abs().Data, w.Ld, bound.Data, bound.Ld)
	p, memory := newBench(t, max(x.n*(x.n+x.width), (m+2)*x.cols), vk.Together(ops.Work(), s.Work())), x.memory(a)
	for tile := range s.tiles {
		for _, pieces := range [][]int{{1}, {2}, {5}, {3, 1}}[turn%4] {
			k := s.split(tile, max(s.longest(x.top), 1), pieces)
			if k.splits*m*x.cols > s.capacity {
				continue
			}
			s.dispatch = pick(pieces == 2, 1.0, ops.tiledSymm.dispatch)
			got := p.do(t, memory, w, c, func(rec *vk.Recorder, a, w, c Matrix[float64]) {
				vk.Fill(rec, ops.tiledGemm.sums.region.In(p.WS), math.MaxUint32) // each word with all bits set is a NaN
				s.RecordBegin(rec, p.WS)
				s.record(rec, p.WS, s.part(a.At.Sub(0, len(memory.Data)), x.top, w, c), k)
			})
			worst = max(worst, stagetest.Furthest(t, fmt.Sprintf("%v, %v, %+v", x, s.tiles[tile], k), got, want, bound))
		}
	}
	return worst
}

func pick[T any](first bool, x, y T) T {
	if first {
		return x
	}
	return y
}

// TestSymmColumnsTogether records the product of SymmColumns and other products that run
// concurrently. Each product must have the same bits as alone. This must hold even if the partial
// products of all of them do not fit the workspace together. Two runs must have the same bits.
func TestSymmColumnsTogether(t *testing.T) {
	const n, width, cols, other = 300, 16, 3, 20
	x := columnsCase{n: n, width: width, cols: cols, top: 21, owner: owners(n, width, 2, true)}
	for _, room := range []int{1 << 20, 0} {
		ops, err := New[float64](stagetest.Device(t), Tables.Smallest)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSymmColumns(stagetest.Device(t), ops, x.columns())
		if err != nil {
			t.Fatal(err)
		}
		p := newBench(t, n*n, vk.Together(ops.Work(), s.Work()))
		k := s.split(0, s.longest(x.top), 3) // without this choice, the model of costs would not split the product
		s.known.by[problem{m: n - x.top, n: cols, k: s.longest(x.top), count: 1, alongK: 2}] = k
		gemm := ops.tiledGemm.choose(problem{m: other, n: cols, k: n - x.top, count: 1, alongK: 2})
		if k.splits < 2 || gemm.splits < 2 || s.chooseFor(x.top, cols) != k {
			t.Fatalf("splits %+v and %+v", k, gemm)
		}
		ops.tiledGemm.capacity = min(ops.tiledGemm.capacity, k.splits*(n-x.top)*cols+room)
		a := x.memory(stagetest.Normal(n, n, n, 1))
		w, c := stagetest.Normal(n-x.top, cols+other, n, 2), stagetest.Normal(n-x.top, 2*cols, n, 3)
		record := func(together bool) stagetest.Sample {
			return p.do(t, a, w, c, func(rec *vk.Recorder, a, w, c Matrix[float64]) {
				y := w.Block(0, 0, n-x.top, cols)
				beside := Product[float64]{OpA: Trans, A: w.Block(0, cols, n-x.top, other), B: y, C: c.Block(0, cols, other, cols)}
				s.RecordBegin(rec, p.WS)
				if together {
					s.Record(rec, p.WS, a.At, x.top, y, c.Block(0, 0, n-x.top, cols), beside)
					return
				}
				s.Record(rec, p.WS, a.At, x.top, y, c.Block(0, 0, n-x.top, cols))
				ops.Gemm(rec, p.WS, Trans, NoTrans, 1, beside.A, beside.B, 0, beside.C)
			})
		}
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
		want := record(false)
		for _, together := range []bool{true, false} {
			if have := record(together); !slices.EqualFunc(have.Data, want.Data, same) {
				t.Errorf("room for %d elements, together %v: the bits are others", room, together)
			}
		}
	}
}

// TestSymmColumnsSplits checks the split of the inner dimension for the parts of two devices. The
// partial products must fit the reserved memory, and the costs of the two parts must add up to the
// cost of the whole product. The test prints the tiles and the splits.
func TestSymmColumnsSplits(t *testing.T) {
	const n, width, cols = 16384, 512, 32
	dev := vk.Dry(vk.Info{Name: "dry", Family: "nvidia", Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	ops, err := New[float64](dev, Tables.NVIDIA)
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range []int{32, 8192, 15000, n - 32} {
		whole := ops.tiledSymm.choose(problem{m: n - top, n: cols, k: n - top, count: 1, alongK: 2})
		sum := 0.0
		for device := range 2 {
			x := columnsCase{n: n, width: width, owner: owners(n, width, 2, true), device: device}
			s, err := NewSymmColumns(dev, ops, x.columns())
			if err != nil {
				t.Fatal(err)
			}
			k := s.chooseFor(top, cols)
			sum += s.Flops(top, cols)
			t.Logf("from %d on: %v in %d pieces of %d; all columns: %v in %d pieces of %d", top,
				s.tiles[k.tile], k.splits, k.depth, ops.tiledSymm.tiles[whole.tile], whole.splits, whole.depth)
			if k.splits > 1 && k.splits*(n-top)*cols > s.capacity {
				t.Errorf("from %d on: no room for %+v", top, k)
			}
		}
		if want := 2 * float64(n-top) * float64(n-top) * cols; !(math.Abs(sum/want-1) <= 1e-12) {
			t.Errorf("from %d on: %g flops of two devices, want %g", top, sum, want)
		}
	}
}

// TestSymmColumnsDispatches checks that no dispatch costs more than it may, on a slow device, and
// that all of them together cost what the product costs.
func TestSymmColumnsDispatches(t *testing.T) {
	const n, width, cols, most = 20000, 512, 32, 1e9
	dev := vk.Dry(vk.Info{Name: "dry", Family: "other", Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	tune := Tables.Other
	tune.Dispatch = most
	ops, err := New[float64](dev, tune)
	if err != nil {
		t.Fatal(err)
	}
	x := columnsCase{n: n, width: width, owner: owners(n, width, 2, true)}
	s, err := NewSymmColumns(dev, ops, x.columns())
	if err != nil {
		t.Fatal(err)
	}
	a, w := vk.Reserve[float64]("A", n*n), vk.Reserve[float64]("W", 2*n*cols)
	ws, err := dev.NewArena(vk.Together(a, w, ops.Work(), s.Work()))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(dev)
	all := NewMatrix(w.In(ws), n, 2*cols, n)
	s.Record(rec, ws, a.In(ws), 0, all.Block(0, 0, n, cols), all.Block(0, cols, n, cols))
	costs, total := rec.Estimates(), 0.0
	for i, cost := range costs {
		if total += cost; !(cost <= most) {
			t.Errorf("dispatch %d of %d costs %g flops", i, len(costs), cost)
		}
	}
	if want := s.Flops(0, cols); len(costs) < 2 || !(math.Abs(total/want-1) <= 1e-9) {
		t.Errorf("%g flops in %d dispatches, want %g", total, len(costs), want)
	}
}

// TestColumnsRows compares the results of Columns.trailing and Columns.rows with numbers that the
// test counts: the device's columns before `top`, the elements in each row of its part, and all
// elements of its part.
func TestColumnsRows(t *testing.T) {
	const n, width = 50, 8
	for _, devices := range []int{1, 2, 3, 9} {
		for device := range devices {
			x := columnsCase{n: n, width: width, owner: owners(n, width, devices, false), device: device}
			for x.top = range n {
				passed, longest, elements := x.columns().trailing(x.top)
				want, most, sum := make([]int, n), 0, 0
				for i := x.top; i < n; i++ {
					for k := x.top; k < n; k++ {
						if x.owner[min(i, k)/width] == device {
							want[i]++
							sum++
						}
					}
					most = max(most, want[i])
				}
				before := 0
				for k := range x.top {
					if x.owner[k/width] == device {
						before++
					}
				}
				if longest != most || elements != float64(sum) || passed != before {
					t.Errorf("%v: %d passed, %d in a row, %g elements, want %d, %d and %d", x, passed, longest, elements, before, most, sum)
				}
				i := x.top
				for _, r := range x.columns().rows(x.top) {
					for range r.rows {
						if want[i] != r.inner {
							t.Errorf("%v: %d elements in row %d, want %d", x, r.inner, i, want[i])
						}
						i++
					}
				}
				if i != n {
					t.Errorf("%v: %d rows", x, i)
				}
			}
		}
	}
}
