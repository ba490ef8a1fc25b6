package product

import "testing"

// TestWithin checks that residues fit the room that Within has for them, and that no size grows.
func TestWithin(t *testing.T) {
	e := Emulation{Planes: 1 << 30, Strip: 16 << 20}
	if e.Within(0, 14) != e {
		t.Error("no limit changes sizes")
	}
	for _, room := range []int{1 << 26, 1 << 29, 1 << 40} {
		w := e.Within(room, 14)
		if w.Planes > e.Planes || w.Strip > e.Strip || w.Planes+2*14*w.Strip > room {
			t.Errorf("%d bytes: %d of planes, strips of %d", room, w.Planes, w.Strip)
		}
	}
}
