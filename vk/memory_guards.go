package vk

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

const guardBytes = alignment // after each region of a guarded arena

// guardWord is one half of a quiet NaN in double precision. A result that a kernel computes from
// guard bytes is therefore NaN.
const guardWord = 0x7ff8dead

// Poison records that all bytes of the arena, including the guard bytes, become NaN. An element of
// a region that no kernel writes afterwards stays NaN.
func (a *Arena) Poison(r *Recorder) {
	for _, c := range a.chunks {
		Fill(r, c.words(), guardWord)
	}
}

// PoisonValue is the float64 that Poison writes: a NaN.
func PoisonValue() float64 { return math.Float64frombits(guardWord<<32 | guardWord) }

// CheckGuards reads the guard bytes after those regions of a guarded arena that share no bytes with
// other regions. The error names the first region after which guard bytes have changed, because a
// kernel wrote past the end of the region.
func (a *Arena) CheckGuards(ctx context.Context) error {
	for _, g := range a.guards {
		b := make([]byte, guardBytes)
		if err := Download(ctx, a.dev, Vector(b), Slice[byte]{a, g, guardBytes}); err != nil {
			return err
		}
		if !isGuard(b) {
			return fmt.Errorf("vk: something wrote past the end of %s", a.dev.nameOf(g))
		}
	}
	return nil
}

func isGuard(b []byte) bool {
	for ; len(b) >= 4; b = b[4:] {
		if binary.LittleEndian.Uint32(b) != guardWord {
			return false
		}
	}
	return true
}
