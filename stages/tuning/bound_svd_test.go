package tuning

import (
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/batch"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
)

// TestNoDispatchOfSingularValuesIsLong checks the predicted times of all dispatches in the dense
// stages of a singular value decomposition, on dry devices with different rates. A has three times
// as many rows as columns, so that a QR factorisation comes first.
func TestNoDispatchOfSingularValuesIsLong(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation|when.Vulkango, "no device")
	for _, card := range cards {
		dev, n := card.dry(), card.n
		tune := On(dev.Info()).For(n, n).Bounded(card.rate)
		ops, err := product.New[float64](dev, tune.Products)
		if err != nil {
			t.Fatal(err)
		}
		b, m, w := tune.Band, 3*n, stages.Waiting{Allowed: true, WideFence: true}
		failed := func(errs ...error) {
			t.Helper()
			for _, err := range errs {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		qr, err1 := panel.NewTallQR(dev, m, n, b, ops, w, tune.Panel)
		size := reduce.GeneralSize{M: n, N: n, B: b, K: tune.Block, Vectors: true}
		reduce, err2 := reduce.NewGeneralBandReduction(dev, size, ops, ops, w, tune.Panel)
		const wide = 128 // superdiagonals of a given band
		narrowed := chases.NarrowSize{N: n, From: wide, To: tune.Narrow.To, Tile: tune.Narrow.Tile}
		narrow, err3 := chases.NewBandNarrowing[float64](dev, narrowed, w, tune.Chase)
		chase, err4 := chases.NewBidiagonalChasing[float64](dev, chases.Size{N: n, B: b, Vectors: true}, w, tune.Chase)
		left := back.PanelsSize{Rows: m, Cols: n, B: b, M: n}
		q1, err5 := back.NewApplyPanels(dev, stages.PhaseApplyQ1, left, ops, tune.Panel)
		right := back.PanelsSize{Rows: n, Cols: n, B: b, M: n, Across: true}
		p1, err6 := back.NewApplyPanels(dev, stages.PhaseApplyP1, right, ops, tune.Panel)
		failed(err1, err2, err3, err4, err5, err6)

		v, tau := stages.ReflectorLen(n, b)
		reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
		a, x, square, ts := reals("A", m*n), reals("X", m*n), reals("R", n*n), reals("T", (n/b+1)*b*b)
		band, given, general := reals("band", size.BandLen()), reals("given band", narrow.BandLen()), reals("narrowed band", 3*narrowed.To*(n+narrowed.To))
		d, e, rv, rt, lv, lt := reals("d", n), reals("e", n), reals("V", v), reals("τ", tau), reals("V of Q2", v), reals("τ of Q2", tau)
		ws, err := dev.NewArena(vk.Together(a, x, square, ts, band, given, general, d, e, rv, rt, lv, lt, ops.Work(), qr.Status(), reduce.Status(),
			vk.InTurn(qr.Work(), reduce.Work(), narrow.Work(), chase.Work(), q1.Work(), p1.Work())))
		failed(err)
		matrix := func(r vk.Region[float64], rows, cols int) stages.Matrix {
			return stages.NewMatrix(r.In(ws), rows, cols, rows)
		}
		reflectors := func(v, tau vk.Region[float64]) stages.Reflectors[float64] {
			return stages.Reflectors[float64]{V: v.In(ws), Tau: tau.In(ws)}
		}
		check := func(name string, record func(rec *vk.Recorder)) {
			rec := vk.NewRecorder(dev)
			record(rec)
			card.check(t, name, rec.Estimates())
		}
		check("QR of a tall matrix", func(rec *vk.Recorder) { qr.Record(rec, ws, matrix(a, m, n), matrix(square, n, n), ts.In(ws)) })
		check("reduction to a band", func(rec *vk.Recorder) {
			reduce.Record(rec, ws, matrix(square, n, n), band.In(ws), ts.In(ws), ts.In(ws))
		})
		check("narrowing", func(rec *vk.Recorder) { narrow.Record(rec, ws, given.In(ws), general.In(ws)) })
		check("chase", func(rec *vk.Recorder) {
			c := chases.Bidiagonal[float64]{D: d.In(ws), E: e.In(ws), Stride: 1}
			chase.Record(rec, ws, band.In(ws), c, reflectors(lv, lt), reflectors(rv, rt))
		})
		check("back transformation of U", func(rec *vk.Recorder) { q1.Record(rec, ws, matrix(a, m, n), ts.In(ws), matrix(x, n, m)) })
		check("back transformation of V", func(rec *vk.Recorder) { p1.Record(rec, ws, matrix(square, n, n), ts.In(ws), matrix(x, n, n)) })
	}
}

// TestNoDispatchOfABatchIsLong records a batch of matrices of many orders on dry devices. No
// dispatch may be predicted to take too long, if the kernels reach the fraction batchEfficiency of
// the device's rate.
func TestNoDispatchOfABatchIsLong(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation|when.Vulkango, "no device")
	for _, card := range cards {
		dev := card.dry()
		all := On(dev.Info()).Bounded(card.rate)
		tune := all.Batch
		for _, vectors := range []bool{false, true} {
			var items []batch.Item
			for n := 1; n <= tune.Order(); n = n*3/2 + 1 {
				for range 2000 {
					items = append(items, batch.Item{N: n, To: n})
				}
			}
			size := batch.Size{N: items[len(items)-1].N, Count: len(items), Vectors: vectors}
			s, err := batch.New[float64, float64](dev, size, tune, all.DivideConquer, all.Products)
			if err != nil {
				t.Fatal(err)
			}
			p := s.Place(items)
			last := len(items) - 1
			all := p.A[last] + size.N*size.N
			a, values, v := vk.Reserve[float64]("A", all), vk.Reserve[float64]("values", p.W[last]+size.N), vk.Reserve[float64]("V", all)
			ws, err := dev.NewArena(vk.Together(a, values, v, s.Work()))
			if err != nil {
				t.Fatal(err)
			}
			rec := vk.NewRecorder(dev)
			s.Record(rec, ws, p, batch.Buffers[float64, float64]{A: a.In(ws), Values: values.In(ws), V: v.In(ws)})
			var flops []float64
			for _, cost := range rec.Estimates() {
				flops = append(flops, cost/batchEfficiency)
			}
			card.check(t, "a batch", flops)
		}
	}
}
