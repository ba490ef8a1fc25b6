package matio

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/tests/testdata"
)

const arrayGeneral = "%%MatrixMarket matrix array real general\n"

var goodTridiagonal = []struct {
	name, text string
	d, e       []float64
}{
	{"collection", "3\n1 1.5 2\n2 -3 4\n3 5 99\n", []float64{1.5, -3, 5}, []float64{2, 4}},
	{"collection, last e missing", "2\n1 1 2\n2 3\n", []float64{1, 3}, []float64{2}},
	{"collection, rows numbered wrongly", "3\n1 1 2\n1 3 4\n7 5 6\n", []float64{1, 3, 5}, []float64{2, 4}},
	{"exponents of three digits", "2\n1 1.0D+100 2.5-100\n2 1.0-100 0\n", []float64{1e100, 1e-100}, []float64{2.5e-100}},
	{"exponents beyond doubles, small", "2\n1 1.0E-999 1D-400\n2 1 0\n", []float64{0, 1}, []float64{0}},
	{"order and two columns", " 2\n 1 2\n 3 0\n", []float64{1, 3}, []float64{2}},
	{"two columns", "1 2\n3 4\n5 6\n", []float64{1, 3, 5}, []float64{2, 4}},
	{"two columns, last e missing", "1\t2\n3\r\n", []float64{1, 3}, []float64{2}},
	{"comments and blank lines", "% by hand\n\n# and more\n1 2\n\n3 0\n", []float64{1, 3}, []float64{2}},
	{"order 0", "0\n", nil, nil},
	{"order 1", "1\n1 5 7\n", []float64{5}, nil},
	{"order 1 alone", "1\n5\n", []float64{5}, nil},
	{"one row of two", "5 7\n", []float64{5}, nil},
	{"not finite", "nan inf\n-inf 0\n", []float64{nan, -inf}, []float64{inf}},
	{"symmetric coordinate", symmetric + "3 3 5\n1 1 1\n2 1 2\n3 2 4\n3 3 5\n2 1 1\n", []float64{1, 0, 5}, []float64{3, 4}},
	{"general coordinate", general + "2 2 4\n1 1 1\n2 1 2\n1 2 2\n2 2 3\n", []float64{1, 3}, []float64{2}},
	{"zeros far off", general + "3 3 2\n1 1 1\n3 1 0\n", []float64{1, 0, 0}, []float64{0, 0}},
	{"pattern", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n", []float64{0, 0}, []float64{1}},
	{"array", arrayGeneral + "3 3\n1\n2\n0\n2\n3\n4\n0\n4\n5\n", []float64{1, 3, 5}, []float64{2, 4}},
	{"array of two columns", arrayGeneral + "3 2\n1\n3\n5\n2\n4\n99\n", []float64{1, 3, 5}, []float64{2, 4}},
	{"two by two is as it stands", arrayGeneral + "2 2\n1\n2\n2\n3\n", []float64{1, 3}, []float64{2}},
	{"empty matrix", symmetric + "0 0 0\n", nil, nil},
}

func TestReadTridiagonal(t *testing.T) {
	for _, c := range goodTridiagonal {
		for _, text := range []string{c.text, gzipped(c.text)} {
			got, err := ReadTridiagonal(strings.NewReader(text), "t")
			if err != nil || !same(got.D, c.d) || !same(got.E, c.e) {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
	}
	var b bytes.Buffer
	WriteNPY(&b, 3, 2, []float64{1, 3, 5, 2, 4, 99}, 3)
	if got, err := ReadTridiagonal(&b, "t.npy"); err != nil || !same(got.D, []float64{1, 3, 5}) || !same(got.E, []float64{2, 4}) {
		t.Errorf(".npy of two columns: %+v, %v", got, err)
	}
}

func TestReadTridiagonalRefuses(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", "t: the file is empty"},
		{"# nothing\n", "t: no numbers in the file"},
		{"x\n", `t:1: "x" is not the order of a matrix; the first line must give the order, or d and e`},
		{"2.5\n1 2\n3 4\n", `t:1: "2.5" is not the order of a matrix; the first line must give the order, or d and e`},
		{"1 2 3\n", "t:1: 3 numbers in the first line; it must give the order, or d and e"},
		{"3\n1 1 2\n2 3 4\n", "t:3: the file ends after 2 of 3 rows"},
		{"99999999999999\n1 1 2\n", "t:2: the file ends after 1 of 99999999999999 rows"},
		{"1\n1 1 2\n2 3 4\n", "t:3: more rows than the 1 announced"},
		{"0\n1 1 2\n", "t:2: more rows than the 0 announced"},
		{"1 2\n3\n4 5\n", "t:3: the row before has one number; every row but the last needs d and e"},
		{"1 2\n3 4 5\n", "t:2: 3 numbers where the rows before have 2"},
		{"2\n1 2 3\n4\n", "t:3: 1 number where the rows before have 3"},
		{"2\n1 2 3 4\n", "t:2: 4 numbers; a row has d and e, and perhaps its number before them"},
		{"2\n1.5 2 3\n2 3 4\n", `t:2: "1.5" is not a row number`},
		{"2\n1 two 3\n2 3 4\n", `t:2: column 2: "two" is not a number; leave out columns of text`},
		{"2\n1 1D+400 3\n2 3 4\n", `t:2: column 2: "1D+400" is larger than the largest double`},
		{symmetric + "3 3 1\n3 1 1\n", "t:3: entry (3,1) is outside the three diagonals (rows and columns from 1)"},
		{general + "3 3 1\n3 1 nan\n", "t:3: entry (3,1) is outside the three diagonals (rows and columns from 1)"},
		{symmetric + "3 3 1\n1 2 1\n", "t:3: entry (1,2) lies above the diagonal; a symmetric file lists the lower triangle only"},
		{general + "2 2 2\n1 2 1\n2 1 1.5\n", "t: matrix is not symmetric: |a(2,1) − a(1,2)| = 0.5 is the largest difference (rows and columns from 1)"},
		{general + "2 2 1\n1 2 nan\n", "t: matrix is not symmetric: |a(2,1) − a(1,2)| = NaN is the largest difference (rows and columns from 1)"},
		{general + "2 3 0\n", "t: matrix is not square: 2 rows, 3 columns"},
		{general + "2 2 1\n1 1 1\n2 2 2\n", "t:4: more entries than the 1 declared"},
		{arrayGeneral + "3 3\n1\n2\n9\n2\n3\n4\n9\n4\n5\n", "t: entry (3,1) is outside the three diagonals (rows and columns from 1)"},
		{arrayGeneral + "1 3\n1\n2\n3\n", "t: matrix is not square: 1 row, 3 columns"},
	} {
		if got, err := ReadTridiagonal(strings.NewReader(c.text), "t"); err == nil || err.Error() != c.says {
			t.Errorf("%q: %+v\n%v\nwant %s", c.text, got, err, c.says)
		}
	}
}

// TestTridiagonalComesBack writes a tridiagonal matrix as text in the format of LAPACK's
// STCollection and reads it again. The bits of all elements must be the same.
func TestTridiagonalComesBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 1 + rng.IntN(40)
		d, e := make([]float64, n), make([]float64, n)
		var text strings.Builder
		fmt.Fprintln(&text, n)
		for i := range n {
			d[i], e[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(1800)-900), math.Ldexp(rng.NormFloat64(), rng.IntN(1800)-900)
			fmt.Fprintf(&text, "%6d%26.17E%26.17E\n", i+1, d[i], e[i])
		}
		got, err := ReadTridiagonal(strings.NewReader(text.String()), "t")
		if err != nil || !same(got.D, d) || !same(got.E, e[:n-1]) {
			t.Fatalf("order %d: %v", n, err)
		}
	}
}

func FuzzTridiagonal(f *testing.F) {
	limitFuzzer(f)
	for _, c := range goodTridiagonal {
		f.Add([]byte(c.text))
		f.Add([]byte(gzipped(c.text)))
	}
	for _, c := range badMarket {
		if len(c.text) < 200 {
			f.Add([]byte(c.text))
		}
	}
	f.Add([]byte("3\n1 2\n3"))
	f.Add([]byte("2\n1 1 1\n2 2"))
	f.Fuzz(func(t *testing.T, file []byte) {
		bounded(t, file, func() {
			got, err := ReadTridiagonal(bytes.NewReader(file), "t")
			typed(t, file, err)
			if err == nil && len(got.E) != max(0, len(got.D)-1) {
				t.Fatalf("%d and %d elements", len(got.D), len(got.E))
			}
		})
	})
}

// TestCollectedTridiagonals reads the files of LAPACK's STCollection. If they are not present, the
// test is skipped.
func TestCollectedTridiagonals(t *testing.T) {
	data, _ := testdata.Collection()
	files, _ := filepath.Glob(filepath.Join(data, "tridiag", "*.dat*"))
	if len(files) == 0 {
		t.Skip("no collection: VKEVD_DATA is not set to one")
	}
	for _, path := range files {
		m, err := ReadTridiagonalFile(path)
		if err != nil {
			t.Error(err)
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".gz")
		refs, _ := filepath.Glob(filepath.Join(data, "ref", "tridiag", name+".eig.txt*"))
		if len(refs) != 1 {
			t.Errorf("%s: references %v", name, refs)
			continue
		}
		values, err := ReadVectorFile(refs[0])
		if err != nil || len(values) != len(m.D) {
			t.Errorf("%s: %d values for order %d, %v", name, len(values), len(m.D), err)
			continue
		}
		var trace, norm float64
		for i, x := range m.D {
			trace += x - values[i]
			norm = max(norm, math.Abs(values[i]))
		}
		if !(math.Abs(trace) <= 1e-13*float64(len(values))*norm) {
			t.Errorf("%s: the trace differs from the sum of eigenvalues by %g", name, trace)
		}
	}
}
