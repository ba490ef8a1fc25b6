package main

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
)

// peoplesFiles are files that people have, each made from the recipe of a public report. Earlier
// versions read them wrongly or refused them. `want` has the values that the command must print, or
// a part of its error. Folder evd/matio/testdata/files has the files.
var peoplesFiles = []struct{ file, command, want string }{
	{"tri_bom.txt", "solve --tridiagonal", "0.585786437626905 2 3.41421356237309"},
	{"tri_na_first.txt", "solve --tridiagonal", `error: tri_na_first.txt:1: column 1: "NA" is not a number`},
	{"mm_bom.txt", "svd", "5 3 1"},
	{"mm_bom.txt", "solve", "1 3 5"},
	{"mm_leading_blank.mtx", "svd --format mtx", "5 3 1"},
	{"mm_leading_blank.mtx", "svd", "5 3 1"},
	{"mm_leading_blank.mtx", "solve", "1 3 5"},
	{"mm_one_percent_pattern.mtx", "solve", "-1.4142135623731 0 1.4142135623731"},
	{"mm_unsigned.mtx", "solve", "2 2 5"},
	{"header_blank_comma_blank.csv", "svd", "10.1755920177277 0.239430759836413"},
	{"header_units.csv", "solve", "0.17157287525381 5.82842712474619"},
	{"labels_with_blanks.csv", "solve", "0.5 1.5"},
	{"labels_with_blanks.csv", "svd", "1.5 0.5"},
	{"pandas_int_header.csv", "svd", "error: 4 × 3 numbers, no header, no row names; or 3 × 3 numbers, a header, no row names; --header yes or --header no decides"},
	{"pandas_int_header.csv", "svd --header yes", "8.04096459487746 3.87053871919756 2.08849668592498"},
	{"pandas_int_header.csv", "svd --header no", "8.2580116165170843 3.8713972259391825 2.4119551530779497"},
	{"pandas_int_header.csv", "solve", "2.08849668592498 3.87053871919756 8.04096459487746"},
	{"stars_in_first_cell.txt", "svd", `error: stars_in_first_cell.txt:1: column 1: "******" is not a number; Fortran writes stars`},
	{"octave_diagonal.txt", "svd", "5 3 2"},
	{"octave_diagonal.txt", "solve", "2 3 5"},
	{"arma_ascii_2x2.txt", "svd", "5.82842712474619 0.17157287525381"},
	{"thousands_semicolon.csv", "solve", "error: decimal commas and decimal points"},
	{"quote_all.csv", "solve", "2.08849668592497 3.87053871919756 8.04096459487747"},
	{"quote_all.csv", "svd", "8.04096459487747 3.87053871919756 2.08849668592497"},
	{"percent_comments.txt", "solve", "0.17157287525381 5.82842712474619"},
	{"not_text_utf16.csv", "solve", "error: text in UTF-16 is not read: iconv"},
	{"not_text_utf16.csv", "solve --tridiagonal", "error: text in UTF-16 is not read: iconv"},
	{"num_labels_named_corner.csv", "solve", "0.5 1.5"},
	{"num_labels_named_corner.csv", "svd", "1.5 0.5"},
	{"unicode_minus_first.csv", "svd", `error: unicode_minus_first.csv:1: column 1: "−2" is not a number; its first character is no minus sign`},
	{"npy_le_b1.npy", "solve", "1 1 1"},
	{"npy_eq_f8.npy", "solve", "2.08849668592497 3.87053871919756 8.04096459487747"},
	{"stack_fortran_order.npy", "solve --batch", "2.08849668592497 3.87053871919756 8.04096459487747 4.17699337184995 7.74107743839512 16.0819291897549"},
	{"stack_empty.npy", "solve --batch", ""},
	{"gz_zero_padding.mtx.gz", "solve", "1 3 5"},
}

func TestFilesOfPeople(t *testing.T) {
	folder, err := filepath.Abs(filepath.FromSlash("../../evd/matio/testdata/files"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range peoplesFiles {
		t.Run(c.command+" "+c.file, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(folder, c.file))
			if err != nil {
				t.Fatal(err)
			}
			s := newFixture(t)
			s.file(c.file, string(content))
			s.checkRead(c.want, append(strings.Fields(c.command), c.file)...)
		})
	}
}

// checkRead runs a command that must print the values `want`, with errors up to 1e-12. If `want`
// begins with "error: ", the command must fail with the text that follows.
func (s *fixture) checkRead(want string, args ...string) {
	s.Helper()
	stdout, stderr, status := s.run(args...)
	if text, refused := strings.CutPrefix(want, "error: "); refused {
		if status != cli.StatusInput || stdout != "" || !strings.Contains(lastLine(stderr), text) {
			s.Errorf("status %d, %q\n%s\nwant %s", status, stdout, stderr, text)
		}
		return
	}
	got, values := strings.Fields(stdout), strings.Fields(want)
	same := status == cli.StatusSuccess && len(got) == len(values)
	for i := 0; same && i < len(got); i++ {
		x, err := strconv.ParseFloat(got[i], 64)
		y, wrong := strconv.ParseFloat(values[i], 64)
		same = err == nil && wrong == nil && math.Abs(x-y) <= 1e-12
	}
	if !same {
		s.Errorf("status %d, %s, want %s\n%s", status, got, values, stderr)
	}
}

// TestReadingFlags checks the flags that say how to read a file.
func TestReadingFlags(t *testing.T) {
	s := newFixture(t)
	for name, content := range map[string]string{
		"id.csv":     "id,a,b\n1001,3,0\n1002,0,4\n1003,0,0\n",
		"years.csv":  "2019,2020\n3.0,0.0\n0.0,4.0\n",
		"coo1.txt":   "1 1 2\n2 1 1\n1 2 1\n2 2 1.5\n2 2 0.5\n",
		"coo0.txt":   "# row column value\n0 0 2\n1 0 1\n0 1 1\n1 1 2\n",
		"edges.txt":  "i,j\n0,1\n1,0\n",
		"lower.csv":  "2\n1,2\n",
		"upper.txt":  "2 1\n  2\n",
		"blank.csv":  ",a,b\na,2,\nb,1,2\n",
		"dist.txt":   "    1   2\n2 2.0    \n3 1.0 2.0\n",
		"dist.csv":   "\"\",\"a\",\"b\"\n\"b\",2.0,\n\"c\",1.0,2.0\n",
		"sparse.mtx": "2 2 3\n1 1 2\n2 1 1\n2 2 2\n",
	} {
		s.file(name, content)
	}
	for _, c := range []struct{ command, want string }{
		{"svd id.csv", `error: the first column is called "id", so the table may be 3 × 3 numbers, a header, no row names; or 3 × 2 numbers, a header, row names; --names yes or --names no decides`},
		{"svd --names yes id.csv", "4 3"},
		{"svd years.csv", "error: the first line is 2019, 2020, so the table may be 3 × 2 numbers"},
		{"svd --header yes years.csv", "4 3"},
		{"check --svd years.csv years.csv", "error: the first line is 2019, 2020, so"},
		{"solve --format coo coo1.txt", "1 3"},
		{"solve coo1.txt", "error: the rows look like entries of a matrix: row, column, value; --format coo"},
		{"svd --format coo coo1.txt", "3 1"},
		{"solve --format coo coo0.txt", "error: a row or column 0, but they are counted from 1; with --base 0"},
		{"solve --format coo --base 0 coo0.txt", "1 3"},
		{"solve --format coo --base 0 edges.txt", "-1 1"},
		{"solve --format coo sparse.mtx", "error: the first line is the size of the matrix and the number of entries below, as in Matrix Market; --format mtx"},
		{"solve --format coo --uplo lower coo1.txt", "1 3"},
		{"solve --base 0 coo0.txt", "error: --base is for --format coo"},
		{"solve --format coo --base 2 coo0.txt", `error: --base: "2" is neither 0 nor 1`},
		{"svd --header maybe id.csv", `error: --header: "maybe" is neither yes nor no`},
		{"solve --tridiagonal --names no id.csv", "error: --names cannot be combined with --tridiagonal"},
		{"solve --uplo lower lower.csv", "1 3"},
		{"solve lower.csv", "error: this row has length 2, but the first row has length 1; --uplo lower or upper reads a table that has one triangle"},
		{"solve --uplo upper upper.txt", "1 3"},
		{"solve --uplo lower blank.csv", "1 3"},
		{"solve blank.csv", `error: column 3: "" is not a number; fill missing numbers, or leave out their rows; --uplo lower or upper`},
		{"solve --uplo lower dist.txt", "error: row 1 of a triangle of order 3 cannot have length 2"},
		{"solve --uplo lower dist.csv", "error: the names of the columns are not those of the rows"},
	} {
		t.Run(c.command, func(t *testing.T) {
			s.T = t
			s.checkRead(c.want, strings.Fields(c.command)...)
		})
	}
}

// TestSummarySaysHowATableWasRead checks summary and report of tables.
func TestSummarySaysHowATableWasRead(t *testing.T) {
	s := newFixture(t)
	s.file("x.csv", "a;b\n2,0;1,0\n1,0;2,0\n3,5;4,0\n")
	s.file("S.csv", ",a,b\na,2,1\nb,1,2\n")
	s.file("T.txt", "d,e\n2,1\n2,0\n")
	s.file("values.txt", "1\n3\n")
	for _, c := range []struct{ command, says, report string }{
		{"svd --verbose --report r.json x.csv", "matrix   x.csv: 3 × 2 numbers, a header, no row names, decimal commas\n",
			`{"rows": 3, "columns": 2, "header": true, "names": false, "separator": ";", "decimal_comma": true}`},
		{"solve --verbose --report r.json S.csv", "matrix   S.csv: 2 × 2 numbers, a header, row names\n",
			`{"rows": 2, "columns": 2, "header": true, "names": true, "separator": ",", "decimal_comma": false}`},
		{"solve --verbose --tridiagonal --report r.json T.txt", "matrix   T.txt: 2 × 2 numbers, a header, no row names\n",
			`{"rows": 2, "columns": 2, "header": true, "names": false, "separator": ",", "decimal_comma": false}`},
		{"check --verbose S.csv values.txt", "matrix   S.csv: 2 × 2 numbers, a header, row names\n", ""},
	} {
		_, stderr, status := s.run(strings.Fields(c.command)...)
		if status != cli.StatusSuccess || !strings.Contains(stderr, c.says) {
			t.Errorf("%s: status %d\n%s\nwant %s", c.command, status, stderr, c.says)
		}
		if c.report == "" {
			continue
		}
		report, err := os.ReadFile("r.json")
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(string(report)), " "); !strings.Contains(text, `"table": { `+c.report[1:len(c.report)-1]+" }") {
			t.Errorf("%s: the report is %s\nwant %s", c.command, text, c.report)
		}
	}
}
