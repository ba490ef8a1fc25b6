package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestStack checks that ReadStack reads what WriteStack wrote, and that the file has C order.
func TestStack(t *testing.T) {
	matrices := [][]float64{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10, 11, 12}} // 3×2, by columns
	var b bytes.Buffer
	if err := WriteStack(&b, 2, 3, 2, func(k int) []float64 { return matrices[k] }); err != nil {
		t.Fatal(err)
	}
	written := b.Bytes()
	if got := written[len(written)-2*8:]; !slices.Equal(got, append(le.AppendUint64(nil, math.Float64bits(9)), le.AppendUint64(nil, math.Float64bits(12))...)) {
		t.Errorf("the last row of the last matrix is %v", got)
	}
	s, err := ReadStack(bytes.NewReader(written), "stack")
	if err != nil || s.Count != 2 || s.Rows != 3 || s.Cols != 2 || !slices.Equal(s.Data, slices.Concat(matrices...)) {
		t.Errorf("read %+v, %v", s, err)
	}
	for name, content := range map[string][]byte{"cut short": written[:len(written)-1], "nothing": nil} {
		if _, err := ReadStack(bytes.NewReader(content), name); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b.Reset()
	if err := WriteNPY(&b, 1, 1, []float64{1}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadStack(&b, "a matrix"); !errors.As(err, new(*FormatError)) {
		t.Errorf("two dimensions: %v", err)
	}
	if err := WriteStack(&b, 1, 2, 2, func(int) []float64 { return matrices[0] }); err == nil {
		t.Error("a matrix of another size is no error")
	}
}

// TestStackOrders reads stacks in C order and in Fortran order, with NumPy's rule for the place of
// an element: the last index runs fastest in C order, the first one in Fortran order. The matrices
// are smaller and larger than a tile, square and not.
func TestStackOrders(t *testing.T) {
	value := func(k, i, j int) float64 { return float64(k*1e6 + i*1e3 + j) }
	for _, shape := range [][3]int{{2, 3, 3}, {3, 2, 4}, {1, 3, 2}, {9, 3, 3}, {4, 1, 3}, {5, 1, 1}, {2, 70, 80}, {3, 65, 65}, {30, 5, 6}, {4, 2, 2}} {
		count, rows, cols := shape[0], shape[1], shape[2]
		size := count * rows * cols
		byRows, byColumns, want := make([]float64, size), make([]float64, size), make([]float64, size)
		for k := range count {
			for i := range rows {
				for j := range cols {
					x := value(k, i, j)
					byRows[(k*rows+i)*cols+j] = x
					byColumns[k+(i+j*rows)*count] = x
					want[k*rows*cols+i+j*rows] = x
				}
			}
		}
		text := fmt.Sprintf("(%d, %d, %d)", count, rows, cols)
		for order, data := range map[bool][]float64{false: byRows, true: byColumns} {
			file := npyFile(1, dictionary("<f8", order, text), data)
			s, err := ReadStack(strings.NewReader(file), "s")
			if err != nil || s.Count != count || s.Rows != rows || s.Cols != cols || !slices.Equal(s.Data, want) {
				t.Errorf("%s, Fortran order %v: %v", text, order, err)
			}
			all, err := Options{}.ReadStacks(streamed(npz(zip.Deflate, "A.npy", file)), "s")
			if err != nil || !slices.Equal(all.All[0].Data, want) {
				t.Errorf("%s in an archive, Fortran order %v: %v", text, order, err)
			}
		}
	}
}

// TestEmptyStacks reads stacks without elements. They keep their shapes. A stack of very many empty
// matrices is refused.
func TestEmptyStacks(t *testing.T) {
	for _, shape := range [][3]int{{0, 3, 3}, {3, 0, 0}, {0, 0, 0}, {0, 1 << 40, 1 << 40}, {1 << 20, 0, 7}} {
		for _, order := range []bool{false, true} {
			file := npyFile(1, dictionary("<f8", order, fmt.Sprintf("(%d, %d, %d)", shape[0], shape[1], shape[2])))
			s, err := ReadStack(strings.NewReader(file), "s")
			if err != nil || [3]int{s.Count, s.Rows, s.Cols} != shape || len(s.Data) != 0 {
				t.Errorf("%v: %+v, %v", shape, s, err)
			}
		}
	}
	for _, shape := range []string{"(1000000000000, 0, 0)", "(1000000000000, 0, 3)", "(1048577, 3, 0)"} {
		if _, err := ReadStack(strings.NewReader(npyFile(1, dictionary("<f8", false, shape))), "s"); !errors.As(err, new(*FormatError)) {
			t.Errorf("%s: %v", shape, err)
		}
	}
	var b bytes.Buffer
	if err := WriteStack[float64](&b, 0, 1<<40, 1<<40, nil); err != nil {
		t.Error(err)
	}
	if s, err := ReadStack(&b, "s"); err != nil || s.Count != 0 || s.Rows != 1<<40 || s.Cols != 1<<40 {
		t.Errorf("round trip: %+v, %v", s, err)
	}
}

// TestWriteRows checks that ReadNPY reads the rows that WriteRows wrote.
func TestWriteRows(t *testing.T) {
	var b bytes.Buffer
	if err := WriteRows(&b, 3, [][]float64{{1, 2, 3}, {4, 5, 6}}); err != nil {
		t.Fatal(err)
	}
	d, err := ReadNPY(&b, "rows")
	if err != nil || d.Rows != 2 || d.Cols != 3 || d.At(0, 2) != 3 || d.At(1, 0) != 4 {
		t.Errorf("read %+v, %v", d, err)
	}
	if err := WriteRows(&b, 2, [][]float64{{1}}); err == nil {
		t.Error("a short row is no error")
	}
}
