package matio

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// FuzzStacks reads files as stacks: once with access to any place of the file, and once as a
// stream. The results must be equal, and their shapes must fit their data.
func FuzzStacks(f *testing.F) {
	limitFuzzer(f)
	six := []float64{1, 2, 3, 4, 5, 6}
	for _, order := range []bool{false, true} {
		for _, shape := range []string{"(1, 2, 3)", "(3, 2, 1)", "(0, 3, 3)", "(1000000000000, 0, 0)", "(0, 1048576, 1048576)", "(2, 3)", "(6,)"} {
			array := npyFile(1, dictionary("<f8", order, shape), six)
			f.Add([]byte(array))
			f.Add([]byte(gzipped(array)))
			f.Add([]byte(strings.Replace(array, "<f8", "<c8", 1)))
			f.Add([]byte(npz(zip.Store, "K.npy", array, "L.npy", array)))
			f.Add([]byte(npz(zip.Deflate, "K.npy", array)))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		bounded(t, file, func() {
			all, err := Options{}.ReadEitherStacks(bytes.NewReader(file), "f")
			typed(t, file, err)
			stream, streamErr := Options{}.ReadEitherStacks(streamed(string(file)), "f")
			if (err == nil) != (streamErr == nil) || err == nil && !sameStacks(all, stream) {
				t.Fatalf("read at any place: %v; in order: %v", err, streamErr)
			}
			one, err := ReadStack(bytes.NewReader(file), "f")
			typed(t, file, err)
			if err == nil && !sameStacks(all, &Stacks{All: []NamedStack{{Dims: 3, Stack: *one}}}) {
				t.Fatal("ReadStack and ReadStacks differ")
			}
			if all == nil {
				return
			}
			for _, s := range all.All {
				elements := len(s.Data) + len(s.Complex)
				if elements != s.Count*s.Rows*s.Cols && elements > 0 || s.Dims != 2 && s.Dims != 3 || s.Dims == 2 && s.Count != 1 {
					t.Fatalf("%d dimensions, %d times %d by %d with %d elements", s.Dims, s.Count, s.Rows, s.Cols, elements)
				}
			}
		})
	})
}

// sameStacks reports whether two files have the same arrays, NaN included.
func sameStacks(a, b *Stacks) bool {
	return a.Named == b.Named && slices.EqualFunc(a.All, b.All, func(x, y NamedStack) bool {
		equal := same(x.Data, y.Data) && same(partsOf(x.Complex), partsOf(y.Complex))
		x.Data, y.Data, x.Complex, y.Complex = nil, nil, nil, nil
		return equal && reflect.DeepEqual(x, y)
	})
}

// FuzzVector reads files as lists of numbers, and writes the numbers in all formats and reads them
// again. JSON is compared with encoding/json.
func FuzzVector(f *testing.F) {
	limitFuzzer(f)
	for _, text := range []string{
		"1\n2\n", "# a\n1e999\n", "[1, 2.5e-3,\n -0]", "[]", "[null]", "[1,]", "[1 2]", "[01]", "[\"1\"]", "[[1]]", "[1]]", " [1]", "{\"a\": 1}", "[NaN]",
		"%%MatrixMarket matrix array real general\n2 1\n1\n2\n", gzipped("1\n2\n"), gzipped("[1]"), "0x1p-3\n1D0\n-nan\n",
		npyFile(1, dictionary("<f8", false, "(2,)"), []float64{1, nan}), npyFile(1, dictionary("<f4", false, "(1, 2)"), []float32{1, 2}),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		bounded(t, file, func() {
			got, err := ReadVector(bytes.NewReader(file), "v")
			typed(t, file, err)
			if bytes.HasPrefix(file, []byte("[")) {
				compareJSON(t, file, got, err)
			}
			if err != nil {
				return
			}
			finite := !slices.ContainsFunc(got, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
			for name, write := range map[string]func(b *bytes.Buffer) error{
				"text": func(b *bytes.Buffer) error { return WriteValues(b, got) },
				".npy": func(b *bytes.Buffer) error { return WriteNPYVector(b, got) },
				"JSON": func(b *bytes.Buffer) error { return WriteValuesJSON(b, got) },
			} {
				var b bytes.Buffer
				if err := write(&b); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if name == "JSON" && !finite {
					continue // null, which is refused
				}
				if len(got) == 0 && name == "text" {
					continue // an empty file, which is refused
				}
				if again, err := ReadVector(&b, "again"); err != nil || !same(again, got) {
					t.Fatalf("%s: does not come back: %v", name, err)
				}
			}
		})
	})
}

// compareJSON compares the result of ReadVector for an array in JSON with that of encoding/json.
func compareJSON(t *testing.T, file []byte, got []float64, err error) {
	var want []*float64 // nil for null, which is no number
	stdlib := json.Unmarshal(file, &want)
	valid := stdlib == nil && !slices.Contains(want, nil)
	if valid != (err == nil) && !(valid && strings.Contains(fmt.Sprint(err), "more than")) {
		t.Fatalf("ReadVector: %v; encoding/json: %v, %v", err, want, stdlib)
	}
	if err == nil && len(got) != len(want) {
		t.Fatalf("%d numbers, not %d", len(got), len(want))
	}
	for i, x := range got {
		if *want[i] != x {
			t.Fatalf("element %d: %v, but encoding/json reads %v", i, x, *want[i])
		}
	}
}

// FuzzNPYColumns reads .npy files in parts, and compares with the whole.
func FuzzNPYColumns(f *testing.F) {
	limitFuzzer(f)
	for _, order := range []bool{false, true} {
		for _, shape := range []string{"(2, 3)", "(6, 1)", "(0, 6)", "(1000000, 1000000)", "(1, 2, 3)", "(6,)"} {
			f.Add([]byte(npyFile(1, dictionary("<f8", order, shape), []float64{1, 2, 3, 4, 5, nan})), uint8(2))
			f.Add([]byte(npyFile(2, dictionary(">i2", order, shape), []int16{1, 2, 3, 4, 5, 6})), uint8(1))
		}
	}
	path := filepath.Join(f.TempDir(), "a.npy")
	f.Fuzz(func(t *testing.T, file []byte, step uint8) {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		bounded(t, file, func() {
			c, err := OpenNPYColumns(path)
			typed(t, nil, err)
			whole, wholeErr := ReadNPY(bytes.NewReader(file), path)
			if wholeErr == nil && err != nil {
				t.Fatalf("ReadNPY reads the file, but OpenNPYColumns says %v", err)
			}
			if err != nil {
				return
			}
			defer c.Close()
			if wholeErr != nil { // a gzip file is refused above, and the size agrees
				if !strings.Contains(wholeErr.Error(), "more than this system") {
					t.Fatalf("OpenNPYColumns reads the file, but ReadNPY says %v", wholeErr)
				}
				return
			}
			if c.Rows != whole.Rows || c.Cols != whole.Cols {
				t.Fatalf("%d by %d, not %d by %d", c.Rows, c.Cols, whole.Rows, whole.Cols)
			}
			length, lines := c.Rows, c.Cols
			if c.ByRows {
				length, lines = lines, length
			}
			if length == 0 {
				return // up to 2⁴⁰ columns without elements
			}
			for from := 0; from < lines; from += int(step) + 1 {
				count := min(int(step)+1, lines-from)
				part := make([]float64, length*count)
				if err := c.Read(part, from, count); err != nil {
					t.Fatal(err)
				}
				for k, x := range part {
					i, j := k%length, from+k/length
					if c.ByRows {
						i, j = j, i
					}
					if !same([]float64{x}, []float64{whole.At(i, j)}) {
						t.Fatalf("element %d, %d is %v, not %v", i, j, x, whole.At(i, j))
					}
				}
			}
		})
	})
}
