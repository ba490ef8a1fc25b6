package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"
)

// fuzzElements is the largest number of elements of a matrix that these tests read. The fuzzer
// makes headers that declare much larger matrices.
const fuzzElements = 1 << 16

// checkRead checks the results d and err of a reader: either a complete matrix or an error of a
// type that this package documents.
func checkRead(t *testing.T, d *Dense, err error) {
	t.Helper()
	var format *FormatError
	var large *TooLargeError
	var ambiguous *AmbiguousError
	switch {
	case err == nil && len(d.Data) != d.Rows*d.Cols:
		t.Fatalf("%d by %d with %d elements", d.Rows, d.Cols, len(d.Data))
	case err == nil && d.DeclaredSymmetric && d.Symmetric() != nil:
		t.Fatalf("declared symmetric: %v", d.Symmetric())
	case err != nil && !errors.As(err, &format) && !errors.As(err, &large) && !errors.As(err, &ambiguous):
		t.Fatalf("untyped error: %v", err)
	}
}

func FuzzMatrixMarket(f *testing.F) {
	for _, c := range goodMarket {
		f.Add([]byte(c.text))
	}
	for _, c := range badMarket {
		if len(c.text) < 200 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := open(bytes.NewReader(file), "m.mtx")
		if err != nil { // empty
			return
		}
		defer in.done()
		if in.left == unknown { // gzip, which is not our code
			return
		}
		d, err := readMarket(in, fuzzElements)
		checkRead(t, d, err)
		if err != nil || d.Symmetric() != nil {
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
	for _, descr := range []string{"<f8", ">f4", "<i8", "|b1", "<c16"} {
		for _, shape := range []string{"(1, 2)", "(2, 1)", "(2,)", "()", "(1000000, 1000000)"} {
			for _, version := range []byte{1, 2, 3} {
				f.Add([]byte(npyFile(version, dictionary(descr, version == 1, shape), []float64{1, nan})))
			}
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		known := bytes.NewReader(file)
		for _, r := range []func() (*input, error){
			func() (*input, error) { return open(known, "m.npy") },
			func() (*input, error) { return open(streamed(string(file)), "m.npy") },
		} {
			in, err := r()
			if err != nil {
				return
			}
			defer in.done()
			if strings.HasPrefix(string(file), "\x1f\x8b") {
				return
			}
			d, err := readNPY(in, fuzzElements)
			checkRead(t, d, err)
			if err != nil {
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

// FuzzNPZ checks that reading never panics, and that the shape of a result fits its data.
func FuzzNPZ(f *testing.F) {
	whole := npyFile(1, dictionary("<f8", false, "(1, 2)"), []float64{1, 2})
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add([]byte(npz(method, "A.npy", whole)))
		f.Add([]byte(npz(method, "x.npy", whole, "y.npy", whole[:50])))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		at, err := Options{}.fromZip(bytes.NewReader(file), int64(len(file)), "m.npz")
		if err == nil && len(at.Data) != at.Rows*at.Cols {
			t.Fatalf("%d by %d with %d elements", at.Rows, at.Cols, len(at.Data))
		}
		stream, streamErr := ReadNPZ(streamed(string(file)), "m.npz", "")
		if bytes.HasPrefix(file, []byte(zipMagic)) && (err == nil) != (streamErr == nil) || err == nil && streamErr == nil && !same(at.Data, stream.Data) {
			t.Fatalf("read at any place: %v; in order: %v", err, streamErr)
		}
	})
}

// FuzzCSV checks that reading a table never panics. It also writes each table with other separators
// and reads it again.
func FuzzCSV(f *testing.F) {
	for _, c := range goodCSV {
		f.Add([]byte(c.text))
	}
	for _, c := range withHeaders {
		f.Add([]byte(c.text))
	}
	for _, c := range badCSV {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		in, err := open(bytes.NewReader(file), "m.csv")
		if err != nil {
			return
		}
		defer in.done()
		if in.left == unknown {
			return
		}
		d, err := Options{}.readTable(in, fuzzElements)
		checkRead(t, d, err)
		if err != nil {
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
