package bench

import (
	"context"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// benchModuli is the number of moduli of the measured products: that of the vectors.
const benchModuli = 14

// newEmulatedGemm measures newGemm's product on integer units. Operations are those of the
// double-precision product.
func newEmulatedGemm(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, 2, func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix) {
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, -1, x, y, 1, c)
	})
}

// newEmulatedSyr2k measures newSyr2k's update on integer units.
func newEmulatedSyr2k(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, 1, func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, y, z, c stages.Matrix) {
		ops.Syr2k(rec, ws, y, z, c)
	})
}

// emulated is update with emulated products.
func (b *Bench) emulated(s sizes, t tuning.Tuning, triangles float64,
	record func(ops product.Ops[float64], rec *vk.Recorder, ws *vk.Arena, x, y, c stages.Matrix),
) (*load, error) {
	native, err := product.New[float64](b.dev, t.Products)
	if err != nil {
		return nil, err
	}
	ops, err := emulated.New(context.Background(), b.dev, native, t.Products.Emulated, benchModuli)
	if err != nil {
		return nil, err
	}
	if err := ops.Reserve(product.Shape{M: s.n, N: s.n, K: s.k, Count: 1}); err != nil {
		return nil, err
	}
	rx, x := packed("X", s.n, s.k)
	ry, y := packed("Y", s.n, s.k)
	rc, c := packed("C", s.n, s.n)
	n, k := float64(s.n), float64(s.k)
	return &load{
		row:    Row{K: s.k},
		flops:  2 * n * n * k,
		bytes:  realBytes * (2*n*k + triangles*n*n),
		layout: vk.Together(rx, ry, rc, ops.Work(), ops.Status()),
		prepare: func(rec *vk.Recorder, ws *vk.Arena) {
			b.fills(x, y, c)(rec, ws)
			ops.Begin(rec, ws)
		},
		record: func(rec *vk.Recorder, ws *vk.Arena) { record(ops, rec, ws, x(ws), y(ws), c(ws)) },
		infos: func(ws *vk.Arena) []vk.Slice[uint32] {
			return []vk.Slice[uint32]{ops.Refused(ws).Sub(0, 1), ops.Refused(ws).Sub(1, 1)}
		},
		result: rc,
	}, nil
}
