package matio

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

// byteOrderMark is the character at the beginning of UTF-8 files from some spreadsheets.
const byteOrderMark = "\xef\xbb\xbf"

// A table reads a text file of numbers: one row per line, with or without a header line and row
// names. It reads field by field and not line by line, because one line may be as long as the whole
// file. Only the numbers are held in memory.
//
// The six files below are the same matrix, as NumPy, pandas, spreadsheets and R write it. R writes
// row names, and a header with one field less than the rows:
//
//	1,2      1 2      a,b      ,a,b      a;b        "a" "b"
//	3,4      3 4      1,2      0,1,2     1,0;2,0    "1" 1 2
//	                  3,4      1,3,4     3,0;4,0    "2" 3 4
//
// The meaning of a file is decided in this order. The first line decides the separator (function
// newFields, method `next`). The first field of the first line decides whether the file has a
// header (method `first`). The header and the first row decide whether the rows have names (method
// `row`). If the first line is a name followed by numbers, isRow decides at the end of the file
// whether this line is a row, because the shape of the matrix is known only then.
type table struct {
	fields
	// most is the largest number of elements that the matrix may have.
	most int

	// head is the first line of the file, if it may be a header.
	head header
	// names says whether the first field of each row is the row's name.
	names bool
	// indented says whether the file begins with a blank or a tab.
	indented bool
}

// header is the first line of a file that has a header or may have one.
type header struct {
	// width is the number of fields in the header. It is 0 if the file has no header.
	width int
	// row has the numbers of the header's line after its first field, if all of these fields are
	// numbers. Otherwise `row` is nil.
	row []float64
	// corner says whether the first field of the header is empty. If it is, the rows have names.
	corner bool
	// decided says whether the reader already knows if the rows have names.
	decided bool
	// typo says why the first field is not a number. It is set only if the line looks like a row
	// with one wrong number: the first field begins as a number does, and all other fields are
	// numbers. Otherwise `typo` is empty.
	typo string
}

// hasNumbers reports whether the input begins like a table: with a # comment, with a number, or
// with a header. A header is here a line of text before a line with a number as its first or second
// field. hasNumbers only looks at the bytes that the input has buffered, and consumes nothing.
//
// The test is strict on purpose. A text of words, or a binary file, must be refused as an unknown
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

// startsWithNumber reports whether the first field of a line is a number, for any separator. A
// quoted number does not count as a number.
func startsWithNumber(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	if end := bytes.IndexAny(line, ",; \t\r"); end >= 0 {
		line = line[:end]
	}
	_, complaint := number(line)
	return complaint == ""
}

// afterName returns the line after its first field, which may be quoted. It returns nil if the line
// has only one field.
func afterName(line []byte) []byte {
	if len(line) > 0 && line[0] == '"' {
		_, line, _ = bytes.Cut(line[1:], []byte{'"'})
	}
	if end := bytes.IndexAny(line, ",; \t"); end >= 0 {
		return line[end+1:]
	}
	return nil
}

// printable reports whether a line has no control characters except tabs and carriage returns. A
// line with other control characters belongs to a binary file, so it is not a header.
func printable(line []byte) bool {
	for _, c := range line {
		if c < ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// ReadCSV reads a matrix of numbers, one row per line, compressed with gzip or not. The separator
// of numbers is a comma, a semicolon, or any number of blanks and tabs. The separator that comes
// first in the file is the separator of the whole file. If it is the semicolon, numbers may have a
// decimal comma. Blank lines and lines that begin with # are skipped. `name` stands for the file in
// errors.
//
// The first line is a header, and is skipped, if its first field is not a number or is quoted. A
// first field that only looks like a number, such as 1..2, is an error if numbers follow it and the
// rows below have no names. The first field of each row is a name, and is skipped, in three cases:
// the first field of the header is empty; the header has one field less than the rows; or the first
// field of the first row is not a number. Numbers are a header if they are indented, if they are 0,
// 1, 2, … or 1, 2, 3, …, and if there is one less of them than in the next line. So ReadCSV can read tables of pandas and R, with or
// without row names.
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

// readCSV reads a table of numbers, which may have at most `most` elements.
func readCSV(in *input, most int) (*Dense, error) {
	t := &table{fields: newFields(in), most: most}
	t.indented = in.starts(" ") || in.starts("\t")
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

// rows reads all numbers of the table, row by row. Every row must have as many numbers as the first
// one. If not, the error names the line. A file without numbers is an error. When the slice `a` is
// full, its capacity is doubled. While the old slice is copied, up to three times the memory of the
// matrix is in use.
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
		case rows == 1 && width == cols+1 && t.numbersColumns(a[:cols]):
			a = append(a[:0], a[cols+1:]...) // without the header, and without the name of this row
			t.names, t.head = true, header{width: cols, corner: true, decided: true}
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
	// The first field of the first line looks like a wrong number. It can be a name only if every
	// row begins with a name.
	case t.head.typo != "" && !t.names:
		return nil, 0, 0, &FormatError{t.file, t.top, "column 1: " + t.head.typo}
	// The first line is a row, and not a header. All rows begin with a name, so its numbers come
	// after the name.
	case t.head.isRow(rows, cols) && t.names:
		if !available(len(a) + cols) {
			return nil, 0, 0, &TooLargeError{t.file, rows + 1, cols}
		}
		return append(t.head.row, a...), rows + 1, cols, nil
	}
	return a, rows, cols, nil
}

// isRow decides the meaning of a first line that is a name followed by numbers, if all later lines
// have the same form. Such a line may be a row, or a header whose column names are numbers:
//
//	a 1 2        x 0 1
//	b 3 4        a 5 6
//	             b 7 8
//
// isRow chooses the meaning that makes the matrix square, if there is such a meaning: both files
// above are matrices of order 2. Otherwise the line is a header if its numbers are 0, 1, 2, … or 1,
// 2, 3, …, and a row if they are not.
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

// numbersColumns reports whether a first line of numbers is a header that numbers the columns. The
// next line has one field more, the name of the row. pandas writes such tables with tabs:
//
//	        0    1
//	0       5.0  6.0
//	1       7.0  8.0
//
// The line must be indented, because the field above the names is empty, and have the numbers 0, 1,
// 2, … or 1, 2, 3, ….
func (t *table) numbersColumns(line []float64) bool {
	for k, x := range line {
		if x != line[0]+float64(k) {
			return false
		}
	}
	return t.indented && t.between == ' ' && (line[0] == 0 || line[0] == 1)
}

// first reads the first line of the table that is neither blank nor a comment. If the first field
// is a number without quotes, the line is a row of the matrix, and `first` appends its numbers to
// the slice `a`. Otherwise the line may be a header. `first` stores how many fields it has, and
// also their numbers, because the line may later turn out to be a row. At the end of the file the
// error is io.EOF.
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
		// The numbers in the first line are kept as long as all fields are numbers, because the
		// line may turn out to be a row (isRow).
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

// row appends the numbers of the next line that is neither blank nor a comment. At the end of the
// file the error is io.EOF. If the last line has no line feed, `row` returns its numbers together
// with io.EOF.
//
// The first row after a header decides whether rows have names (see ReadCSV). All other rows must
// follow this decision.
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

// firstUnderHeader reads the first row below the header of a table. This row decides whether rows
// have names: they do if this row has one field more than the header. R writes such tables, because
// its header has no field above the row names.
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

// afterName appends the numbers that follow a row's name. `end` is the byte that ended the name. A
// name without numbers is an error, since a matrix has at least one column.
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

// numbers appends to the slice `a` the field that was just read and all later fields of the row.
// The row has `before` fields before this field, and the byte `end` ended this field. An error
// names the column, counted from 1. A name at the start of the row is column 1. If a field of the
// first line is not a number, the error also says how to mark the line as a header.
func (t *table) numbers(a []float64, before int, end byte) ([]float64, error) {
	for k := before + 1; ; k++ {
		x, complaint := t.number()
		if complaint != "" {
			if t.line == t.top && t.head.width == 0 && (t.quoted || len(t.field) > 0 && unicode.IsLetter(rune(t.field[0]))) {
				complaint += "; a header would begin with a name, too, or with an empty field"
			}
			return a, t.errorf("column %d: %s", k, complaint)
		}
		// The memory grows only with the numbers that have been read, because a file may end early.
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
