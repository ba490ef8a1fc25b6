package matio

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// same reports whether two slices have equal numbers. A NaN equals a NaN.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool {
		return x == y || math.IsNaN(x) && math.IsNaN(y)
	})
}

const general, symmetric = "%%MatrixMarket matrix coordinate real general\n", "%%MatrixMarket matrix coordinate real symmetric\n"

const skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n"

var inf, nan = math.Inf(1), math.NaN()

var goodMarket = []struct {
	name, text string
	rows, cols int
	want       []float64 // by columns
}{
	{"general", general + "2 3 3\n1 1 1\n2 1 2\n1 3 3\n", 2, 3, []float64{1, 2, 0, 0, 3, 0}},
	{"symmetric", symmetric + "2 2 2\n1 1 1\n2 1 2\n", 2, 2, []float64{1, 2, 2, 0}},
	{"integer", "%%MatrixMarket matrix coordinate integer general\n1 2 2\n1 1 -7\n1 2 +8\n", 1, 2, []float64{-7, 8}},
	{"pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n2 2\n", 2, 2, []float64{0, 1, 1, 1}},
	{"array", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n", 2, 2, []float64{1, 2, 3, 4}},
	{"symmetric array", "%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 3, 3, []float64{1, 2, 3, 2, 4, 5, 3, 5, 6}},
	{"skew-symmetric", skew + "3 3 3\n2 1 2\n3 2 -4\n2 1 1\n", 3, 3, []float64{0, 3, 0, -3, 0, -4, 0, 4, 0}},
	{"skew-symmetric array", "%%MatrixMarket matrix array integer skew-symmetric\n3 3\n1\n2\n3\n", 3, 3, []float64{0, 1, 2, -1, 0, 3, -2, -3, 0}},
	{"integer array", "%%MatrixMarket matrix array integer general\n1 1\n3\n", 1, 1, []float64{3}},
	{"capitals", "%%MATRIXMARKET MATRIX Coordinate REAL General\n1 1 1\n1 1 5\n", 1, 1, []float64{5}},
	{"comments and blank lines", general + "% one\n\n  % two\n1 1 1\n\n% three\n1 1 5\n\n% four\n", 1, 1, []float64{5}},
	{"CRLF", "%%MatrixMarket matrix coordinate real general\r\n%\r\n\r\n1 1 1\r\n1 1 5\r\n", 1, 1, []float64{5}},
	{"blanks around", general + "  1\t1  1 \n \t1 1   5  \n", 1, 1, []float64{5}},
	{"no last line feed", general + "1 1 1\n1 1 5", 1, 1, []float64{5}},
	{"Fortran exponents", general + "1 4 4\n1 1 1.5D+01\n1 2 -2d0\n1 3 0.5+101\n1 4 0.5-101\n", 1, 4, []float64{15, -2, 0.5e101, 0.5e-101}},
	{"not finite", general + "1 7 7\n1 1 nan\n1 2 inf\n1 3 Infinity\n1 4 -Inf\n1 5 -nan\n1 6 +NaN\n1 7 +infinity\n", 1, 7, []float64{nan, inf, inf, -inf, nan, nan, inf}},
	{"extremes", general + "1 4 4\n1 1 1.7976931348623157e308\n1 2 4.9e-324\n1 3 .5\n1 4 5.\n", 1, 4, []float64{math.MaxFloat64, math.SmallestNonzeroFloat64, 0.5, 5}},
	{"listed twice is added", symmetric + "2 2 4\n2 1 1\n1 1 1\n2 1 2\n1 1 4\n", 2, 2, []float64{5, 3, 3, 0}},
	{"pattern listed twice", "%%MatrixMarket matrix coordinate pattern general\n1 1 2\n1 1\n1 1\n", 1, 1, []float64{2}},
	{"no entries", general + "1 2 0\n", 1, 2, []float64{0, 0}},
	{"empty", symmetric + "0 0 0\n", 0, 0, nil},
	{"empty array of huge width", "%%MatrixMarket matrix array real general\n0 1000000000\n", 0, 1e9, nil},
}

func TestMatrixMarketGood(t *testing.T) {
	for _, c := range goodMarket {
		d, err := ReadMatrixMarket(strings.NewReader(c.text), "m.mtx")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d.Rows != c.rows || d.Cols != c.cols || !same(d.Data, c.want) {
			t.Errorf("%s: got %d by %d %v, want %d by %d %v", c.name, d.Rows, d.Cols, d.Data, c.rows, c.cols, c.want)
		}
		if declared := strings.Contains(c.text, " symmetric"); d.DeclaredSymmetric != declared {
			t.Errorf("%s: DeclaredSymmetric is %v", c.name, d.DeclaredSymmetric)
		}
	}
}

var mostText = fmt.Sprint(memory.MostElements)

var badMarket = []struct{ text, want string }{
	{"%MatrixMarket coordinate real general\n", "m.mtx:1: no %%MatrixMarket banner"},
	{"\n1\n" + general, "m.mtx:2: no %%MatrixMarket banner"},
	{"%%MatrixMarket\n", "m.mtx:1: the banner needs 4 words after %%MatrixMarket, not 0"},
	{"%%MatrixMarket matrix coordinate real\n", "m.mtx:1: the banner needs 4 words after %%MatrixMarket, not 3"},
	{"%%MatrixMarket matrix coordinate real general 1\n", "m.mtx:1: the banner needs 4 words after %%MatrixMarket, not 5"},
	{"%%MatrixMarket vector coordinate real general\n", `m.mtx:1: object "vector" is not supported, only matrix`},
	{"%%MatrixMarket matrix sparse real general\n", `m.mtx:1: format "sparse" is not supported, only coordinate, array`},
	{"%%MatrixMarket matrix array complex general\n", "m.mtx:1: " + complexWayOut},
	{"%%MatrixMarket matrix array real unitary\n", `m.mtx:1: symmetry "unitary" is not supported, only general, symmetric, skew-symmetric, hermitian`},
	{"%%MatrixMarket matrix coordinate pattern skew-symmetric\n", "m.mtx:1: a skew-symmetric matrix has two signs, so it cannot be a pattern"},
	{skew + "2 3 0\n", "m.mtx:2: declared skew-symmetric, but 2 by 3"},
	{skew + "2 2 1\n1 2 1\n", "m.mtx:3: entry (1,2) is not below the diagonal; a skew-symmetric file lists only the entries there"},
	{skew + "2 2 1\n1 1 0\n", "m.mtx:3: entry (1,1) is not below the diagonal; a skew-symmetric file lists only the entries there"},
	{"%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n", "m.mtx:4: the file ends after 2 of 3 entries"},
	{"%%MatrixMarket matrix array real skew-symmetric\n2 2\n1\n2\n", "m.mtx:4: more entries than the 1 declared"},
	{"%%MatrixMarket matrix array pattern general\n", "m.mtx:1: an array holds values, so it cannot be a pattern"},

	{general, "m.mtx:1: the file ends before its size line"},
	{general + "%\n\n", "m.mtx:3: the file ends before its size line"},
	{general + "2 2\n", "m.mtx:2: the size line must give rows, columns, entries"},
	{"%%MatrixMarket matrix array real general\n2\n", "m.mtx:2: the size line must give rows, columns"},
	{"%%MatrixMarket matrix array real general\n2 2 4\n", `m.mtx:2: unexpected "4" at the end of the line`},
	{general + "2 2 1 %\n", `m.mtx:2: unexpected "%" at the end of the line`},
	{general + "-2 2 1\n", `m.mtx:2: number of rows: "-2" is not an integer from 0 to ` + mostText},
	{general + "2 2.0 1\n", `m.mtx:2: number of columns: "2.0" is not an integer from 0 to ` + mostText},
	{general + "2 2 99999999999999999999\n", `m.mtx:2: number of entries: "99999999999999999999" is not an integer from 0 to ` + mostText},
	{symmetric + "2 3 1\n", "m.mtx:2: declared symmetric, but 2 by 3"},
	{general + mostText + " " + mostText + " 1\n", "m.mtx: " + mostText + " by " + mostText + " elements take 9.01e+15 GiB, more than this system can provide"},

	{general + "2 2 2\n1 1 1\n", "m.mtx:3: the file ends after 1 of 2 entries"},
	{general + "2 2 1\n%\n\n", "m.mtx:4: the file ends after 0 of 1 entries"},
	{general + "2 2 1\n1 1 1\n\n2 2 1\n", "m.mtx:5: more entries than the 1 declared"},
	{general + "2 2 1\n1 1\n", "m.mtx:3: the entry has no value"},
	{general + "2 2 1\n1\n", "m.mtx:3: the entry has no column"},
	{general + "2 2 1\n1 1 1 0\n", `m.mtx:3: unexpected "0" at the end of the line`},
	{"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", `m.mtx:3: unexpected "1" at the end of the line`},
	{general + "2 2 1\n0 1 1\n", "m.mtx:3: row 0: rows and columns are counted from 1"},
	{general + "2 2 1\n1 0 1\n", "m.mtx:3: column 0: rows and columns are counted from 1"},
	{general + "2 3 1\n3 1 1\n", `m.mtx:3: row "3" is outside 1 to 2`},
	{general + "2 3 1\n1 4 1\n", `m.mtx:3: column "4" is outside 1 to 3`},
	{general + "2 3 1\n1 44444444444444444444 1\n", `m.mtx:3: column "44444444444444444444" is outside 1 to 3`},
	{general + "2 2 1\n-1 1 1\n", `m.mtx:3: row "-1" is not an integer`},
	{general + "2 2 1\n1 1.0 1\n", `m.mtx:3: column "1.0" is not an integer`},
	{general + "2 2 1\n1 1 x\n", `m.mtx:3: "x" is not a number`},
	{general + "2 2 1\n1 1 1,5\n", `m.mtx:3: "1,5" is not a number`},
	{general + "2 2 1\n1 1 1e400\n", `m.mtx:3: "1e400" is larger than the largest double`},
	{general + "2 2 1\n1 1 " + strings.Repeat("z", 50) + "\n", `m.mtx:3: "` + strings.Repeat("z", 40) + `"… is not a number`},
	{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n", `m.mtx:3: "1.5" is not an integer`},
	{"%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 inf\n", `m.mtx:3: "inf" is not an integer`},
	{symmetric + "2 2 1\n1 2 1\n", "m.mtx:3: entry (1,2) lies above the diagonal; a symmetric file lists the lower triangle only"},
	{symmetric + "2 2 2\n2 1 1\n1 2 1\n", "m.mtx:4: entry (1,2) lies above the diagonal; a symmetric file lists the lower triangle only"},

	{"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "m.mtx:5: the file ends after 3 of 4 entries"},
	{"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n", "m.mtx:4: the file ends after 2 of 3 entries"},
	{"%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n2\n3\n", "m.mtx:6: more entries than the 3 declared"},
	{"%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n", `m.mtx:3: unexpected "2" at the end of the line`},
	{"%%MatrixMarket matrix array real general\n1000000 1000000\n1\n", "m.mtx:3: the file ends after 1 of 1000000000000 entries"},
	{general + "1 1 1\n" + strings.Repeat(" ", longestLine+1), "m.mtx:3: line longer than 1048576 bytes"},
}

func TestMatrixMarketBad(t *testing.T) {
	for _, c := range badMarket {
		_, err := ReadMatrixMarket(strings.NewReader(c.text), "m.mtx")
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%.90q\n got %s\nwant %s", c.text, got, c.want)
		}
	}
}

// TestLinesAcrossChunks reads a file whose lines lie across the end of the reader's buffer. It
// moves the end of the buffer over every byte of a few entries, so each entry is read in two parts
// at least once.
func TestLinesAcrossChunks(t *testing.T) {
	const entries = "1 1 1.25\n2 1 -2.5e-3\n2 2 7\n"
	head := symmetric + "2 2 3\n"
	for cut := range len(entries) {
		padding := "%" + strings.Repeat("x", longestLine-len(head)-2-cut) + "\n"
		d, err := Read(strings.NewReader(head+padding+entries), "m.mtx")
		if err != nil {
			t.Fatalf("cut %d: %v", cut, err)
		}
		if want := []float64{1.25, -2.5e-3, -2.5e-3, 7}; !same(d.Data, want) {
			t.Fatalf("cut %d: %v, want %v", cut, d.Data, want)
		}
	}
}
