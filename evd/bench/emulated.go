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

// newEmulatedApplyQ1 prepares the measurement of newApplyQ1 with products that emulate double
// precision on integer units.
func newEmulatedApplyQ1(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.units(t)
	return b.applyQ1(s, t, ops).onUnits(ops)
}

// onUnits makes the measurement of the update `u` by products that emulate double precision on
// integer units.
func onUnits(u update) maker {
	return func(b *Bench, s sizes, t tuning.Tuning) *load {
		ops := b.units(t)
		if err := ops.Reserve(product.Shape{M: s.n, N: s.n, K: s.k, Count: 1}); err != nil {
			panic(refused{err})
		}
		return b.updating(s, u, ops).onUnits(ops)
	}
}

func (b *Bench) units(t tuning.Tuning) *emulated.Ops {
	return must(emulated.New(context.Background(), b.dev, b.products(t), t.Products.Emulated.ByGain(0), benchModuli))
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
