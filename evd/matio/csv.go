package matio

import (
	"fmt"
	"io"
	"slices"

	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// A table reads a text file of numbers. It reads field by field and not line by line, because one
// line may be as long as the whole file. Only the numbers are held in memory.
//
// The files below are the same matrix, as NumPy, pandas, spreadsheets and R write it. R writes
// row names, and a header with one field less than the rows:
//
//	1,2      1 2      a,b      ,a,b      a;b        "a" "b"
//	3,4      3 4      1,2      0,1,2     1,0;2,0    "1" 1 2
//	                  3,4      1,3,4     3,0;4,0    "2" 3 4
//
// The file is read once, with all its numbers. What its first line and the first fields of the
// other lines are is noted (head, names). At the end of the file, the table `grammar` decides from
// these notes which lines and fields are data.
type table struct {
	*fields
	opt Options

	// head says what the first line is, and names what the first fields of the other lines are.
	head  headKind
	names nameKind
	// top describes the first line. At the end of the file it decides whether this line is a header.
	top topLine
	// shorter says that the first line has one field less than the others.
	shorter bool
	// A number is plain if it is whole and written with digits alone. The next three fields are
	// about the lines after the first one. plainNames says that the first field of each line is
	// plain. plainFirst says that the first field of at least one line is plain. plainBody says
	// that at least one of the other fields is plain.
	plainNames, plainFirst, plainBody bool
	// quotedNames says that the first row is quoted as R does it: the first field is in quotes, the
	// second one is not.
	quotedNames bool

	// a has the numbers of the first line, if all its fields after the first are numbers, and then
	// the numbers of the other lines. There are `labels` numbers in the first line, and `rows`
	// times `width` in the others.
	a                   []float64
	labels, rows, width int
	// shape collects the rows of a triangle. It is nil unless Options.Triangle asks for one.
	shape *triangle
}

// topLine has what must be known of the first line of a table to decide later whether this line is
// a header: the kinds of its fields, and the error that it gives if it is neither a header nor a
// row.
type topLine struct {
	line     int      // number of the line
	width    int      // fields
	first    cellKind // of the first field
	name     string   // text of the first field
	words    int      // fields after the first one that are names
	empty    int      // number of the first empty field from the second on, or 0
	quotes   int      // fields in quotes
	indented bool
	// quotedFirst says that the first of several fields is in quotes, and trailing that a tab ends
	// the line.
	quotedFirst, trailing bool
	// plain says that all numbers of the line are plain: whole and written with digits alone.
	// plainFirst says that the first field is a plain number.
	plain, plainFirst bool
	// wrong is the number of the first field after field 1 that is not a number. Fields are counted
	// from 1. It is 0 if there is no such field.
	wrong int
	// complaint says what is wrong with the field number `wrong`, or with the first field if
	// `wrong` is 0. advice says what the user can do.
	complaint, advice string
}

// ReadCSV reads a matrix of numbers from a table of text, compressed with gzip or not. There is one
// row per line, with or without a header line and row names. docs/formats.md has the rules. They
// cover what pandas, R, spreadsheets, NumPy, MATLAB, Octave and Fortran write. `name` stands for
// the file in errors.
//
// If a file may be read in two ways, the error is an *AmbiguousError. Other errors are
// *FormatError, *TooLargeError and those of r.
func ReadCSV(r io.Reader, name string) (*Dense, error) { return Options{}.ReadCSV(r, name) }

func (o Options) ReadCSV(r io.Reader, name string) (*Dense, error) {
	return opened(r, name, o.readTable)
}

func (o Options) readTable(in *input) (*Dense, error) {
	t := &table{fields: newFields(in), opt: o}
	if o.Triangle != WholeMatrix {
		t.shape = &triangle{}
	}
	if err := t.readTop(); err != nil {
		return nil, err
	}
	for {
		if err := t.readRow(); err == io.EOF {
			return t.finishTable()
		} else if err != nil {
			return nil, err
		}
	}
}

// readTop reads the first line of the table that is neither blank nor a comment.
func (t *table) readTop() error {
	if t.dialect.unclear {
		return t.input.errorf("a comma may separate a name and a number, or be the decimal mark of the number; " +
			`a first line "sep=," or "sep= " says which`)
	}
	end, err := t.start()
	if err == io.EOF {
		return t.input.errorf("no numbers in the file")
	} else if err != nil {
		return err
	}
	top := &t.top
	*top = topLine{line: t.line, plain: true, indented: t.indented}
	for {
		top.width++
		if err := t.addTop(end); err != nil {
			return err
		}
		if top.width == 1 {
			top.quotedFirst = t.quoted && end != '\n'
		}
		if end == '\n' {
			break
		}
		if end, err = t.next(); err != nil {
			return err
		}
	}
	if top.trailing = t.trailing(end, top.width); top.trailing {
		top.width--
	}
	// In a file of R only the names of rows are in quotes, even if they are numbers.
	if top.first == numberCell && top.quotedFirst && top.quotes == 1 && t.opt.Names == Auto {
		top.first, t.a = wordCell, slices.Delete(t.a, 0, 1)
	}
	if t.head, err = t.headOf(); err != nil {
		return err
	}
	if t.head == wordsHead || t.head == cornerHead {
		t.a = t.a[:0]
	}
	t.labels = len(t.a)
	switch {
	case t.opt.Names == Yes, t.opt.Names == Auto && (t.head == cornerHead || t.head == emptyHead && t.shape != nil):
		t.names = wordNames
	case t.opt.Names == No:
		t.names = numberNames
	}
	return nil
}

func (t *table) addTop(end byte) error {
	top := &t.top
	first := top.width == 1
	kind, x, complaint := t.cell()
	if first && t.opt.Names == Yes && kind == numberCell {
		kind = wordCell
	}
	if kind == emptyCell && t.shape != nil && !first {
		kind, x = numberCell, blankCell
	}
	if t.quoted {
		top.quotes++
	}
	if t.shape != nil {
		t.shape.columns.add(t.field)
		if !first {
			t.shape.inner.add(t.field)
		}
	}
	if first {
		top.first, top.plainFirst, top.name = kind, number.Digits(t.field), string(t.field)
	}
	switch {
	case kind == numberCell:
		top.plain = top.plain && (number.Digits(t.field) || len(t.field) == 0)
		return t.push(&t.a, x, t.line, top.width)
	case !first && top.wrong == 0 && !t.trailing(end, top.width):
		top.wrong = top.width
	}
	switch {
	case kind == wordCell && !first:
		top.words++
	case kind == emptyCell && !first && top.empty == 0:
		top.empty = top.width
	}
	if first || top.wrong == top.width {
		top.complaint, top.advice = complaint, adviceAbout(t.field)
	}
	return nil
}

// trailing reports whether the field that was read last is only the end of a line after a tab. C
// programs write such lines.
func (t *table) trailing(end byte, width int) bool {
	return end == '\n' && t.between == '\t' && len(t.field) == 0 && !t.quoted && width > 1
}

// readRow reads the next line that is neither blank nor a comment. At the end of the file the error
// is io.EOF.
func (t *table) readRow() error {
	end, err := t.start()
	if err != nil {
		return err
	}
	before := len(t.a)
	if err := t.readName(end); err != nil {
		return err
	}
	k := 1 // fields that have been read
	for ; end != '\n'; k++ {
		if end, err = t.next(); err != nil {
			return err
		}
		// In a file of R only the names are in quotes. If the first row shows this, its first field
		// is a name, even if it is a number.
		if k == 1 && t.rows == 0 && t.quotedNames {
			if t.quotedNames = !t.quoted; t.quotedNames && t.names == numberNames && t.opt.Names == Auto {
				t.a, t.names = t.a[:before], wordNames
			}
		}
		if t.trailing(end, k+1) {
			break
		}
		kind, x, complaint := t.cell()
		if kind == emptyCell && t.shape != nil {
			kind, x = numberCell, blankCell
		}
		if kind != numberCell {
			return t.errorf("column %d: %s%s", k+1, complaint, adviceAbout(t.field))
		}
		t.plainBody = t.plainBody || number.Digits(t.field)
		if err := t.push(&t.a, x, t.line, k+1); err != nil {
			return err
		}
	}
	if k == 1 && t.rows == 0 {
		t.quotedNames = false
	}
	t.rows++
	return t.fits(k, len(t.a)-before)
}

// readName reads the first field of a row, which is a name or a number. All rows must be alike.
func (t *table) readName(end byte) error {
	kind, x, complaint := t.cell()
	switch {
	case t.rows == 0:
		t.plainNames = true
		t.quotedNames = t.quoted
	case t.quotedNames && t.names == wordNames && t.opt.Names == Auto && t.quoted:
		kind = wordCell
	}
	switch {
	case t.names == wordNames && kind == emptyCell && t.opt.Names != Yes:
		return t.errorf("column 1: this row has no name, as if it belonged to the header")
	case t.names == wordNames && kind == numberCell && t.opt.Names == Auto && t.head != cornerHead &&
		!(t.head == emptyHead && t.shape != nil):
		return t.errorf("column 1: %s is a number, but the rows before begin with names; --names yes takes all first fields as names", number.Quote(t.field))
	case t.names == wordNames:
	case kind == wordCell && t.names == noNames:
		t.names = wordNames
	case kind == emptyCell && t.shape != nil:
		t.names, x = numberNames, blankCell
		return t.push(&t.a, x, t.line, 1)
	case kind != numberCell:
		return t.errorf("column 1: %s%s", complaint, adviceAbout(t.field))
	default:
		digits := number.Digits(t.field)
		t.names = numberNames
		t.plainNames, t.plainFirst = t.plainNames && digits, t.plainFirst || digits
		return t.push(&t.a, x, t.line, 1)
	}
	if t.shape != nil {
		t.shape.rows.add(t.field)
	}
	if end == '\n' {
		return t.errorf("a row name without numbers")
	}
	return nil
}

// fits compares the length of a row with the lengths of the first line and the first row. The row
// has k fields and `numbers` numbers.
func (t *table) fits(k, numbers int) error {
	if t.shape != nil {
		return t.shape.row(t, numbers)
	}
	if t.rows > 1 {
		if numbers != t.width {
			return t.errorf("this row has length %d, but the first row has length %d", numbers, t.width)
		}
		return nil
	}
	t.width = numbers
	// A first line that is all in quotes is a header, if the numbers below are not.
	if top := &t.top; t.labels > 0 && top.quotes == top.width && !t.quoted && t.opt.Header == Auto {
		if t.head = wordsHead; top.first == emptyCell {
			t.head = cornerHead
		}
		t.a = slices.Delete(t.a, 0, t.labels)
		t.labels = 0
	}
	if err := t.compareTop(k); err != nil || numbers > 0 {
		return err
	}
	return t.errorf("a row name without numbers") // a name, and then only a tab
}

// compareTop compares the first line with the first row, which has k fields. It sets t.shorter, or
// returns an error if the two do not fit each other.
func (t *table) compareTop(k int) error {
	switch top := &t.top; {
	case k == top.width+1 && top.trailing:
		return t.errorAtTop("column %d: \"\" is not a number%s", k, adviceAbout(nil))
	case k == top.width+1 && (t.head != numbersHead || t.names == wordNames || t.countsIndented() != ""):
		t.shorter = true
	case k == top.width:
		// pandas separates by single blanks. The header of its table begins with a blank, because
		// the field above the names is empty.
		if t.between == ' ' && top.indented && !t.indented && t.head == wordsHead && t.opt.Names == Auto {
			return t.errorf("the header begins with a blank, as if names of rows stood below, but this row has %d fields for %d names of columns", k, top.width)
		}
	case t.head == wordsHead || t.head == cornerHead:
		return t.errorf("this row has %d fields, but the header has %d", k, top.width)
	default:
		return t.errorf("this row has length %d, but the first row has length %d", k, top.width)
	}
	return nil
}

func (t *table) errorAtTop(format string, args ...any) *FormatError {
	return &FormatError{t.file, t.top.line, fmt.Sprintf(format, args...)}
}
