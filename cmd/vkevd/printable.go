package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable is text that cannot move a cursor, change a colour or turn the direction of
// what follows: names of files and what stands in files are not ours. Control and format
// characters, and bytes that are no UTF-8, are shown as Go writes them, \x1b for instance.
func printable(text string) string {
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
