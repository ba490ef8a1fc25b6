package bench

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// The measured products are those of the tuning, on matrices without padding. The counted bytes are
// each factor once, and the result once. If a product adds to the old result, the result counts
// twice, for reading and writing.

// An update is a product of two n×k factors that is added to an n×n matrix, or to one triangle of
// it: C ← C − A·Bᵀ, or the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ. Both count as 2·n²·k operations, in
// double precision; the second ones are those of one triangle of each product.
type update struct {
	triangles float64
	record    func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix)
}

var (
	gemmUpdate = update{2, func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix) {
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, x, y, 1, c)
	}}
	syr2kUpdate = update{1, func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, y, z, c stages.Matrix) {
		ops.Syr2k(rec, ws, y, z, c)
	}}
)

// native makes the measurement of the update `u` by the double-precision products of the tuning, in
// contrast to emulated products.
func native(u update) maker {
	return func(b *Bench, s sizes, t tuning.Tuning) *load { return b.updating(s, u, b.products(t)) }
}

func (b *Bench) products(t tuning.Tuning) *product.Tiled[float64] {
	return must(product.New[float64](b.dev, t.Products))
}

// updating makes the measurement of the update `u`. The products are those of the argument `ops`.
func (b *Bench) updating(s sizes, u update, ops product.Ops[float64]) *load {
	rx, x := packed("X", s.n, s.k)
	ry, y := packed("Y", s.n, s.k)
	rc, c := packed("C", s.n, s.n)
	n, k := float64(s.n), float64(s.k)
	return &load{
		row:     Row{K: s.k},
		flops:   2 * n * n * k,
		bytes:   realBytes * (2*n*k + u.triangles*n*n),
		layout:  vk.Together(rx, ry, rc, ops.Work()),
		prepare: b.fills(x, y, c),
		record:  func(rec *vk.Recorder, ws *vk.Arena) { u.record(ops, rec, ws, x(ws), y(ws), c(ws)) },
		result:  rc,
	}
}

// newSymm prepares the measurement of P ← A·W, where A is symmetric, n×n, and W is n×b. This takes
// 2·n²·b operations. The bytes count one triangle of A, because no method needs to read more.
func newSymm(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	ra, a := packed("A", s.n, s.n)
	rw, w := packed("W", s.n, s.b)
	rp, p := packed("P", s.n, s.b)
	n, cols := float64(s.n), float64(s.b)
	return &load{
		row:     Row{B: s.b},
		flops:   2 * n * n * cols,
		bytes:   realBytes * (n*n/2 + 2*n*cols),
		layout:  vk.Together(ra, rw, rp, ops.Work()),
		prepare: b.fills(a, w),
		record: func(rec *vk.Recorder, ws *vk.Arena) {
			ops.Symm(rec, ws, a(ws), w(ws), p(ws))
		},
		result: rp,
	}
}

// newShareSymm prepares the measurement of the part of P ← A·W that one of two devices has if the
// columns of A are divided between them, as in a distributed solve. It is the part of the first
// device, about half of the operations of newSymm.
func newShareSymm(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	columns := reduce.DivideColumns(s.n, s.k, []float64{1, 1}).Part(0)
	part := must(ops.NewSymmColumns(b.dev, columns))
	var blocks []func(ws *vk.Arena) stages.Matrix
	ra := vk.Reserve[float64]("columns of A", columns.Elements())
	for l, j := range columns.Blocks {
		from, to := columns.Columns(j)
		rows := s.n - from
		blocks = append(blocks, func(ws *vk.Arena) stages.Matrix {
			return stages.NewMatrix(ra.In(ws).Sub(columns.At[l], rows*(to-from)), rows, to-from, rows)
		})
	}
	rw, w := packed("W", s.n, s.b)
	rp, p := packed("P", s.n, s.b)
	return &load{
		row:    Row{B: s.b, K: s.k},
		flops:  part.Flops(0, s.b),
		bytes:  realBytes * float64(columns.Elements()+2*s.n*s.b),
		layout: vk.Together(ra, rw, rp, ops.Work(), part.Work()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.fills(append(blocks, w)...)(rec, ws)
			part.RecordBegin(rec, ws)
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) { part.Record(rec, ws, ra.In(ws), 0, w(ws), p(ws)) },
		result: rp,
	}
}
