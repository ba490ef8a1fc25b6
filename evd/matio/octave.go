package matio

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// A text file of Octave (save -text) has any number of variables. Comments before each of them say
// what it is:
//
//	# Created by Octave 9.2.0, …
//	# name: A                      # name: S
//	# type: matrix                 # type: sparse matrix
//	# rows: 2                      # nnz: 2
//	# columns: 2                   # rows: 2
//	 1 2.5                         # columns: 2
//	 -3 4                          1 1 5
//	                               2 2 6
//
// (Source: save_ascii in Octave's libinterp/octave-value.)
type octave struct {
	*fields
	name, kind string
}

// octaveSizes lists the types that this package reads, and the comments that follow the type.
var octaveSizes = map[string][]string{
	"matrix": rowsColumns, "float matrix": rowsColumns, "bool matrix": rowsColumns,
	"diagonal matrix": rowsColumns, "float diagonal matrix": rowsColumns,
	"scalar": nil, "float scalar": nil, "bool": nil,
	"sparse matrix": entriesRowsColumns, "sparse bool matrix": entriesRowsColumns,
}

// mostVariables is the largest number of variables in a file. Their names are held in memory.
const mostVariables = 1 << 16

var rowsColumns, entriesRowsColumns = []string{"rows", "columns"}, []string{"nnz", "rows", "columns"}

// isOctave reports whether the input begins with the comments of a text file of Octave.
func isOctave(in *input) bool {
	start, _ := in.Peek(in.Size())
	named := false
	for len(start) > 0 {
		var line []byte
		line, start, _ = bytes.Cut(start, []byte("\n"))
		key, _, ok := octaveComment(line)
		switch {
		case len(bytes.TrimSpace(line)) == 0:
		case line[0] != '#':
			return false
		case ok && key == "name":
			named = true
		case ok && key == "type":
			return named
		}
	}
	return false
}

// octaveComment divides a comment "# key: value". For any other line, `ok` is false.
func octaveComment(line []byte) (key, value string, ok bool) {
	text, found := strings.CutPrefix(string(line), "# ")
	key, value, ok = strings.Cut(text, ":")
	return key, strings.TrimSpace(value), ok && found
}

// readOctave reads the variable that the options name. If the options name none, readOctave reads
// the only variable, or the one called A.
func (o Options) readOctave(in *input) (*Dense, error) {
	t := &octave{fields: &fields{input: in, line: 1, dialect: dialect{between: ' '}, noComments: true}}
	wanted := o.wanted()
	best := len(wanted) // index in `wanted` of the best name that was found
	var all []string
	seen := map[string]bool{}
	var found *Dense
	var foundErr error
	read := false // the lines before the next header were read as `found`
	for {
		extra, err := t.header()
		if read && foundErr == nil {
			foundErr = extra
		}
		if err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		switch {
		case seen[t.name]:
			return nil, t.errorf("two variables are called %s", t.name)
		case len(all) == mostVariables:
			return nil, t.errorf("more than %d variables", mostVariables)
		}
		all, seen[t.name] = append(all, t.name), true
		// The first variable is read in any case, because it may be the only one.
		at := slices.Index(wanted[:best], t.name)
		if read = at >= 0 || len(all) == 1 && o.Array == ""; read {
			found, foundErr = t.matrix()
		}
		if at >= 0 {
			best = at
		}
	}
	want := strings.Join(wanted, " or ")
	switch {
	case best < len(wanted), len(all) == 1 && o.Array == "":
		return found, foundErr
	case o.Array == "":
		return nil, t.input.errorf("several arrays, and none is called %s; choose one of %s", want, listOf(all))
	}
	return nil, t.input.errorf("no array is called %s; the file has %s", want, listOf(all))
}

// header reads up to the type of the next variable, or returns io.EOF. It skips the lines of a
// variable that was not read. The error `extra` is about the first line that is neither blank nor a
// comment: after a variable that was read, its size does not announce this line.
func (t *octave) header() (extra, err error) {
	before := t.name
	t.name = ""
	for {
		line, err := t.readLine()
		if err != nil {
			return extra, err
		}
		switch key, value, _ := octaveComment(line); {
		case key == "name":
			t.name = value
		case key == "type" && t.name != "":
			t.kind = value
			return extra, nil
		case extra == nil && len(bytes.TrimSpace(line)) > 0 && line[0] != '#':
			extra = t.errorf("the variable %s has more lines than its size says", before)
		}
	}
}

func (t *octave) matrix() (*Dense, error) {
	sizes, ok := octaveSizes[t.kind]
	switch {
	case strings.Contains(t.kind, "complex"):
		return nil, t.errorf("the variable %s is complex; %s", t.name, complexElsewhere)
	case !ok:
		return nil, t.errorf("the variable %s has the type %s, which is not read; save double(A) instead", t.name, number.Quote([]byte(t.kind)))
	}
	size := map[string]int{"rows": 1, "columns": 1}
	for _, want := range sizes {
		line, err := t.readLine()
		if err != nil && err != io.EOF {
			return nil, err
		}
		key, value, _ := octaveComment(line)
		n, ok := number.Count([]byte(value), memory.MostElements)
		if key != want || !ok {
			return nil, t.errorf("the variable %s: %s where the number of %s should be", t.name, number.Quote(bytes.TrimSpace(line)), want)
		}
		size[key] = n
	}
	rows, cols := size["rows"], size["columns"]
	switch {
	case strings.HasPrefix(t.kind, "sparse"):
		return t.sparse(rows, cols, size["nnz"])
	case strings.HasSuffix(t.kind, "diagonal matrix"):
		return t.diagonal(rows, cols)
	}
	return t.matrixOf(rows, cols)
}

func (t *fields) matrixOf(rows, cols int) (*Dense, error) {
	n, ok := memory.Elements(rows, cols, memory.MostElements)
	if !ok {
		return nil, t.tooLarge(rows, cols)
	}
	a, err := t.lines(nil, min(rows, n), cols)
	if err != nil {
		return nil, err
	}
	d := &Dense{Rows: rows, Cols: cols}
	if d.Data, ok = transpose.ByColumns(a, rows, cols); !ok {
		return nil, t.tooLarge(rows, cols)
	}
	return d, nil
}

// lines reads `count` lines of `width` numbers, and appends them to a. Blank lines are skipped.
func (t *fields) lines(a []float64, count, width int) ([]float64, error) {
	for i := range count {
		end, err := t.start()
		for j := range width {
			if j > 0 {
				end, err = t.next()
			}
			if err == io.EOF {
				return nil, t.errorf("the file ends after %d of %d lines", i, count)
			} else if err != nil {
				return nil, err
			}
			x, complaint := number.Parse(t.field)
			if complaint != "" {
				return nil, t.errorf("column %d: %s%s", j+1, complaint, adviceAbout(t.field))
			}
			if (end == '\n') != (j == width-1) {
				return nil, t.errorf("this line does not have %d numbers", width)
			}
			if err := t.push(&a, x, i, width); err != nil {
				return nil, err
			}
		}
	}
	return a, nil
}

func (t *octave) diagonal(rows, cols int) (*Dense, error) {
	a, err := t.lines(nil, min(rows, cols), 1)
	if err != nil {
		return nil, err
	}
	d, err := t.zeros(rows, cols)
	if err != nil {
		return nil, err
	}
	for i, x := range a {
		d.Data[i+i*rows] = x
	}
	return d, nil
}

func (t *octave) sparse(rows, cols, entries int) (*Dense, error) {
	a, err := t.lines(nil, entries, 3)
	if err != nil {
		return nil, err
	}
	d, err := t.zeros(rows, cols)
	if err != nil {
		return nil, err
	}
	for k := 0; k < len(a); k += 3 {
		i, ok := whole(a[k], rows)
		j, ok2 := whole(a[k+1], cols)
		if !ok || !ok2 || i == 0 || j == 0 {
			return nil, t.errorf("entry (%v,%v) is outside the %d by %d matrix (rows and columns from 1)", a[k], a[k+1], rows, cols)
		}
		d.Data[i-1+(j-1)*rows] += a[k+2]
	}
	return d, nil
}
