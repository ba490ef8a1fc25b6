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
	{"short row", "1,2\n\n3\n", "f:3: this row has length 1, but the first row has length 2"},
	{"long row after blanks", " 1 2\n3 4 5\n6 7 8 9\n", "f:3: this row has length 4, but the first row has length 3"},
	{"long row after other numbers", " 1 3\n3 4 5\n", "f:2: this row has length 3, but the first row has length 2"},
	{"long row after numbers without blanks", "1 2\n3 4 5\n", "f:2: this row has length 3, but the first row has length 2"},
	{"long row", "1,2\n3,4,5\n", "f:2: this row has length 3, but the first row has length 2"},
	{"missing number", "1,2\n,4\n", `f:2: column 1: "" is not a number; fill missing numbers, or leave out their rows`},
	{"comma at the end", "1,2,\n", `f:1: column 3: "" is not a number; fill missing numbers, or leave out their rows`},
	{"word", "1,2\n3,four\n", `f:2: column 2: "four" is not a number; leave out columns of text`},
	{"two in a field", "1,2 3,x\n", `f:1: column 2: "3,x" is not a number; leave out columns of text; --header yes takes the line as a header`},
	{"commas, then blanks", "1,2\n3 4\n", "f:2: this row has length 2, but the first row has length 1"},
	{"commas with blanks around, then blanks", "1 , 2\n3 4\n", `f:1: column 2: "," is not a number`},
	{"blanks, then commas", "1 2\n3,4\n", `f:1: column 1: "1 2" is not a number`},
	{"a comma among blanks", "1 2 , 3\n", `f:1: column 3: "," is not a number`},
	{"one number, then blanks", "1000\n1 1 -.005649\n", "f:2: this row has length 3, but the first row has length 1"},
	{"words among blanks", "1 2\n3 four\n", `f:2: column 2: "four" is not a number; leave out columns of text`},
	{"carriage returns alone", "1 2 \r3 4\r", `f:1: column 3: "\r3" is not a number`},
	{"semicolons", "1 2;\n3 4;\n", `f:1: column 2: "2;" is not a number`},
	{"Go's underscores", "1,1_000\n", `f:1: column 2: "1_000" is not a number`},
	{"beyond the range", "1,1e999\n", `f:1: column 2: "1e999" is larger than the largest double`},
	{"long field", "1," + strings.Repeat("0", longestField+1), "f:1: a field of more than 1024 characters is not a number"},
	{"names and a tab", "#\nA\t\nA\t", "f:3: a row name without numbers"},
	{"only comments", "# nothing\n#\n", "f: no numbers in the file"},
}

// withHeaders are texts of the same matrix, with the headers and row names that other programs
// write.
var withHeaders = []struct{ name, text string }{
	{"header", "a,b\n1,2.5\n3,4\n"},
	{"pandas, separated by tabs", "\t0\t1\n0\t1\t2.5\n1\t3\t4\n"},
	{"DataFrame.to_string", "     0    1\n0  1.0  2.5\n1  3.0  4.0"},
	{"header with blanks", " first , second\n1 , 2.5\n3,4"},
	{"header of quoted numbers", "\"1\",\"2\"\n1,2.5\n3,4\n"},
	{"comment, blank line, header", "# made by hand\n\na,b\n1,2.5\n3,4\n"},
	{"pandas: DataFrame.to_csv", ",0,1\n0,1.0,2.5\n1,3.0,4.0\n"},
	{"pandas: index of names", ",x,y\nx,1.0,2.5\ny,3.0,4.0\n"},
	{"pandas: index with a name", "id,x,y\na,1.0,2.5\nb,3.0,4.0\n"},
	{"pandas: index with a name, columns numbered", "id,0,1\na,1.0,2.5\nb,3.0,4.0\n"},
	{"pandas: index=False", "0a,1a\n1.0,2.5\n3.0,4.0\n"},
	{"pandas: sep=';', decimal=','", ";0;1\n0;1,0;2,5\n1;3,0;4,0\n"},
	{"pandas: sep tab", "\tx\ty\nx\t1.0\t2.5\ny\t3.0\t4.0\n"},
	{"R: write.csv", "\"\",\"V1\",\"V2\"\n\"1\",1,2.5\n\"2\",3,4\n"},
	{"R: write.csv2", "\"\";\"V1\";\"V2\"\n\"1\";1;2,5\n\"2\";3;4\n"},
	{"R: write.table", "\"V1\" \"V2\"\n\"1\" 1 2.5\n\"2\" 3 4\n"},
	{"R: write.table, names with blanks and quotes", "\"a b\" \"c \"\"d\"\"\"\n\"r 1\" 1 2.5\n\"r 2\" 3 4\n"},
	{"R: write.table(quote=FALSE)", "V1 V2\n1 1 2.5\n2 3 4\n"},
	{"names of rows alone", "a,1,2.5\nb,3,4\n"},
	{"semicolons", "1;2.5\n3;4\n"},
	{"semicolons and decimal commas", "1,0;2,5\r\n3;4e0\r\n"},
	{"tabs and a header", "a\tb\n1\t2.5\n3\t4\n"},
	{"a semicolon between quotes", "\"a;b\",\"c\"\n1,2.5\n3,4\n"},
	{"months", "month,a,b\n2024-01,1,2.5\n2024-02,3,4\n"},
	{"days", "2024-01-01,1,2.5\n2024-01-02,3,4\n"},
	{"byte order mark and header", byteOrderMark + "a,b\r\n1,2.5\r\n3,4\r\n"},
}

func TestTablesWithHeadersAndNames(t *testing.T) {
	want := []float64{1, 3, 2.5, 4}
	for _, c := range withHeaders {
		for _, r := range []io.Reader{strings.NewReader(c.text), strings.NewReader(gzipped(c.text)), iotest.OneByteReader(strings.NewReader(c.text))} {
			d, err := Read(r, "f")
			if err != nil || d.Rows != 2 || d.Cols != 2 || !same(d.Data, want) {
				t.Errorf("%s: %v, %v", c.name, d, err)
			}
		}
	}
}

func TestBadHeaders(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1,b\n1,2\n", `f:1: column 2: "b" is not a number; leave out columns of text; --header yes takes the line as a header`},
		{"a,b\n1,x\n", `f:2: column 2: "x" is not a number; leave out columns of text`},
		{",a,b\nr,1,\n", `f:2: column 3: "" is not a number; fill missing numbers, or leave out their rows`},
		{"a,b\n1,2\n3\n", "f:3: this row has length 1, but the first row has length 2"},
		{",a,b\nr\n", "f:2: a row name without numbers"},
		{"\"a,b\n1,2\n", "f:1: a quoted field does not end on its line"},
		{"1..2,3\n4,5\n", `f:1: column 1: "1..2" is not a number`},
		{"\n1e400 3\n4 5\n", `f:2: column 1: "1e400" is larger than the largest double`},
		{"#\na,b\n", "f: no numbers in the file after its header"},
	} {
		if _, err := ReadCSV(strings.NewReader(c.text), "f"); fmt.Sprint(err) != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	// Read must refuse a text of words, and must not read it as a table of numbers.
	if _, err := Read(strings.NewReader("hello, world\nhow are you\n"), "f"); fmt.Sprint(err) != "f: "+neither {
		t.Errorf("prose: %v", err)
	}
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
}

// TestMarketWithoutBannerIsNoTable reads Matrix Market files that lack the first line, the banner.
// One begins like a copy of saylr3.mtx of the Harwell-Boeing collection: its first line has the
// order, and a list of entries follows. Another begins like a copy of bcsstk15.mtx with only the
// list. In the past these two were read as tables, the second one without an error. Read must
// refuse all texts.
func TestMarketWithoutBannerIsNoTable(t *testing.T) {
	const (
		ordered = "2\n1 1 -.005649\n2 1 .005635\n"
		bare    = "1 1 7.57\n2 1 -1.5\n"
		refused = ": no %%MatrixMarket banner, which a .mtx file must begin with"
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
	// Read refuses this text only if the name of the file ends in .mtx. A file called .mtx is also
	// read if it begins like another format.
	if d, err := Read(strings.NewReader(bare), "a.mtx.txt"); err != nil || d.Rows != 2 || d.Cols != 3 {
		t.Errorf("a.mtx.txt: %v, %v", d, err)
	}
	if d, err := Read(strings.NewReader(npyFile(1, dictionary("<f8", false, "(1, 1)"), 5.0)), "a.mtx"); err != nil || d.At(0, 0) != 5 {
		t.Errorf(".npy called a.mtx: %v, %v", d, err)
	}
}

// printed returns the matrix d as text, a table with the separator `between` between its numbers.
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

// TestCSVLongRows checks that a row may be longer than any line buffer, and that every printed
// double is read without a change.
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
