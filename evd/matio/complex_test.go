package matio

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
	"github.com/vkevd/vkevd/internal/when"
)

const (
	complexGeneral = "%%MatrixMarket matrix coordinate complex general\n"
	complexBanner  = "%%MatrixMarket matrix array complex "
	hermitianFile  = "%%MatrixMarket matrix coordinate complex hermitian\n"
)

var complexMarket = []struct {
	name, text string
	rows, cols int
	hermitian  bool
	want       []complex128 // by columns
}{
	{"general", complexGeneral + "2 3 3\n1 1 1 2\n2 1 0 -1\n1 3 3 .5\n", 2, 3, false, []complex128{1 + 2i, -1i, 0, 0, 3 + .5i, 0}},
	{"hermitian", hermitianFile + "2 2 3\n1 1 4 0\n2 1 1 2\n2 2 5 0\n", 2, 2, true, []complex128{4, 1 + 2i, 1 - 2i, 5}},
	{"hermitian, listed twice is added", hermitianFile + "2 2 3\n1 1 4 1\n2 1 1 2\n1 1 1 -1\n", 2, 2, true, []complex128{5, 1 + 2i, 1 - 2i, 0}},
	{"hermitian, rounding errors on the diagonal", hermitianFile + "1 1 1\n1 1 4 1e-15\n", 1, 1, true, []complex128{4}},
	{"symmetric", "%%MatrixMarket matrix coordinate complex symmetric\n2 2 2\n1 1 4 1\n2 1 1 2\n", 2, 2, false, []complex128{4 + 1i, 1 + 2i, 1 + 2i, 0}},
	{"skew-symmetric", "%%MatrixMarket matrix coordinate complex skew-symmetric\n2 2 1\n2 1 1 2\n", 2, 2, false, []complex128{0, 1 + 2i, -1 - 2i, 0}},
	{"array", complexBanner + "general\n2 2\n1 2\n3 4\n5 6\n7 8\n", 2, 2, false, []complex128{1 + 2i, 3 + 4i, 5 + 6i, 7 + 8i}},
	{"hermitian array", complexBanner + "hermitian\n3 3\n1 0\n2 1\n3 2\n4 0\n5 3\n6 0\n", 3, 3, true, []complex128{1, 2 + 1i, 3 + 2i, 2 - 1i, 4, 5 + 3i, 3 - 2i, 5 - 3i, 6}},
	{"symmetric array", complexBanner + "symmetric\n2 2\n1 9\n2 1\n4 0\n", 2, 2, false, []complex128{1 + 9i, 2 + 1i, 2 + 1i, 4}},
	{"skew-symmetric array", complexBanner + "skew-symmetric\n2 2\n2 1\n", 2, 2, false, []complex128{0, 2 + 1i, -2 - 1i, 0}},
	{"not finite", complexGeneral + "1 3 3\n1 1 nan 0\n1 2 0 -inf\n1 3 1 nan\n", 1, 3, false, []complex128{complex(nan, 0), complex(0, -inf), complex(1, nan)}},
	{"empty", hermitianFile + "0 0 0\n", 0, 0, true, nil},
}

var badComplexMarket = []struct{ text, want string }{
	{hermitianFile + "2 2 1\n1 2 1 1\n", "m.mtx:3: entry (1,2) lies above the diagonal; a hermitian file lists the lower triangle only"},
	{hermitianFile + "2 3 0\n", "m.mtx:2: declared hermitian, but 2 by 3"},
	{hermitianFile + "2 2 1\n2 1 1\n", "m.mtx:3: the entry has no imaginary part"},
	{hermitianFile + "2 2 1\n2 1 1 1 1\n", `m.mtx:3: unexpected "1" at the end of the line`},
	{hermitianFile + "2 2 1\n2 1 1 i\n", `m.mtx:3: "i" is not a number`},
	{hermitianFile + "2 2 2\n1 1 9 0\n2 2 1 .5\n", "m.mtx: declared hermitian, but matrix is complex symmetric, not Hermitian, so its eigenvalues are not real: |Im a(2,2)| = 0.5 is the largest difference (rows and columns from 1)"},
	{hermitianFile + "2 2 3\n1 1 9 0\n2 1 0 1\n2 2 1 nan\n", "m.mtx: declared hermitian, but matrix is not Hermitian: |Im a(2,2)| = NaN is the largest difference (rows and columns from 1)"},
	{complexBanner + "hermitian\n2 2\n1 0\n2 1\n", "m.mtx:4: the file ends after 2 of 3 entries"},
}

func TestComplexMarket(t *testing.T) {
	for _, c := range complexMarket {
		d, z, err := Options{}.ReadEither(strings.NewReader(c.text), "m.mtx")
		switch {
		case err != nil || d != nil:
			t.Errorf("%s: %v, %v", c.name, d, err)
		case z.Rows != c.rows || z.Cols != c.cols || z.DeclaredHermitian != c.hermitian || z.Single || !same(partsOf(z.Data), partsOf(c.want)):
			t.Errorf("%s: %+v, want %v", c.name, z, c.want)
		}
		if _, err := Read(strings.NewReader(c.text), "m.mtx"); fmt.Sprint(err) != "m.mtx:1: "+complexWayOut {
			t.Errorf("%s as a real matrix: %v", c.name, err)
		}
	}
	for _, c := range badComplexMarket {
		if _, _, err := (Options{}).ReadEither(strings.NewReader(c.text), "m.mtx"); fmt.Sprint(err) != c.want {
			t.Errorf("%q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	// A Matrix Market file of real numbers may declare its matrix hermitian, which means symmetric
	// then.
	d, z, err := Options{}.ReadEither(strings.NewReader("%%MatrixMarket matrix coordinate real hermitian\n2 2 1\n2 1 5\n"), "m.mtx")
	if err != nil || z != nil || !d.DeclaredSymmetric || !same(d.Data, []float64{0, 5, 5, 0}) {
		t.Errorf("real hermitian: %v, %v, %v", d, z, err)
	}
}

// TestComplexNPY reads all complex types, stored by rows and by columns, plain and in an archive.
func TestComplexNPY(t *testing.T) {
	numbers := []complex128{1.5 - 2i, 3 + 4i, complex(nan, 5), complex(6, inf), -1i, 7}
	singles := make([]complex64, len(numbers))
	for k, x := range numbers {
		singles[k] = complex64(x)
	}
	byRows := []complex128{numbers[0], numbers[2], numbers[4], numbers[1], numbers[3], numbers[5]}
	big := func(v any) []byte {
		var b bytes.Buffer
		binary.Write(&b, binary.BigEndian, v)
		return b.Bytes()
	}
	for _, c := range []struct {
		descr    string
		elements any
		single   bool
	}{
		{"<c16", numbers, false}, {">c16", big(numbers), false}, {"D", numbers, false},
		{"<c8", singles, true}, {">c8", big(singles), true}, {"complex64", singles, true},
	} {
		for fortran, want := range map[bool][]complex128{true: numbers, false: byRows} {
			shape, rows, cols := "(2, 3)", 2, 3
			if !fortran {
				shape, rows, cols = "(3, 2)", 3, 2
			}
			file := npyFile(1, dictionary(c.descr, fortran, shape), c.elements)
			for way, r := range map[string]io.Reader{
				"file": strings.NewReader(file), "stream": streamed(file), "gzip": strings.NewReader(gzipped(file)),
				"stored": strings.NewReader(npz(zip.Store, "H.npy", file)), "deflated": streamed(npz(zip.Deflate, "H.npy", file)),
			} {
				d, z, err := Options{}.ReadEither(r, "m.npy")
				if err != nil || d != nil || z.Rows != rows || z.Cols != cols || z.Single != c.single || !same(partsOf(z.Data), partsOf(want)) {
					t.Errorf("%s, Fortran order %v, %s: %v, %v, want %v", c.descr, fortran, way, z, err, want)
				}
			}
		}
	}
	square := npyFile(1, dictionary("<c16", false, "(2, 2)"), numbers[:4])
	_, z, err := Options{}.ReadEither(strings.NewReader(square), "m.npy")
	if want := []complex128{numbers[0], numbers[2], numbers[1], numbers[3]}; err != nil || !same(partsOf(z.Data), partsOf(want)) {
		t.Errorf("square: %v, %v", z, err)
	}
	for _, read := range []func(io.Reader, string) error{
		func(r io.Reader, name string) error { _, err := ReadVector(r, name); return err },
		func(r io.Reader, name string) error { _, err := ReadStack(r, name); return err },
		func(r io.Reader, name string) error { _, err := ReadTridiagonal(r, name); return err },
	} {
		if err := read(strings.NewReader(square), "m.npy"); fmt.Sprint(err) != "m.npy: "+complexWayOut {
			t.Errorf("a reader of real numbers: %v", err)
		}
	}
}

// TestComplexSparse reads a complex matrix of scipy.sparse.save_npz, with two entries of one place.
func TestComplexSparse(t *testing.T) {
	file := sparseFile("coo", []int64{2, 2}, []complex128{1, 2i, -2i, 3 + 1i}, coo, []int32{0, 1, 0, 0}, []int32{0, 0, 1, 1})
	_, z, err := Options{}.ReadEither(strings.NewReader(file), "f.npz")
	if err != nil || !slices.Equal(z.Data, []complex128{1, 2i, 3 - 1i, 0}) {
		t.Errorf("%v, %v", z, err)
	}
	if _, err := Read(strings.NewReader(file), "f.npz"); fmt.Sprint(err) != "f.npz: data.npy: "+complexWayOut {
		t.Error(err)
	}
}

// TestFormatOfSparseIsRead reads the format of a sparse matrix as numpy does. An earlier version
// dropped zero bytes anywhere in the string.
func TestFormatOfSparseIsRead(t *testing.T) {
	for _, c := range []struct{ descr, text, want string }{
		{"|S3", "csr", "csr"}, {"|S4", "csr\x00", "csr"}, {"<U3", "c\x00\x00\x00s\x00\x00\x00r\x00\x00\x00", "csr"},
		{">U3", "\x00\x00\x00c\x00\x00\x00s\x00\x00\x00r", "csr"}, {"|S4", "\x00csr", "\x00csr"},
		{"|S3", "\x00csr", `f: 4 bytes of a string of type "|S3"`}, {"<i4", "csr\x00", `f: not a string, but an array of type "<i4"`},
	} {
		got, err := opened(strings.NewReader(npyFile(1, dictionary(c.descr, false, "()"), []byte(c.text))), "f", readNPYWord)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.descr, c.text, got, c.want)
		}
	}
}

func randomComplex(n int) *Complex {
	rnd := rand.New(rand.NewPCG(uint64(n), 8))
	c := &Complex{Rows: n, Cols: n, Data: make([]complex128, n*n)}
	for k := range c.Data {
		c.Data[k] = complex(rnd.NormFloat64(), rnd.NormFloat64())
	}
	return c
}

func TestHermitianAndMirrorComplex(t *testing.T) {
	when.Skip(t, when.Quick, "the same loops as for real matrices")
	for _, n := range []int{0, 1, 2, transpose.Tile, transpose.Tile + 1, 2*transpose.Tile + 5} {
		for name, c := range map[string]struct {
			do   func(*Complex) error
			want func(c *Complex, i, j int) complex128
		}{
			"Symmetrize":    {(*Complex).Symmetrize, func(c *Complex, i, j int) complex128 { return c.At(i, j)/2 + cmplx.Conj(c.At(j, i))/2 }},
			"Mirror(lower)": {func(c *Complex) error { return c.Mirror(true) }, lowerOf},
			"Mirror(upper)": {func(c *Complex) error { return c.Mirror(false) }, func(c *Complex, i, j int) complex128 { return cmplx.Conj(lowerOf(transposed(c), i, j)) }},
		} {
			before, got := randomComplex(n), randomComplex(n)
			if name != "Symmetrize" {
				before.realDiagonal()
				got.realDiagonal()
			}
			if err := errors.Join(c.do(got), got.Hermitian()); err != nil {
				t.Fatalf("%s, n = %d: %v", name, n, err)
			}
			for i := range n {
				for j := range n {
					if want := c.want(before, i, j); got.At(i, j) != want {
						t.Fatalf("%s, n = %d: a(%d,%d) = %g, want %g", name, n, i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
}

func lowerOf(c *Complex, i, j int) complex128 {
	if i < j {
		return cmplx.Conj(c.At(j, i))
	}
	return c.At(i, j)
}

func transposed(c *Complex) *Complex {
	z := &Complex{Rows: c.Cols, Cols: c.Rows, Data: slices.Clone(c.Data)}
	transpose.InPlace(z.Data, z.Rows)
	return z
}

// TestHermitianNamesTheEntry checks what is said about a matrix that is not Hermitian.
func TestHermitianNamesTheEntry(t *testing.T) {
	const n = transpose.Tile + 6
	fine := randomComplex(n)
	fine.Symmetrize()
	change := func(do func(c *Complex)) *Complex {
		c := &Complex{Rows: n, Cols: n, Data: slices.Clone(fine.Data)}
		do(c)
		return c
	}
	const end = " is the largest difference (rows and columns from 1)"
	for _, c := range []struct {
		name     string
		of       *Complex
		says     string
		rounding bool
	}{
		{"an entry", change(func(c *Complex) { c.Data[67+3*n] += 0.5i }), "matrix is not Hermitian: |a(68,4) − conj a(4,68)| = 0.5" + end, false},
		{"NaN", change(func(c *Complex) { c.Data[67+3*n] = complex(1, nan) }), "matrix is not Hermitian: |a(68,4) − conj a(4,68)| = NaN" + end, false},
		{"the diagonal", change(func(c *Complex) { c.Data[5+5*n] += 0.25i }), "matrix is not Hermitian: |Im a(6,6)| = 0.25" + end, false},
		{"NaN in the imaginary part of the diagonal", change(func(c *Complex) { c.Data[5+5*n] = complex(1, nan) }), "matrix is not Hermitian: |Im a(6,6)| = NaN" + end, false},
		{"rounding", change(func(c *Complex) { c.Data[1] *= 1 + 0x1p-52 }), "", true},
		{"rounding on the diagonal", change(func(c *Complex) { c.Data[0] += 0x1p-51i }), "", true},
		{"complex symmetric", &Complex{Rows: 2, Cols: 2, Data: []complex128{1, 2 + 1i, 2 + 1i, 5 + 1i}}, "matrix is complex symmetric, not Hermitian, so its eigenvalues are not real: |a(2,1) − conj a(1,2)| = 2" + end, false},
		{"complex symmetric up to rounding", &Complex{Rows: 2, Cols: 2, Data: []complex128{1, 2 + 1i, 2 + 1.0000000000000002i, 5}}, "matrix is complex symmetric, not Hermitian, so its eigenvalues are not real: |a(2,1) − conj a(1,2)| = 2" + end, false},
		{"rectangular", &Complex{Rows: 1, Cols: 2, Data: make([]complex128, 2)}, "matrix is not square: 1 row, 2 columns", false},
	} {
		err := c.of.Hermitian()
		var differs *NotSymmetricError
		if errors.As(err, &differs) && differs.Rounding() != c.rounding || err == nil || c.says != "" && err.Error() != c.says {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.says)
		}
	}
	if err := change(func(c *Complex) { c.Data[67+3*n], c.Data[3+67*n] = complex(nan, 1), complex(0, nan) }).Hermitian(); err != nil {
		t.Errorf("a pair of NaN, which the solver names: %v", err)
	}
}

// TestComplexComesBack writes complex matrices in all formats and number types, and reads them
// again. The elements must be the same.
func TestComplexComesBack(t *testing.T) {
	z := randomComplex(7)
	z.Data[3] = complex(nan, -inf)
	narrow := (&Complex{Rows: 7, Cols: 7, Data: slices.Clone(z.Data)}).Singles()
	wide := make([]complex128, len(narrow))
	for k, x := range narrow {
		wide[k] = complex128(x)
	}
	for name, c := range map[string]struct {
		write  func(w io.Writer) error
		want   []complex128
		single bool
	}{
		"<c16":            {func(w io.Writer) error { return WriteNPY(w, 5, 7, z.Data, 7) }, z.Data, false},
		"<c8":             {func(w io.Writer) error { return WriteNPY(w, 5, 7, narrow, 7) }, wide, true},
		".mtx":            {func(w io.Writer) error { return WriteMatrixMarket(w, 5, 7, z.Data, 7) }, z.Data, false},
		".mtx, complex64": {func(w io.Writer) error { return WriteMatrixMarket(w, 5, 7, narrow, 7) }, nil, false},
	} {
		var file bytes.Buffer
		if err := c.write(&file); err != nil {
			t.Fatal(err)
		}
		_, got, err := Options{}.ReadEither(&file, "f")
		if err != nil || got.Rows != 5 || got.Cols != 7 || got.Single != c.single {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		for k, x := range got.Data {
			at := k%5 + k/5*7
			if c.want == nil && !same(partsOf([]complex128{complex128(complex64(x))}), partsOf(wide[at:at+1])) || c.want != nil && !same(partsOf([]complex128{x}), partsOf(c.want[at:at+1])) {
				t.Fatalf("%s: element %d is %v", name, k, x)
			}
		}
	}
	var file bytes.Buffer
	if err := WriteMatrixMarket(&file, 2, 1, []float32{0.1, -3}, 2); err != nil || file.String() != "%%MatrixMarket matrix array real general\n2 1\n0.1\n-3\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
	if WriteMatrixMarket(&file, 2, 2, []complex64{1, 2}, 2) == nil {
		t.Error("two columns from one are written")
	}
	if row, col := z.Largest(); row != 3 || col != 0 {
		t.Errorf("the largest part is in (%d,%d), not −∞ in (3,0)", row, col)
	}
}
