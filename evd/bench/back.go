package bench

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// The input of the back transformations is random: Householder reflectors with random vectors, in
// the storage of a reduction. Their product is orthogonal. The vectors to transform are the m rows
// of X. The counted numbers are the reflectors once, and X twice, for reading and writing.

// applyQ2 measures the application of all reflectors of Q2, those of all bulge-chasing sweeps.
func applyQ2(l *load) {
	q2 := must(back.NewApplyQ2[float64](l.dev, back.Size{N: l.n, B: l.b, M: l.m}, l.waiting(), l.tune.ApplyQ2))
	l.backTwo(q2, q2.Flops())
}

// applyQ2Squares measures the same back transformation by products on integer units
// (back.ApplyQ2Squares). The counted operations are those of the reflectors, 2·n²·m, so that the rate
// can be compared with that of applyQ2.
func applyQ2Squares(l *load) {
	q2 := must(back.NewApplyQ2Squares(l.dev, back.Size{N: l.n, B: l.b, M: l.m}, l.units(), l.tune.ApplyQ2))
	l.backTwo(q2, 2*float64(l.n)*float64(l.n)*float64(l.m))
}

func (l *load) backTwo(q2 emulation.Q2[float64], flops float64) {
	l.uses(q2)
	lv, lt := stages.ReflectorLen(l.n, l.b)
	v, tau := l.vector("V", lv), l.vector("tau", lt)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) { l.Bench.random.chased(rec, v.In(ws), tau.In(ws), l.n, l.b) })
	x := l.random("X", l.m, l.n)
	l.counts(flops, float64(lv)+2*float64(l.m)*float64(l.n))
	l.result = x.Region
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		q2.Record(rec, ws, stages.Reflectors[float64]{V: v.In(ws), Tau: tau.In(ws)}, x.of(ws))
	}
}

// applyQ1 measures the application of the reflectors of Q1, those of all panels. The input includes the
// block factors T of the reflectors, as the band reduction stores them.
func applyQ1(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		q1 := must(back.NewApplyQ1(l.dev, back.Size{N: l.n, B: l.b, M: l.m}, ops, l.tune.Panel))
		factor := must(panel.NewTFactor(l.dev, l.n, l.b, ops, l.tune.Panel))
		panels := max(0, (l.n-1)/l.b)
		y, tau, factors := l.matrix("Y", l.n, l.n), l.vector("tau", l.n), l.vector("T", panels*l.b*l.b)
		l.memory = append(l.memory, vk.InTurn(factor.Work(), q1.Work()))
		l.input(func(rec *vk.Recorder, ws *vk.Arena) {
			l.Bench.random.reflectors(rec, y.of(ws), tau.In(ws), l.b)
			for p := range panels {
				c := p * l.b
				t := stages.NewMatrix(factors.In(ws).Sub(c*l.b, l.b*l.b), l.b, l.b, l.b)
				factor.Record(rec, ws, y.of(ws).Block(c+l.b, c, l.n-c-l.b, l.b), tau.In(ws).Sub(c, l.b), t)
			}
		})
		x := l.random("X", l.m, l.n)
		n, m := float64(l.n), float64(l.m)
		l.counts(q1.Flops(), n*n/2+2*m*n)
		l.result = x.Region
		l.record = func(rec *vk.Recorder, ws *vk.Arena) { q1.Record(rec, ws, y.of(ws), factors.In(ws), x.of(ws)) }
	}
}
