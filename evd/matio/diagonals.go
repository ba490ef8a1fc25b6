package matio

import (
	"io"
	"math"
	"unicode"
)

// diagonals is text of one row of a tridiagonal a line: "i d e" or "d e", the last without
// its e if it likes.
type diagonals struct {
	*lines
	order int // announced, or unknown
	width int // words of a line
	split [][]byte
	out   Tridiagonal
}

func readDiagonals(l *lines) (*Tridiagonal, error) {
	r := &diagonals{lines: l, order: unknown}
	first, err := r.words()
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
		return nil, l.errorf("%d numbers in the first line; it gives the order, or d and e", len(first))
	}
	return r.rest()
}

func (r *diagonals) noOrder(word []byte) error {
	return r.errorf("%s is no order of a matrix; the first line gives that, or d and e", quote(word))
}

// rest reads all other lines.
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

// row takes a line apart. A row whose e is missing must be the last.
func (r *diagonals) row(words [][]byte) error {
	if r.width == 0 {
		r.width = max(2, len(words))
	}
	if len(r.out.E) < len(r.out.D) {
		return r.errorf("the row before has no e, and is not the last")
	}
	switch {
	case len(words) > 3:
		return r.errorf("%d numbers; a row has d and e, and perhaps its number before them", len(words))
	case len(words) > r.width || len(words) < r.width-1:
		return r.errorf("%d numbers where the rows before have %d", len(words), r.width)
	}
	if r.width == 3 {
		if _, ok := count(words[0], math.MaxInt/100); !ok {
			return r.errorf("%s is no row's number", quote(words[0]))
		}
		words = words[1:]
	}
	for i, to := range []*[]float64{&r.out.D, &r.out.E}[:len(words)] {
		x, complaint := number(words[i])
		if complaint != "" {
			return r.errorf("%s", complaint)
		}
		*to = append(*to, x)
	}
	return nil
}

// isName tells whether a word is no number but could be the name of a column.
func isName(word []byte) bool {
	_, complaint := number(word)
	return complaint != "" && (word[0] == '"' || unicode.IsLetter(rune(word[0])))
}

// words splits the next line that is neither blank nor a comment, between blanks, commas or
// semicolons. They are valid until the next call.
func (r *diagonals) words() ([][]byte, error) {
	for {
		line, err := r.data()
		if err != nil {
			return nil, err
		}
		if line[0] == '#' {
			continue
		}
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
