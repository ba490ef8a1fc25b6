package matio

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

// byteOrderMark begins the UTF-8 files of some spreadsheets.
const byteOrderMark = "\xef\xbb\xbf"

// A table reads a text file of numbers: one row per line, with or without a header line and row
// names. It reads by fields and not by lines, because a line may be as long as the file. Only the
// numbers are held in memory.
//
// These are all the same matrix, as NumPy, pandas and R write it (R names the rows, and has one
// field less in the header):
//
//	1,2      1 2      a,b      ,a,b      a;b        "a" "b"
//	3,4      3 4      1,2      0,1,2     1,0;2,0    "1" 1 2
//	                  3,4      1,3,4     3,0;4,0    "2" 3 4
//
// What a file means is decided in this order: the separator by the first line (newFields, next),
// the header by the first field of the first line (first), row names by the header and the first
// row (row), and a first line that is a name and numbers at the end, when the shape is known
// (isRow).
type table struct {
	fields
	// Largest number of elements that the matrix may have.
	most int

	// The first line, if it is not a row.
	head header
	// Whether the first field of each row is its name.
	names bool
}

// header is the first line, if it need not be a row of numbers.
type header struct {
	// Number of fields; 0: there is no header.
	width int
	// The numbers of its fields after the first one, if all of these are numbers; else nil.
	row []float64
	// Whether its first field is empty. Rows then have names.
	corner bool
	// Whether it is known if rows have names.
	decided bool
	// Why its first field is not a number, if the line looks like a row in which one number is
	// wrong: the field begins as a number does, and all other fields are numbers. Else empty.
	typo string
}

// hasNumbers tells whether the input begins like such a table: with a # comment, with a number, or
// with a line of text that a number follows, as the first or the second field of the next line. It
// consumes nothing: it looks at what the input has buffered.
//
// It is deliberately narrow. A text of words, or a binary file, shall be refused as an unknown
// format, and not as a table with an error in its first line.
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

// startsWithNumber tells whether the first field of a line is a number, whichever separator the
// file has. A quoted number is not one.
func startsWithNumber(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, ",; \t\r"); end >= 0 {
		line = line[:end]
	}
	_, complaint := number(line)
	return complaint == ""
}

// afterName returns the line after its first field, which may be quoted. It returns nil if the line
// has one field only.
func afterName(line []byte) []byte {
	if len(line) > 0 && line[0] == '"' {
		_, line, _ = bytes.Cut(line[1:], []byte{'"'})
	}
	if end := bytes.IndexAny(line, ",; \t"); end >= 0 {
		return line[end+1:]
	}
	return nil
}

// printable tells whether a line has no control characters except tabs and carriage returns. A line
// that has some is from a binary file, and no header.
func printable(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// ReadCSV reads a matrix of numbers, one row per line, compressed with gzip or not. Numbers are
// separated by commas, or by semicolons, or by blanks and tabs, any number of them. The separator
// that comes first in the file is that of the whole file. Between semicolons a number may have a
// decimal comma. Blank lines and lines that begin with # are skipped. name stands for the file in
// errors.
//
// The first line is a header, and is skipped, if its first field is not a number or is quoted. But
// a field that only looks like a number, such as 1..2, is an error if numbers follow it, and if the
// rows below have no names. The
// first field of each row is a name, and is skipped, in three cases: the first field of the header
// is empty; the header has one field less than the rows; or the first field of the first row is not
// a number. So tables written by pandas and R are understood, with or without row names.
//
// All rows must have the same number of elements. Errors are *FormatError, *TooLargeError and those
// of r.
func ReadCSV(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readCSV(in, mostElements)
}

// readCSV reads a table of at most `most` elements.
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

// rows reads all numbers, by rows. Every row must have as many as the first one; the error names
// the line. A file without numbers is an error. The numbers grow in one slice, whose capacity
// doubles: at most three times the memory of the matrix is in use for a moment.
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
			return nil, 0, 0, t.errorf("this row has length %d, but the first row has length %d", width, cols)
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
	// Only a name before the numbers of each row makes a name of the first field, too.
	case t.head.typo != "" && !t.names:
		return nil, 0, 0, &FormatError{t.file, t.top, "column 1: " + t.head.typo}
	// The first line was a row after all.
	case t.head.isRow(rows, cols) && t.names:
		if !available(len(a) + cols) {
			return nil, 0, 0, &TooLargeError{t.file, rows + 1, cols}
		}
		return append(t.head.row, a...), rows + 1, cols, nil
	}
	return a, rows, cols, nil
}

// isRow decides about a first line that is a name and numbers, when all rows below are a name and
// numbers, too. It may be a row, or a header whose column names are numbers:
//
//	a 1 2        x 0 1
//	b 3 4        a 5 6
//	             b 7 8
//
// It is what makes the matrix square, if one of the two does: the first file above is a matrix of
// order 2, and so is the second. Otherwise it is a header if it counts 0, 1, 2, … or 1, 2, 3, …,
// and a row if it does not.
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

// first reads the first line that is neither blank nor a comment. If it is a row, its numbers are
// appended to a; otherwise it is kept as the header. Its first field decides: a number that is not
// quoted begins a row. At the end of the file the error is io.EOF. The numbers in a header are
// kept, because it may turn out to be a row; the rest of it is not.
func (t *table) first(a *[]float64) error {
	end, err := t.start()
	if err != nil {
		return err
	}
	_, complaint := t.number()
	if complaint == "" && !t.quoted {
		*a, err = t.numbers(*a, 0, end)
		if err == nil {
			t.line++
		}
		return err
	}
	h := &t.head
	h.width, h.corner = 1, len(t.field) == 0
	if !t.quoted && !h.corner && strings.IndexByte("0123456789+-.", t.field[0]) >= 0 {
		h.typo = complaint
	}
	numeric := true
	for end != '\n' {
		if end, err = t.next(); err != nil && err != io.EOF {
			return err
		}
		h.width++
		x, complaint := t.number()
		// The numbers are kept while all fields are numbers: the line may turn out to be a row
		// (isRow).
		if numeric = numeric && complaint == "" && !t.quoted && h.width <= t.most; numeric {
			if len(h.row) == cap(h.row) {
				var ok bool
				if h.row, ok = grow(h.row, 1, t.most); !ok {
					return &TooLargeError{t.file, t.line, h.width}
				}
			}
			h.row = append(h.row, x)
		}
	}
	if !numeric {
		h.row = nil
	}
	if len(h.row) == 0 {
		h.typo = ""
	}
	t.names = h.corner
	t.line++
	return err
}

// row appends the numbers of the next line that has any. At the end of the file the error is
// io.EOF, together with the numbers of a last line without a line feed.
//
// The first row after a header decides whether rows have names; see ReadCSV. All other rows follow.
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

// firstUnderHeader reads the row that decides whether rows have names: they have if this one has
// one field more than the header. R writes such tables: its header has no field for the column of
// names.
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

// afterName appends the numbers that follow a row's name. end is what ended the name. A name
// without numbers is an error, since a matrix has at least one column.
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

// numbers appends the field just read and all later fields of the row to a. The row has `before`
// fields before that one, and the byte `end` ended it. An error names the column, counted from 1;
// a name at the start of the row is column 1. If a field of the first line is not a number, the
// error also says how to mark the line as a header.
func (t *table) numbers(a []float64, before int, end byte) ([]float64, error) {
	for k := before + 1; ; k++ {
		x, complaint := t.number()
		if complaint != "" {
			if t.line == t.top && t.head.width == 0 && (t.quoted || len(t.field) > 0 && unicode.IsLetter(rune(t.field[0]))) {
				complaint += "; a header would begin with a name, too, or with an empty field"
			}
			return a, t.errorf("column %d: %s", k, complaint)
		}
		// Memory grows with what has been read.
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
