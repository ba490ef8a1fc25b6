package bench

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// The input of the back transformations is random, and not the result of a reduction: Householder
// reflectors with random vectors, in the storage of a reduction. Their product is orthogonal.

// newApplyQ2 prepares the measurement of the application of all reflectors of Q2, those of all
// bulge-chasing sweeps, to m vectors. The vectors are rows of X. The counted bytes are the
// reflectors once, and X twice, for reading and writing.
func newApplyQ2(b *Bench, s sizes, t tuning.Tuning) *load {
	waiting := b.waiting(t)
	q2 := must(back.NewApplyQ2[float64](b.dev, back.Size{N: s.n, B: s.b, M: s.m}, waiting, t.ApplyQ2))
	return b.backTwo(s, q2, q2.Flops())
}

// newApplyQ2Squares prepares the measurement of the same back transformation by products on integer
// units (back.ApplyQ2Squares). The counted operations are those of the reflectors, 2·n²·m, so that
// the rate can be compared with that of newApplyQ2.
func newApplyQ2Squares(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.units(t)
	q2 := must(back.NewApplyQ2Squares(b.dev, back.Size{N: s.n, B: s.b, M: s.m}, product.Ops[float64](ops), t.ApplyQ2))
	l := b.backTwo(s, q2, 2*float64(s.n)*float64(s.n)*float64(s.m))
	l.layout = vk.Together(l.layout, ops.Work())
	return l.onUnits(ops)
}

// backTwo makes the measurement of the back transformation q2 of m vectors. The input is filled with
// random reflectors and random vectors.
func (b *Bench) backTwo(s sizes, q2 emulation.Q2[float64], flops float64) *load {
	lv, lt := stages.ReflectorLen(s.n, s.b)
	v, tau := vk.Reserve[float64]("V", lv), vk.Reserve[float64]("tau", lt)
	rx, x := packed("X", s.m, s.n)
	return &load{
		row:    Row{B: s.b, M: s.m},
		flops:  flops,
		bytes:  realBytes * (float64(lv) + 2*float64(s.m)*float64(s.n)),
		layout: vk.Together(v, tau, rx, q2.Work()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.random.chased(rec, v.In(ws), tau.In(ws), s.n, s.b)
			b.random.matrix(rec, x(ws))
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			q2.Record(rec, ws, stages.Reflectors[float64]{V: v.In(ws), Tau: tau.In(ws)}, x(ws))
		},
		info:   q2.Info,
		result: rx,
	}
}

// newApplyQ1 prepares the measurement of the application of the reflectors of Q1, those of all
// panels, to m vectors. The vectors are rows of X. The input includes the block factors T of the
// reflectors, as the band reduction stores them. The counted bytes are one triangle of reflectors,
// and X twice, for reading and writing.
func newApplyQ1(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	return b.applyQ1(s, t, ops)
}

// applyQ1 makes the measurement of newApplyQ1 with the products `ops`.
func (b *Bench) applyQ1(s sizes, t tuning.Tuning, ops product.Ops[float64]) *load {
	q1 := must(back.NewApplyQ1(b.dev, back.Size{N: s.n, B: s.b, M: s.m}, ops, t.Panel))
	factor := must(panel.NewTFactor(b.dev, s.n, s.b, ops, t.Panel))
	panels := max(0, (s.n-1)/s.b)
	ry, y := packed("Y", s.n, s.n)
	rx, x := packed("X", s.m, s.n)
	tau, factors := vk.Reserve[float64]("tau", s.n), vk.Reserve[float64]("T", panels*s.b*s.b)
	n, m := float64(s.n), float64(s.m)
	return &load{
		row:    Row{B: s.b, M: s.m},
		flops:  q1.Flops(),
		bytes:  realBytes * (n*n/2 + 2*m*n),
		layout: vk.Together(ry, rx, tau, factors, ops.Work(), vk.InTurn(factor.Work(), q1.Work())),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.random.reflectors(rec, y(ws), tau.In(ws), s.b)
			for p := range panels {
				c := p * s.b
				panel := y(ws).Block(c+s.b, c, s.n-c-s.b, s.b)
				t := stages.NewMatrix(factors.In(ws).Sub(c*s.b, s.b*s.b), s.b, s.b, s.b)
				factor.Record(rec, ws, panel, tau.In(ws).Sub(c, s.b), t)
			}
			b.random.matrix(rec, x(ws))
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			q1.Record(rec, ws, y(ws), factors.In(ws), x(ws))
		},
		result: rx,
	}
}
