package ref

import (
	"math"
	"math/bits"

	"github.com/vkevd/vkevd/stages/product/moduli"
)

// This file scales the factors of emulated products (Ozaki's scheme II). Each row of a factor is
// multiplied by a power of two and rounded to integers, so that the exact product of two rows is
// below P/2, where P is the product of the moduli.

// EmulatedNorm bounds the 2-norm of a row: ‖a‖₂² ≤ Q·4^(E−12). 2^E is above every |aₖ|. A row of
// zeros has Q = 0. A row with an infinity or NaN has E = NotFinite.
type EmulatedNorm struct {
	E int
	Q uint64
}

// NotFinite is the exponent of a row with an infinity or NaN. It is the shift of every row that
// cannot be scaled.
const NotFinite = math.MinInt32

// EmulatedShiftLeast is the smallest shift of a row. A row that needs a smaller shift is not scaled
// and gets the shift NotFinite. There is no upper limit: with a shift of 1074 or more, every double
// becomes an integer without rounding.
const EmulatedShiftLeast = -700

// NewEmulatedNorm returns the bound of the 2-norm of the row `row`, whose elements are aₖ. Q is the
// sum of the integers ⌈|aₖ|·2^(12−E)⌉². A sum of integers does not depend on the order of its
// terms.
func NewEmulatedNorm(row []float64) EmulatedNorm {
	largest := 1 // biased exponent; the exponent of subnormal numbers counts as 1
	for _, x := range row {
		largest = max(largest, int(math.Float64bits(x)>>52&0x7ff))
	}
	if largest == 0x7ff {
		return EmulatedNorm{NotFinite, 0}
	}
	e := largest - 1022
	q := uint64(0)
	for _, x := range row {
		t := uint64(math.Ceil(math.Ldexp(math.Abs(x), 12-e)))
		if t == 0 && x != 0 { // Ldexp returned 0, because the result was too small for a double
			t = 1
		}
		q += t * t
	}
	return EmulatedNorm{e, q}
}

// Join returns the bound of the norm of the joined row [2^shift·x, y]. a is the bound of the norm
// of x, and b is the bound of the norm of y.
func (a EmulatedNorm) Join(shift int, b EmulatedNorm) EmulatedNorm {
	switch {
	case a.E == NotFinite || b.E == NotFinite:
		return EmulatedNorm{NotFinite, 0}
	case a.Q == 0:
		return b
	case b.Q == 0:
		return EmulatedNorm{a.E + shift, a.Q}
	}
	e := max(a.E+shift, b.E)
	return EmulatedNorm{e, quarters(a.Q, e-a.E-shift) + quarters(b.Q, e-b.E)}
}

func quarters(q uint64, n int) uint64 {
	if n > 31 {
		return 1 // q > 0
	}
	return (q + 1<<(2*n) - 1) >> (2 * n)
}

// Log returns ⌊log₂ x⌋, where x is the bound of the norm that a describes. a.Q must not be 0.
func (a EmulatedNorm) Log() int { return a.E - 12 + (bits.Len64(a.Q)-1)/2 }

// Shift returns the shift of a row with the norm bound a: the row is multiplied by 2^shift and
// rounded to integers. The sum of the squares of these integers is below P/2, where P is the
// product of the moduli of s.
func (a EmulatedNorm) Shift(s *moduli.System) int {
	if a.E == NotFinite {
		return NotFinite
	}
	if a.Q == 0 {
		return 0
	}
	h := (bits.Len64(a.Q) - 1) / 2
	// mu is the mantissa of the squared norm: Q/4^h in units of 2⁻²⁹, rounded up, where h is such
	// that Q/4^h lies in [1, 4). The limit s.Bound has the same units.
	var mu uint64
	if h <= 14 {
		mu = a.Q << (29 - 2*h)
	} else {
		mu = (a.Q + 1<<(2*h-29) - 1) >> (2*h - 29)
	}
	shift := s.Exponent - (a.E - 12) - h
	if mu > s.Bound {
		shift--
	}
	if shift < EmulatedShiftLeast {
		return NotFinite
	}
	return shift
}

// EmulatedInteger returns x·2^s rounded to the nearest integer. A result in the middle between two
// integers is rounded away from zero. The magnitude of x·2^s must be below 2⁶³.
func EmulatedInteger(x float64, s int) int64 {
	b := math.Float64bits(x)
	e, m := int(b>>52&0x7ff), b&(1<<52-1)
	if e > 0 {
		m |= 1 << 52
	}
	switch r := 1075 - max(e, 1) - s; {
	case r <= 0:
		m <<= -r
	case r > 54:
		m = 0
	default:
		m = (m + 1<<(r-1)) >> r
	}
	if b>>63 != 0 {
		return -int64(m)
	}
	return int64(m)
}
