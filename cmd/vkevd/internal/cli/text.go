package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns text that cannot control a terminal. Names and contents of files come from
// other people and may contain control sequences. The function `Printable` escapes control
// characters, format characters and bytes that are not UTF-8 as Go does, for example as \x1b.
func Printable(text string) string {
	clean := func(r rune) bool { return r != utf8.RuneError && unicode.IsPrint(r) }
	if strings.IndexFunc(text, func(r rune) bool { return !clean(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case clean(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf || size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

func Human(bytes uint64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if bytes == 1 {
		return "1 byte"
	}
	if bytes < 1<<10 {
		return fmt.Sprintf("%d bytes", bytes)
	}
	x, unit := float64(bytes)/(1<<10), 0
	for x >= 1<<10 && unit+1 < len(units) {
		x, unit = x/(1<<10), unit+1
	}
	return fmt.Sprintf("%.1f %s", x, units[unit])
}

// Folded joins words with commas, in lines of at most `width` bytes. A word that is longer than
// `width` has a line of its own.
func Folded(words []string, width int) string {
	var b strings.Builder
	column := 0
	for i, w := range words {
		if i < len(words)-1 {
			w += ","
		}
		switch {
		case column == 0:
		case column+1+len(w) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(w)
		column += len(w)
	}
	return b.String()
}

func Plural(count int, noun string) string {
	if count == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", count, noun)
}

func Matrices(count int) string {
	if count == 1 {
		return "1 matrix"
	}
	return fmt.Sprintf("%d matrices", count)
}
