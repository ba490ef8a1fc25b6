package bench

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// newPanelQR prepares the measurement of the QR factorisation of a panel of n rows and b columns.
// For the rate in bytes per second, the panel counts twice: it is read and written.
func newPanelQR(b *Bench, s sizes, t tuning.Tuning) *load {
	waiting := b.waiting(t)
	qr := must(panel.NewQR[float64](b.dev, s.b, waiting, t.Panel))
	rp, panel := packed("panel", s.n, s.b)
	rr, r := packed("R", s.b, s.b)
	tau := vk.Reserve[float64]("tau", s.b)
	return &load{
		row:     Row{B: s.b},
		flops:   qr.Flops(s.n),
		bytes:   realBytes * 2 * float64(s.n) * float64(s.b),
		layout:  vk.Together(rp, rr, tau, qr.Work(), qr.Status()),
		prepare: b.fills(panel),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			qr.Record(rec, ws, panel(ws), r(ws), tau.In(ws))
		},
		info:   qr.Info,
		result: rp,
	}
}

// A reduction overwrites its input, so the input is made again before each run. Random entries are
// sufficient, because the number of operations does not depend on the entries.

// newSy2sb prepares the measurement of the reduction of a dense symmetric matrix to a band
// (LAPACK's dsytrd_sy2sb). Bytes are those that the method must move: each panel reads a triangle
// of the trailing matrix, and each block reads and writes this triangle.
func newSy2sb(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	waiting := b.waiting(t)
	reduction := must(reduce.NewBandReduction(b.dev, reduce.BandSize{N: s.n, B: s.b, K: s.k}, ops, waiting, t.Panel))
	ra, a := packed("A", s.n, s.n)
	band := vk.Reserve[float64]("band", 2*s.b*s.n)
	factors := vk.Reserve[float64]("T", reduction.Panels()*s.b*s.b)
	n := float64(s.n)
	return &load{
		row:     Row{B: s.b, K: s.k},
		flops:   reduction.Flops(),
		bytes:   realBytes * n * n * n / 6 * (1/float64(s.b) + 2/float64(s.k)),
		layout:  vk.Together(ra, band, factors, ops.Work(), reduction.Work(), reduction.Status()),
		prepare: b.fills(a),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			reduction.Record(rec, ws, a(ws), band.In(ws), factors.In(ws))
		},
		info:   reduction.Info,
		result: band,
	}
}

// newSb2st prepares the measurement of the reduction of a band to tridiagonal form (LAPACK's
// dsytrd_sb2st). It stores the reflectors, as a solve with vectors does. The counted bytes are the
// band once and the reflectors once. The row also has a model of the critical path, because the
// length of this path determines the time, and not the number of operations.
func newSb2st(b *Bench, s sizes, t tuning.Tuning) *load {
	waiting := b.waiting(t)
	size := chase.Size{N: s.n, B: s.b, Vectors: true}
	chase := must(chase.NewBulgeChasing[float64](b.dev, size, waiting, t.Chase))
	lv, lt := stages.ReflectorLen(s.n, s.b)
	band, v, tau := vk.Reserve[float64]("band", 2*s.b*s.n), vk.Reserve[float64]("V", lv), vk.Reserve[float64]("tau", lt)
	d, e := vk.Reserve[float64]("d", s.n), vk.Reserve[float64]("e", s.n)
	model := chase.Model()
	return &load{
		row:    Row{B: s.b, Steps: model.Path + model.Stalls, Model: model.Seconds},
		flops:  chase.Flops(),
		bytes:  realBytes * (2*float64(s.b)*float64(s.n) + float64(lv)),
		layout: vk.Together(band, d, e, v, tau, chase.Work()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.random.band(rec, band.In(ws), s.n, s.b)
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			reduced := stages.Tridiagonal[float64]{D: d.In(ws), E: e.In(ws)}
			q2 := stages.Reflectors[float64]{V: v.In(ws), Tau: tau.In(ws)}
			chase.Record(rec, ws, band.In(ws), reduced, q2)
		},
		info:   chase.Info,
		result: d,
	}
}

func (b *Bench) waiting(t tuning.Tuning) stages.Waiting {
	return must(t.Waiting(context.Background(), machine.Of(b.dev)))
}
