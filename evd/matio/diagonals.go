package matio

import (
	"bytes"
	"cmp"
	"fmt"
	"io"

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
	order  int  // of the matrix, as the first line declares it, or `unknown`
	width  int  // fields of a row, 2 or 3; 0 before the first row
	// row has the fields of the line that was read last.
	row   []diagonalCell
	texts [4][]byte
	// labels says that the first row has numbers that may be names of columns. The other rows have
	// `others` numbers, of which `plain` are written without a decimal mark.
	labels        bool
	others, plain int
	out           Tridiagonal
}

// mostOrder is the largest order that the first line may give. Above it, not every whole number has
// a double.
const mostOrder = 1 << 53

type diagonalCell struct {
	kind      cellKind
	x         float64
	text      []byte
	complaint string // why it is no number
	plain     bool   // it has only digits
	mark      bool   // it has more than digits and a sign
}

// readDiagonals reads a tridiagonal matrix from text. If the first line is one number, this number
// is the order, and rows "i d e" or "d e" follow. Otherwise the first line is a row "d e", and all
// others are such rows. Before all this there may be a line of names. Then the first row may also
// be "i d e". Errors are *FormatError, *AmbiguousError, *TooLargeError and those of the stream.
func (o Options) readDiagonals(in *input) (*Tridiagonal, error) {
	r := &diagonals{fields: newFields(in), opt: o, order: unknown}
	err := r.next()
	if err == io.EOF {
		return nil, in.errorf("no numbers in the file")
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

// isHeader reports whether the line is a header. The option Header decides, unless it is Auto. Then a
// line is a header if all fields are names. The first of three fields may be empty, because it stands
// above the numbers of rows. In this case the other fields may also be labels that are numbers, such
// as 0 and 1, or two years.
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

// rest reads the other rows, and returns the matrix. The last e has no meaning, and is removed.
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

// ambiguous returns an error if the first row may be a header of numbers, such as 0 and 1. The
// first row is no header if the other rows count on from it. It is no header either if numbers with
// and without decimal marks follow, because pandas never writes such files.
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

// add appends the numbers of one row. The first row decides whether rows begin with their number,
// whose value is ignored, because some files of the STCollection have wrong ones. Only the last row
// may lack e.
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
		if err := r.push(to, row[i].x, r.line, r.width); err != nil {
			return err
		}
		r.others++
		if !row[i].mark {
			r.plain++
		}
	}
	return nil
}

func counted(n int) string {
	if n == 1 {
		return "1 number"
	}
	return fmt.Sprintf("%d numbers", n)
}

func (r *diagonals) numbers() error {
	for k, cell := range r.row {
		if cell.kind != numberCell {
			return r.errorf("column %d: %s%s", k+1, cell.complaint, adviceAbout(cell.text))
		}
	}
	return nil
}

// noOrder is the error that the first line, or the one after a header, is neither an order nor a
// row.
func (r *diagonals) noOrder() error {
	return r.errorf("%s is not the order of a matrix; the first line must give the order, or d and e", number.Quote(r.row[0].text))
}

// next reads the fields of the next line that is neither blank nor a comment, without an empty one
// at its end. At the end of the file the error is io.EOF.
func (r *diagonals) next() error {
	r.row = r.row[:0]
	end, err := r.start()
	for ; err == nil; end, err = r.fields.next() {
		kind, x, complaint := r.cell()
		if kind == emptyCell && end == '\n' && len(r.row) > 0 {
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
