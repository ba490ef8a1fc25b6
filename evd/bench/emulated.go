package bench

import (
	"context"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Emulated products compute double precision by integer arithmetic, modulo several small numbers.
// benchModuli is how many such moduli the measured products use. It is the number that a solve with
// vectors uses.
const benchModuli = 14

// newEmulatedGemm prepares the measurement of the product C ← C − A·Bᵀ, where C is n×n, and A and B
// are n×k, on integer units that emulate double precision. The counted operations are those of the
// product in double precision, 2·n²·k.
func newEmulatedGemm(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, gemmUpdate)
}

// newEmulatedSyr2k prepares the measurement of the update of the lower triangle C ← C − Y·Zᵀ −
// Z·Yᵀ, where C is n×n and the factors have k columns, on integer units that emulate double
// precision. The counted operations are those in double precision, 2·n²·k.
func newEmulatedSyr2k(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.emulated(s, t, syr2kUpdate)
}

// newEmulatedApplyQ1 prepares the measurement of newApplyQ1 with products that emulate double
// precision on integer units.
func newEmulatedApplyQ1(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	ops, err := b.units(t)
	if err != nil {
		return nil, err
	}
	l, err := b.applyQ1(s, t, ops)
	if err != nil {
		return nil, err
	}
	return l.onUnits(ops), nil
}

// emulated makes the measurement of the update `u` by products that emulate double precision on
// integer units.
func (b *Bench) emulated(s sizes, t tuning.Tuning, u update) (*load, error) {
	ops, err := b.units(t)
	if err != nil {
		return nil, err
	}
	if err := ops.Reserve(product.Shape{M: s.n, N: s.n, K: s.k, Count: 1}); err != nil {
		return nil, err
	}
	return b.updating(s, u, ops).onUnits(ops), nil
}

// units makes products that emulate double precision on integer units.
func (b *Bench) units(t tuning.Tuning) (*emulated.Ops, error) {
	native, err := product.New[float64](b.dev, t.Products)
	if err != nil {
		return nil, err
	}
	return emulated.New(context.Background(), b.dev, native, t.Products.Emulated.ByGain(0), benchModuli)
}

// onUnits adds to a measurement what the emulated products `ops` need: they count refused rows, and
// the measurement fails if there are any.
func (l *load) onUnits(ops *emulated.Ops) *load {
	fill := l.prepare
	l.layout = vk.Together(l.layout, ops.Status())
	l.prepare = func(rec *vk.Recorder, ws *vk.Arena) {
		fill(rec, ws)
		ops.Begin(rec, ws)
	}
	l.infos = func(ws *vk.Arena) []vk.Slice[uint32] {
		return []vk.Slice[uint32]{ops.Refused(ws).Sub(0, 1), ops.Refused(ws).Sub(1, 1)}
	}
	return l
}
