// Package number reads numbers as programs print them.
package number

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// Count reads a decimal number between 0 and `most`, such as a size or an index. It returns false
// for any other word, including words with a sign or a decimal point. The caller must choose `most`
// so small that 10·`most` + 9 does not overflow.
func Count(word []byte, most int) (int, bool) {
	n := 0
	for _, c := range word {
		if c < '0' || c > '9' || n > most {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, n <= most && len(word) > 0
}

// Parse reads a floating-point number as C, Fortran, Matlab or Go print it:
//
//	1  -1.5  +2.  .5  1e3  1.5E-3     decimal
//	1.0D+00  1.0-101                  Fortran
//	inf  -Infinity  nan  -nan         in capital or small letters
//	0x1.8p1                           hexadecimal
//
// The result is rounded to the nearest double. So a double that was printed with 17 digits is read
// without a change. The result `complaint` says why the word is not a number, and is empty if the
// word is a number. A number too large for a double gives a `complaint`. A number too small for a
// normal double gives zero or a subnormal double. Underscores between digits, as in Go's 1_000, are
// refused.
func Parse(word []byte) (x float64, complaint string) {
	// ParseFloat does not keep its argument, because it copies the text for an error. The argument
	// may therefore share the memory of `word`.
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(word), len(word)), 64)
	if err == nil && bytes.IndexByte(word, '_') < 0 { // ParseFloat takes Go's underscores
		return x, ""
	}
	return unusualNumber(word)
}

// BeyondDoubles ends the complaint about a number beyond the range of doubles.
const BeyondDoubles = " is larger than the largest double"

// unusualNumber reads numbers that ParseFloat cannot read: a NaN with a sign, and Fortran's
// exponents. Fortran writes 1.0D+00, or 1.0-101 without a letter if the exponent has three digits.
func unusualNumber(word []byte) (float64, string) {
	// Fortran writes D instead of E before the exponent of a double.
	s := strings.NewReplacer("d", "e").Replace(strings.ToLower(string(word)))
	if s == "-nan" || s == "+nan" {
		s = "nan"
	}
	// A sign inside a number without the letter e begins an exponent of three digits. Fortran
	// always writes the decimal point, so 2024-01, which is a month, is not a number.
	if i := strings.LastIndexAny(s, "+-"); i > 0 && len(s) == i+4 && strings.Contains(s[:i], ".") && !strings.Contains(s, "e") {
		s = s[:i] + "e" + s[i:]
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil && !strings.Contains(s, "_"):
		return x, ""
	case errors.Is(err, strconv.ErrRange):
		return 0, Quote(word) + BeyondDoubles
	}
	return 0, Quote(word) + " is not a number"
}

// Whole reads a number without decimal point and exponent, the form of Matrix Market's
// integer fields. Integers beyond 2⁵³ are rounded to nearest.
func Whole(word []byte) (float64, string) {
	digits := word
	if len(digits) > 0 && (digits[0] == '-' || digits[0] == '+') {
		digits = digits[1:]
	}
	if !Digits(digits) {
		return 0, Quote(word) + " is not an integer"
	}
	return Parse(word)
}

// Digits reports whether a word has at least one character and only decimal digits.
func Digits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) > 0
}

// Quote returns a word in the form for error messages: in quotes, with control characters escaped,
// and shortened to 40 bytes. Otherwise a binary file could fill the screen or disturb the terminal.
func Quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q…", word[:most])
	}
	return fmt.Sprintf("%q", word)
}
