package product

import "testing"

// TestWithin checks that the residues of a product fit the bytes that are given to Within, and that
// Within increases no size.
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
