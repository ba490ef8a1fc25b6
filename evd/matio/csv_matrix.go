package matio

import (
	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// A Table says how a table of text was read.
type Table struct {
	Header bool `json:"header"` // the first line was a header
	Names  bool `json:"names"`  // the first field of each row was its name
	// Separator is the character between fields. A blank stands for any number of blanks and tabs.
	Separator    string `json:"separator"`
	DecimalComma bool   `json:"decimal_comma"` // the decimal mark of numbers was a comma
}

func (t *Table) String() string {
	text := reading{t.Header, t.Names}.String()
	if t.DecimalComma {
		text += ", decimal commas"
	}
	return text
}

func (t *table) table(r reading) *Table {
	return &Table{r.header, r.names, string(rune(t.between)), t.comma}
}

// finishTable decides at the end of the file how the table is read, and returns the matrix.
func (t *table) finishTable() (*Dense, error) {
	if err := t.unclear(t.opt); err != nil {
		return nil, err
	}
	switch {
	case t.rows == 0 && (t.labels == 0 || t.head == nameHead && t.opt.Header != No || t.head == emptyHead):
		return nil, t.input.errorf("no numbers in the file after its header")
	case t.shape != nil:
		return t.shape.matrix(t)
	}
	r, err := t.choose()
	if err != nil {
		return nil, err
	}
	rows, cols := t.size(r)
	a := t.a
	if r.header {
		a = a[t.labels:]
	}
	if r.names && t.names == numberNames {
		a = withoutFirst(a, cols+1)
	}
	if r == onlyNumbers {
		if err := t.isNoOtherFormat(rows, cols); err != nil {
			return nil, err
		}
	}
	d := &Dense{Rows: rows, Cols: cols, Table: t.table(r)}
	var ok bool
	if d.Data, ok = transpose.ByColumns(a, rows, cols); !ok {
		return nil, t.tooLarge(rows, cols)
	}
	return d, nil
}

func withoutFirst(a []float64, width int) []float64 {
	to := 0
	for from := 0; from < len(a); from += width {
		to += copy(a[to:], a[from+1:from+width])
	}
	return a[:to]
}

// isNoOtherFormat returns an error if a table of numbers alone looks like a format that means
// something else: entries of a sparse matrix, or a line with the size of the matrix and then its
// rows.
func (t *table) isNoOtherFormat(rows, cols int) error {
	const few = 3 // rows that may look like anything
	if t.opt.Format == TextTable || rows <= few || t.opt.Triangle != WholeMatrix {
		return nil
	}
	if cols == 2 && t.a[0] == float64(rows-1) && t.a[1] == 2 {
		return t.errorAtTop("%v %v may be the size of the matrix below; delete the line, or give --format table if it is a row", t.a[0], t.a[1])
	}
	if cols == 3 && areEntries(t.a, t.opt.Square) {
		return t.input.errorf("the rows look like entries of a matrix: row, column, value; --format coo reads entries " +
			"counted from 1, with --base 0 from 0, and --format table reads a table")
	}
	return nil
}

// areEntries reports whether the rows of a table of three columns look like the entries of a
// matrix: row, column and value. The numbers in the first two columns must be whole. If the matrix
// must be square, it is enough that the smallest of them in each of the two columns is 0 or 1.
// Otherwise the entries must also be sorted, no two may have the same place, and at least half of
// the rows and of the columns must have an entry, because such a table may have other meanings.
func areEntries(a []float64, square bool) bool {
	var most [2]float64
	least := [2]float64{2, 2}
	byRow, byColumn := true, true
	for k := 0; k < len(a); k += 3 {
		for c := range least {
			x := a[k+c]
			if !(x >= 0 && x < memory.MostElements) || x != float64(int(x)) {
				return false
			}
			least[c], most[c] = min(least[c], x), max(most[c], x)
		}
		if k > 0 {
			di, dj := a[k]-a[k-3], a[k+1]-a[k-2]
			byRow = byRow && (di > 0 || di == 0 && dj > 0)
			byColumn = byColumn && (dj > 0 || dj == 0 && di > 0)
		}
	}
	if square && least[0] <= 1 && least[1] <= 1 {
		return true
	}
	return (byRow || byColumn) && halfOccur(a, most[0]) && halfOccur(a[1:], most[1])
}

// halfOccur reports whether at least half of the numbers from 0 to `most` are among a[0], a[3], ….
func halfOccur(a []float64, most float64) bool {
	if most > float64(len(a)) {
		return false
	}
	occurs, ok := memory.Allocate[bool](int(most) + 1)
	if !ok {
		return false
	}
	count := 0
	for k := 0; k < len(a); k += 3 {
		if i := int(a[k]); !occurs[i] {
			occurs[i] = true
			count++
		}
	}
	return 2*count >= len(occurs)
}
