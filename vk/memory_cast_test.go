package vk

import "testing"

// TestCast looks at complex numbers as pairs of real numbers. Elements of a size that does not divide
// that of the numbers must be refused.
func TestCast(t *testing.T) {
	s := Slice[complex128]{addr: 4096, n: 5}
	if r := Cast[float64](s.Sub(1, 3)); r.Len() != 6 || r.Addr() != 4096+16 {
		t.Errorf("%d doubles at %d", r.Len(), r.Addr())
	}
	if r := Cast[complex128](s); r != s {
		t.Errorf("%+v", r)
	}
	defer func() {
		if recover() == nil {
			t.Error("complex numbers were taken from doubles")
		}
	}()
	Cast[complex64](Slice[float32]{n: 4})
}
