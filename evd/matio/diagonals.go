package matio

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// diagonals reads a tridiagonal matrix from text. A line has one row i of the matrix, "i d e" or "d
// e". d is the diagonal element, and e is the off-diagonal element to the right of it. The last row
// may omit e. If the first line is one number, this number is the order. A first line of names is
// skipped. So these files are the same matrix:
//
//	2 1      3            d,e      3
//	2 1      1 2 1        2,1      2 1
//	2        2 2 1        2,1      2 1
//	         3 2 0        2,       2
//
// The second file has the format of the STCollection, the test matrices of LAPACK's testers.
// Separators, quotes, decimal marks and comments are those of a table.
type diagonals struct {
	*fields
	opt    Options
	header bool // the first line is a header
	// order is the number of rows that the first line of the file declares. It is the constant
	// `unknown` if this line declares none.
	order int
	// width is the number of fields in the line of a matrix row, 2 or 3. It is 0 before the first
	// row was read.
	width int
	// row has the fields of the line that was read last. texts are their texts.
	row   []diagonalCell
	texts [4][]byte
	// labels says that the first row has numbers that may be names of columns. `others` counts the
	// other numbers, and `plain` those of them that are written without a decimal mark.
	labels        bool
	others, plain int
	// out holds the rows of the matrix that have been read so far.
	out Tridiagonal
}

// mostOrder is the largest order that the first line may give. Above it, not every whole number has a
// double.
const mostOrder = 1 << 53

// A diagonalCell is a field of a line.
type diagonalCell struct {
	kind      cellKind
	x         float64
	text      []byte
	complaint string // why it is no number
	plain     bool   // it has only digits
	mark      bool   // it has more than digits and a sign
}

// readDiagonals reads a tridiagonal matrix from text, up to the end of the file. In a row, d is the
// diagonal element, e the off-diagonal element, and i the number of the row. The first line decides
// what the next lines must be:
//
//	one number      the order n; the next n lines are rows "i d e" or "d e"
//	two numbers     a row "d e"; the next lines up to the end of the file are rows "d e"
//	names           the next line is one of the above, or a row "i d e"
//
// The error is a *FormatError with the line number, or an *AmbiguousError.
func (o Options) readDiagonals(in *input) (*Tridiagonal, error) {
	r := &diagonals{fields: newFields(in), opt: o, order: unknown}
	err := r.next()
	if err == io.EOF {
		return nil, &FormatError{in.file, 0, "no numbers in the file"}
	} else if err != nil {
		return nil, err
	}
	if r.header = r.isHeader(); r.header {
		alone := r.noOrder()
		if err = r.next(); err == io.EOF {
			return nil, alone
		} else if err != nil {
			return nil, err
		}
	}
	if err := r.numbers(); err != nil {
		return nil, err
	}
	switch n := len(r.row); {
	case n == 1:
		order, ok := whole(r.row[0].x, mostOrder)
		if !ok || !r.row[0].plain {
			return nil, r.noOrder()
		}
		r.order = order
	case n == 2 || n == 3 && r.header:
		if err := r.add(); err != nil {
			return nil, err
		}
		r.labels = !r.header && o.Header == Auto && r.between != ' ' && r.row[0].plain && r.row[1].plain &&
			sequence([]float64{r.row[0].x, r.row[1].x}, 1) != ""
		r.others, r.plain = 0, 0
	default:
		return nil, r.errorf("%d numbers in the first line; it must give the order, or d and e", n)
	}
	return r.rest()
}

// isHeader reports whether the line is a header: all fields are names. The first one may be empty, if
// the column below has the numbers of rows. Then the other fields may also be 0 and 1, or 1 and 2.
func (r *diagonals) isHeader() bool {
	if r.opt.Header != Auto {
		return r.opt.Header == Yes
	}
	corner := r.row[0].kind == emptyCell && len(r.row) == 3
	if corner && r.row[1].plain && r.row[2].plain {
		return sequence([]float64{r.row[1].x, r.row[2].x}, 1) != ""
	}
	for k, cell := range r.row {
		if cell.kind != wordCell && !(corner && k == 0) {
			return false
		}
	}
	return true
}

// rest reads the other rows, and returns the matrix. The rows must be as many as the file declares.
// The last e has no meaning, and is removed, so that the off-diagonal E is one element shorter than
// the diagonal D.
func (r *diagonals) rest() (*Tridiagonal, error) {
	for {
		err := r.next()
		switch {
		case err == io.EOF && r.order != unknown && len(r.out.D) < r.order:
			return nil, r.errorf("the file ends after %d of %d rows", len(r.out.D), r.order)
		case err == io.EOF:
			r.out.E = r.out.E[:max(0, len(r.out.D)-1)]
			if err := cmp.Or(r.unclear(r.opt), r.ambiguous()); err != nil {
				return nil, err
			}
			r.out.Table = &Table{r.header, r.width == 3, string(rune(r.between)), r.comma}
			return &r.out, nil
		case err != nil:
			return nil, err
		case r.order != unknown && len(r.out.D) == r.order:
			return nil, r.errorf("more rows than the %d announced", r.order)
		}
		if err := r.numbers(); err != nil {
			return nil, err
		}
		if err := r.add(); err != nil {
			return nil, err
		}
	}
}

// ambiguous returns an error if the first row may be a header of numbers: 0 and 1, or 1 and 2. It
// cannot be one if the other rows go on from it, or if numbers with and without decimal marks follow,
// as pandas never writes them.
func (r *diagonals) ambiguous() error {
	n := len(r.out.D)
	if !r.labels || n < 2 || r.plain > 0 && r.plain < r.others || goesOn(r.out.D) && goesOn(r.out.E) ||
		n == 2 && r.out.D[1] == r.out.E[0]+1 {
		return nil
	}
	why := "the first line is " + beginning([]float64{r.out.D[0], r.out.E[0]}, 1)
	return &AmbiguousError{r.file, why, []Reading{{n, 2, false, false}, {n - 1, 2, true, false}}}
}

// goesOn reports whether each number is by the same amount larger than the one before.
func goesOn(a []float64) bool {
	for i := 2; i < len(a); i++ {
		if a[i]-a[i-1] != a[1]-a[0] {
			return false
		}
	}
	return len(a) > 1
}

// add appends the numbers of one row. The first row decides whether rows begin with the row number i.
// A row without e is accepted, but only as the last row: if another row follows, `add` returns an error
// for that other row. The row number must be a number, but its value is ignored, because some files of
// the STCollection have wrong row numbers.
func (r *diagonals) add() error {
	n := len(r.row)
	if r.width == 0 {
		r.width = max(2, n)
	}
	if len(r.out.E) < len(r.out.D) {
		return r.errorf("the row before has one number; every row but the last needs d and e")
	}
	switch {
	case n > 3:
		return r.errorf("%s; a row has d and e, and perhaps its number before them", counted(n))
	// A row has the same fields as the first row; only its last field, e, may be missing. Any other
	// difference in the number of fields is an error.
	case n > r.width || n < r.width-1:
		return r.errorf("%s where the rows before have %d", counted(n), r.width)
	}
	row := r.row
	if r.width == 3 {
		if !row[0].plain {
			return r.errorf("%s is not a row number", number.Quote(row[0].text))
		}
		row = row[1:]
	}
	for i, to := range []*[]float64{&r.out.D, &r.out.E}[:len(row)] {
		var ok bool
		if *to, ok = memory.Push(*to, row[i].x); !ok {
			return &TooLargeError{r.file, r.line, r.width}
		}
		r.others++
		if !row[i].mark {
			r.plain++
		}
	}
	return nil
}

// counted returns a text such as "3 numbers".
func counted(n int) string {
	if n == 1 {
		return "1 number"
	}
	return fmt.Sprintf("%d numbers", n)
}

// numbers returns an error if a field of the line is no number.
func (r *diagonals) numbers() error {
	for k, cell := range r.row {
		if cell.kind != numberCell {
			return r.errorf("column %d: %s%s", k+1, cell.complaint, adviceAbout(cell.text))
		}
	}
	return nil
}

// noOrder is the error that the first line, or the first line after a header, is neither the order of
// the matrix nor a row.
func (r *diagonals) noOrder() error {
	return r.errorf("%s is not the order of a matrix; the first line must give the order, or d and e", number.Quote(r.row[0].text))
}

// next reads the fields of the next line that is neither blank nor a comment. An empty field at the end
// of a line is left out. At the end of the file the error is io.EOF.
func (r *diagonals) next() error {
	r.row = r.row[:0]
	end, err := r.start()
	for ; err == nil; end, err = r.fields.next() {
		kind, x, complaint := r.cell()
		if kind == emptyCell && end == '\n' {
			return nil
		}
		k := len(r.row)
		if k == len(r.texts) {
			return r.errorf("more than %d numbers; a row has d and e, and perhaps its number before them", k)
		}
		r.texts[k] = append(r.texts[k][:0], r.field...)
		mark := !number.Digits(bytes.TrimLeft(r.field, "+-"))
		r.row = append(r.row, diagonalCell{kind, x, r.texts[k], complaint, number.Digits(r.field), mark})
		if end == '\n' {
			return nil
		}
	}
	return err
}
