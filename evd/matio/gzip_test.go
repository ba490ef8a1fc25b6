package matio

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestGzipPadding reads compressed files with zeros after the data, and refuses those with other
// bytes there.
func TestGzipPadding(t *testing.T) {
	zeros := strings.Repeat("\x00", 100000)
	a, b := gzipped("1 2\n"), gzipped("2 3\n")
	array := npyFile(1, dictionary("<f8", true, "(2, 2)"), []float64{1, 2, 2, 3})
	for _, c := range []struct{ name, file string }{
		{"one member", gzipped("1 2\n2 3\n")},
		{"two members", a + b},
		{"padding", gzipped("1 2\n2 3\n") + "\x00"},
		{"much padding", gzipped("1 2\n2 3\n") + zeros},
		{"padding between members, as Python reads it", a + zeros + b + "\x00"},
		{"an empty member", a + gzipped("") + b},
		{"a padded array", gzipped(array) + zeros},
		{"an array in two members", gzipped(array[:60]) + gzipped(array[60:]) + "\x00\x00"},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.file), iotest.OneByteReader(strings.NewReader(c.file))} {
			if d, err := Read(r, "f"); err != nil || !slices.Equal(d.Data, []float64{1, 2, 2, 3}) {
				t.Errorf("%s: %v, %v", c.name, d, err)
			}
		}
	}
	const trailing = "compressed data: bytes that are not gzip follow the compressed data"
	for _, c := range []struct{ name, file, want string }{
		{"letters", gzipped("1 2\n2 3\n") + "junk", trailing},
		{"letters after padding", gzipped("1 2\n2 3\n") + zeros + "junk", trailing},
		{"half a magic", gzipped("1 2\n2 3\n") + "\x1f", trailing},
		{"a broken member", gzipped("1 2\n2 3\n") + gzipped("4")[:5], "compressed data: unexpected EOF"},
		{"an array, then letters", gzipped(array) + "junk", trailing},
		{"a member with another sum", strings.Replace(a, a[len(a)-8:], "12345678", 1) + b, "compressed data: gzip: invalid checksum"},
	} {
		if d, err := Read(strings.NewReader(c.file), "f"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.name, d, err)
		}
	}
	broken := errors.New("disk on fire")
	for _, end := range []string{"", "\x00", "\x1f"} {
		r := io.MultiReader(strings.NewReader(a+end), iotest.ErrReader(broken))
		if _, err := Read(r, "f"); !errors.Is(err, broken) {
			t.Errorf("after %q: %v", end, err)
		}
	}
}

// TestDamagedEndOfGzip reads files of all formats whose compressed data end with a wrong sum, or too
// early. All numbers are there, but some of them may be wrong, so each reader must return the error.
func TestDamagedEndOfGzip(t *testing.T) {
	matrix := func(o Options) func(io.Reader) error {
		return func(r io.Reader) error { _, err := o.Read(r, "f"); return err }
	}
	tridiagonal := func(r io.Reader) error { _, err := ReadTridiagonal(r, "f"); return err }
	vector := func(r io.Reader) error { _, err := ReadVector(r, "f"); return err }
	stack := func(r io.Reader) error { _, err := ReadStack(r, "f"); return err }
	for name, c := range map[string]struct {
		text string
		read func(io.Reader) error
	}{
		"table":                 {"1 2\n2 3\n", matrix(Options{})},
		"triangle":              {"1\n2 3\n", matrix(Options{Triangle: LowerTriangle})},
		"triplets":              {"1 1 2\n2 2 1\n", matrix(Options{Format: Triplets, Base: 1})},
		"Matrix Market, array":  {"%%MatrixMarket matrix array real general\n1 2\n1\n2\n", matrix(Options{})},
		"Matrix Market, sparse": {"%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 3\n", matrix(Options{})},
		"Matrix Market, bare":   {"1 2\n1\n2\n", matrix(Options{Format: MatrixMarket})},
		".npy":                  {npyFile(1, dictionary("<f8", true, "(1, 2)"), []float64{1, 2}), matrix(Options{})},
		"Octave":                {"# name: A\n# type: scalar\n4\n", matrix(Options{})},
		"Armadillo":             {"ARMA_MAT_TXT_FN008\n1 2\n 1 2\n", matrix(Options{})},
		"tridiagonal":           {"2 1\n2\n", tridiagonal},
		"values":                {"1\n2\n", vector},
		"JSON":                  {"[1, 2]\n", vector},
		"stack":                 {npyFile(1, dictionary("<f8", false, "(1, 1, 2)"), []float64{1, 2}), stack},
	} {
		file := gzipped(c.text)
		if err := c.read(strings.NewReader(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sum := len(file) - 8 // and then four bytes for the length
		for _, damaged := range []string{file[:sum] + "\x01\x02\x03\x04" + file[sum+4:], file[:sum], file[:len(file)-1]} {
			if err := c.read(strings.NewReader(damaged)); err == nil || !strings.Contains(err.Error(), "compressed data: ") {
				t.Errorf("%s, damaged: %v", name, err)
			}
		}
	}
}

// TestGzipOfManyMembers reads a file that consists of 500 gzip members. The unpacked content must
// be the same as that of Go's package compress/gzip, which also reads all members of a file.
func TestGzipOfManyMembers(t *testing.T) {
	var file strings.Builder
	for i := range 500 {
		file.WriteString(gzipped(strings.Repeat(string(rune('0'+i%10)), i)))
	}
	z, err := gzip.NewReader(strings.NewReader(file.String()))
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	in, err := open(strings.NewReader(file.String()), "f")
	if err != nil {
		t.Fatal(err)
	}
	defer in.done()
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
	}
}
