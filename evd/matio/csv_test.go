package matio

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

var goodCSV = []struct {
	name, text string
	rows, cols int
	byColumns  []float64
}{
	{"one number", "5", 1, 1, []float64{5}},
	{"square", "1,2\n3,4\n", 2, 2, []float64{1, 3, 2, 4}},
	{"no last line feed", "1,2\n3,4", 2, 2, []float64{1, 3, 2, 4}},
	{"blanks and CRLF", " 1 ,\t2 \r\n\r\n3, 4\r\n\n", 2, 2, []float64{1, 3, 2, 4}},
	{"comments", "# a, b\n1,2\n  # c\n3,4\n#", 2, 2, []float64{1, 3, 2, 4}},
	{"byte order mark", byteOrderMark + "1,2\n3,4\n", 2, 2, []float64{1, 3, 2, 4}},
	{"not square", "1,2,3\n4,5,6\n", 2, 3, []float64{1, 4, 2, 5, 3, 6}},
	{"spellings", "1e3,-.5,+2.\n1.0D+00,nan,-inf\n", 2, 3, []float64{1000, 1, -0.5, nan, 2, -inf}},
	{"one column", "1\n2\n", 2, 1, []float64{1, 2}},
	{"one column between blanks", " 1 \n\t2\t\r\n3 ", 3, 1, []float64{1, 2, 3}},
	{"one blank", "1 2\n3 4\n", 2, 2, []float64{1, 3, 2, 4}},
	{"tabs", "1\t2\n3\t4\t\n", 2, 2, []float64{1, 3, 2, 4}},
	{"numpy.savetxt", "# two rows, of 1, 2\n1.000000000000000000e+00 2.000000000000000000e+00\n3.000000000000000000e+00 nan\n", 2, 2, []float64{1, 3, 2, nan}},
	{"Fortran", "   1.0000000000000000       -2.0000000000000000D-001  \r\n   1.0-300     Infinity\r\n", 2, 2, []float64{1, 1e-300, -0.2, inf}},
	{"byte order mark and blanks", byteOrderMark + " 1 2\n3 4", 2, 2, []float64{1, 3, 2, 4}},
}

var badCSV = []struct{ name, text, want string }{
	{"short row", "1,2\n\n3\n", "f:3: 1 numbers in this row, 2 in the first"},
	{"long row", "1,2\n3,4,5\n", "f:2: 3 numbers in this row, 2 in the first"},
	{"missing number", "1,2\n,4\n", `f:2: column 1: "" is not a number`},
	{"comma at the end", "1,2,\n", `f:1: column 3: "" is not a number`},
	{"word", "1,2\n3,four\n", `f:2: column 2: "four" is not a number`},
	{"two in a field", "1,2 3\n", `f:1: column 2: "2 3" is not a number`},
	{"commas, then blanks", "1,2\n3 4\n", `f:2: column 1: "3 4" is not a number`},
	{"commas with blanks around, then blanks", "1 , 2\n3 4\n", `f:2: column 1: "3 4" is not a number`},
	{"blanks, then commas", "1 2\n3,4\n", `f:2: column 1: "3,4" is not a number`},
	{"a comma among blanks", "1 2 , 3\n", `f:1: column 3: "," is not a number`},
	{"one number, then blanks", "1000\n1 1 -.005649\n", "f:2: 3 numbers in this row, 1 in the first"},
	{"words among blanks", "1 2\n3 four\n", `f:2: column 2: "four" is not a number`},
	{"carriage returns alone", "1 2 \r3 4\r", `f:1: column 2: "2\r3" is not a number`},
	{"semicolons", "1 2;\n3 4;\n", `f:1: column 2: "2;" is not a number`},
	{"beyond the range", "1,1e999\n", `f:1: column 2: "1e999" is beyond the largest double`},
	{"long field", "1," + strings.Repeat("0", longestField+1), "f:1: a field of more than 1024 characters is no number"},
	{"only comments", "# nothing\n#\n", "f: no numbers in the file"},
}

func TestReadCSV(t *testing.T) {
	for _, c := range goodCSV {
		for _, r := range []io.Reader{strings.NewReader(c.text), strings.NewReader(gzipped(c.text)), iotest.OneByteReader(strings.NewReader(c.text))} {
			d, err := Read(r, "f")
			if err != nil || d.Rows != c.rows || d.Cols != c.cols || !same(d.Data, c.byColumns) {
				t.Errorf("%s: %v, %v", c.name, d, err)
			}
		}
	}
	for _, c := range badCSV {
		if _, err := Read(strings.NewReader(c.text), "f"); fmt.Sprint(err) != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	// A header is not read past: it may be data gone wrong.
	if _, err := Read(strings.NewReader("a,b\n1,2\n"), "f"); fmt.Sprint(err) != "f: "+neither {
		t.Errorf("header: %v", err)
	}
}

// TestMarketWithoutBannerIsNoTable: saylr3.mtx of the Harwell-Boeing collection goes about with its
// order on the first line and a list of entries below, and bcsstk15.mtx with the list alone. They
// were read as tables, the second with success where blanks may stand between numbers.
func TestMarketWithoutBannerIsNoTable(t *testing.T) {
	const (
		ordered = "2\n1 1 -.005649\n2 1 .005635\n"
		bare    = "1 1 7.57\n2 1 -1.5\n"
		refused = ": no %%MatrixMarket banner, with which a .mtx file begins"
	)
	for _, text := range []string{ordered, bare, "hello\n", "%"} {
		for _, name := range []string{"a.mtx", "A.MTX", "b/a.mtx.gz", ".mtx"} {
			for _, s := range []string{text, gzipped(text)} {
				_, err := Read(strings.NewReader(s), name)
				if format, ok := err.(*FormatError); !ok || format.Line != 0 || err.Error() != name+refused {
					t.Errorf("%s: %q: %v", name, text, err)
				}
				if _, err := ReadTridiagonal(strings.NewReader(s), name); fmt.Sprint(err) != name+refused {
					t.Errorf("%s: %q as tridiagonal: %v", name, text, err)
				}
			}
		}
	}
	// Any other name says nothing, and .mtx says nothing of what has its own mark.
	if d, err := Read(strings.NewReader(bare), "a.mtx.txt"); err != nil || d.Rows != 2 || d.Cols != 3 {
		t.Errorf("a.mtx.txt: %v, %v", d, err)
	}
	if d, err := Read(strings.NewReader(npyFile(1, dictionary("<f8", false, "(1, 1)"), 5.0)), "a.mtx"); err != nil || d.At(0, 0) != 5 {
		t.Errorf(".npy called a.mtx: %v, %v", d, err)
	}
}

// printed is a table with its numbers between commas, or whatever else.
func printed(d *Dense, between string) string {
	var text strings.Builder
	for i := range d.Rows {
		for j := range d.Cols {
			if j > 0 {
				text.WriteString(between)
			}
			text.WriteString(strconv.FormatFloat(d.At(i, j), 'g', -1, 64))
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// TestCSVLongRows: a row may be longer than any line buffer, and every double comes back.
func TestCSVLongRows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	want := &Dense{Rows: 3, Cols: 70_000, Data: make([]float64, 3*70_000)}
	for i := range want.Data {
		want.Data[i] = r.NormFloat64()
	}
	for _, between := range []string{",", " ", " \t "} {
		d, err := ReadCSV(strings.NewReader(printed(want, between)), "f")
		if err != nil || d.Rows != want.Rows || d.Cols != want.Cols || !same(d.Data, want.Data) {
			t.Errorf("%q between numbers: %v", between, err)
		}
	}
}
