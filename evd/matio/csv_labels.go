package matio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/number"
)

// The conditions of the grammar. A label is a number that may be the name of a column or a row.
// Labels are whole numbers, written with digits alone.
var (
	always            = condition{"", func(*table) string { return "always" }}
	labelsAbove       = condition{"labels in the first line", (*table).above}
	labelsBeside      = condition{"labels in the first column", (*table).beside}
	labelsOnBothSides = condition{"labels in the first line and the first column", func(t *table) string {
		above, beside := t.above(), t.beside()
		if above == "" || beside == "" {
			return ""
		}
		return above + ", and " + beside
	}}
	countIndented   = condition{"blanks before 0, 1, 2, … or 1, 2, 3, …", (*table).countsIndented}
	indexColumn     = condition{"labels in the first column, or an id", (*table).index}
	rowNumbers      = condition{"different whole numbers in the first column", (*table).numbersRows}
	plainLabels     = condition{"whole numbers in the first line", (*table).wholeAbove}
	emptyCorner     = condition{"", func(*table) string { return "the first field is empty" }}
	idAndLabels     = condition{"the name is an id; whole numbers in the first line", (*table).idAbove}
	idAndSameLabels = condition{"the name is an id; the same whole numbers in the first column", (*table).idOnBothSides}
	cornerOfLabels  = condition{"whole numbers in the first line and the first column", (*table).cornerAbove}
)

// above says whether the numbers of the first line may be names of columns. They may be numbers
// that count, such as 0, 1, 2, …, or years. They may also be other whole numbers, all different, if
// none of the numbers below is written with digits alone. Numbers that continue in the other lines
// are no names (see belongs).
//
// NumPy's savetxt writes tables that are separated by blanks, without a header. So in such a table
// both conditions must hold: the first line counts, and none of the numbers below is written with
// digits alone.
func (t *table) above() string {
	if !t.top.plain || t.rows == 0 || t.labels == 0 {
		return ""
	}
	labels := t.a[:t.labels]
	foreign := !t.plainBody && (t.names == wordNames || !t.plainFirst)
	counts := sequence(labels, 1) != ""
	switch {
	case t.between == ' ' && t.head == numbersHead && !(counts && foreign && len(labels) > 1):
		return ""
	case !counts && !(foreign && len(labels) > 1 && distinct(labels, 1)):
		return ""
	case len(t.a) == (t.rows+1)*t.width && belongs(t.a, t.rows+1, t.width, t.width, 1):
		return ""
	}
	return "the first line is " + beginning(labels, 1)
}

// beside says whether the numbers of the first column may be names of rows, in a table without a
// header. NumPy's tables, which are separated by blanks, have no names.
func (t *table) beside() string {
	if t.between == ' ' || !t.top.plainFirst || !t.plainNames || t.width < 2 ||
		sequence(t.a, t.width) == "" || belongs(t.a, t.width, t.rows+1, 1, t.width) {
		return ""
	}
	return "the first column is " + sequence(t.a, t.width)
}

// index says whether the first column below a header may have the names of rows.
func (t *table) index() string {
	if !t.plainNames || t.width < 2 {
		return ""
	}
	if isID(t.top.name) && distinct(t.a, t.width) {
		return fmt.Sprintf("the first column is called %s", number.Quote([]byte(t.top.name)))
	}
	if t.between == ' ' || t.rows < 2 || sequence(t.a, t.width) == "" || belongs(t.a, t.width, t.rows, 1, t.width) {
		return ""
	}
	return "the first column is " + sequence(t.a, t.width)
}

// countsIndented says whether the first line, which has one field less than the others, counts
// columns as pandas prints them: the line begins with a blank, because the field above the names is
// empty.
func (t *table) countsIndented() string {
	labels := t.a[:t.labels]
	if !t.top.indented || t.between != ' ' || !t.top.plain || labels[0] > 1 {
		return ""
	}
	return sequence(labels, 1)
}

// numbersRows says whether the first column has numbers of rows, below a header that has one field
// less than the rows. R writes such tables. R puts the names of rows in quotes if it does so with
// the names of columns. With commas, a name and one number may also be one number with a decimal
// comma.
func (t *table) numbersRows() string {
	if !t.plainNames || t.top.quotes > 0 || t.between == ',' && t.width == 2 || !distinct(t.a[t.labels:], t.width) {
		return ""
	}
	return "the first line has no field above the first column"
}

// wholeAbove says whether the fields of the first line after the first one are different whole
// numbers.
func (t *table) wholeAbove() string {
	if !t.top.plain || !distinct(t.a[:t.labels], 1) {
		return ""
	}
	return "the first line is " + beginning(t.a[:t.labels], 1)
}

// idAbove says whether the first line has an id, and then different whole numbers.
func (t *table) idAbove() string {
	if !isID(t.top.name) || t.wholeAbove() == "" {
		return ""
	}
	return fmt.Sprintf("the first column is called %s", number.Quote([]byte(t.top.name)))
}

// idOnBothSides says whether idAbove holds, and the first column has the same numbers as the first
// line.
func (t *table) idOnBothSides() string {
	if !t.plainNames || !t.sameOnBothSides() {
		return ""
	}
	return t.idAbove()
}

func (t *table) sameOnBothSides() bool {
	for i, label := range t.a[:t.labels] {
		if t.rows != t.labels || t.a[t.labels+i*t.width] != label {
			return false
		}
	}
	return true
}

// cornerAbove says whether the numbers of the first line and of the first column are names: they
// are different whole numbers, and the empty field between them is no missing number. One of three
// further conditions must hold: both lists count, both lists have the same numbers, or none of the
// other numbers is written with digits alone.
func (t *table) cornerAbove() string {
	labels, body := t.a[:t.labels], t.a[t.labels:]
	if !t.plainNames || !t.top.plain || !distinct(labels, 1) || !distinct(body, t.width) {
		return ""
	}
	counts := sequence(labels, 1) != "" && (sequence(body, t.width) != "" || t.rows == 1)
	if !counts && !t.sameOnBothSides() && t.plainBody {
		return ""
	}
	return "the first field is empty"
}

// sequence lists the first numbers if all of them look like labels, and returns "" otherwise. The
// numbers are a[0], a[stride], a[2·stride], …. Labels are 0, 1, 2, … or 1, 2, 3, …; years at equal
// distances; or three or more whole numbers from 100 on that follow each other. A single number is
// a label if it is 0.
func sequence(a []float64, stride int) string {
	n := (len(a) + stride - 1) / stride
	if n == 1 && a[0] != 0 {
		return ""
	}
	first, step := a[0], 1.0
	if n > 1 {
		step = a[stride] - first
	}
	for i := range n {
		if a[i*stride] != first+float64(i)*step {
			return ""
		}
	}
	last := first + float64(n-1)*step
	years := step > 0 && first >= 1800 && last <= 2100
	if !years && (step != 1 || first > 1 && (first < 100 || n < 3)) {
		return ""
	}
	return beginning(a, stride)
}

// beginning lists the numbers a[0], a[stride], …, but at most three of them.
func beginning(a []float64, stride int) string {
	var text strings.Builder
	for i := 0; i < len(a); i += stride {
		if i > 2*stride {
			text.WriteString(", …")
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		fmt.Fprint(&text, a[i])
	}
	return text.String()
}

// distinct reports whether the numbers a[0], a[stride], … are all different. Without memory for a
// copy of them it returns false.
func distinct(a []float64, stride int) bool {
	ascends := true
	for i := 0; i < len(a); i += stride {
		ascends = ascends && (i == 0 || a[i] > a[i-stride])
	}
	if ascends {
		return true
	}
	all, ok := memory.Allocate[float64]((len(a) + stride - 1) / stride)
	if !ok {
		return false
	}
	for i := range all {
		all[i] = a[i*stride]
	}
	slices.Sort(all)
	return len(slices.Compact(all)) == len(all)
}

// belongs reports whether line 0 of a table is like the other lines, so that its numbers are no
// labels. There are m lines of n numbers: number j of line i is a[i·step + j·stride]. Lines are
// rows or columns. One of these must hold:
//
//   - The table is symmetric, such as |i − j|.
//   - Each number is by the same amount larger than the one in the line before, as in 1, 2 / 3, 4 /
//     5, 6. If there are only two lines, line 1 goes on counting where line 0 ends.
//   - Line i has the powers i+1 of the numbers of line 0, at least to the third.
//   - All lines have the same numbers in different orders, and so have all columns, as in a Latin
//     square.
//   - All numbers of the other lines are 1, as in the columns x and 1 of a fit by a straight line.
func belongs(a []float64, m, n, step, stride int) bool {
	at := func(i, j int) float64 { return a[i*step+j*stride] }
	all := func(holds func(i, j int) bool) bool {
		for i := 1; i < m; i++ {
			for j := range n {
				if !holds(i, j) {
					return false
				}
			}
		}
		return true
	}
	switch {
	case m == n && all(func(i, j int) bool { return at(i, j) == at(j, i) }),
		m == 2 && all(func(_, j int) bool { return at(1, j) == at(0, n-1)+float64(1+j) }),
		m > 2 && all(func(i, j int) bool { return at(i, j)-at(i-1, j) == at(1, j)-at(0, j) }),
		m > 2 && all(func(i, j int) bool { return at(i, j) == at(i-1, j)*at(0, j) }),
		n > 2 && all(func(i, j int) bool { return at(i, j) == 1 }):
		return true
	}
	return m == n && isLatin(n, at)
}

// isLatin reports whether each row and each column of an n×n table has the numbers x, x + 1, …, x +
// n − 1 in some order. x is element (0, 0).
func isLatin(n int, at func(i, j int) float64) bool {
	inRow, inColumn := make([]int, n), make([]int, n) // by number: where it was seen last, from 1
	for i := range n {
		for j := range n {
			for _, seen := range []struct {
				x    float64
				last []int
			}{{at(i, j), inRow}, {at(j, i), inColumn}} {
				k := seen.x - at(0, 0)
				if !(k >= 0 && k < float64(n)) || k != float64(int(k)) || seen.last[int(k)] == i+1 {
					return false
				}
				seen.last[int(k)] = i + 1
			}
		}
	}
	return true
}

// ids are names of columns that have the names of rows.
var ids = []string{
	"id", "ids", "index", "idx", "level_0", "unnamed: 0", "row", "rowname", "rownames", "row.names", "name", "names",
	"no", "no.", "nr", "nr.", "number", "key", "code", "label", "labels", "sample", "subject", "case", "obs",
	"date", "day", "week", "month", "quarter", "year", "time", "timestamp", "period",
}

// isID reports whether the name of a column says that it has the names of rows: a word of the list
// `ids`, or a name that ends in _id, ID or the like.
func isID(name string) bool {
	small := strings.ToLower(name)
	for _, end := range []string{"_id", " id", "-id", ".id"} {
		if strings.HasSuffix(small, end) {
			return true
		}
	}
	return slices.Contains(ids, small) || len(name) > 2 && (strings.HasSuffix(name, "ID") || strings.HasSuffix(name, "Id"))
}
