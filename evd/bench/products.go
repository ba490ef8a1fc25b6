package bench

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/vk"
)

// The measured products are those of the tuning, on matrices without padding. The number of moved
// doubles counts each factor once, and the result once. If a product adds to the old result, the
// result counts twice, for reading and writing.

// products returns the double-precision products of the tuning, in contrast to emulated ones.
func (l *load) products() product.Ops[float64] { return l.tiled() }

func (l *load) tiled() *product.Tiled[float64] {
	ops := must(product.New[float64](l.dev, l.tune.Products))
	l.uses(ops)
	return ops
}

// units returns products that emulate double precision on integer units, by arithmetic modulo
// several small numbers. They refuse a row of a factor that they cannot scale, and count such rows.
// The measurement fails if there are any.
func (l *load) units() product.Ops[float64] {
	const moduli = 14 // as in a solve with vectors
	tiled := must(product.New[float64](l.dev, l.tune.Products))
	ops := must(emulated.New(context.Background(), l.dev, tiled, l.tune.Products.Emulated.ByGain(0), moduli))
	l.uses(ops)
	l.input(ops.Begin)
	l.infos = append(l.infos, func(ws *vk.Arena) []vk.Slice[uint32] { return []vk.Slice[uint32]{ops.Refused(ws)} })
	return ops
}

// update measures a product of two n×k factors that is added to an n×n matrix, or to one triangle
// of it. It counts as 2·n²·k operations in double precision.
func (l *load) update(ops product.Ops[float64], triangles float64, record func(rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix)) {
	if units, is := ops.(*emulated.Ops[float64]); is {
		if err := units.Reserve(product.Shape{M: l.n, N: l.n, K: l.k, Count: 1}); err != nil {
			panic(refused{err})
		}
	}
	x, y, c := l.random("X", l.n, l.k), l.random("Y", l.n, l.k), l.random("C", l.n, l.n)
	n, k := float64(l.n), float64(l.k)
	l.counts(2*n*n*k, 2*n*k+triangles*n*n)
	l.result = c.Region
	l.record = func(rec *vk.Recorder, ws *vk.Arena) { record(rec, ws, x.of(ws), y.of(ws), c.of(ws)) }
}

// gemm measures C ← C − A·Bᵀ.
func gemm(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		l.update(ops, 2, func(rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix) {
			ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, x, y, 1, c)
		})
	}
}

// syr2k measures the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ. Only operations of this triangle count.
func syr2k(products func(*load) product.Ops[float64]) func(*load) {
	return func(l *load) {
		ops := products(l)
		l.update(ops, 1, func(rec *vk.Recorder, ws *vk.Arena, y, z, c stages.Matrix) {
			ops.Syr2k(rec, ws, y, z, c)
		})
	}
}

// symm measures P ← A·W, where A is symmetric, n×n, and W is n×b. Only one triangle of A counts as
// moved doubles, because no method needs to read more.
func symm(l *load) {
	ops := l.products()
	a, w, p := l.random("A", l.n, l.n), l.random("W", l.n, l.b), l.matrix("P", l.n, l.b)
	n, cols := float64(l.n), float64(l.b)
	l.counts(2*n*n*cols, n*n/2+2*n*cols)
	l.result = p.Region
	l.record = func(rec *vk.Recorder, ws *vk.Arena) { ops.Symm(rec, ws, a.of(ws), w.of(ws), p.of(ws)) }
}

// shareSymm measures the part of P ← A·W that the first of two devices has if the columns of A are
// divided between them, as in a distributed solve: about half of the operations of symm.
func shareSymm(l *load) {
	columns := reduce.DivideColumns(l.n, l.k, []float64{1, 1}).Part(0)
	part := must(product.NewSymmColumns(l.dev, l.tiled(), columns))
	l.uses(part)
	a := l.vector("columns of A", columns.Elements())
	for at, j := range columns.Blocks {
		from, to := columns.Columns(j)
		l.input(func(rec *vk.Recorder, ws *vk.Arena) {
			block := a.In(ws).Sub(columns.At[at], (l.n-from)*(to-from))
			l.Bench.random.matrix(rec, stages.NewMatrix(block, l.n-from, to-from, l.n-from))
		})
	}
	w, p := l.random("W", l.n, l.b), l.matrix("P", l.n, l.b)
	l.input(part.RecordBegin)
	l.counts(part.Flops(0, l.b), float64(columns.Elements()+2*l.n*l.b))
	l.result = p.Region
	l.record = func(rec *vk.Recorder, ws *vk.Arena) { part.Record(rec, ws, a.In(ws), 0, w.of(ws), p.of(ws)) }
}
