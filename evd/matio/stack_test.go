package matio

import (
	"bytes"
	"errors"
	"math"
	"slices"
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
