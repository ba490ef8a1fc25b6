package matio

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestReadStacks reads all arrays of a .npz file, one array of it, and a .npy file. One array has a
// matrix in C order and one the same matrix in Fortran order; their elements must be equal.
func TestReadStacks(t *testing.T) {
	byRows := npyFile(1, dictionary("<f8", false, "(2, 2)"), []float64{1, 2, 3, 4})
	byColumns := npyFile(1, dictionary("<f8", true, "(2, 2)"), []float64{1, 3, 2, 4})
	stack := npyFile(1, dictionary("<f8", false, "(2, 1, 2)"), []float64{5, 6, 7, 8})
	matrix := Stack{Count: 1, Rows: 2, Cols: 2, Data: []float64{1, 3, 2, 4}}
	two := Stack{Count: 2, Rows: 1, Cols: 2, Data: []float64{5, 6, 7, 8}}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		archive := npz(method, "K.npy", byRows, "readme.txt", "hello", "S.npy", stack, "L.npy", byColumns)
		named := &Stacks{true, []NamedStack{{"K", 2, matrix}, {"S", 3, two}, {"L", 2, matrix}}}
		for way, r := range map[string]io.Reader{
			"at any place": strings.NewReader(archive), "in order": streamed(archive), "compressed again": strings.NewReader(gzipped(archive)),
		} {
			if got, err := (Options{}).ReadStacks(r, "f"); err != nil || !reflect.DeepEqual(got, named) {
				t.Errorf("%s, method %d: %+v, %v", way, method, got, err)
			}
		}
		path := filepath.Join(t.TempDir(), "f.npz")
		if err := os.WriteFile(path, []byte(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		unnamed := &Stacks{false, []NamedStack{{"", 3, two}}}
		if got, err := (Options{}).ReadStacksFile(path + ":S"); err != nil || !reflect.DeepEqual(got, unnamed) {
			t.Errorf("one array: %+v, %v", got, err)
		}
		if got, err := (Options{Array: "S"}).ReadStacks(strings.NewReader(archive), "f"); err != nil || !reflect.DeepEqual(got, unnamed) {
			t.Errorf("one array by options: %+v, %v", got, err)
		}
		if got, err := (Options{}).ReadStacks(strings.NewReader(stack), "f"); err != nil || !reflect.DeepEqual(got, unnamed) {
			t.Errorf(".npy: %+v, %v", got, err)
		}
	}
}

// TestReadEitherStacks reads a complex stack, in C order, in Fortran order, and beside a real
// matrix. ReadStacks must refuse it.
func TestReadEitherStacks(t *testing.T) {
	const shape = "(2, 1, 2)"
	rows := npyFile(1, dictionary("<c16", false, shape), []float64{5, -5, 6, -6, 7, -7, 8, -8})
	columns := npyFile(1, dictionary("<c16", true, shape), []float64{5, -5, 7, -7, 6, -6, 8, -8})
	two := Stack{Count: 2, Rows: 1, Cols: 2, Complex: []complex128{5 - 5i, 6 - 6i, 7 - 7i, 8 - 8i}}
	for _, file := range []string{rows, columns} {
		got, err := Options{}.ReadEitherStacks(strings.NewReader(file), "f")
		if want := (&Stacks{false, []NamedStack{{"", 3, two}}}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := (Options{}).ReadStacks(strings.NewReader(file), "f"); err == nil || err.Error() != "f: "+complexWayOut {
			t.Errorf("by ReadStacks: %v", err)
		}
	}
	path := filepath.Join(t.TempDir(), "f.npz")
	matrix := npyFile(1, dictionary("<f8", false, "(1, 1)"), []float64{1})
	if err := os.WriteFile(path, []byte(npz(zip.Store, "K.npy", rows, "S.npy", matrix)), 0o666); err != nil {
		t.Fatal(err)
	}
	want := &Stacks{true, []NamedStack{{"K", 3, two}, {"S", 2, Stack{Count: 1, Rows: 1, Cols: 1, Data: []float64{1}}}}}
	if got, err := (Options{}).ReadEitherStacksFile(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("archive: %+v, %v", got, err)
	}
}

// TestReadStacksErrors checks the texts of errors for .npz files that ReadStacks refuses.
func TestReadStacksErrors(t *testing.T) {
	one := npyFile(1, dictionary("<f8", false, "(1, 1)"), 1.0)
	for _, c := range []struct{ array, file, want string }{
		{"", npz(zip.Store, "readme.txt", "hello"), "f: the archive holds no .npy array"},
		{"", npz(zip.Store, "K.npy", one, "K.npy", one), "f: two arrays are called K: files 1 and 2 of the archive"},
		{"", npz(zip.Store, "v.npy", npyFile(1, dictionary("<f8", false, "(1,)"), 1.0)), "f: v.npy: a matrix has two dimensions and a stack three, but this array has 1"},
		{"", npz(zip.Store, "format.npy", one, "shape.npy", one, "data.npy", one), "f: a sparse matrix of scipy"},
		{"", npz(zip.Store, "K.npy", one[:len(one)-1]), "f: K.npy: the header announces 8 bytes"},
		{"K", npz(zip.Store, "K.npy", one), "f: K.npy: a stack of matrices has three dimensions, but this array has 2"},
		{"L", npz(zip.Store, "K.npy", one), "f: no array is called L; the archive has K"},
		{"", "1 2\n2 3\n", "f: not a .npy array"},
	} {
		if _, err := (Options{Array: c.array}).ReadStacks(strings.NewReader(c.file), "f"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// TestNPZWriter reads back what an NPZWriter wrote. The date of an array must be fixed,
// so that the same matrices give the same bytes.
func TestNPZWriter(t *testing.T) {
	write := func() []byte {
		var b bytes.Buffer
		z := NewNPZWriter(&b)
		for _, name := range []string{"K", "λ of K"} {
			a, err := z.Array(name)
			if err == nil {
				err = WriteNPY(a, 1, 2, []float64{3, float64(len(name))}, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := z.Array("K"); err == nil {
			t.Error("a name is accepted twice")
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := write()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || z.File[0].Modified.Year() != 1980 || z.File[0].Method != zip.Store {
		t.Errorf("the date or the method of %+v, %v", z.File, err)
	}
	for name, want := range map[string]float64{"K": 1, "λ of K": 7} {
		d, err := ReadNPZ(bytes.NewReader(file), "f", name)
		if err != nil || !slices.Equal(d.Data, []float64{3, want}) {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
	if err := NewNPZWriter(&failing{}).Close(); err == nil {
		t.Error("an error of the stream is lost")
	}
}
