package bench

import (
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
)

// A reduction overwrites its input, so the input is made again before each run. Random entries are
// sufficient, because the number of operations does not depend on the entries.

// panelQR measures the QR factorisation of a panel of n rows and b columns. In the number of moved
// doubles the panel counts twice: it is read and written.
func panelQR(l *load) {
	qr := must(panel.NewQR[float64](l.dev, l.b, l.waiting(), l.tune.Panel))
	l.uses(qr)
	p, r, tau := l.random("panel", l.n, l.b), l.matrix("R", l.b, l.b), l.vector("tau", l.b)
	l.counts(qr.Flops(l.n), 2*float64(l.n)*float64(l.b))
	l.result = p.Region
	l.record = func(rec *vk.Recorder, ws *vk.Arena) { qr.Record(rec, ws, p.of(ws), r.of(ws), tau.In(ws)) }
}

// sy2sb measures the reduction of a dense symmetric matrix to a band (LAPACK's dsytrd_sy2sb). The
// method takes panels of b columns, and several panels form a block of k columns. The number of
// moved doubles is what the method must move at least. For each panel it reads the lower triangle
// of the trailing matrix once. For each block it reads and writes this triangle once.
func sy2sb(l *load) {
	reduction := must(reduce.NewBandReduction(l.dev, reduce.BandSize{N: l.n, B: l.b, K: l.k}, l.products(), l.waiting(), l.tune.Panel))
	l.uses(reduction)
	a, band := l.random("A", l.n, l.n), l.vector("band", 2*l.b*l.n)
	factors := l.vector("T", reduction.Panels()*l.b*l.b)
	n := float64(l.n)
	l.counts(reduction.Flops(), n*n*n/6*(1/float64(l.b)+2/float64(l.k)))
	l.result = band
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		reduction.Record(rec, ws, a.of(ws), band.In(ws), factors.In(ws))
	}
}

// sb2st measures the reduction of a band to tridiagonal form (LAPACK's dsytrd_sb2st). It stores the
// reflectors, as a solve with vectors does. The band and the reflectors count once as moved
// doubles. The row also has a model of the critical path, because the length of this path
// determines the time, and not the number of operations.
func sb2st(l *load) {
	bulges := must(chase.NewBulgeChasing[float64](l.dev, chase.Size{N: l.n, B: l.b, Vectors: true}, l.waiting(), l.tune.Chase))
	l.uses(bulges)
	lv, lt := stages.ReflectorLen(l.n, l.b)
	band, d, e := l.vector("band", 2*l.b*l.n), l.vector("d", l.n), l.vector("e", l.n)
	v, tau := l.vector("V", lv), l.vector("tau", lt)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) { l.Bench.random.band(rec, band.In(ws), l.n, l.b) })
	model := bulges.Model()
	l.row.Steps, l.row.Model = model.Path+model.Stalls, model.Seconds
	l.counts(bulges.Flops(), 2*float64(l.b)*float64(l.n)+float64(lv))
	l.result = d
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		reduced := stages.Tridiagonal[float64]{D: d.In(ws), E: e.In(ws)}
		bulges.Record(rec, ws, band.In(ws), reduced, stages.Reflectors[float64]{V: v.In(ws), Tau: tau.In(ws)})
	}
}

// The other reductions are for singular values of n×n matrices. Their b is the number of
// superdiagonals of the intermediate band.

// ge2tb measures the reduction of a dense matrix to an upper band. The method takes panels of b
// columns, and several panels form a block of k columns. The number of moved doubles is what the
// method must move at least. For each panel it reads the trailing matrix twice. For each block it
// reads and writes this matrix once. If Options have no ranks, k is the rank that package svd
// chooses for the order.
func ge2tb(l *load) {
	forecast := must(singularPlan[float64](l, vk.Dry(l.dev.Info()), svd.Options{}))
	width := forecast.Band()
	size := reduce.GeneralSize{M: l.n, N: l.n, B: width, K: forecast.Block()}
	ops := l.products()
	reduction := must(reduce.NewGeneralBandReduction(l.dev, size, ops, ops, l.waiting(), l.tune.Panel))
	l.uses(reduction)
	a, band := l.random("A", l.n, l.n), l.vector("band", size.BandLen())
	left, right := l.vector("T of Q1", size.LeftPanels()*width*width), l.vector("T of P1", size.RightPanels()*width*width)
	n := float64(l.n)
	l.row.B, l.row.K = width, size.K
	l.counts(reduction.Flops(), n*n*n/3*2*(1/float64(width)+1/float64(size.K)))
	l.result = band
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		reduction.Record(rec, ws, a.of(ws), band.In(ws), left.In(ws), right.In(ws))
	}
}

// tb2bd measures the reduction of an upper band to bidiagonal form, without storing reflectors. The
// band counts once as moved doubles.
func tb2bd(l *load) {
	bulges := must(chase.NewBidiagonalChasing[float64](l.dev, chase.Size{N: l.n, B: l.b}, l.waiting(), l.tune.Chase))
	l.uses(bulges)
	size := reduce.GeneralSize{M: l.n, N: l.n, B: l.b, K: l.b}
	band, c := l.vector("band", size.BandLen()), l.vector("C", 2*l.n-1)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) {
		l.Bench.random.upperBand(rec, band.In(ws), l.n, l.b, l.b-1, 3*l.b)
	})
	l.counts(bulges.Flops(), float64(l.b+1)*float64(l.n))
	l.result = c
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		none := stages.Reflectors[float64]{}
		bulges.Record(rec, ws, band.In(ws), chase.GolubKahan(c.In(ws)), none, none)
	}
}

// gbbrd measures the reduction of an upper band of any width to bidiagonal form: passes that narrow
// the band, and the bulge chasing. The band counts once as moved doubles.
func gbbrd(l *load) {
	size := l.tune.NarrowSize(l.n, l.b)
	narrow := must(chase.NewBandNarrowing[float64](l.dev, size, l.waiting(), l.tune.Chase))
	bulges := must(chase.NewBidiagonalChasing[float64](l.dev, chase.Size{N: l.n, B: size.To}, l.waiting(), l.tune.Chase))
	l.uses(narrow, bulges)
	band, general, c := l.vector("band", size.BandLen()), l.vector("narrow band", narrow.GeneralLen()), l.vector("C", 2*l.n-1)
	l.input(func(rec *vk.Recorder, ws *vk.Arena) {
		l.Bench.random.upperBand(rec, band.In(ws), size.N, size.From, size.Tile, size.From+2*size.Tile+1)
	})
	l.counts(narrow.Flops()+bulges.Flops(), float64(l.b+1)*float64(l.n))
	l.result = c
	l.record = func(rec *vk.Recorder, ws *vk.Arena) {
		none := stages.Reflectors[float64]{}
		narrow.Record(rec, ws, band.In(ws), general.In(ws))
		bulges.Record(rec, ws, general.In(ws), chase.GolubKahan(c.In(ws)), none, none)
	}
}

// The input of the back transformations is random: Householder reflectors with random vectors, in
// the storage of a reduction. Their product is orthogonal. The vectors to transform are the m rows
// of X. In the number of moved doubles the reflectors count once, and X twice, for reading and
// writing.

// applyQ2 measures the application of all reflectors of Q2, those of all bulge-chasing sweeps.
func applyQ2(l *load) {
	q2 := must(back.NewApplyQ2[float64](l.dev, back.Size{N: l.n, B: l.b, M: l.m}, l.waiting(), l.tune.ApplyQ2))
	l.backTwo(q2, q2.Flops())
}

// applyQ2Squares measures the same back transformation by products on integer units
// (back.ApplyQ2Squares). The counted operations are those of the reflectors, 2·n²·m, so that the
// rate can be compared with that of applyQ2.
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

// applyQ1 measures the application of the reflectors of Q1, those of all panels. The input includes
// the block factors T of the reflectors, as the band reduction stores them.
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
