package matio

import (
	"bytes"
	"fmt"
	"io"
)

// byteOrderMark is what some spreadsheets put in front of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// longestField is far above the longest number anybody prints.
const longestField = 1 << 10

// A table is a text file being read: numbers between commas, or between blanks and tabs, one row
// a line, no header. Lines may be longer than memory would like, so it goes by fields, not by
// lines.
type table struct {
	*input
	line    int  // of the field last read, from 1
	between byte // what stands between numbers: a comma or a blank, or 0 before the first of them
	field   []byte
	most    int
}

// hasNumbers reports whether the input begins like such a table: with a number, a comma, blank or
// line end behind it, or with a # comment.
func hasNumbers(in *input) bool {
	start, _ := in.Peek(longestField)
	start = bytes.TrimPrefix(start, []byte(byteOrderMark))
	if start = bytes.TrimLeft(start, " \t\r\n"); len(start) > 0 && start[0] == '#' {
		return true
	}
	if end := bytes.IndexAny(start, ", \t\n"); end >= 0 {
		start = start[:end]
	}
	_, complaint := number(bytes.TrimRight(start, "\r"))
	return complaint == ""
}

// ReadCSV reads a matrix of numbers, one row a line, compressed with gzip or not. Commas stand
// between the numbers, with blanks around them or not, or else blanks and tabs, as many as there
// are; what comes first in the file holds for all of it. There is no header; blank lines and lines
// that begin with # do not count.
func ReadCSV(r io.Reader, name string) (*Dense, error) {
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return readCSV(in, mostElements)
}

func readCSV(in *input, most int) (*Dense, error) {
	t := &table{input: in, line: 1, field: make([]byte, 0, longestField), most: most}
	if t.starts(byteOrderMark) {
		t.Discard(len(byteOrderMark))
	}
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
	for {
		width, err := 0, error(nil)
		before := len(a)
		if a, width, err = t.row(a); err == io.EOF {
			break
		} else if err != nil {
			return nil, 0, 0, err
		}
		if rows == 0 {
			cols = width
		} else if width != cols {
			return nil, 0, 0, t.errorf("%d numbers in this row, %d in the first", len(a)-before, cols)
		}
		rows++
		t.line++
	}
	if rows == 0 {
		return nil, 0, 0, &FormatError{t.file, 0, "no numbers in the file"}
	}
	return a, rows, cols, nil
}

// row appends the numbers of the next line that has any. At the end the error is io.EOF.
func (t *table) row(a []float64) ([]float64, int, error) {
	for width := 0; ; {
		end, err := t.next()
		if err == io.EOF && width == 0 && len(t.field) == 0 {
			return a, 0, io.EOF
		} else if err != nil && err != io.EOF {
			return a, 0, err
		}
		if width == 0 && end == '\n' && (len(t.field) == 0 || t.field[0] == '#') {
			t.line++
			continue
		}
		x, complaint := number(t.field)
		if complaint != "" {
			return a, 0, t.errorf("column %d: %s", width+1, complaint)
		}
		if len(a) == cap(a) {
			if len(a) >= t.most {
				return a, 0, &TooLargeError{t.file, t.line, width + 1}
			}
			var ok bool
			if a, ok = grow(a, firstElements, t.most); !ok {
				return a, 0, &TooLargeError{t.file, t.line, width + 1}
			}
		}
		a = append(a, x)
		width++
		if end == '\n' {
			return a, width, nil
		}
	}
}

// next reads a field without the blanks around it, and says what ended it: what stands between
// numbers, or a line feed, which the end of the file stands for too. A comment is one field to the
// line's end.
func (t *table) next() (end byte, err error) {
	t.field = t.field[:0]
	comment := false
	for {
		c, err := t.ReadByte()
		switch {
		case err == io.EOF:
			c = '\n'
		case err != nil:
			return 0, fmt.Errorf("%s:%d: %w", t.file, t.line, err)
		}
		if c == '\n' || c == ',' && t.between != ' ' && !comment {
			for len(t.field) > 0 && blank(t.field[len(t.field)-1]) {
				t.field = t.field[:len(t.field)-1]
			}
			if c == ',' {
				t.between = c
			}
			return c, err
		}
		if gap(c) && len(t.field) > 0 && t.between != ',' && !comment {
			follows, err := t.skipBlanks()
			if err != nil {
				return 0, err
			}
			if follows == '\r' || follows == '\n' || follows == ',' && t.between == 0 {
				continue // the blanks separate nothing
			}
			t.between = ' '
			return ' ', nil
		}
		comment = comment || len(t.field) == 0 && c == '#'
		switch {
		case len(t.field) == 0 && blank(c), comment && len(t.field) > 0: // dropped
		case len(t.field) == longestField:
			return 0, t.errorf("a field of more than %d characters is no number", longestField)
		default:
			t.field = append(t.field, c)
		}
	}
}

// skipBlanks passes over blanks and tabs and says what follows. A line feed stands for the end of
// the file.
func (t *table) skipBlanks() (follows byte, err error) {
	for {
		b, err := t.Peek(1)
		switch {
		case err == io.EOF:
			return '\n', nil
		case err != nil:
			return 0, fmt.Errorf("%s:%d: %w", t.file, t.line, err)
		case !gap(b[0]):
			return b[0], nil
		}
		t.Discard(1)
	}
}

// gap: unlike blank it leaves out the carriage return, which belongs to the line's end.
func gap(c byte) bool { return c == ' ' || c == '\t' }

func (t *table) errorf(format string, args ...any) *FormatError {
	return &FormatError{t.file, t.line, fmt.Sprintf(format, args...)}
}
