package spirv

import (
	"math"
	"testing"
)

// TestFloat16 converts every half-precision number to a double and back. Between two neighbours, it
// checks that numbers are rounded to the nearer one, and the middle to the even one.
func TestFloat16(t *testing.T) {
	const infinite = 0x7c00
	for h := Float16(0); h <= infinite; h++ {
		x := h.Float64()
		for _, sign := range []Float16{0, 0x8000} {
			signed := math.Copysign(x, 1-float64(sign>>14))
			if (h|sign).Float64() != signed || NewFloat16(signed) != h|sign {
				t.Fatalf("%#x: %g, %#x", h|sign, (h | sign).Float64(), NewFloat16(signed))
			}
		}
		if h == infinite {
			break
		}
		next := (h + 1).Float64()
		if h+1 == infinite {
			next = 65536 // the spacing of the largest numbers is 32
		}
		middle, even := (x+next)/2, (h+1)&^1
		for _, c := range []struct {
			x    float64
			want Float16
		}{{math.Nextafter(middle, 0), h}, {middle, even}, {math.Nextafter(middle, next), h + 1}} {
			if got := NewFloat16(c.x); got != c.want {
				t.Fatalf("%g: %#x, want %#x", c.x, got, c.want)
			}
		}
	}
	if h := NewFloat16(math.NaN()); !math.IsNaN(h.Float64()) {
		t.Errorf("NaN: %#x", h)
	}
	for x, want := range map[float64]float64{
		LargestFloat16: LargestFloat16, 65519.9: LargestFloat16, 65520: math.Inf(1), -1e300: math.Inf(-1), 1e-300: 0,
		1 + Float16Ulp: 1 + Float16Ulp, 1 + Float16Ulp/4: 1, 0x1p-24: 0x1p-24, 0x1p-14: 0x1p-14,
	} {
		if got := NewFloat16(x).Float64(); got != want {
			t.Errorf("%g: %g, want %g", x, got, want)
		}
	}
}
