package matio

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// A cellKind says what a field of a table may be.
type cellKind int

const (
	numberCell cellKind = iota
	emptyCell           // nothing
	wordCell            // a name: it is in quotes, has a letter, or is a date
	badCell             // what stands for a missing number, or looks like a wrong one
)

// marks says which decimal marks the numbers of a table have had so far. A table has one.
type marks struct {
	// point and comma say which marks were seen. They are kept only where a comma may be a decimal
	// mark.
	point, comma bool
	// decimal says that a mark was seen which cannot separate thousands.
	decimal bool
}

func (m *marks) see(field []byte, mark byte) {
	at := bytes.IndexByte(field, mark)
	if at < 0 {
		return
	}
	m.point, m.comma = m.point || mark == '.', m.comma || mark == ','
	m.decimal = m.decimal || !mayBeThousands(field, at)
}

// unclear returns an error at the end of the file if all marks may separate thousands. Where
// semicolons separate, spreadsheets write decimal commas, so a comma is a decimal mark there, and a
// point may separate thousands. Where other characters separate, it is the other way round.
func (t *fields) unclear(o Options) error {
	if suspect := t.comma != (t.between == ';') && (t.comma || t.point); !suspect || t.decimal || o.Format == TextTable {
		return nil
	}
	return t.input.errorf("every comma or point in a number has three digits after it, so it may separate " +
		"thousands, or be a decimal mark; --format table takes it as a decimal mark")
}

// cell returns what the field is, with a complaint if it is no number.
func (t *fields) cell() (kind cellKind, x float64, complaint string) {
	if x, complaint = t.number(); complaint == "" {
		return numberCell, x, ""
	}
	switch {
	case len(t.field) == 0:
		return emptyCell, 0, complaint
	case isDate(t.field):
		return wordCell, 0, complaint
	case isMissing(t.field) || isComplex(t.field) || isTooLarge(t.field) || isGrouped(t.field):
		return badCell, 0, complaint
	case t.quoted || hasLetter(t.field):
		return wordCell, 0, complaint
	}
	return badCell, 0, complaint
}

// number returns the value of the field, or a complaint. If commas do not separate fields, or if
// the field is in quotes, a comma may be the decimal mark.
func (t *fields) number() (x float64, complaint string) {
	x, complaint = number.Parse(t.field)
	if t.between == ',' && !t.quoted {
		return x, complaint
	}
	switch {
	case complaint == "":
		t.see(t.field, '.')
	case bytes.IndexByte(t.field, ',') >= 0:
		if y, other := number.Parse(bytes.Replace(t.field, []byte{','}, []byte{'.'}, 1)); other == "" {
			x, complaint = y, ""
			t.see(t.field, ',')
		} else if isGrouped(t.field) {
			return 0, number.Quote(t.field) + " has separators of thousands; write the numbers without them"
		}
	}
	if complaint == "" && t.comma && t.point {
		return 0, number.Quote(t.field) + ": the file has decimal commas and decimal points; if one of them separates thousands, write the numbers without it"
	}
	return x, complaint
}

// mayBeThousands reports whether the mark at a place of a number may separate thousands: three
// digits follow it, and one to three digits, which do not begin with 0, precede it.
func mayBeThousands(field []byte, at int) bool {
	before, after := bytes.TrimLeft(field[:at], "+-"), field[at+1:]
	return number.Digits(before) && len(before) <= 3 && before[0] != '0' && number.Digits(after) && len(after) == 3
}

// isGrouped reports whether a field has digits, and else only signs, commas and points.
func isGrouped(field []byte) bool {
	if bytes.IndexAny(field, "0123456789") < 0 {
		return false
	}
	for _, c := range field {
		if (c < '0' || c > '9') && strings.IndexByte("+-.,", c) < 0 {
			return false
		}
	}
	return true
}

// missing are words that stand for a missing number, in small letters.
var missing = []string{
	"na", "n/a", "n.a.", "#n/a", "#na", "null", "none", "nil", "missing", "nat", "<na>",
	"#value!", "#div/0!", "#ref!", "#num!", "#name?", "#null!",
	"1.#inf", "-1.#inf", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "nanq", "nans",
}

// isMissing reports whether a field stands for a missing number, or for a NaN in the spelling of
// other programs.
func isMissing(field []byte) bool {
	word := strings.ToLower(string(field))
	return slices.Contains(missing, word) || strings.HasPrefix(strings.TrimLeft(word, "+-"), "nan(")
}

func isTooLarge(field []byte) bool {
	_, complaint := number.Parse(field)
	return strings.HasSuffix(complaint, number.BeyondDoubles)
}

// isComplex reports whether a field looks like a complex number, such as 1+2i, -3j or (1,2).
func isComplex(field []byte) bool {
	text := strings.ToLower(strings.Trim(string(field), "()"))
	if len(text) == 0 || strings.Trim(text, "0123456789+-.,edij*") != "" || strings.IndexAny(text, "0123456789") < 0 {
		return false
	}
	return len(text) < len(field) && strings.Contains(text, ",") || strings.HasSuffix(text, "i") || strings.HasSuffix(text, "j")
}

// isDate reports whether a field is a date or a time in digits, such as 2024-01, 1.5.2024 or 12:30.
func isDate(field []byte) bool {
	text := strings.TrimSuffix(string(field), "Z")
	groups := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("-/.:T ", r) })
	separators := len(text)
	time := strings.Contains(text, ":")
	for _, group := range groups {
		// Groups of three digits are thousands.
		if !number.Digits([]byte(group)) || !time && (len(group) == 3 || len(group) > 4) {
			return false
		}
		separators -= len(group)
	}
	if len(groups) < 2 || separators != len(groups)-1 || strings.Trim(text[:1], "0123456789") != "" {
		return false
	}
	// Two groups are a fraction or a number with a sign, unless the first is a year or they are a time.
	return len(groups) > 2 || time || len(groups[0]) == 4 && !strings.Contains(text, ".")
}

// complexWayOut is what a reader of real matrices says about a complex matrix. complexElsewhere is
// what all readers say about complex numbers in a format for which this package reads only real
// numbers.
const (
	complexWayOut = "the elements are complex, and only real ones are read here; vkevd solve takes one complex Hermitian matrix. " +
		"[[S, -K], [K, S]] is real, and has the values of S + iK, each twice"
	complexElsewhere = "complex numbers are read only from .npy, .npz and Matrix Market"
)

// adviceAbout says what the user can do about a field that is not a number. It is empty, or begins
// with a semicolon.
func adviceAbout(field []byte) string {
	first, _ := utf8.DecodeRune(field)
	switch {
	case len(field) == 0 || isMissing(field):
		return "; fill missing numbers, or leave out their rows"
	case isComplex(field):
		return "; " + complexElsewhere
	case first == '\u2212' || first == '\u2013':
		return "; its first character is no minus sign, but looks like one"
	case isGrouped(field) && bytes.Count(field, []byte{'.'}) > 1 && !bytes.Contains(field, []byte("..")) && !bytes.ContainsRune(field, ','):
		return "; write numbers without separators of thousands"
	case len(bytes.Trim(field, "*")) == 0:
		return "; Fortran writes stars for a number that is wider than its format"
	case hasLetter(field) && !isTooLarge(field):
		return "; leave out columns of text"
	}
	return ""
}
