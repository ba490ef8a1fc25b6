package matio

import (
	"bytes"
	"iter"
	"unicode"
	"unicode/utf8"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// A dialect says how the lines of a table are divided into fields.
type dialect struct {
	// `between` is the separator of fields: a comma, a semicolon, a tab, or a blank. A blank stands
	// for any number of blanks and tabs. A line sep=X may name another character.
	between byte
	// unclear says that a comma may separate fields, or be a decimal mark.
	unclear bool
}

// separators are the separators of tables, in the order in which findDialect tries them.
const separators = ";,\t "

// sepWord begins the line by which spreadsheets name the separator: sep=;
const sepWord = "sep="

// findDialect finds the separator of a table in the first bytes that the input has buffered. It
// consumes nothing but a line sep=X with the lines before it, and adds the number of these lines to
// `lines`.
//
// The second line decides, because the first one may be a header with any characters in its names.
// The separator is the first of `separators` that divides this line into numbers (isRowOfNumbers),
// or else into cells (isRow), or else that the line has (hasSeparator). If there is none, the first
// line decides. If the file has one column, no line does. Then commas separate, and blanks belong
// to the names.
func findDialect(in *input, lines *int) dialect {
	d := dialect{between: ','}
	head, body, consumed := firstLines(in)
	skipped, _ := in.Peek(consumed)
	if sep, ok := namedSeparator(skipped); ok {
		*lines += bytes.Count(skipped, []byte("\n"))
		in.Discard(consumed)
		d.between = sep
		return d
	}
	line := body
	if len(line) == 0 {
		line = head
	}
	// A header with a comma shows that commas separate.
	if mayBeBoth(line) {
		d.unclear = mayBeBoth(head) || !hasSeparator(head, ',')
		return d
	}
	for _, test := range []func([]byte, byte) bool{isRowOfNumbers, isRow, hasSeparator} {
		for _, sep := range []byte(separators) {
			if test(line, sep) {
				d.between = sep
				return d
			}
		}
	}
	// The second line has no separator. The first one may have some, if it is the first row of a
	// triangle, or if the second one has only a name and no numbers.
	if bytes.IndexByte(skipped[bytes.LastIndexByte(bytes.TrimRight(skipped, "\n"), '\n')+1:], '\t') >= 0 {
		d.between = '\t'
		return d
	}
	for _, sep := range []byte(separators) {
		if isRowOfNumbers(head, sep) {
			d.between = sep
			return d
		}
	}
	return d
}

// firstLines returns the first two lines of the buffered input that are neither blank nor a
// comment, without blanks at both ends. `consumed` is the number of bytes up to the end of the
// first one.
func firstLines(in *input) (head, body []byte, consumed int) {
	start, _ := in.Peek(in.Size())
	for rest := start; len(rest) > 0; {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || isComment(line[0]):
		case head == nil:
			head, consumed = line, len(start)-len(rest)
		default:
			return head, line, consumed
		}
	}
	return head, nil, consumed
}

func isComment(c byte) bool { return c == '#' || c == '%' }

// namedSeparator returns the separator that a line sep=X names. The line is the last one of the
// text, and may be in quotes.
func namedSeparator(text []byte) (byte, bool) {
	text = bytes.TrimRight(text, "\r\n")
	line := bytes.Trim(text[bytes.LastIndexByte(text, '\n')+1:], `"`)
	if len(line) != len(sepWord)+1 || !bytes.EqualFold(line[:len(sepWord)], []byte(sepWord)) {
		return 0, false
	}
	sep := line[len(sepWord)]
	return sep, sep != '"' && sep < utf8.RuneSelf && !unicode.IsLetter(rune(sep)) && !unicode.IsDigit(rune(sep))
}

// split divides a line at a separator outside of quotes, and yields number, from 0, and text of
// each field. Blanks around fields are removed, and quotes stay. A separator at the end of the line
// counts only if it is a comma.
func split(line []byte, sep byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		quoted := false
		from, k := 0, 0
		for i, c := range line {
			switch {
			case c == '"':
				quoted = !quoted // two quotes, which mean one, change nothing
			case quoted || c != sep && (sep != ' ' || c != '\t'):
			case sep == ' ' && i == from:
				from++
			default:
				if !yield(k, bytes.TrimSpace(line[from:i])) {
					return
				}
				from = i + 1
				k++
			}
		}
		if from < len(line) || sep == ',' {
			yield(k, bytes.TrimSpace(line[from:]))
		}
	}
}

// isRow reports whether a separator divides a line into cells: there are two fields or more, and
// none has blanks inside. A first field with letters may be a name, so blanks in it are allowed,
// but tabs are not. Quoted fields may have anything. So a comma does not divide "1,5 2,5", and a
// tab does not divide "1<tab>2 3".
func isRow(line []byte, sep byte) bool {
	count := 0
	for k, field := range split(line, sep) {
		count++
		n := len(field)
		quoted := n > 1 && field[0] == '"' && field[n-1] == '"'
		if quoted || bytes.IndexAny(field, " \t") < 0 {
			continue
		}
		if k > 0 || !hasLetter(field) || field[0] == '"' || bytes.IndexByte(field, '\t') >= 0 {
			return false
		}
	}
	return count > 1
}

// isRowOfNumbers reports whether a separator divides a line into cells that are numbers, or that
// are missing. The first one may be a name.
func isRowOfNumbers(line []byte, sep byte) bool {
	for k, field := range split(line, sep) {
		if k > 0 && len(field) > 0 && !isNumber(field, sep) && !isGrouped(field) && !isMissing(field) {
			return false
		}
	}
	return isRow(line, sep)
}

// mayBeBoth reports whether a comma in a line may be a separator after a name, or the decimal mark
// of a number after a name, as in "Asset 1,5".
func mayBeBoth(line []byte) bool {
	before, _, found := bytes.Cut(line, []byte{','})
	at := bytes.LastIndexAny(before, " \t")
	return found && at >= 0 && isRowOfNumbers(line, ',') && isRowOfNumbers(line, ' ') && number.Digits(bytes.TrimLeft(before[at+1:], "+-"))
}

func hasSeparator(line []byte, sep byte) bool {
	for k := range split(line, sep) {
		if k > 0 {
			return true
		}
	}
	return false
}

// isNumber reports whether a field is a number, in quotes or not. Its decimal mark may be a comma
// if the separator is another character, or if the field is in quotes.
func isNumber(field []byte, sep byte) bool {
	bare := bytes.Trim(field, `"`)
	if len(bare) > longestField {
		return false
	}
	if _, complaint := number.Parse(bare); complaint == "" {
		return true
	}
	if sep == ',' && len(bare) == len(field) {
		return false
	}
	field = bare
	_, complaint := number.Parse(bytes.Replace(field, []byte{','}, []byte{'.'}, 1))
	return complaint == ""
}

// hasNumbers reports whether the input begins like a table: with a comment, with a line sep=X, or
// with two lines of which one has a number. It consumes nothing. The test is strict, so that words
// and binary files are refused as an unknown format, and not as a table with an error in its first
// line.
func hasNumbers(in *input) bool {
	start, _ := in.Peek(in.Size())
	if start = bytes.TrimLeft(start, " \t\r\n"); len(start) > 0 && isComment(start[0]) {
		return true
	}
	head, body, consumed := firstLines(in)
	skipped, _ := in.Peek(consumed)
	if _, named := namedSeparator(skipped); named {
		return true
	}
	if !printable(head) || !printable(body) {
		return false
	}
	for _, sep := range []byte(separators) {
		for _, line := range [][]byte{head, body} {
			for _, field := range split(line, sep) {
				if isNumber(field, sep) || isComplex(field) {
					return true
				}
			}
		}
	}
	return false
}

// printable reports whether a line has no control characters except tabs and carriage returns. A
// line of a binary file usually has others.
func printable(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func hasLetter(field []byte) bool {
	return bytes.IndexFunc(field, unicode.IsLetter) >= 0
}
