package matio

import (
	"errors"
	"strconv"
	"strings"
	"unsafe"
)

// count reads a decimal number between 0 and most. Signs and points are refused.
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

// number reads a float as C, Fortran, Matlab or Go print it. The complaint is empty
// when it can. Rounding is to nearest, so any double printed with 17 digits comes back.
func number(word []byte) (x float64, complaint string) {
	// ParseFloat copies what it keeps of its argument, so it may look at the buffer.
	x, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(word), len(word)), 64)
	if err == nil {
		return x, ""
	}
	return unusualNumber(word)
}

// unusualNumber reads what ParseFloat does not know: Fortran's exponents (1.0D+00, and
// 1.0-101, which drops the letter to make room for a third digit) and a NaN with a sign.
func unusualNumber(word []byte) (float64, string) {
	s := strings.NewReplacer("d", "e").Replace(strings.ToLower(string(word)))
	if s == "-nan" || s == "+nan" {
		s = "nan"
	}
	if i := strings.LastIndexAny(s, "+-"); i > 0 && !strings.Contains(s, "e") {
		s = s[:i] + "e" + s[i:]
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err == nil:
		return x, ""
	case errors.Is(err, strconv.ErrRange):
		return 0, quote(word) + " is beyond the largest double"
	}
	return 0, quote(word) + " is not a number"
}

// wholeNumber reads a number that must be written without point and exponent.
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

func allDigits(word []byte) bool {
	for _, c := range word {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(word) > 0
}
