package matio

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// numbered returns a rows×cols matrix. The value of each element contains its row and column.
func numbered(rows, cols int) *Dense {
	d := &Dense{Rows: rows, Cols: cols, Data: make([]float64, rows*cols)}
	for k := range d.Data {
		d.Data[k] = float64(1000*(k%rows) + k/rows)
	}
	return d
}

func TestTransposes(t *testing.T) {
	for _, rows := range []int{1, 2, transpose.Tile - 1, transpose.Tile, transpose.Tile + 1, 2*transpose.Tile + 3} {
		for _, cols := range []int{1, 3, transpose.Tile, transpose.Tile + 1, 3 * transpose.Tile} {
			d := numbered(rows, cols)
			byRows := make([]float64, rows*cols)
			for k := range byRows {
				byRows[k] = d.At(k/cols, k%cols)
			}
			got := make([]float64, rows*cols)
			transpose.Into(got, byRows, rows, cols)
			if !same(got, d.Data) {
				t.Errorf("%d by %d: transposeInto is wrong", rows, cols)
			}
		}
		d := numbered(rows, rows)
		transpose.InPlace(d.Data, rows)
		for i := range rows {
			for j := range rows {
				if d.At(i, j) != float64(1000*j+i) {
					t.Fatalf("order %d: transposeInPlace is wrong at (%d,%d)", rows, i, j)
				}
			}
		}
	}
}

func TestSymmetric(t *testing.T) {
	const n = 2*transpose.Tile + 5
	spoil := func(at ...float64) *Dense { // triples: i, j, what to add
		d := &Dense{Rows: n, Cols: n, Data: randomSymmetric(n)}
		for ; len(at) > 0; at = at[3:] {
			d.Data[int(at[0])+int(at[1])*n] += at[2]
		}
		return d
	}
	tiny := &Dense{Rows: 2, Cols: 2, Data: []float64{0, 0, math.SmallestNonzeroFloat64, 0}}
	zeros := &Dense{Rows: 2, Cols: 2, Data: []float64{0, math.Copysign(0, -1), 0, nan}}

	const from1 = " is the largest difference (rows and columns from 1)"
	for _, c := range []struct {
		name string
		d    *Dense
		want string
	}{
		{"empty", &Dense{}, "<nil>"},
		{"random", spoil(), "<nil>"},
		{"zeros of both signs, NaN on the diagonal", zeros, "<nil>"},
		{"NaN in both triangles", spoil(9, 2, nan, 2, 9, nan), "<nil>"},
		{"infinity in both triangles", spoil(9, 2, inf, 2, 9, inf), "<nil>"},
		{"two differences", spoil(9, 2, 0.5, 3, 100, 2), "matrix is not symmetric: |a(101,4) − a(4,101)| = 2" + from1},
		{"the last pair", spoil(n-1, n-2, 0.5), "matrix is not symmetric: |a(133,132) − a(132,133)| = 0.5" + from1},
		{"one NaN beats all", spoil(2, 9, nan, 1, 0, inf), "matrix is not symmetric: |a(10,3) − a(3,10)| = NaN" + from1},
		{"opposite infinities", spoil(9, 2, inf, 2, 9, -inf), "matrix is not symmetric: |a(10,3) − a(3,10)| = +Inf" + from1},
		{"the smallest difference there is", tiny, "matrix is not symmetric: |a(2,1) − a(1,2)| = 4.94e-324" + from1},
		{"not square", numbered(2, 3), "matrix is not square: 2 rows, 3 columns"},
	} {
		if got := fmt.Sprint(c.d.Symmetric()); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}

	var pair *NotSymmetricError
	if err := spoil(7, 3, 1).Symmetric(); !errors.As(err, &pair) || pair.Row != 7 || pair.Col != 3 {
		t.Errorf("got %#v, want row 7, column 3, counted from 0", pair)
	}
}

// TestSingles rounds elements to single precision in place. It also writes and reads float32 files,
// which must not change the numbers.
func TestSingles(t *testing.T) {
	for _, want := range [][]float32{{}, {1.5}, {0.1, -2, 3e38, 1e-45, 5, 6}} {
		d := &Dense{Rows: len(want), Cols: 1}
		for _, x := range want {
			d.Data = append(d.Data, float64(x)*(1+0x1p-30))
		}
		if got := d.Singles(); !slices.Equal(got, want) || d.Data != nil {
			t.Errorf("singles %v, want %v", got, want)
		}
		var file bytes.Buffer
		if err := WriteNPY(&file, len(want), 1, want, max(1, len(want))); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&file, "x.npy")
		if err != nil || !back.Single || back.Rows != len(want) || !slices.Equal(back.Singles(), want) {
			t.Errorf("read back as %+v, %v", back, err)
		}
	}
	var file bytes.Buffer
	if err := WriteNPYVector(&file, []float32{1, 2.5}); err != nil {
		t.Fatal(err)
	}
	if v, err := ReadVector(&file, "v.npy"); err != nil || !slices.Equal(v, []float64{1, 2.5}) {
		t.Errorf("vector read back as %v, %v", v, err)
	}
	// The differences in this matrix are rounding errors if its numbers are in single precision,
	// but not if they are in double precision.
	for _, single := range []bool{false, true} {
		d := &Dense{Rows: 2, Cols: 2, Data: []float64{1, 1, 1 + 0x1p-20, 1}, Single: single}
		var differs *NotSymmetricError
		if err := d.Symmetric(); !errors.As(err, &differs) || differs.Rounding() != single {
			t.Errorf("single %v: %v", single, err)
		}
	}
}
