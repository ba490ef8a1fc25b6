package matio

import (
	"io"
	"math"
	"unicode"
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
type diagonals struct {
	*lines
	// order is the number of rows that the first line of the file declares. It is the constant
	// `unknown` if this line declares none.
	order int
	// width is the number of words in the line of a matrix row, 2 or 3. It is 0 before the first
	// row was read.
	width int
	// split holds the words of the line that was read last. Its memory is used again for later
	// lines.
	split [][]byte
	// out holds the rows of the matrix that have been read so far.
	out Tridiagonal
}

// readDiagonals reads a tridiagonal matrix from text, up to the end of the file. In a row, d is the
// diagonal element, e the off-diagonal element, and i the number of the row. The first line decides
// what the next lines must be:
//
//	one number      the order n; the next n lines are rows "i d e" or "d e"
//	two numbers     a row "d e"; the next lines up to the end of the file are rows "d e"
//	names           the next line is one of the above, or a row "i d e"
//
// The error is a *FormatError with the line number.
func readDiagonals(l *lines) (*Tridiagonal, error) {
	r := &diagonals{lines: l, order: unknown}
	first, err := r.words()
	// If the first line has only names, it is skipped. If the file has no other line, the error
	// says that the first line should have been the order of the matrix.
	header := err == nil && isName(first[0])
	if header {
		alone := r.noOrder(first[0])
		if first, err = r.words(); err == io.EOF {
			return nil, alone
		}
	}
	if err == io.EOF {
		return nil, &FormatError{l.in.file, 0, "no numbers in the file"}
	} else if err != nil {
		return nil, err
	}
	switch n := len(first); {
	case n == 1:
		n, ok := count(first[0], math.MaxInt/100)
		if !ok {
			return nil, r.noOrder(first[0])
		}
		r.order = n
	case n == 2 || n == 3 && header:
		if err := r.row(first); err != nil {
			return nil, err
		}
	default:
		return nil, l.errorf("%d numbers in the first line; it must give the order, or d and e", len(first))
	}
	return r.rest()
}

// noOrder makes the error for a first line whose only word is not a number, although it should be
// the order of the matrix.
func (r *diagonals) noOrder(word []byte) error {
	return r.errorf("%s is not the order of a matrix; the first line must give the order, or d and e", quote(word))
}

// rest reads all lines of a tridiagonal matrix after the first one. If the first line declares the
// number of rows, `rest` compares this number with the number of lines. At the end it makes the
// off-diagonal E one element shorter than the diagonal D.
func (r *diagonals) rest() (*Tridiagonal, error) {
	for {
		words, err := r.words()
		switch {
		case err == io.EOF && r.order != unknown && len(r.out.D) < r.order:
			return nil, r.errorf("the file ends after %d of %d rows", len(r.out.D), r.order)
		case err == io.EOF:
			r.out.E = r.out.E[:max(0, len(r.out.D)-1)]
			return &r.out, nil
		case err != nil:
			return nil, err
		case r.order != unknown && len(r.out.D) == r.order:
			return nil, r.errorf("more rows than the %d announced", r.order)
		}
		if err := r.row(words); err != nil {
			return nil, err
		}
	}
}

// row reads the numbers of one row. The first row decides whether rows begin with the row number i.
// A row without e is accepted, but only as the last row: if another row follows, the method `row`
// returns an error for that other row. The row number must be a number, but the method `row`
// ignores its value, because some files of the STCollection have wrong row numbers.
func (r *diagonals) row(words [][]byte) error {
	if r.width == 0 {
		r.width = max(2, len(words))
	}
	if len(r.out.E) < len(r.out.D) {
		return r.errorf("the row before has no e, which only the last row may omit")
	}
	switch {
	case len(words) > 3:
		return r.errorf("%d numbers; a row has d and e, and perhaps its number before them", len(words))
	// A row has the same words as the first row; only its last word, e, may be missing. Any other
	// difference in the number of words is an error.
	case len(words) > r.width || len(words) < r.width-1:
		return r.errorf("%d numbers where the rows before have %d", len(words), r.width)
	}
	if r.width == 3 {
		if _, ok := count(words[0], math.MaxInt/100); !ok {
			return r.errorf("%s is not a row number", quote(words[0]))
		}
		words = words[1:]
	}
	for i, to := range []*[]float64{&r.out.D, &r.out.E}[:len(words)] {
		x, complaint := number(words[i])
		if complaint != "" {
			return r.errorf("%s", complaint)
		}
		var ok bool
		if *to, ok = push(*to, x); !ok {
			return &TooLargeError{r.in.file, r.no, r.width}
		}
	}
	return nil
}

// isName reports whether a word may be the name of a column: it is not a number, and begins with a
// letter or a quote. A number with a typing error, such as 1..2, is not a name, so that the reader
// reports it as an error.
func isName(word []byte) bool {
	_, complaint := number(word)
	return complaint != "" && (word[0] == '"' || unicode.IsLetter(rune(word[0])))
}

// words returns the words of the next line that is neither blank nor a comment (% or #). Blanks,
// commas and semicolons separate words. The result is valid until the next call. At the end of the
// file the error is io.EOF.
func (r *diagonals) words() ([][]byte, error) {
	for {
		line, err := r.data()
		if err != nil {
			return nil, err
		}
		if line[0] == '#' {
			continue
		}
		// Commas and semicolons count as blanks, because empty fields have no meaning.
		for i, c := range line {
			if c == ',' || c == ';' {
				line[i] = ' '
			}
		}
		r.split = r.split[:0]
		for {
			var word []byte
			if word, line = cut(line); len(word) == 0 {
				break
			}
			r.split = append(r.split, word)
		}
		if len(r.split) > 0 {
			return r.split, nil
		}
	}
}
