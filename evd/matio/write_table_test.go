package matio

import (
	"bytes"
	"testing"
)

// TestWriteTable compares tables with texts, and reads one back.
func TestWriteTable(t *testing.T) {
	a := []float64{1, -0.1, 99, 1e300, 2, 99} // 2×2 with leading dimension 3
	var csv, text, c bytes.Buffer
	if err := WriteTable(&csv, ',', "v", 2, 2, a, 3); err != nil || csv.String() != "v1,v2\n1,1e+300\n-0.1,2\n" {
		t.Errorf("%v: %q", err, csv.String())
	}
	if err := WriteTable(&text, ' ', "q", 2, 1, []float32{0.1, 3}, 2); err != nil || text.String() != "# q1\n0.1\n3\n" {
		t.Errorf("%v: %q", err, text.String())
	}
	if err := WriteTable(&c, ',', "u", 1, 2, []complex128{1 - 2i, 3i}, 1); err != nil || c.String() != "u1,u2\n1-2j,0+3j\n" {
		t.Errorf("%v: %q", err, c.String())
	}
	d, err := ReadCSV(&csv, "v.csv")
	if err != nil || d.Rows != 2 || d.Cols != 2 || d.Data[0] != 1 || d.Data[1] != -0.1 || d.Data[2] != 1e300 {
		t.Errorf("%v: %+v", err, d)
	}
	if err := WriteTable(&c, ',', "u", 3, 2, a[:4], 3); err == nil {
		t.Error("too few elements are no error")
	}
}
