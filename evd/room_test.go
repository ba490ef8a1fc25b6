package evd

import (
	"context"
	"testing"
)

// TestRoomIsLeft: all pages are there when the room is ready, and none is asked for any more when it was left.
func TestRoomIsLeft(t *testing.T) {
	const n = 1 << 12 // 128 MiB: more pages than can be asked for before the room is left
	for _, left := range []bool{false, true} {
		r := newRoom[float64](context.Background())
		r.z = packed[float64](n, n, false)
		v := r.z.Data
		for i := range v {
			v[i] = 1
		}
		r.touch()
		if left {
			r.leave()
		}
		r.ready()
		const page = 512 // numbers
		missing := 0
		for i := 0; i < len(v); i += page {
			if v[i] != 0 {
				missing++
			}
		}
		if (missing > 0) != left {
			t.Errorf("left %v: %d pages of %d were not asked for", left, missing, len(v)/page)
		}
		r.leave()
	}
}
