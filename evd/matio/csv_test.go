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
}

var badCSV = []struct{ name, text, want string }{
	{"short row", "1,2\n\n3\n", "f:3: 1 numbers in this row, 2 in the first"},
	{"long row", "1,2\n3,4,5\n", "f:2: 3 numbers in this row, 2 in the first"},
	{"missing number", "1,2\n,4\n", `f:2: column 1: "" is not a number`},
	{"comma at the end", "1,2,\n", `f:1: column 3: "" is not a number`},
	{"word", "1,2\n3,four\n", `f:2: column 2: "four" is not a number`},
	{"two in a field", "1,2 3\n", `f:1: column 2: "2 3" is not a number`},
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

// TestCSVLongRows: a row may be longer than any line buffer, and every double comes back.
func TestCSVLongRows(t *testing.T) {
	const rows, cols = 3, 70_000
	r := rand.New(rand.NewPCG(1, 2))
	want := make([]float64, rows*cols)
	var text strings.Builder
	for i := range rows {
		for j := range cols {
			x := r.NormFloat64()
			want[i+j*rows] = x
			text.WriteString(strconv.FormatFloat(x, 'g', -1, 64))
			text.WriteByte(",\n"[j/(cols-1)])
		}
	}
	d, err := ReadCSV(strings.NewReader(text.String()), "f")
	if err != nil || d.Rows != rows || d.Cols != cols || !same(d.Data, want) {
		t.Errorf("%v", err)
	}
}
