package matio

import (
	"os"
	"path/filepath"
	"testing"
)

// TestSharedNPY writes one .npy file by three writers, which each write some columns. The file must
// have the right elements, read as a whole and by columns.
func TestSharedNPY(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Q.npy")
	const rows, cols = 5, 7
	first, err := CreateShared(path, rows, cols)
	if err != nil {
		t.Fatal(err)
	}
	writers := []*SharedNPY{first}
	for range 2 {
		w, err := JoinShared(first.Temporary(), rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		writers = append(writers, w)
	}
	for j := range cols {
		column := make([]float64, rows)
		for i := range column {
			column[i] = float64(10*i + j)
		}
		if err := writers[j%3].WriteColumn(j, column); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file exists before Commit")
	}
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := first.Commit(); err != nil {
		t.Fatal(err)
	}
	d, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for j := range cols {
		for i := range rows {
			if got := d.Data[i+j*rows]; got != float64(10*i+j) {
				t.Fatalf("element (%d, %d) is %v", i, j, got)
			}
		}
	}
}

// TestNPYColumns compares columns that are read one by one with the whole file.
func TestNPYColumns(t *testing.T) {
	for _, c := range []struct {
		name, dictionary string
		elements         []any
	}{
		{"doubles by columns", dictionary("<f8", true, "(2, 3)"), []any{1., 2., 3., 4., 5., 6.}},
		{"doubles by rows", dictionary("<f8", false, "(2, 3)"), []any{1., 2., 3., 4., 5., 6.}},
		{"integers by rows", dictionary("<i2", false, "(3, 2)"), []any{int16(1), int16(-2), int16(3), int16(4), int16(5), int16(6)}},
		{"floats by columns", dictionary("<f4", true, "(3, 2)"), []any{float32(1), float32(-2), float32(3), float32(4), float32(5), float32(6)}},
	} {
		path := filepath.Join(t.TempDir(), "A.npy")
		if err := os.WriteFile(path, []byte(npyFile(1, c.dictionary, c.elements...)), 0o644); err != nil {
			t.Fatal(err)
		}
		compareColumns(t, c.name, path)
	}
}

func compareColumns(t *testing.T, name, path string) {
	want, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := OpenNPYColumns(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	count, length := c.Cols, c.Rows
	if c.ByRows {
		count, length = length, count
	}
	for k := range count {
		dst := make([]float64, length)
		if err := c.Read(dst, k, 1); err != nil {
			t.Fatal(err)
		}
		for l, x := range dst {
			i, j := l, k
			if c.ByRows {
				i, j = k, l
			}
			if y := want.Data[i+j*want.Rows]; x != y {
				t.Errorf("%s: element (%d, %d) is %v, want %v", name, i, j, x, y)
			}
		}
	}
}

// TestNPYColumnsRefuses checks the errors for .npy files that OpenNPYColumns cannot read.
func TestNPYColumnsRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "A.npy")
	f, err := CreateShared(path, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	f.Commit()
	if err := os.Truncate(path, 128+64); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenNPYColumns(path); err == nil {
		t.Error("a file that is too short was accepted")
	}
	if err := os.WriteFile(path, []byte("1 2\n2 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenNPYColumns(path); err == nil {
		t.Error("a file of text was accepted")
	}
}
