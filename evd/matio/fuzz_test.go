package matio

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
)

// fuzzElements is the largest number of elements of a matrix that these tests write and read again.
// The fuzzer makes headers that declare much larger matrices.
const fuzzElements = 1 << 16

// checkRead checks the results d and err of a reader: either a complete matrix or an error of a
// type that this package documents. It reports whether the matrix is small enough to be written.
func checkRead(t *testing.T, file []byte, d *Dense, err error) bool {
	t.Helper()
	typed(t, file, err)
	switch {
	case err != nil:
		return false
	case len(d.Data) != d.Rows*d.Cols:
		t.Fatalf("%d by %d with %d elements", d.Rows, d.Cols, len(d.Data))
	case d.DeclaredSymmetric && d.Symmetric() != nil:
		t.Fatalf("declared symmetric: %v", d.Symmetric())
	}
	return len(d.Data) <= fuzzElements
}

// checkEither reads a file as a real or a complex matrix. A real one must be what another reader
// has read. A complex one must be Hermitian if the file declares it so. If it is written by the
// function `write` and read again, it must be unchanged.
func checkEither(t *testing.T, file []byte, d *Dense, realErr error, write func(z *Complex, w io.Writer) error) {
	t.Helper()
	var again *Dense
	var z *Complex
	bounded(t, file, func() {
		var err error
		again, z, err = Options{}.ReadEither(bytes.NewReader(file), "m")
		typed(t, file, err)
		if err != nil && realErr == nil || again != nil && realErr == nil && !same(again.Data, d.Data) || z != nil && realErr == nil {
			t.Fatalf("ReadEither differs: %v", err)
		}
	})
	switch {
	case z == nil:
		return
	case len(z.Data) != z.Rows*z.Cols:
		t.Fatalf("%d by %d with %d elements", z.Rows, z.Cols, len(z.Data))
	case z.DeclaredHermitian && z.Hermitian() != nil:
		t.Fatalf("declared hermitian: %v", z.Hermitian())
	case len(z.Data) > fuzzElements:
		return
	}
	var text bytes.Buffer
	if err := write(z, &text); err != nil {
		t.Fatal(err)
	}
	_, back, err := Options{}.ReadEither(&text, "again")
	if err != nil || back == nil || back.Rows != z.Rows || back.Cols != z.Cols || !same(partsOf(back.Data), partsOf(z.Data)) {
		t.Fatalf("does not come back: %v", err)
	}
}

func FuzzMatrixMarket(f *testing.F) {
	limitFuzzer(f)
	for _, c := range goodMarket {
		f.Add([]byte(c.text))
		f.Add([]byte(gzipped(c.text)))
	}
	for _, c := range badMarket {
		if len(c.text) < 200 {
			f.Add([]byte(c.text))
		}
	}
	for _, c := range complexMarket {
		f.Add([]byte(c.text))
	}
	for _, c := range badComplexMarket {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := boundedRead(t, file, func() (*Dense, error) { return ReadMatrixMarket(bytes.NewReader(file), "m.mtx") })
		checkEither(t, file, d, err, func(z *Complex, w io.Writer) error {
			return WriteMatrixMarket(w, z.Rows, z.Cols, z.Data, max(1, z.Rows))
		})
		if !checkRead(t, file, d, err) || d.Symmetric() != nil {
			return
		}
		for _, layout := range []Layout{Coordinate, Array} {
			var again bytes.Buffer
			if err := WriteMatrixMarketSymmetric(&again, layout, d.Rows, d.Data, max(1, d.Rows)); err != nil {
				t.Fatal(err)
			}
			if e, err := Read(&again, "again.mtx"); err != nil || !same(d.Data, e.Data) {
				t.Fatalf("%v does not come back: %v", layout, err)
			}
		}
	})
}

func FuzzNPY(f *testing.F) {
	limitFuzzer(f)
	for _, descr := range []string{"<f8", ">f4", "<i8", "|b1", "<c16", ">c16", "<c8", ">c8", "<c32"} {
		for _, shape := range []string{"(1, 2)", "(2, 1)", "(2,)", "()", "(1000000, 1000000)"} {
			for _, version := range []byte{1, 2, 3} {
				file := npyFile(version, dictionary(descr, version == 1, shape), []float64{1, nan})
				f.Add([]byte(file))
				f.Add([]byte(gzipped(file)))
			}
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		for _, r := range []io.Reader{bytes.NewReader(file), streamed(string(file))} {
			d, err := boundedRead(t, file, func() (*Dense, error) { return ReadNPY(r, "m.npy") })
			checkEither(t, file, d, err, func(z *Complex, w io.Writer) error {
				return WriteNPY(w, z.Rows, z.Cols, z.Data, max(1, z.Rows))
			})
			if !checkRead(t, file, d, err) {
				continue
			}
			var again bytes.Buffer
			if err := WriteNPY(&again, d.Rows, d.Cols, d.Data, max(1, d.Rows)); err != nil {
				t.Fatal(err)
			}
			if e, err := ReadNPY(&again, "again.npy"); err != nil || e.Rows != d.Rows || e.Cols != d.Cols || !same(d.Data, e.Data) {
				t.Fatalf("does not come back: %v", err)
			}
		}
	})
}

// FuzzNPZ reads archives with access to any place of the file, and as streams. Reading must never
// panic, the shape of a result must fit its data, and both results must be equal.
func FuzzNPZ(f *testing.F) {
	limitFuzzer(f)
	whole := npyFile(1, dictionary("<f8", false, "(1, 2)"), []float64{1, 2})
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add([]byte(npz(method, "A.npy", whole)))
		f.Add([]byte(npz(method, "x.npy", whole, "y.npy", whole[:50])))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		at, err := boundedRead(t, file, func() (*Dense, error) { return ReadNPZ(bytes.NewReader(file), "m.npz", "") })
		checkRead(t, file, at, err)
		stream, streamErr := boundedRead(t, file, func() (*Dense, error) { return ReadNPZ(streamed(string(file)), "m.npz", "") })
		if (err == nil) != (streamErr == nil) || err == nil && !same(at.Data, stream.Data) {
			t.Fatalf("read at any place: %v; in order: %v", err, streamErr)
		}
	})
}

// FuzzCSV checks that reading a table never panics. It also writes each table with other separators
// and reads it again.
func FuzzCSV(f *testing.F) {
	limitFuzzer(f)
	for _, c := range goodCSV {
		f.Add([]byte(c.text))
		f.Add([]byte(gzipped(c.text)))
	}
	for _, c := range withHeaders {
		f.Add([]byte(c.text))
	}
	for _, c := range badCSV {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := boundedRead(t, file, func() (*Dense, error) { return ReadCSV(bytes.NewReader(file), "m.csv") })
		if !checkRead(t, file, d, err) {
			return
		}
		o := Options{Header: No, Names: No, Format: TextTable}
		for _, between := range []string{",", " ", "\t ", " , "} {
			again, err := o.Read(strings.NewReader(printed(d, between)), "again")
			if err != nil || again.Rows != d.Rows || again.Cols != d.Cols || !same(again.Data, d.Data) {
				t.Fatalf("%q between numbers: does not come back: %v", between, err)
			}
		}
	})
}
