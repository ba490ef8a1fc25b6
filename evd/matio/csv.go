package matio

import (
	"bytes"
	"io"
	"unicode"
)

// byteOrderMark is what some spreadsheets put in front of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// A table is a text file of numbers being read: one row per line, with or without a header line and
// row names. Lines may be longer than memory would like, so it goes by fields, not by lines.
type table struct {
	fields
	most int // elements allowed

	head  header
	names bool // the first field of each row is a name
}

// header is the first line, if that may be no row of numbers.
type header struct {
	width   int       // fields; 0: there is none
	row     []float64 // its numbers after the first field, if all of these are numbers; else nil
	corner  bool      // its first field is empty: the names of the rows stand below
	decided bool
}

// hasNumbers reports whether the input begins like such a table: with a # comment, with a number, or
// with a line after which a number follows, be it the first field of the next line or the second.
func hasNumbers(in *input) bool {
	start, _ := in.Peek(in.Size())
	start = bytes.TrimPrefix(start, []byte(byteOrderMark))
	if start = bytes.TrimLeft(start, " \t\r\n"); len(start) > 0 && start[0] == '#' {
		return true
	}
	line, rest, more := bytes.Cut(start, []byte("\n"))
	if startsWithNumber(line) {
		return true
	}
	if !more || !printable(line) {
		return false
	}
	line, _, _ = bytes.Cut(bytes.TrimLeft(rest, " \t\r\n"), []byte("\n"))
	return startsWithNumber(line) || startsWithNumber(afterName(line))
}

// startsWithNumber tells whether the first field of a line is a number.
func startsWithNumber(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, ",; \t\r"); end >= 0 {
		line = line[:end]
	}
	_, complaint := number(line)
	return complaint == ""
}

// afterName is what follows a line's first field, which may stand between quotes.
func afterName(line []byte) []byte {
	if len(line) > 0 && line[0] == '"' {
		_, line, _ = bytes.Cut(line[1:], []byte{'"'})
	}
	if end := bytes.IndexAny(line, ",; \t"); end >= 0 {
		return line[end+1:]
	}
	return nil
}

func printable(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// ReadCSV reads a matrix of numbers, one row per line, compressed with gzip or not. Between the
// numbers stand commas, or semicolons, or blanks and tabs, as many as there are; what comes first in
// the file holds for all of it. Among semicolons a number may have a decimal comma. Blank lines and
// lines that begin with # are skipped.
//
// The first line is a header, and skipped, if its first field is no number or is quoted. The first
// field of each row is a name, and skipped, if the header's first field is empty, if the header has
// one field less than the rows, or if the first row begins with something that is no number. So
// tables that pandas and R have written are understood, with their row names or without.
func ReadCSV(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readCSV(in, mostElements)
}

func readCSV(in *input, most int) (*Dense, error) {
	t := &table{fields: newFields(in), most: most}
	a, rows, cols, err := t.rows()
	if err != nil {
		return nil, err
	}
	d := &Dense{Rows: rows, Cols: cols}
	var ok bool
	if d.Data, ok = byColumns(a, rows, cols); !ok {
		return nil, &TooLargeError{t.file, rows, cols}
	}
	return d, nil
}

// rows reads all numbers; every row must have as many as the first.
func (t *table) rows() (a []float64, rows, cols int, err error) {
	if err = t.first(&a); err != nil && err != io.EOF {
		return nil, 0, 0, err
	}
	if cols = len(a); cols > 0 {
		rows = 1
	}
	for err == nil {
		before := len(a)
		if a, err = t.row(a); err != nil && err != io.EOF {
			return nil, 0, 0, err
		}
		width := len(a) - before
		switch {
		case width == 0:
		case rows == 0:
			rows, cols = 1, width
		case width != cols:
			return nil, 0, 0, t.errorf("%d numbers in this row, %d in the first", width, cols)
		default:
			rows++
		}
		if err == nil {
			t.line++
		}
	}
	switch {
	case rows == 0 && t.head.width > 0:
		return nil, 0, 0, &FormatError{t.file, 0, "no numbers in the file after its header"}
	case rows == 0:
		return nil, 0, 0, &FormatError{t.file, 0, "no numbers in the file"}
	case t.head.isRow(rows, cols) && t.names:
		return append(t.head.row, a...), rows + 1, cols, nil
	}
	return a, rows, cols, nil
}

// isRow decides about a first line that is a name and numbers, before rows of which each is a name
// and numbers, too: does it hold data, or the numbers of the columns? What makes the matrix square
// is right, and else it is a header if it counts 0, 1, 2, … or 1, 2, 3, …
func (h *header) isRow(rows, cols int) bool {
	if h.corner || len(h.row) != cols || rows == cols {
		return false
	}
	if rows+1 == cols {
		return true
	}
	for k, x := range h.row {
		if x != h.row[0]+float64(k) {
			return true
		}
	}
	return h.row[0] != 0 && h.row[0] != 1
}

// first reads the first line that holds something: a row, whose numbers are appended to a, or else a
// header. At the end of the file the error is io.EOF.
func (t *table) first(a *[]float64) error {
	end, err := t.start()
	if err != nil {
		return err
	}
	if _, complaint := t.number(); complaint == "" && !t.quoted {
		*a, err = t.numbers(*a, 0, end)
		if err == nil {
			t.line++
		}
		return err
	}
	h := &t.head
	h.width, h.corner = 1, len(t.field) == 0
	numeric := true
	for end != '\n' {
		if end, err = t.next(); err != nil && err != io.EOF {
			return err
		}
		h.width++
		x, complaint := t.number()
		if numeric = numeric && complaint == "" && !t.quoted && h.width <= t.most; numeric {
			h.row = append(h.row, x)
		}
	}
	if !numeric {
		h.row = nil
	}
	t.names = h.corner
	t.line++
	return err
}

// row appends the numbers of the next line that has any. At the end of the file the error is io.EOF.
func (t *table) row(a []float64) ([]float64, error) {
	end, err := t.start()
	if err != nil {
		return a, err
	}
	first := !t.head.decided && t.head.width > 0
	if _, complaint := t.number(); first && (complaint != "" || t.quoted) {
		t.names = true
	}
	if first {
		t.head.decided = true
		return t.firstUnderHeader(a, end)
	}
	if t.names {
		return t.afterName(a, end)
	}
	return t.numbers(a, 0, end)
}

// firstUnderHeader reads the row that says whether rows have names: they have one if there are more
// fields than the header has.
func (t *table) firstUnderHeader(a []float64, end byte) ([]float64, error) {
	if t.names {
		return t.afterName(a, end)
	}
	before := len(a)
	a, err := t.numbers(a, 0, end)
	if (err == nil || err == io.EOF) && len(a)-before == t.head.width+1 {
		t.names = true
		a = append(a[:before], a[before+1:]...)
	}
	return a, err
}

// afterName reads the numbers that follow a row's name.
func (t *table) afterName(a []float64, end byte) ([]float64, error) {
	if end == '\n' {
		return a, t.errorf("a row name without numbers")
	}
	end, err := t.next()
	if err != nil && err != io.EOF {
		return a, err
	}
	return t.numbers(a, 1, end)
}

// numbers appends the field just read, before which there were so many in its row, and all others
// of the row.
func (t *table) numbers(a []float64, before int, end byte) ([]float64, error) {
	for k := before + 1; ; k++ {
		x, complaint := t.number()
		if complaint != "" {
			if t.line == t.top && t.head.width == 0 && (t.quoted || len(t.field) > 0 && unicode.IsLetter(rune(t.field[0]))) {
				complaint += "; a header would begin with a name, too, or with an empty field"
			}
			return a, t.errorf("column %d: %s", k, complaint)
		}
		if len(a) == cap(a) {
			var ok bool
			if len(a) < t.most {
				a, ok = grow(a, firstElements, t.most)
			}
			if !ok {
				return a, &TooLargeError{t.file, t.line, k}
			}
		}
		a = append(a, x)
		if end == '\n' {
			return a, t.ended
		}
		var err error
		if end, err = t.next(); err != nil && err != io.EOF {
			return a, err
		}
	}
}
