package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// npz returns the content of a .npz archive. `members` lists the files of the archive: a name, then
// the content, then the next name. `method` is the compression method.
func npz(method uint16, members ...string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i], Method: method})
		if err != nil {
			panic(err)
		}
		io.WriteString(w, members[i+1])
	}
	z.Close()
	return b.String()
}

func TestReadNPZ(t *testing.T) {
	array := func(x float64) string { return npyFile(1, dictionary("<f8", false, "(1, 1)"), x) }
	three, five := array(3), array(5)
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for _, c := range []struct{ name, array, file, want string }{
			{"only one", "", npz(method, "arr_0.npy", five), "5"},
			{"A of two", "", npz(method, "B.npy", three, "A.npy", five), "5"},
			{"by name", "B", npz(method, "B.npy", three, "A.npy", five), "3"},
			{"beside something else", "", npz(method, "readme.txt", "hello", "M.npy", five), "5"},
			{"which one", "", npz(method, "x.npy", three, "y.npy", five), "f.npz: several arrays, and none is called A; choose one of x, y"},
			{"no such", "C", npz(method, "A.npy", three), "f.npz: no array is called C; the archive has A"},
			{"no array", "", npz(method, "readme.txt", "hello"), "f.npz: the archive holds no .npy array"},
			{"cut array", "", npz(method, "A.npy", five[:len(five)-1]), "ends inside|announces 8 bytes"},
			{"cut header", "", npz(method, "A.npy", five[:20]), "f.npz: A.npy: the file ends inside the header"},
			{"empty array file", "", npz(method, "A.npy", ""), "f.npz: A.npy: the file ends inside the header"},
			{"too much", "", npz(method, "A.npy", five+"x"), "data follow|announces 8 bytes"},
			{"vector", "", npz(method, "A.npy", npyFile(1, dictionary("<f8", false, "(1,)"), 1.0)), "f.npz: A.npy: a matrix has two dimensions, but this array has 1"},
			{"cut archive", "", npz(method, "A.npy", five)[:60], "f.npz: a damaged or truncated zip archive"},
		} {
			for way, r := range map[string]io.Reader{
				"at any place": strings.NewReader(c.file), "in order": streamed(c.file), "compressed again": strings.NewReader(gzipped(c.file)),
			} {
				d, err := ReadNPZ(r, "f.npz", c.array)
				got := fmt.Sprint(err)
				if err == nil {
					got = fmt.Sprint(d.At(0, 0))
				}
				fits := false
				for _, want := range strings.Split(c.want, "|") {
					fits = fits || strings.Contains(got, want)
				}
				if !fits {
					t.Errorf("%s, %s, method %d:\n got %s\nwant %s", c.name, way, method, got, c.want)
				}
			}
		}
	}
	both := npz(zip.Store, "B.npy", three, "A.npy", five, "S.npy", array(7))
	for usual, want := range map[string]float64{"": 5, "Q B A": 3, "S B": 7} {
		if d, err := (Options{Usual: usual}).Read(strings.NewReader(both), "f.npz"); err != nil || d.At(0, 0) != want {
			t.Errorf("%q: %v, %v", usual, d, err)
		}
	}
	if _, err := ReadNPZ(strings.NewReader(five), "f.npz", ""); err == nil || err.Error() != "f.npz: not a .npz file: not a zip archive" {
		t.Errorf("a .npy file: %v", err)
	}
}

// TestTwoArraysOfOneName checks that every reader of archives refuses two arrays of one name, also
// if the caller wants another array. numpy.load reads the last one.
func TestTwoArraysOfOneName(t *testing.T) {
	one := func(x float64) string { return npyFile(1, dictionary("<f8", false, "(1, 1)"), x) }
	vector, word := vectorOf("<f8", []float64{1}, 1), npyFile(1, dictionary("|S3", false, "()"), []byte("coo"))
	sparse := []string{"row.npy", vectorOf("<i4", []int32{0}, 1), "col.npy", vectorOf("<i4", []int32{0}, 1),
		"format.npy", word, "shape.npy", vectorOf("<i8", []int64{1, 1}, 2), "data.npy", vector}
	for name, c := range map[string]struct{ file, want string }{
		"matrix":          {npz(zip.Store, "A.npy", one(1), "readme", "", "A.npy", one(2)), "two arrays are called A: files 1 and 3 of the archive"},
		"the same matrix": {npz(zip.Deflate, "B.npy", one(1), "B.npy", one(1)), "two arrays are called B: files 1 and 2 of the archive"},
		"another array":   {npz(zip.Store, "A.npy", one(1), "B.npy", one(1), "B.npy", one(1)), "two arrays are called B: files 2 and 3 of the archive"},
		"diagonals":       {npz(zip.Store, "d.npy", vector, "e.npy", vector, "d.npy", vector), "two arrays are called d: files 1 and 3 of the archive"},
		"sparse":          {npz(zip.Store, append(sparse, "data.npy", vector)...), "two arrays are called data: files 5 and 6 of the archive"},
	} {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, stream := range []func() io.Reader{
			func() io.Reader { return strings.NewReader(c.file) }, func() io.Reader { return streamed(c.file) },
			func() io.Reader { return strings.NewReader(gzipped(c.file)) },
		} {
			for _, reader := range []string{
				"Read", "ReadFile", "ReadNPZ", "ReadTridiagonal", "ReadTridiagonalFile", "Options.Read", "Options.ReadFile",
				"Options.ReadTridiagonal", "Options.ReadTridiagonalFile", "Options.ReadStacks", "Options.ReadStacksFile",
			} {
				if err := readers[reader](someFile{stream, path}); err == nil || !strings.HasSuffix(err.Error(), c.want) {
					t.Errorf("%s, %s: %v", name, reader, err)
				}
			}
		}
	}
	both := npz(zip.Store, "d.npy", vector, "e.npy", vector, "D.npy", vector, "E.npy", vector)
	if _, err := ReadTridiagonal(strings.NewReader(both), "T"); err == nil || err.Error() != "T: the archive has d and e, and also D and E" {
		t.Errorf("two pairs of diagonals: %v", err)
	}
}

// TestNPZFlipped changes each byte of a .npz file, one at a time. After each change the reader must
// return an error, or the unchanged matrix.
func TestNPZFlipped(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		file := []byte(npz(method, "A.npy", npyFile(1, dictionary("<f8", false, "(2, 2)"), []float64{1, 2, 3, 4})))
		for i := range file {
			file[i] ^= 0x10
			if d, err := ReadNPZ(bytes.NewReader(file), "f", ""); err == nil && !same(d.Data, []float64{1, 3, 2, 4}) {
				t.Errorf("method %d, byte %d: read as %v", method, i, d.Data)
			}
			file[i] ^= 0x10
		}
	}
}

// TestReadFileNPZ reads an archive that begins at the current position of a file, after other
// bytes.
func TestReadFileNPZ(t *testing.T) {
	file := npz(zip.Deflate, "A.npy", npyFile(1, dictionary("<f8", true, "(2, 2)"), []float64{1, 2, 3, 4}))
	path := filepath.Join(t.TempDir(), "called.mtx")
	if err := os.WriteFile(path, []byte("skipped"+file), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.Seek(7, io.SeekStart)
	if d, err := Read(f, path); err != nil || !same(d.Data, []float64{1, 2, 3, 4}) {
		t.Errorf("%v, %v", d, err)
	}
	if d, err := Read(streamed(file), path); err != nil || !same(d.Data, []float64{1, 2, 3, 4}) {
		t.Errorf("in order: %v, %v", d, err)
	}
}

// TestNPZUnknownMethod checks the error for a compression method that .npz files do not use.
func TestNPZUnknownMethod(t *testing.T) {
	file := []byte(npz(zip.Store, "A.npy", npyFile(1, dictionary("<f8", false, "(1, 1)"), 1.0)))
	directory := bytes.Index(file, []byte("PK\x01\x02"))
	file[8], file[directory+10] = 14, 14 // LZMA
	_, err := ReadNPZ(bytes.NewReader(file), "f", "")
	var format *FormatError
	if !errors.As(err, &format) || !strings.Contains(err.Error(), "neither stored nor deflated") {
		t.Errorf("%v", err)
	}
}

// TestArrayInThePath reads paths of the form FILE.npz:ARRAY. A file whose name has a colon must
// still be found. Such a path and Options.Array together must be refused.
func TestArrayInThePath(t *testing.T) {
	array := func(x float64) string { return npyFile(1, dictionary("<f8", false, "(1, 1)"), x) }
	dir := t.TempDir()
	for name, content := range map[string]string{
		"f.npz":   npz(zip.Store, "K.npy", array(3), "M:2.npy", array(5)),
		"g.npz:K": npz(zip.Store, "L.npy", array(7)),
		"g.npz":   npz(zip.Store, "K.npy", array(9)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"f.npz:K": "3", "f.npz:M:2": "5", "g.npz:K": "7", "g.npz": "9",
		"f.npz:L": "f.npz: no array is called L; the archive has K, M:2", "h.npz:K": "h.npz: no such file",
	} {
		got := ""
		if d, err := ReadFile(filepath.Join(dir, path)); err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprint(d.At(0, 0))
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if _, err := (Options{Array: "M:2"}).ReadFile(filepath.Join(dir, "f.npz:K")); err == nil {
		t.Error("two names of arrays are accepted")
	}
}
