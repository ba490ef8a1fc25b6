package bench

import (
	"context"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// benchModuli is the number of moduli of the measured emulated products. A solve with vectors uses
// this number.
const benchModuli = 14

// newEmulatedGemm measures the product C ← C − A·Bᵀ of newGemm. Integer units emulate double
// precision. The counted operations are those of the product in double precision.
func newEmulatedGemm(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, gemmUpdate)
}

// newEmulatedSyr2k measures the update of newSyr2k on integer units, by emulation of double
// precision.
func newEmulatedSyr2k(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, syr2kUpdate)
}

// emulated measures the update `u` by emulated products.
func (b *Bench) emulated(s sizes, t tuning.Tuning, u update) (*load, error) {
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
	l := b.updating(s, u, ops)
	fill := l.prepare
	l.layout = vk.Together(l.layout, ops.Status())
	l.prepare = func(rec *vk.Recorder, ws *vk.Arena) {
		fill(rec, ws)
		ops.Begin(rec, ws)
	}
	l.infos = func(ws *vk.Arena) []vk.Slice[uint32] {
		return []vk.Slice[uint32]{ops.Refused(ws).Sub(0, 1), ops.Refused(ws).Sub(1, 1)}
	}
	return l, nil
}
