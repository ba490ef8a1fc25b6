package matio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
)

// awkward has numbers that are difficult to print and read without a change.
var awkward = []float64{0, 1, -1, 0.1, 1.0 / 3, math.Pi, 1e-5, 123456789, 1e16, 1e17, 1e21, 2.2250738585072014e-308,
	math.MaxFloat64, -math.SmallestNonzeroFloat64, math.Nextafter(1, 2), inf, -inf, nan}

func TestWriteValues(t *testing.T) {
	var b bytes.Buffer
	if err := WriteValues(&b, []float64{1, 0.1, -1e-5, 1e16, 1e17, inf, nan}); err != nil {
		t.Fatal(err)
	}
	const want = "1\n0.10000000000000001\n-1.0000000000000001e-05\n10000000000000000\n1e+17\n+Inf\nNaN\n"
	if b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
	b.Reset()
	WriteValues(&b, awkward)
	if got, err := ReadVector(&b, "v"); err != nil || !same(got, awkward) {
		t.Errorf("round trip: %v, %v", got, err)
	}
}

func TestWriteNPYBytes(t *testing.T) {
	var b bytes.Buffer
	a := []float64{1, 2, nan, 3, 4} // NaN lies between the columns
	if err := WriteNPY(&b, 2, 2, a, 3); err != nil {
		t.Fatal(err)
	}
	text := "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }"
	text += strings.Repeat(" ", 128-10-len(text)-1) + "\n"
	if want := npyFile(1, text, []float64{1, 2, 3, 4}); b.String() != want {
		t.Errorf("got %q\nwant %q", b.String(), want)
	}
}

func TestWriteNPYRoundTrip(t *testing.T) {
	for _, c := range []struct{ rows, cols, ld int }{{1, 1, 1}, {3, 2, 3}, {3, 2, 7}, {2, 5, 2}, {0, 0, 1}, {0, 9, 1}, {4, 0, 4}, {400, 300, 401}} {
		a := make([]float64, c.ld*c.cols)
		want := []float64{}
		for j := range c.cols {
			for i := range c.ld {
				a[i+j*c.ld] = float64(i) - 0.1*float64(j)
			}
			want = append(want, a[j*c.ld:j*c.ld+c.rows]...)
		}
		var b bytes.Buffer
		if err := WriteNPY(&b, c.rows, c.cols, a, c.ld); err != nil {
			t.Fatal(err)
		}
		d, err := ReadNPY(&b, "m.npy")
		if err != nil || d.Rows != c.rows || d.Cols != c.cols || !same(d.Data, want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for n := range len(awkward) + 1 {
		var b bytes.Buffer
		if err := WriteNPYVector(&b, awkward[:n]); err != nil {
			t.Fatal(err)
		}
		if b.Len() != 128+n*memory.WordBytes && b.Len() != 64+n*memory.WordBytes {
			t.Errorf("elements begin at %d, no multiple of 64", b.Len()-n*memory.WordBytes)
		}
		if got, err := ReadVector(&b, "v.npy"); err != nil || !same(got, awkward[:n]) {
			t.Errorf("vector of %d: %v, %v", n, got, err)
		}
	}
}

func TestWriteMatrixMarketRoundTrip(t *testing.T) {
	for _, layout := range []Layout{Coordinate, Array} {
		for _, n := range []int{0, 1, 2, 5, 70} {
			ld := n + 2
			a := make([]float64, ld*n)
			for k := range a {
				a[k] = nan // above the diagonal and between the columns
			}
			for j, k := 0, 0; j < n; j++ {
				for i := j; i < n; i++ {
					a[i+j*ld] = awkward[k%len(awkward)]
					k++
				}
			}
			var b bytes.Buffer
			if err := WriteMatrixMarketSymmetric(&b, layout, n, a, ld); err != nil {
				t.Fatal(err)
			}
			d, err := Read(&b, "m.mtx")
			if err != nil {
				t.Fatalf("%v, order %d: %v", layout, n, err)
			}
			if err := d.Symmetric(); err != nil || !d.DeclaredSymmetric {
				t.Errorf("%v, order %d: declared %v, %v", layout, n, d.DeclaredSymmetric, err)
			}
			for j := range n {
				if !same(d.Data[j+j*n:n+j*n], a[j+j*ld:n+j*ld]) {
					t.Errorf("%v, order %d: column %d differs", layout, n, j)
				}
			}
		}
	}
}

func TestWriteMatrixMarketText(t *testing.T) {
	var b bytes.Buffer
	WriteMatrixMarketSymmetric(&b, Coordinate, 2, []float64{0.1, -2, 9, 0}, 2)
	if want := "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 0.1\n2 1 -2\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	b.Reset()
	WriteMatrixMarketSymmetric(&b, Array, 2, []float64{0.1, -2, 9, 0}, 2)
	if want := "%%MatrixMarket matrix array real symmetric\n2 2\n0.1\n-2\n0\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestWritersRefuseShapes(t *testing.T) {
	for _, c := range []struct {
		rows, cols, length, ld int
		want                   string
	}{
		{2, 2, 4, 2, "<nil>"},
		{2, 2, 5, 3, "<nil>"}, // the last column needs no padding
		{0, 5, 0, 1, "<nil>"},
		{5, 0, 0, 5, "<nil>"},
		{2, 2, 4, 1, "matio: 2 by 2 elements cannot have leading dimension 1"},
		{0, 0, 0, 0, "matio: 0 by 0 elements cannot have leading dimension 0"},
		{-1, 2, 4, 2, "matio: -1 by 2 elements cannot have leading dimension 2"},
		{2, 2, 3, 2, "matio: 3 elements are too few for 2 columns of 2 with leading dimension 2"},
		{5, 1, 4, 5, "matio: 4 elements are too few for 1 columns of 5 with leading dimension 5"},
		{2, math.MaxInt, 9, 2, "matio: 9 elements are too few for 9223372036854775807 columns of 2 with leading dimension 2"},
	} {
		if got := fmt.Sprint(WriteNPY(&bytes.Buffer{}, c.rows, c.cols, make([]float64, c.length), c.ld)); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
	if err := WriteMatrixMarketSymmetric(&bytes.Buffer{}, Coordinate, 2, make([]float64, 3), 2); err == nil {
		t.Error("three elements passed for a matrix of order 2")
	}
	if err := WriteMatrixMarketSymmetric(&bytes.Buffer{}, Layout(7), 1, make([]float64, 1), 1); fmt.Sprint(err) != "matio: unknown Layout(7)" {
		t.Errorf("layout 7: %v", err)
	}
}

// A failing writer acts like a full disk: it accepts `room` bytes, and then returns an error.
type failing struct{ room int }

var errFull = errors.New("disk full")

func (f *failing) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWritersReportErrors(t *testing.T) {
	const n = 300
	a := randomSymmetric(n)
	for _, room := range []int{0, flushBytes + 100} {
		for name, err := range map[string]error{
			"WriteNPY":    WriteNPY(&failing{room}, n, n, a, n),
			"vector":      WriteNPYVector(&failing{room}, a),
			"WriteValues": WriteValues(&failing{room}, a),
			"coordinate":  WriteMatrixMarketSymmetric(&failing{room}, Coordinate, n, a, n),
			"array":       WriteMatrixMarketSymmetric(&failing{room}, Array, n, a, n),
		} {
			if !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes: %v", name, room, err)
			}
		}
	}
}

func TestNPYWriter(t *testing.T) {
	const rows, cols = 1000, 90
	a := make([]float64, rows*cols)
	for i := range a {
		a[i] = float64(i) / 3
	}
	var whole, blocks bytes.Buffer
	if err := WriteNPY(&whole, rows, cols, a, rows); err != nil {
		t.Fatal(err)
	}
	w := NewNPYWriter(&blocks, rows, cols)
	for from := 0; from < cols; from += 7 {
		now := min(7, cols-from)
		if err := w.WriteColumns(now, a[from*rows:], rows); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); (err == nil) != (from+now == cols) {
			t.Errorf("closed after %d of %d columns: %v", from+now, cols, err)
		}
	}
	if !bytes.Equal(whole.Bytes(), blocks.Bytes()) {
		t.Error("blocks make another file")
	}
	if err := w.WriteColumns(1, a, rows); err == nil {
		t.Error("a column too many is taken")
	}
	if err := NewNPYWriter(&blocks, 2, 2).WriteColumns(2, a[:3], 2); err == nil {
		t.Error("columns that are not there are taken")
	}
}

func TestJSON(t *testing.T) {
	finite := awkward[:len(awkward)-3]
	for _, want := range [][]float64{{}, {0.1}, finite} {
		var b bytes.Buffer
		if err := WriteValuesJSON(&b, want); err != nil {
			t.Fatal(err)
		}
		var stdlib []float64
		if err := json.Unmarshal(b.Bytes(), &stdlib); err != nil || !same(stdlib, want) {
			t.Errorf("encoding/json reads %v, %v", stdlib, err)
		}
		if got, err := ReadVector(&b, "v"); err != nil || !same(got, want) {
			t.Errorf("round trip: %v, %v", got, err)
		}
	}
	for _, x := range awkward[len(finite):] {
		var b bytes.Buffer
		if err := WriteValuesJSON(&b, []float64{1, x, 2}); err != nil || b.String() != "[\n1,\nnull,\n2\n]\n" {
			t.Errorf("%g is written as %q, %v", x, &b, err)
		}
	}
	for text, want := range map[string]string{
		`{"n": 2}`:                               "v: JSON: an object, not an array of numbers",
		"[1, 2":                                  "v: JSON: the file ends inside the array",
		"[1,":                                    "v: JSON: the file ends inside the array",
		"[1, 2] 3":                               `v: JSON: "3" after the array`,
		"[1, \"2\"]":                             `v: JSON: element 2 of the array is not a number, but "\"2\""`,
		"[[1], 2]":                               `v: JSON: element 1 of the array is not a number, but "["`,
		"[1 2]":                                  "v: JSON: no comma before element 2 of the array",
		"[1,]":                                   `v: JSON: element 2 of the array is not a number, but "]"`,
		"[,1]":                                   `v: JSON: element 1 of the array is not a number, but ","`,
		"[1, null]":                              `v: JSON: element 2 of the array is not a number, but "null"`,
		"[1, NaN]":                               `v: JSON: element 2 of the array is not a number, but "NaN"`,
		"[01]":                                   `v: JSON: element 1 of the array is not a number, but "01"`,
		"[1, 1e999]":                             `v: JSON: element 2 of the array: "1e999" is larger than the largest double`,
		"[1, " + strings.Repeat("7", 1025) + "]": "v: JSON: element 2 of the array has more than 1024 bytes",
	} {
		if _, err := ReadVector(strings.NewReader(text), "v"); !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%s:\n got %v\nwant %s…", text, err, want)
		}
	}
}
