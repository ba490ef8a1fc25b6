package product

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestCutProductsHaveTheSameBits checks products that are divided into several dispatches, down to
// one tile per dispatch. They must give the same bits as one dispatch.
func TestCutProductsHaveTheSameBits(t *testing.T) {
	const n, k = 61, 19
	a, b := stagetest.Normal(n, n, n+1, 1), stagetest.Normal(n, n, n+2, 2)
	for name, tune := range map[string]Tuning{"smallest": Tables.Smallest, "device": Tables.Device} {
		var want []stagetest.Sample
		for _, dispatch := range []float64{0, 1, 3e4} {
			tune.Dispatch = dispatch
			ops, err := New[float64](stagetest.Device(t), tune)
			if err != nil {
				t.Fatal(err)
			}
			if err := ops.Reserve(Shape{M: n, N: n, K: n, Count: 4}); err != nil {
				t.Fatal(err)
			}
			p := newBench(t, (n+3)*(n+3), ops.Work())
			var got []stagetest.Sample
			do := func(record func(rec *vk.Recorder, a, b, c Matrix[float64])) {
				got = append(got, p.do(t, a, b, stagetest.Normal(n, n, n+3, 3), record))
			}
			for _, opA := range []Op{NoTrans, Trans} {
				for _, opB := range []Op{NoTrans, Trans} {
					do(func(rec *vk.Recorder, a, b, c Matrix[float64]) { ops.Gemm(rec, p.WS, opA, opB, 2, a, b, -1, c) })
					do(func(rec *vk.Recorder, a, b, c Matrix[float64]) {
						ops.GemmPair(rec, p.WS, opA, opB, 1, Pair[float64]{a, b}, Pair[float64]{b, a}, 0, c)
					})
				}
			}
			do(func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				ops.GemmUnsplit(rec, p.WS, NoTrans, NoTrans, 1, a, b, 0, c)
			})
			do(func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				batch := Batch{Count: 3, StrideA: 7, StrideB: 3, StrideC: 9 * c.Ld}
				ops.GemmBatch(rec, p.WS, batch, NoTrans, NoTrans, 1, Matrix[float64]{n, k, a.Ld, a.At}, Matrix[float64]{k, 9, b.Ld, b.At}, 0, Matrix[float64]{n, 9, c.Ld, c.At})
			})
			do(func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				ops.Syr2k(rec, p.WS, a.Block(0, 0, n, k), b.Block(0, 0, n, k), c)
			})
			do(func(rec *vk.Recorder, a, b, c Matrix[float64]) {
				ops.Symm(rec, p.WS, a, b.Block(0, 0, n, 9), c.Block(0, 0, n, 9))
			})
			if want == nil {
				want = got
				continue
			}
			for i := range got {
				// The padding of the result holds NaN, which the products must not change.
				if !slices.EqualFunc(got[i].Data, want[i].Data, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
					t.Errorf("%s, %g flops a dispatch: product %d has other bits", name, dispatch, i)
				}
			}
		}
	}
}

// TestNoDispatchCostsMoreThanItMay checks a rank-2k update and a pair of products of order 20000,
// with and without a limit for the cost of a dispatch. No dispatch may exceed the limit by more
// than 1 %, and the sum of all costs must be the same as without the limit.
func TestNoDispatchCostsMoreThanItMay(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation|when.Widths|when.Vulkango, "no device")
	const n, k, most = 20000, 512, 1e10
	dev := vk.Dry(vk.Info{Name: "dry", Family: "other", Memory: 1 << 40, Free: 1 << 40, SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, dispatch := range []float64{0, most} {
		tune := Tables.Other
		tune.Dispatch = dispatch
		ops, err := New[float64](dev, tune)
		if err != nil {
			t.Fatal(err)
		}
		if err := ops.Reserve(Shape{M: n, N: n, K: k, Count: 1}); err != nil {
			t.Fatal(err)
		}
		y, c := vk.Reserve[float64]("Y", n*k), vk.Reserve[float64]("C", n*n)
		ws, err := dev.NewArena(vk.Together(y, c, ops.Work()))
		if err != nil {
			t.Fatal(err)
		}
		my, mc := NewMatrix(y.In(ws), n, k, n), NewMatrix(c.In(ws), n, n, n)
		rec := vk.NewRecorder(dev)
		ops.Syr2k(rec, ws, my, my, mc)
		ops.GemmPair(rec, ws, NoTrans, Trans, -1, Pair[float64]{my, my}, Pair[float64]{my, my}, 1, mc)
		costs, total := rec.Estimates(), 0.0
		for i, cost := range costs {
			total += cost
			if dispatch != 0 && !(cost <= 1.01*dispatch) {
				t.Errorf("dispatch %d of %d costs %g flops", i, len(costs), cost)
			}
		}
		if want := 6 * float64(n) * float64(n) * k; fmt.Sprintf("%.6g", total) != fmt.Sprintf("%.6g", want) {
			t.Errorf("%g flops in %d dispatches, want %g", total, len(costs), want)
		}
	}
}
