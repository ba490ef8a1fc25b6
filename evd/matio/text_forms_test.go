package matio

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// TestTablesOfOtherPrograms reads the matrix [1 2.5; 3 4] from tables in the layouts of other
// programs.
func TestTablesOfOtherPrograms(t *testing.T) {
	want := []float64{1, 3, 2.5, 4}
	for _, c := range []struct{ name, text, says string }{
		{"a comment with a semicolon", "# a; b\n1,2.5\n3,4\n", "no header, no row names"},
		{"a comment with a semicolon and decimal marks", "% a; 1,5\n1,2.5\n3,4\n", "no header, no row names"},
		{"MATLAB's comments", "% first\n% second\n1 2.5\n3 4\n", "no header, no row names"},
		{"Excel: sep=;", "sep=;\r\n1,0;2,5\r\n3,0;4,0\r\n", "no header, no row names, decimal commas"},
		{"Excel: \"sep=,\"", "\"sep=,\"\n1,2.5\n3,4\n", "no header, no row names"},
		{"SEP=| after a comment", "# made by hand\nSEP=|\na|b\n1|2.5\n3|4\n", "a header, no row names"},
		{"sep= a tab", "sep=\t\na b\tc\n1\t2.5\n3\t4\n", "a header, no row names"},
		{"csv.QUOTE_ALL", "\"1.0\",\"2.5\"\n\"3.0\",\"4.0\"\n", "no header, no row names"},
		{"csv.QUOTE_ALL with index", "\"\",\"0\",\"1\"\n\"0\",\"1.0\",\"2.5\"\n\"1\",\"3.0\",\"4.0\"\n", "a header, row names"},
		{"csv.QUOTE_NONNUMERIC", "\"\",0,1\n0,1.0,2.5\n1,3.0,4.0\n", "a header, row names"},
		{"R, columns named 1 and 2", "\"1\",\"2\"\n1,2.5\n3,4\n", "a header, no row names"},
		{"R, columns named 0.5 and 1.5", "\"\",\"0.5\",\"1.5\"\n\"1\",1,2.5\n\"2\",3,4\n", "a header, row names"},
		{"R, without columns' names", "\"1\",1,2.5\n\"2\",3,4\n", "no header, row names"},
		{"R, a quote in a name", "\"a\\\"b\" \"c\"\n\"1\" 1 2.5\n\"2\" 3 4\n", "a header, row names"},
		{"R, decimal commas", "\"V1\" \"V2\"\n\"1\" 1 2,5\n\"2\" 3 4\n", "a header, row names, decimal commas"},
		{"tabs and decimal commas", "1,0\t2,5\n3,0\t4,0\n", "no header, no row names, decimal commas"},
		{"blanks and decimal commas", "1,0 2,5\n3,0 4,0\n", "no header, no row names, decimal commas"},
		{"commas and quoted decimal commas", ",0,1\n0,\"1,0\",\"2,5\"\n1,\"3,0\",\"4,0\"\n", "a header, row names, decimal commas"},
		{"three decimals after the comma", "1,000;2,500\n3,000;4,000\n", "no header, no row names, decimal commas"},
		{"units", "x [m],y [m]\n1,2.5\n3,4\n", "a header, no row names"},
		{"names with blanks", "Sepal Length, Sepal Width\n1, 2.5\n3, 4\n", "a header, no row names"},
		{"names with commas between tabs", "height, m\twidth, m\n1\t2.5\n3\t4\n", "a header, no row names"},
		{"names of rows with semicolons", ",a,b\nx;y,1,2.5\nz;w,3,4\n", "a header, row names"},
		{"names of rows with blanks", ",Asset A,Asset B\nAsset A,1,2.5\nAsset B,3,4\n", "a header, row names"},
		{"bands of age as names", ",a,b\n20-30,1,2.5\n30-40,3,4\n", "a header, row names"},
		{"dates as columns", ",2024-01-01,2024-02-01\nx,1,2.5\ny,3,4\n", "a header, row names"},
		{"years as columns", "city,2019,2020\nParis,1,2.5\nRome,3,4\n", ""},
		{"years, then a sum", "2019,sum\n", ""},
		{"numbers among names", "0,1,x\n1.0,2.5,9\n3.0,4.0,9\n", ""},
		{"stock codes", ",600519,858\n600036,1.0,2.5\n7,3.0,4.0\n", "a header, row names"},
		{"pandas, sep=' '", " 0 1\n0 1.0 2.5\n1 3.0 4.0\n", "a header, row names"},
		{"pandas, sep=' ', years and dates", " 2019 2020\n2020-01-01 1 2.5\n2020-01-02 3 4.0\n", "a header, row names"},
		{"pandas, sep=' ', names", " a \"b c\"\nx 1.0 2.5\ny 3.0 4.0\n", "a header, row names"},
		{"C, a tab after each number", "1\t2.5\t\n3\t4\t\n", "no header, no row names"},
		{"a line feed in quotes is none", "\"a\",\"b\"\n1,2.5\n3,4", "a header, no row names"},
	} {
		if c.says == "" {
			continue
		}
		for _, text := range []string{c.text, byteOrderMark + c.text, strings.ReplaceAll(c.text, "\n", "\r\n")} {
			d, err := Read(iotest.OneByteReader(strings.NewReader(text)), "f")
			if err != nil || d.Rows != 2 || !same(d.Data, want) || d.Table.String() != c.says {
				t.Errorf("%s: %+v, %v", c.name, d, err)
			}
		}
	}
}

// TestDecimalMarks checks that numbers whose commas or points may separate thousands are refused,
// and that other decimal commas are read.
func TestDecimalMarks(t *testing.T) {
	const both = ": the file has decimal commas and decimal points; if one of them separates thousands, write the numbers without it"
	const grouped = " has separators of thousands; write the numbers without them"
	const unclear = "f: every comma or point in a number has three digits after it, so it may separate thousands, or be a decimal mark; --format table takes it as a decimal mark"
	for _, c := range []struct{ text, want string }{
		{"1,000;2.5\n2.5;3,000\n", `f:1: column 2: "2.5"` + both},
		{"1.5;2\n2;3,5\n", `f:2: column 2: "3,5"` + both},
		{"1,234.5;2\n3;4\n", `f:1: column 1: "1,234.5"` + grouped},
		{"2;1,000,000\n3;4\n", `f:1: column 2: "1,000,000"` + grouped},
		{"\"1,234.5\",2\n3,4\n", `f:1: column 1: "1,234.5"` + grouped},
		{"\"1,234\",2\n3,4\n", unclear},
		{"1,000\t2\n3\t4\n", unclear},
		{"1,000 2,000\n", unclear},
		{"1.234;5\n6;7\n", unclear},
	} {
		if d, err := Read(strings.NewReader(c.text), "f"); fmt.Sprint(err) != c.want {
			t.Errorf("%q: %v\n got %v\nwant %s", c.text, d, err, c.want)
		}
	}
	for text, want := range map[string][]float64{
		"0,125 2\n": {0.125, 2}, "1,5\t2,125\n": {1.5, 2.125}, "1234,500 1\n": {1234.5, 1}, "1,000;2\n": {1, 2}, "1.234;0.125\n": {1.234, 0.125},
	} {
		if d, err := Read(strings.NewReader(text), "f"); err != nil || !same(d.Data, want) {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

// TestByteOrderMarks reads every format of text after a byte order mark.
func TestByteOrderMarks(t *testing.T) {
	for name, read := range map[string]func(string) ([]float64, error){
		"2 -1\n2 -1\n2 0\n": func(s string) ([]float64, error) {
			m, err := ReadTridiagonal(strings.NewReader(s), "f")
			if err != nil {
				return nil, err
			}
			return append(m.D, m.E...), nil
		},
		symmetric + "2 2 3\n1 1 2\n2 1 -1\n2 2 3\n": dataOf(Options{}),
		"2 2 3\n1 1 2\n2 1 -1\n2 2 3\n":             dataOf(Options{Format: MatrixMarket}),
		"1 1 2\n2 2 3\n":                            dataOf(Options{Format: Triplets, Base: 1}),
		"ARMA_MAT_TXT_FN008\n1 2\n 3 4\n":           dataOf(Options{}),
		"# name: A\n# type: scalar\n5\n":            dataOf(Options{}),
		"1;2\n":                                     dataOf(Options{}),
		"5\n6\n":                                    func(s string) ([]float64, error) { return ReadVector(strings.NewReader(s), "f") },
		"[5, 6]":                                    func(s string) ([]float64, error) { return ReadVector(strings.NewReader(s), "f") },
	} {
		want, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{byteOrderMark + name, gzipped(byteOrderMark + name)} {
			if got, err := read(text); err != nil || !same(got, want) {
				t.Errorf("%q: %v, %v, want %v", name, got, err, want)
			}
		}
	}
	// A reader may read a file by positions only if it has removed nothing at the beginning, such
	// as a byte order mark.
	path := filepath.Join(t.TempDir(), "f.npy")
	npy := npyFile(1, dictionary("<f8", true, "(2, 1)"), []float64{1, 2})
	if err := os.WriteFile(path, []byte(byteOrderMark+npy), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err := ReadFile(path); err != nil || !same(d.Data, []float64{1, 2}) {
		t.Errorf(".npy: %v, %v", d, err)
	}
}

// dataOf returns a function that reads the elements of a matrix.
func dataOf(o Options) func(string) ([]float64, error) {
	return func(s string) ([]float64, error) {
		d, err := o.Read(strings.NewReader(s), "f")
		if err != nil {
			return nil, err
		}
		return d.Data, nil
	}
}

// TestMatrixMarketOfOtherWriters reads banners that are not as the format demands. In earlier
// versions the files were read as tables, or were refused.
func TestMatrixMarketOfOtherWriters(t *testing.T) {
	const body = " matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 1 -1\n"
	want := []float64{2, -1, -1, 0}
	for _, banner := range []string{
		"%%MatrixMarket", " %%MatrixMarket", "\n%%MatrixMarket", "\r\n\t%%MatrixMarket", "%MatrixMarket", "MatrixMarket",
		"%% MatrixMarket", "% made by hand\n%%matrixmarket", "# a\n\n%%MatrixMarket", byteOrderMark + "\n%MatrixMarket",
	} {
		for _, o := range []Options{{}, {Format: MatrixMarket}, {Format: TextTable}, {Format: Triplets}} {
			for _, name := range []string{"f", "f.mtx"} {
				d, err := o.Read(strings.NewReader(banner+body), name)
				if err != nil || !d.DeclaredSymmetric || !same(d.Data, want) {
					t.Errorf("%q, %+v: %v, %v", banner, o, d, err)
				}
			}
			m, err := o.ReadTridiagonal(strings.NewReader(banner+body), "f")
			if err != nil || !same(m.D, []float64{2, 0}) || !same(m.E, []float64{-1}) {
				t.Errorf("%q, %+v: %v, %v", banner, o, m, err)
			}
		}
		if _, err := ReadVector(strings.NewReader(banner+body), "f"); fmt.Sprint(err) != "f: not a vector: 2 by 2" {
			t.Errorf("%q as a vector: %v", banner, err)
		}
	}
	for _, words := range []string{
		"coordinate unsigned-integer symmetric", "coordinate double symmetric", "coordinate real hermitian", "coordinate INT Symmetric",
	} {
		text := strings.Replace("%%MatrixMarket"+body, "coordinate real symmetric", words, 1)
		if d, err := Read(strings.NewReader(text), "f"); err != nil || !same(d.Data, want) {
			t.Errorf("%s: %v, %v", words, d, err)
		}
	}
	// A comment about Matrix Market is no banner.
	if d, err := Read(strings.NewReader("% MatrixMarket's example\n1 2\n3 4\n"), "f"); err != nil || d.Rows != 2 {
		t.Errorf("a comment: %v, %v", d, err)
	}
}

// TestOctave reads the variables of a file that Octave 7.3 has written.
func TestOctave(t *testing.T) {
	path := filepath.Join("testdata", "files", "octave_types.txt")
	const bad = "the variable Z is complex; " + complexElsewhere
	for _, c := range []struct {
		array      string
		rows, cols int
		want       []float64
		says       string
	}{
		{"B", 1, 3, []float64{1, 2, 3}, ""},
		{"C", 3, 3, []float64{2, 0, 0, 0, 2, 0, 0, 0, 2}, ""},
		{"S", 3, 3, []float64{1.5, 0, 0, 0, 0, 3, 0, 2, 0}, ""},
		{"b", 1, 2, []float64{1, 0}, ""},
		{"s", 1, 1, []float64{3.5}, ""},
		{"f", 1, 2, []float64{1, 2}, ""},
		{"e", 0, 3, nil, ""},
		{"bs", 1, 1, []float64{1}, ""},
		{"D", 3, 3, []float64{2, 0, 0, 0, 3, 0, 0, 0, 5}, ""},
		{"SB", 2, 2, []float64{1, 0, 0, 1}, ""},
		{"Z", 0, 0, nil, bad},
		{"i8", 0, 0, nil, `the variable i8 has the type "int8 matrix", which is not read; save double(A) instead`},
		{"r", 0, 0, nil, `the type "double_range"`},
		{"str", 0, 0, nil, `the type "sq_string"`},
		{"P", 0, 0, nil, `the type "permutation matrix"`},
		{"m3", 0, 0, nil, `the variable m3: "# ndims: 3" where the number of rows should be`},
		{"ce", 0, 0, nil, `the type "cell"`},
		{"u", 0, 0, nil, `column 4: "NA" is not a number`},
		{"x", 0, 0, nil, "no array is called x; the file has B, C, S, Z"},
		{"", 0, 0, nil, "several arrays, and none is called A; choose one of B, C, S, Z"},
	} {
		d, err := Options{Array: c.array}.ReadFile(path)
		switch {
		case c.says != "":
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, %v, want %s", c.array, d, err, c.says)
			}
		case err != nil || d.Rows != c.rows || d.Cols != c.cols || !same(d.Data, c.want):
			t.Errorf("%s: %v, %v", c.array, d, err)
		}
	}
	for usual, want := range map[string]int{"S C B": 9, "Q B": 3} { // numbers of elements
		if d, err := (Options{Usual: usual}).ReadFile(path); err != nil || len(d.Data) != want || usual[0] == 'S' && d.At(0, 0) != 1.5 {
			t.Errorf("%s: %v, %v", usual, d, err)
		}
	}
	const head = "# Created by Octave 7.3.0\n# name: A\n# type: matrix\n# rows: 2\n# columns: 2\n"
	for text, want := range map[string]string{
		head + " 1 2\n 3\n":                           "f:7: this line does not have 2 numbers",
		head + " 1 2 3\n 3 4\n":                       "f:6: this line does not have 2 numbers",
		head + " 1 2\n":                               "f:6: the file ends after 1 of 2 lines",
		head + " 1 2\n# name: B\n# type: scalar\n5\n": `f:7: column 1: "#" is not a number`,
		head + " 1 2\n 3 4\n" + head + " 1 2\n 3 4\n": "f:10: two variables are called A",
		head + " 1 2\n 3 4\n\n 5 6\n":                 "f:9: the variable A has more lines than its size says",
		"# name: A\n# type: scalar\n4\n5\n":           "f:4: the variable A has more lines than its size says",
		"# name: A\n# type: sparse matrix\n# nnz: 1\n# rows: 2\n# columns: 2\n2 1 5\n1 2 5\n\n\n# name: B\n# type: bool\n1\n": "f:7: the variable A has more lines than its size says",
		"# name: A\n# type: sparse matrix\n# nnz: 1\n# rows: 2\n# columns: 2\n3 1 5\n":                                        "f:6: entry (3,1) is outside the 2 by 2 matrix (rows and columns from 1)",
	} {
		if d, err := Read(strings.NewReader(text), "f"); fmt.Sprint(err) != want {
			t.Errorf("%q: %v, %v, want %s", text, d, err, want)
		}
	}
}

// TestOctaveOfManyVariables reads files with more variables than a person would write. The time must
// not grow with the square of their number, and the text of the error must be short.
func TestOctaveOfManyVariables(t *testing.T) {
	file := func(count int) io.Reader {
		var text strings.Builder
		for k := range count {
			fmt.Fprintf(&text, "# name: x%d\n# type: scalar\n1\n", k)
		}
		return strings.NewReader(text.String())
	}
	if d, err := (Options{Array: "x65535"}).Read(file(mostVariables), "f"); err != nil || len(d.Data) != 1 {
		t.Errorf("%v, %v", d, err)
	}
	for count, want := range map[int]string{
		mostVariables: "f: several arrays, and none is called A; choose one of x0, x1, x2, x3, x4, x5, x6, x7 and 65528 more",
		1 << 18:       "f:196610: more than 65536 variables",
	} {
		if _, err := Read(file(count), "f"); fmt.Sprint(err) != want {
			t.Errorf("%.200v, want %s", err, want)
		}
	}
}

// TestArmadillo reads the formats of Armadillo with a header.
func TestArmadillo(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ARMA_MAT_TXT_FN008\n2 2\n   1.0000000000000000e+00   2.5\n  -3.0e+00   nan\n", "&{2 2 [1 -3 2.5 NaN] false false <nil>}"},
		{"ARMA_MAT_TXT_IS008\n1 2\n 1 2\n", "&{1 2 [1 2] false false <nil>}"},
		{"ARMA_MAT_TXT_IU004\n2 1\n 1\n 2\n", "&{2 1 [1 2] false false <nil>}"},
		{"ARMA_MAT_TXT_FN008\n0 3\n", "&{0 3 [] false false <nil>}"},
		{"ARMA_MAT_TXT_FN008\n2 2\n 1 2\n", "f:3: the file ends after 1 of 2 lines"},
		{"ARMA_MAT_TXT_FN008\n1 2\n 1 2\n 3 4\n", "f:4: more than the 1 rows of the header"},
		{"ARMA_MAT_TXT_FN008\n1 2\n 1 x\n", `f:3: column 2: "x" is not a number; leave out columns of text`},
		{"ARMA_MAT_TXT_FC016\n1 1\n (1.0e+00,0.0e+00)\n", "f:1: " + complexElsewhere},
		{"ARMA_CUB_TXT_FN008\n2 2 2\n", `f:1: Armadillo's format "ARMA_CUB_TXT_FN008" is not read; A.save("A.csv", arma::csv_ascii) writes a table of numbers`},
		{"ARMA_MAT_BIN_FN008\n2 2\n\x00", `f: Armadillo (arma_binary) is not read: in C++, A.save("A.csv", arma::csv_ascii)`},
	} {
		d, err := Read(strings.NewReader(c.text), "f")
		got := fmt.Sprint(d)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	m, err := ReadTridiagonal(strings.NewReader("ARMA_MAT_TXT_FN008\n2 2\n 1 2\n 2 5\n"), "f")
	if err != nil || !same(m.D, []float64{1, 5}) || !same(m.E, []float64{2}) {
		t.Errorf("as tridiagonal: %v, %v", m, err)
	}
}

// TestTriplets reads entries of a matrix, one per line.
func TestTriplets(t *testing.T) {
	for _, c := range []struct {
		text string
		o    Options
		want string
	}{
		{"1 1 2\n2 1 -1\n2 1 -0.5\n", Options{Base: 1}, "&{2 1 [2 -1.5] false false <nil>}"},
		{"1 1 2\n2 1 -1\n2 1 -0.5\n", Options{Base: 1, Square: true}, "&{2 2 [2 -1.5 0 0] false false <nil>}"},
		{"0 1 2.0e+00\n2 2 -1\n3 4 0\n", Options{}, "&{4 5 [0 0 0 0 2 0 0 0 0 0 -1 0 0 0 0 0 0 0 0 0] false false <nil>}"},
		{"0.000e+00 1.000e+00 2.000e+00\n", Options{}, "&{1 2 [0 2] false false <nil>}"},
		{"row;col;value\n1;1;2,5\n", Options{Base: 1}, "&{1 1 [2.5] false false <nil>}"},
		{"# edges\n0 1\n1 0\n", Options{}, "&{2 2 [0 1 1 0] false false <nil>}"},
		{"0 1 2\n", Options{Base: 1}, "f: a row or column 0, but they are counted from 1; with --base 0 they are counted from 0"},
		{"1.5 1 2\n", Options{}, "f:1: row 1.5 is not a whole number from 0 on"},
		{"1 -1 2\n", Options{}, "f:1: column -1 is not a whole number from 0 on"},
		{"1 1 2 3\n", Options{}, "f:1: 4 fields; an entry has row, column and value, or in all lines row and column"},
		{"1 1 2\n1 1\n", Options{}, "f:2: 2 fields; an entry has row, column and value, or in all lines row and column"},
		{"1 1 x\n", Options{}, `f:1: column 3: "x" is not a number; leave out columns of text`},
		{"NA 1 1\n", Options{}, `f:1: column 1: "NA" is not a number; fill missing numbers, or leave out their rows`},
		{"3 3 2\n1 1 5\n3 3 6\n", Options{Base: 1}, "f: the first line is the size of the matrix and the number of entries below, as in Matrix Market; --format mtx reads that"},
		{"# none\n", Options{}, "f: no entries in the file"},
		{"i j v\n", Options{}, "f: no entries in the file"},
	} {
		c.o.Format = Triplets
		d, err := c.o.Read(strings.NewReader(c.text), "f")
		got := fmt.Sprint(d)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.want)
		}
	}
	// Rows that look like entries of a matrix are read as a table only if the caller asks for a
	// table.
	const entries = "f: the rows look like entries of a matrix: row, column, value; --format coo reads entries counted from 1, with --base 0 from 0, and --format table reads a table"
	for _, text := range []string{"1 1 2.5\n2 1 -1\n1 2 -1\n2 2 7\n", "0,0,2.5\n0,1,-1\n1,0,-1\n1,1,7\n",
		"0 2 1.5\n0 3 2.5\n1 3 -1\n1 4 7\n"} { // the first two columns of the matrix are zero
		for _, o := range []Options{{}, {Square: true}, {Header: No, Names: No}} {
			if d, err := o.Read(strings.NewReader(text), "f"); fmt.Sprint(err) != entries {
				t.Errorf("%q: %v, %v", text, d, err)
			}
		}
		if d, err := (Options{Format: TextTable, Names: No}).Read(strings.NewReader(text), "f"); err != nil || d.Rows != 4 || d.Cols != 3 {
			t.Errorf("%q as a table: %v, %v", text, d, err)
		}
	}
	if _, err := (Options{Square: true}).Read(strings.NewReader("2 3 5\n1 1 4\n3 1 2\n1 1 4\n"), "f"); fmt.Sprint(err) != entries {
		t.Errorf("entries that are not sorted: %v", err)
	}
	m, err := Options{Format: Triplets}.ReadTridiagonal(strings.NewReader("0 0 2\n1 0 1\n0 1 1\n"), "f")
	if err != nil || !same(m.D, []float64{2, 0}) || !same(m.E, []float64{1}) {
		t.Errorf("as tridiagonal: %v, %v", m, err)
	}
}

// TestTriangles reads the symmetric matrix [1 2 4; 2 3 5; 4 5 6] from tables that have one
// triangle.
func TestTriangles(t *testing.T) {
	want := []float64{1, 2, 4, 2, 3, 5, 4, 5, 6}
	for _, c := range []struct {
		name, text string
		part       Triangle
	}{
		{"ragged", "1\n2 3\n4 5 6\n", LowerTriangle},
		{"ragged, commas", "1\n2,3\n4,5,6\n", LowerTriangle},
		{"ragged, commas at the end", "1,,\n2,3,\n4,5,6\n", LowerTriangle},
		{"full", "1,9,9\n2,3,NaN\n4,5,6\n", LowerTriangle},
		{"header", "a,b,c\n1\n2,3\n4,5,6\n", LowerTriangle},
		{"pandas", ",a,b,c\na,1.0,,\nb,2.0,3.0,\nc,4.0,5.0,6.0\n", LowerTriangle},
		{"pandas, numbered", ",0,1,2\n0,1.0,,\n1,2.0,3.0,\n2,4.0,5.0,6.0\n", LowerTriangle},
		{"pandas, index=False", "0,1,2\n1.0,,\n2.0,3.0,\n4.0,5.0,6.0\n", LowerTriangle},
		{"R", "\"a\" \"b\" \"c\"\n\"a\" 1\n\"b\" 2 3\n\"c\" 4 5 6\n", LowerTriangle},
		{"names alone", "a,1\nb,2,3\nc,4,5,6\n", LowerTriangle},
		{"ragged, upper", "1 2 4\n  3 5\n    6\n", UpperTriangle},
		{"empty, upper", "1,2,4\n,3,5\n,,6\n", UpperTriangle},
		{"pandas, upper", ",a,b,c\na,1,2,4\nb,,3,5\nc,,,6\n", UpperTriangle},
		{"pandas, index=False, upper", "0,1,2\n1.0,2.0,4.0\n,3.0,5.0\n,,6.0\n", UpperTriangle},
		{"semicolons", "1;2;4,0\n;3;5\n;;6\n", UpperTriangle},
	} {
		d, err := Options{Square: true, Triangle: c.part}.Read(strings.NewReader(c.text), "f")
		if err != nil || d.Rows != 3 || !same(d.Data, want) {
			t.Errorf("%s: %+v, %v", c.name, d, err)
		}
	}
	for _, c := range []struct {
		text string
		part Triangle
		want string
	}{
		{"1\n2,3\n4,,6\n", LowerTriangle, "f:3: column 2 of the triangle is empty"},
		{"1\n2,3\n4,5\n", LowerTriangle, "f: matrix is not square: 3 rows, 2 columns"},
		{"1\n2,3\n4,5\n6,7\n", LowerTriangle, "f:4: this row has length 2, but row 3 of a lower triangle has at least 3 numbers"},
		{"1,2\n3,4\n5,6\n", LowerTriangle, "f: matrix is not square: 3 rows, 2 columns"},
		{"1,2\n3,4\n5,6\n", UpperTriangle, "f: matrix is not square: 3 rows, 2 columns"},
		{"1,2,3\n4,5,6\n", LowerTriangle, "f: matrix is not square: 2 rows, 3 columns"},
		{"1,2,4\n3,5\n6,7\n", UpperTriangle, "f:3: row 3 of a triangle of order 3 cannot have length 2"},
		{"1,2\n3\n4\n5\n", UpperTriangle, "f:4: more rows than the 2 columns of an upper triangle"},
		{"    1   2\n2 2.0    \n3 1.0 2.0\n", LowerTriangle, "f:1: row 1 of a triangle of order 3 cannot have length 2"},
		{",a,b\nb,1,\nc,2,3\n", LowerTriangle, "f:1: the names of the columns are not those of the rows, so this is no triangle with its diagonal"},
		{"1\n2,x\n", LowerTriangle, `f:2: column 2: "x" is not a number; leave out columns of text`},
		{"5,1,2\n1,0,0\n0,1,0\n0,0,1\n", LowerTriangle, "f: matrix is not square: 4 rows, 3 columns"},
	} {
		d, err := Options{Square: true, Triangle: c.part}.Read(strings.NewReader(c.text), "f")
		if fmt.Sprint(err) != c.want {
			t.Errorf("%q: %v\n got %v\nwant %s", c.text, d, err, c.want)
		}
	}
}
