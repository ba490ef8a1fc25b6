package matio

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// TestClaimsAllocateNothing reads files of a few bytes whose headers declare large matrices. Each
// must cost only a few kilobytes of memory, because no reader trusts the declared size before the
// file has the data. (Coordinate files are the exception, because one entry is enough for n²
// elements.)
func TestClaimsAllocateNothing(t *testing.T) {
	const most = 4 << 20
	matrix := func(r io.Reader, name string) error { _, err := Read(r, name); return err }
	vector := func(r io.Reader, name string) error { _, err := ReadVector(r, name); return err }
	tridiagonal := func(r io.Reader, name string) error { _, err := ReadTridiagonal(r, name); return err }
	array := "%%MatrixMarket matrix array real general\n"
	for _, c := range []struct {
		name, file string
		read       func(io.Reader, string) error
	}{
		{"array", array + "1000000 1000000\n1\n", matrix},
		{"array, one column", array + "1000000000000 1\n1\n", vector},
		{"symmetric array", "%%MatrixMarket matrix array real symmetric\n1000000 1000000\n1\n", matrix},
		{"coordinates", "%%MatrixMarket matrix coordinate real general\n2 2 1000000000000\n1 1 1\n", matrix},
		{"npy", npyFile(1, dictionary("<f8", true, "(1000000, 1000000)"), []float64{1}), matrix},
		{"npy of one dimension", npyFile(1, dictionary("<f8", false, "(1000000000000,)"), []float64{1}), vector},
		{"npy of two rows", npyFile(1, dictionary("<f8", false, "(2, 500000000000)"), []float64{1}), tridiagonal},
	} {
		for _, kind := range []struct {
			name string
			of   func(string) io.Reader
		}{{"file", func(s string) io.Reader { return strings.NewReader(s) }}, {"stream", streamed}} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := c.read(kind.of(c.file), "claim")
			runtime.ReadMemStats(&after)
			var format *FormatError
			var large *TooLargeError
			if !errors.As(err, &format) && !errors.As(err, &large) {
				t.Errorf("%s, %s: %v", c.name, kind.name, err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%s, %s: %d bytes allocated", c.name, kind.name, got)
			}
		}
	}
}
