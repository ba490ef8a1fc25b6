package matio

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"unsafe"
)

// count reads a decimal number between 0 and most, such as a size or an index. It returns false for
// anything else, also for a sign or a decimal point. It cannot overflow if 10·most + 9 does not.
func count(word []byte, most int) (int, bool) {
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' || n > most {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n <= most && len(word) > 0
}

// number reads a floating-point number as C, Fortran, Matlab or Go print it:
//
//	1  -1.5  +2.  .5  1e3  1.5E-3     decimal
//	1.0D+00  1.0-101                  Fortran
//	inf  -Infinity  nan  -nan         in capital or small letters
//	0x1.8p1  1_000                    Go
//
// It is rounded to nearest. So any double that was printed with 17 digits is read back exactly. The
// complaint says why the word is not a number; it is empty if it is one. A number too large for a
// double is a complaint; a number too small is zero or subnormal.
func number(word []byte) (x float64, complaint string) {
	// ParseFloat copies the part of its argument that it stores in an error. So its argument may be
	// the buffer itself, without a copy.
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(word), len(word)), 64)
	if err == nil && bytes.IndexByte(word, '_') < 0 { // only Go writes 1_000
		return x, ""
	}
	return unusualNumber(word)
}

// unusualNumber reads numbers that ParseFloat does not know: Fortran's exponents, and a NaN with a
// sign. Fortran writes 1.0D+00, and 1.0-101, where it omits the letter to make room for a third
// digit.
func unusualNumber(word []byte) (float64, string) {
	// Fortran writes D for a double's exponent, instead of E.
	s := strings.NewReplacer("d", "e").Replace(strings.ToLower(string(word)))
	if s == "-nan" || s == "+nan" {
		s = "nan"
	}
	// A sign inside a number without a letter begins Fortran's exponent. Fortran omits the letter
	// only before three digits, and always writes the decimal point. So 2024-01, which is a month,
	// is not a number.
	if i := strings.LastIndexAny(s, "+-"); i > 0 && len(s) == i+4 && strings.Contains(s[:i], ".") && !strings.Contains(s, "e") {
		s = s[:i] + "e" + s[i:]
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && !strings.Contains(s, "_"):
		return x, ""
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(word) + " is larger than the largest double"
	}
	return 0, quote(word) + " is not a number"
}

// wholeNumber reads a number that must be written without decimal point and exponent, as Matrix
// Market's integer fields are. Integers beyond 2⁵³ are rounded to nearest.
func wholeNumber(word []byte) (float64, string) {
	digits := word
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if !allDigits(digits) {
		return 0, quote(word) + " is not an integer"
	}
	return number(word)
}

// allDigits tells whether a word has decimal digits only, and at least one.
func allDigits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) > 0
}
