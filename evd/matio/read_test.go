package matio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func gzipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

const (
	oneByOne    = general + "1 1 1\n1 1 5\n"
	neither     = "neither Matrix Market (no %%MatrixMarket banner), .npy, .npz nor a table of numbers"
	zippedShort = "compressed data: unexpected EOF"
)

func TestReadDecidesByContent(t *testing.T) {
	npy := npyFile(1, dictionary("<f8", false, "(1, 1)"), 5.0)
	long := symmetric + "40 40 40\n"
	for i := range 40 {
		long += fmt.Sprintf("%d %d %.17g\n", i+1, i+1, 1/float64(i+3))
	}
	zipped := gzipped(long)
	badSum := gzipped(oneByOne)
	badSum = badSum[:len(badSum)-8] + "????" + badSum[len(badSum)-4:]

	for _, c := range []struct{ name, file, want string }{
		{"Matrix Market", oneByOne, "<nil>"},
		{"compressed", gzipped(oneByOne), "<nil>"},
		{"compressed in two members", gzipped(oneByOne[:20]) + gzipped(oneByOne[20:]), "<nil>"},
		{"npy", npy, "<nil>"},
		{"npy compressed", gzipped(npy), "<nil>"},
		{"empty", "", "f: the file is empty"},
		{"empty compressed", gzipped(""), "f: the file is empty"},
		{"no banner", "48 48 224\n1 1 2.8e6\n", "<nil>"},
		{"one byte", "%", "f: no numbers in the file"},
		{"another byte", "x", "f: " + neither},
		{"HDF5", "\x89HDF\r\n\x1a\n\x00", `f: HDF5 (also MATLAB 7.3) is not read: in Python, numpy.save("A.npy", h5py.File(FILE)["A"][:])`},
		{"R, compressed", gzipped("X\n\x00\x00\x00\x03"), `f: R (saveRDS) is not read: in R, write.csv(readRDS(FILE), "A.csv")`},
		{"pickle", "\x80\x04\x95", `f: Python's pickle is not read: in Python, numpy.save("A.npy", A)`},
		{"compressed nonsense", gzipped("nonsense"), "f: " + neither},
		{"cut inside the gzip header", zipped[:5], "f: " + zippedShort},
		{"cut before the banner", zipped[:15], "f: " + zippedShort},
		{"cut inside the trailer", gzipped(oneByOne)[:len(gzipped(oneByOne))-3], "f:4: " + zippedShort},
		{"wrong checksum", badSum, "f:4: compressed data: gzip: invalid checksum"},
		{"npy cut", gzipped(npy)[:len(gzipped(npy))-9], "f: " + zippedShort},
		{"gzip with a wrong method", "\x1f\x8b\x07" + zipped[3:], "f: compressed data: gzip: invalid header"},
	} {
		_, err := Read(strings.NewReader(c.file), "f")
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}

	_, err := Read(strings.NewReader(zipped[:len(zipped)/2]), "f")
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasSuffix(err.Error(), zippedShort) {
		t.Errorf("cut in the middle: %v", err)
	}
}

// TestReadErrorsComeThrough makes a stream fail. errors.Is must find the stream's error in the
// error of the reader.
func TestReadErrorsComeThrough(t *testing.T) {
	broken := errors.New("disk on fire")
	npy := npyFile(1, dictionary("<f8", false, "(1, 1)"), 5.0)
	for _, whole := range []string{oneByOne, npy} {
		for cut := range len(whole) + 1 {
			r := io.MultiReader(strings.NewReader(whole[:cut]), iotest.ErrReader(broken))
			if _, err := Read(r, "f"); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("after %d bytes: %v", cut, err)
			}
		}
		if _, err := Read(iotest.OneByteReader(strings.NewReader(whole)), "f"); err != nil {
			t.Errorf("byte by byte: %v", err)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "called.npy") // the name decides nothing
	if err := os.WriteFile(path, []byte(gzipped(oneByOne)), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ReadFile(path)
	if err != nil || d.At(0, 0) != 5 {
		t.Errorf("got %v, %v", d, err)
	}
	if _, err := ReadFile(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := ReadFile(filepath.Dir(path)); err == nil {
		t.Error("a folder was read")
	}
}

// TestReadStartsAtTheOffset checks that a reader begins at the current position of a file, because
// a caller may have read a part of the file before.
func TestReadStartsAtTheOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two")
	npy := npyFile(1, dictionary("<f8", false, "(1, 1)"), 5.0)
	if err := os.WriteFile(path, []byte("junk"+npy), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(4, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if d, err := Read(f, path); err != nil || d.At(0, 0) != 5 {
		t.Errorf("got %v, %v", d, err)
	}
}

func TestReadVector(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       []float64
		err        string
	}{
		{"text", "1.5\n\n# note\n% note\n  -2D0\r\nnan", []float64{1.5, -2, nan}, ""},
		{"text compressed", gzipped("1\n2\n"), []float64{1, 2}, ""},
		{"npy", npyFile(1, dictionary("<f8", false, "(3,)"), []float64{1, 2, 3}), []float64{1, 2, 3}, ""},
		{"npy column", npyFile(1, dictionary("<f4", false, "(3, 1)"), []float32{1, 2, 3}), []float64{1, 2, 3}, ""},
		{"npy row", npyFile(1, dictionary("<f8", true, "(1, 2)"), []float64{1, 2}), []float64{1, 2}, ""},
		{"column", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n", []float64{1, 2}, ""},
		{"npy matrix", npyFile(1, dictionary("<f8", true, "(2, 2)"), make([]float64, 4)), nil, "v: not a vector: dimensions [2 2]"},
		{"npy scalar", npyFile(1, dictionary("<f8", true, "()"), 1.0), nil, "v: not a vector: dimensions []"},
		{"npy too large", npyFile(1, dictionary("<f8", true, "("+mostText+"0,)")), nil, "v: header: a dimension is not an integer from 0 to " + mostText},
		{"matrix", symmetric + "2 2 0\n", nil, "v: not a vector: 2 by 2"},
		{"bad matrix", symmetric + "2 2 1\n", nil, "v:2: the file ends after 0 of 1 entries"},
		{"two a line", "1\n2 3\n", nil, `v:2: unexpected "3" at the end of the line`},
		{"words", "one\n", nil, `v:1: "one" is not a number`},
		{"empty", "", nil, "v: the file is empty"},
	} {
		got, err := ReadVector(strings.NewReader(c.file), "v")
		if c.err == "" && err != nil || c.err != "" && fmt.Sprint(err) != c.err {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.err)
		} else if !same(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
