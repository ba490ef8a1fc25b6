package matio

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// tableOf writes a table whose number in row i and column j, counted from 0, is f(i, j).
func tableOf(rows, cols int, f func(i, j int) float64) string {
	d := &Dense{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	for i := range rows {
		for j := range cols {
			d.Data[i+j*rows] = f(i, j)
		}
	}
	return printed(d, ",")
}

func distance(i, j int) float64 { return float64(max(i-j, j-i)) }

func power(x, k int) float64 {
	p := 1.0
	for range k {
		p *= float64(x)
	}
	return p
}

// honest are tables of numbers alone. Many of them begin with numbers that could be names of
// columns or rows.
var honest = []struct {
	name, text string
	rows, cols int
}{
	{"|i − j|", tableOf(5, 5, distance), 5, 5},
	{"|i − j| of order 2", tableOf(2, 2, distance), 2, 2},
	{"i + j", tableOf(4, 4, func(i, j int) float64 { return float64(i + j) }), 4, 4},
	{"i + j, from 2", tableOf(3, 3, func(i, j int) float64 { return float64(i + j + 2) }), 3, 3},
	{"max(i, j)", tableOf(4, 4, func(i, j int) float64 { return float64(1 + max(i, j)) }), 4, 4},
	{"min(i, j)", tableOf(4, 4, func(i, j int) float64 { return float64(1 + min(i, j)) }), 4, 4},
	{"products", tableOf(4, 6, func(i, j int) float64 { return float64((1 + i) * (1 + j)) }), 4, 6},
	{"numpy.arange", tableOf(3, 4, func(i, j int) float64 { return float64(4*i + j) }), 3, 4},
	{"numpy.arange, by columns", tableOf(3, 4, func(i, j int) float64 { return float64(i + 3*j) }), 3, 4},
	{"four numbers", "1,2\n3,4\n", 2, 2},
	{"six numbers", "1,2\n3,4\n5,6\n", 3, 2},
	{"Vandermonde", tableOf(4, 4, func(i, j int) float64 { return power(1+i, j) }), 4, 4},
	{"Vandermonde, highest power first", tableOf(4, 4, func(i, j int) float64 { return power(i, 3-j) }), 4, 4},
	{"Vandermonde of degree 1", tableOf(5, 2, func(i, j int) float64 { return power(i, 1-j) }), 5, 2},
	{"Vandermonde, transposed, without ones", tableOf(3, 4, func(i, j int) float64 { return power(1+j, 1+i) }), 3, 4},
	{"powers of 0, 1, 2, …", tableOf(5, 3, func(i, j int) float64 { return power(i, 1+j) }), 5, 3},
	{"circulant", "0,1,2\n2,0,1\n1,2,0\n", 3, 3},
	{"Latin square", tableOf(5, 5, func(i, j int) float64 { return float64((3*i+j)%5 + 1) }), 5, 5},
	{"counts", "12,5,9\n3,8,2\n0,1,4\n", 3, 3},
	{"counts that ascend", "3,4,5\n10,2,8\n7,7,1\n", 3, 3},
	{"counts of two classes", "5,0\n1,7\n0,3\n", 3, 2},
	{"identity", "1,0,0\n0,1,0\n0,0,1\n", 3, 3},
	{"path", "0,1,0,0\n1,0,1,0\n0,1,0,1\n0,0,1,0\n", 4, 4},
	{"second differences", "2,-1,0\n-1,2,-1\n0,-1,2\n", 3, 3},
	{"binomial coefficients", "1,1,1\n1,2,3\n1,3,6\n", 3, 3},
	{"magic square", "16,2,3,13\n5,11,10,8\n9,7,6,12\n4,14,15,1\n", 4, 4},
	{"Hilbert", "1,0.5,0.25\n0.5,0.3,0.2\n0.25,0.2,0.1\n", 3, 3},
	{"class and measurements", "1,14.2,1.71\n1,13.2,1.78\n2,12.4,0.94\n3,12.9,1.35\n", 4, 3},
	{"linspace", "0.0,0.5,1.0\n0.2,0.1,1.3\n", 2, 3},
	{"numpy.savetxt with commas", "0.000000000000000000e+00,1.000000000000000000e+00\n5.100000000000000000e+00,3.5e+00\n", 2, 2},
	{"numpy.savetxt", "0 1 2\n5 3 8\n4 1 1\n", 3, 3},
	{"numpy.savetxt, steps", "0 0.5\n1 0.75\n2 0.875\n3 0.5\n", 4, 2},
	{"measurements between tabs", "0.1\t1\t2\n0.3\t5\t8\n", 2, 3},
	{"one column", "1\n2\n3\n", 3, 1},
	{"one row", "0,1,2\n", 1, 3},
}

// TestHonestTablesAreData reads tables of numbers alone. All numbers must be data.
func TestHonestTablesAreData(t *testing.T) {
	if len(honest) < 20 {
		t.Error("fewer than 20 tables")
	}
	for _, c := range honest {
		d, err := ReadCSV(strings.NewReader(c.text), "f")
		if err != nil || d.Rows != c.rows || d.Cols != c.cols || d.Table.Header || d.Table.Names {
			t.Errorf("%s: %v, %v", c.name, d, err)
			continue
		}
		again, err := Options{Header: No, Names: No}.ReadCSV(strings.NewReader(c.text), "f")
		if err != nil || !same(d.Data, again.Data) {
			t.Errorf("%s: with Header and Names No: %v, %v", c.name, again, err)
		}
	}
}

// ambiguous are tables that may be read in two or three ways. `square` is the shape of the matrix
// that Options.Square selects, or empty if none is square.
var ambiguous = []struct{ name, text, says, square string }{
	{"pandas, columns numbered", "0,1,2\n4.0,1.0,2.0\n1.0,3.0,0.0\n2.0,0.0,7.0\n",
		"f: the first line is 0, 1, 2, so the table may be 4 × 3 numbers, no header, no row names; or 3 × 3 numbers, a header, no row names; --header yes or --header no decides", "3 × 3"},
	{"pandas, whole numbers", "0,1,2\n5,3,8\n2,2,1\n", "the first line is 0, 1, 2, so the table may be 3 × 3 numbers, no header, no row names; or 2 × 3 numbers", "3 × 3"},
	{"pandas, of numpy.arange", "0,1,2\n0,1,2\n3,4,5\n", "the first line is 0, 1, 2, so", "3 × 3"},
	{"columns from 1", "1,2,3,4\n0.5,0.25,1,0\n2,2,1,1\n", "the first line is 1, 2, 3, …, so", ""},
	{"years", "2019\t2020\t2021\n3.5\t4.5\t5\n1\t2\t3\n", "the first line is 2019, 2020, 2021, so", "3 × 3"},
	{"years, every five", "1990,1995,2000\n3,4,5\n1,9,3\n", "the first line is 1990, 1995, 2000, so", "3 × 3"},
	{"some columns of pandas", "0,1,3\n5.1,3.5,0.2\n4.9,3.0,0.2\n", "the first line is 0, 1, 3, so", "3 × 3"},
	{"codes", "600519,858,7\n1.0,0.5,0.25\n0.5,1.0,0.75\n", "the first line is 600519, 858, 7, so", "3 × 3"},
	{"pandas, one column", "0\n5.1\n4.9\n", "the first line is 0, so", ""},
	{"pandas, header=False", "0,5.1,3.5\n1,4.9,3.0\n2,4.7,3.2\n", "the first column is 0, 1, 2, so the table may be 3 × 3 numbers, no header, no row names; or 3 × 2 numbers, no header, row names; --names yes or --names no decides", "3 × 3"},
	{"R, col.names=FALSE, quote=FALSE", "1,5.1,3.5\n2,4.9,3.0\n", "the first column is 1, 2, so", "2 × 2"},
	{"identifiers", "1001,5.1\n1002,4.9\n1003,4.7\n", "the first column is 1001, 1002, 1003, so", ""},
	{"years in a column", "1990,5.1\n1991,4.9\n1992,4.7\n", "the first column is 1990, 1991, 1992, so", ""},
	{"both sides", "0,1,2\n1,5.5,3\n2,4,9\n", "the first line is 0, 1, 2, and the first column is 0, 1, 2, so the table may be 3 × 3 numbers, no header, no row names; " +
		"or 2 × 3 numbers, a header, no row names; or 3 × 2 numbers, no header, row names; --header yes or --header no, --names yes or --names no decides", "3 × 3"},
	{"a header and 0, 1, 2, …", "x,y\n0,5.1\n1,4.9\n2,4.7\n", "the first column is 0, 1, 2, so the table may be 3 × 2 numbers, a header, no row names; or 3 × 1 numbers, a header, row names", ""},
	{"a header and years", "x,y\n2019,5.1\n2020,4.9\n", "the first column is 2019, 2020, so", "2 × 2"},
	{"pandas, index with a name", "id,a,b\n7,1.0,2.0\n3,4.0,5.0\n", `the first column is called "id", so`, "2 × 2"},
	{"customerID", "customerID,a\n1001,1.0\n1007,4.0\n", `the first column is called "customerID", so`, "2 × 2"},
	{"pandas, reset_index", "index,a\n5,1.0\n3,4.0\n", `the first column is called "index", so`, "2 × 2"},
	{"pandas, index with a name, columns numbered", "id,0,1\n5,1.0,2.5\n9,3.0,4.0\n", `the first column is called "id", so`, "2 × 2"},
	{"names, and columns numbered", "a,0,1,2\nb,4,5,6\nc,7,9,9\n", "the first line is 0, 1, 2, so the table may be 3 × 3 numbers, no header, row names; or 2 × 3 numbers, a header, row names", "3 × 3"},
	{"names, an empty corner, other numbers", ",0.5,1.5\nb,4,5\nc,7,9\n", "the first field is empty, so", "2 × 2"},
	{"blanks, pandas with sep=' '", "0 1\n1.0 2.5\n-3.0 1e-20\n", "the first line is 0, 1, so", "2 × 2"},
}

// TestAmbiguousTablesAreRefused reads tables that may be read in several ways. Read must name them,
// and the options must choose between them.
func TestAmbiguousTablesAreRefused(t *testing.T) {
	for _, c := range ambiguous {
		_, err := Read(strings.NewReader(c.text), "f")
		var e *AmbiguousError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.says)
			continue
		}
		for _, r := range e.Readings {
			o := Options{Header: choice(r.Header), Names: choice(r.Names)}
			if d, err := o.Read(strings.NewReader(c.text), "f"); err != nil || d.Rows != r.Rows || d.Cols != r.Cols {
				t.Errorf("%s, %+v: %v, %v", c.name, o, d, err)
			}
		}
		d, err := Options{Square: true}.Read(strings.NewReader(c.text), "f")
		if got := fmt.Sprintf("%d × %d", d.Rows, d.Cols); err != nil || c.square != "" && got != c.square || c.square == "" && d.Rows == d.Cols {
			t.Errorf("%s, square: %s, %v, want %s", c.name, got, err, c.square)
		}
	}
}

func choice(yes bool) Choice {
	if yes {
		return Yes
	}
	return No
}

// TestRowsAreNotDropped reads tables in which a field is no number, or a row has the wrong number
// of fields. In earlier versions such a line was taken as a header, or such a field as a name, and
// numbers were lost.
func TestRowsAreNotDropped(t *testing.T) {
	const missing = "; fill missing numbers, or leave out their rows"
	for _, c := range []struct{ text, want string }{
		{"NA 1 2\n1 2 3\n2 3 4\n", `f:1: column 1: "NA" is not a number` + missing},
		{"NA,1,2\n1,2,3\n", `f:1: column 1: "NA" is not a number` + missing},
		{"\"NA\",1,2\n1,2,3\n", `f:1: column 1: "NA" is not a number` + missing},
		{"NA,NA\n1,2\n", `f:1: column 2: "NA" is not a number` + missing},
		{"1,NA\n1,2\n", `f:1: column 2: "NA" is not a number` + missing},
		{"1,2\nNA,4\n", `f:2: column 1: "NA" is not a number` + missing},
		{"$2,1\n1,2\n", `f:1: column 1: "$2" is not a number`},
		{"(2),1\n1,2\n", `f:1: column 1: "(2)" is not a number`},
		{"−2\n1\n5\n", `f:1: column 1: "−2" is not a number; its first character is no minus sign, but looks like one`},
		{"50%,1\n1,2\n", `f:1: column 1: "50%" is not a number`},
		{"1 000,1\n1,2\n", `f:1: column 1: "1 000" is not a number`},
		{"x,1,2\n3,5,6\n4,7,8\n", `f:1: column 1: "x" is not a number; leave out columns of text; --header yes takes the line as a header`},
		{"O,1,2\n1,2,3\n2,3,4\n", `f:1: column 1: "O" is not a number; leave out columns of text; --header yes takes the line as a header`},
		{",1,2\n3.0,4,5\n", `f:1: column 1: "" is not a number` + missing + "; --header yes takes the line as a header"},
		{"a,5,x\nb,7,8\n", `f:1: column 3: "x" is not a number; leave out columns of text; --header yes takes the line as a header`},
		{"x,y\n****,1\n3,4\n", `f:2: column 1: "****" is not a number; Fortran writes stars for a number that is wider than its format`},
		{"x,y\nfour,1\n3,4\n", `f:3: column 1: "3" is a number, but the rows before begin with names; --names yes takes all first fields as names`},
		{"x,y,z\n1,2,3\nfour,5,6\n", `f:3: column 1: "four" is not a number; leave out columns of text`},
		{"1+2i,3\n4,5\n", `f:1: column 1: "1+2i" is not a number; ` + complexElsewhere},
		{" (1.0e+00+0.0e+00j)\n", `f:1: column 1: "(1.0e+00+0.0e+00j)" is not a number; ` + complexElsewhere},
		{",a,a\n,0,1\n0,1.0,2.0\n", "f:2: column 1: this row has no name, as if it belonged to the header"},
		{",,a\nx,1,2.0\n", "f:1: column 2: the name of this column is missing; a header is one line"},
		{" a b\n3 2.0 \n", "f:2: the header begins with a blank, as if names of rows stood below, but this row has 2 fields for 2 names of columns"},
		{"Measured\n2 2\n1 2\n2 5\n", "f:1: the header has one field less than the rows, but their first fields are no names of rows: " +
			"these are words, or different whole numbers; --names yes takes them as names"},
		{"\"x\"\n1,5\n2,5\n", "f:1: the header has one field less than the rows, but their first fields are no names of rows: " +
			"these are words, or different whole numbers; --names yes takes them as names"},
		{"a 0.5  2.5\nb 1 2 3\n", "f:1: this line has one field less than the next; a number may be missing; --header yes takes it as a header"},
		{"x\t\ny\t1.5\n", `f:1: column 2: "" is not a number` + missing},
		{"\t0\t1\n0\t2.5\t\n", "f:2: this row has length 2, but the first row has length 3"},
		{"\t2024-01-01\n1\t\n", "f:2: this row has 1 fields, but the header has 2"},
		{"\"\"\n1.5\n", `f:1: column 1: "" is not a number` + missing + "; --header yes takes the line as a header"},
		{"V1 V2\n1 NA 5,5\n", `f: a comma may separate a name and a number, or be the decimal mark of the number; a first line "sep=," or "sep= " says which`},
		{"a;b\n169.758.758;1,5\n8.543;2,5\n", `f:2: column 1: "169.758.758" is not a number; write numbers without separators of thousands`},
		{"3 2\n1 2\n3 4\n5 6\n", "f:1: 3 2 may be the size of the matrix below; delete the line, or give --format table if it is a row"},
	} {
		d, err := Read(strings.NewReader(c.text), "f")
		if fmt.Sprint(err) != c.want {
			t.Errorf("%q: %v\n got %v\nwant %s", c.text, d, err, c.want)
		}
	}
}
