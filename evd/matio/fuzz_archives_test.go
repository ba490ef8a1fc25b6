package matio

import (
	"archive/zip"
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// FuzzSparse makes files of scipy.sparse.save_npz with arrays of the fuzzer. A file is read as a
// matrix and as a tridiagonal matrix, or is refused. The expected result comes from entriesOf, a
// second implementation of the rules of these formats.
func FuzzSparse(f *testing.F) {
	limitFuzzer(f)
	f.Add("csr", int64(3), int64(3), []byte{4, 1, 1, 5}, []byte{0, 1, 0, 1}, []byte{0, 2, 4, 4})
	f.Add("csc", int64(2), int64(3), []byte{4, 1, 1}, []byte{0, 1, 0}, []byte{0, 2, 2, 3})
	f.Add("coo", int64(3), int64(3), []byte{4, 1, 1, 4}, []byte{0, 1, 2, 0}, []byte{0, 2, 1, 0})
	f.Add("coo", int64(1000000), int64(1000000), []byte{4}, []byte{0}, []byte{0})
	f.Add("csr", int64(1000000000000), int64(0), []byte{}, []byte{}, []byte{0})
	f.Add("coo", int64(-1), int64(1)<<60, []byte{}, []byte{}, []byte{})
	f.Add("\x00csc", int64(1), int64(1), []byte{}, []byte{}, []byte{0, 0})
	f.Add("dia", int64(2), int64(2), []byte{1}, []byte{0}, []byte{0})
	f.Fuzz(func(t *testing.T, format string, rows, cols int64, data, a, b []byte) {
		names := csr
		if format == "coo" {
			names = coo
		}
		values := make([]float64, len(data))
		for i, x := range data {
			values[i] = float64(x)
		}
		shape := []int64{rows, cols}
		file := []byte(sparseFile(format, shape, values, names, ints(a), ints(b)))
		pairs := make([]complex128, len(values))
		for i, x := range values {
			pairs[i] = complex(x, -2*x)
		}
		complexFile := []byte(sparseFile(format, shape, pairs, names, ints(a), ints(b)))
		bounded(t, file, func() {
			want, valid := entriesOf(format, rows, cols, values, a, b)
			d, err := Read(bytes.NewReader(file), "f")
			typed(t, nil, err)
			small := rows >= 0 && cols >= 0 && rows < 1<<9 && cols < 1<<9
			switch {
			case err == nil && !valid:
				t.Fatal("a wrong file is read")
			case err != nil && valid && small:
				t.Fatalf("a right file is refused: %v", err)
			case err == nil:
				for k, x := range d.Data {
					if want[[2]int64{int64(k % d.Rows), int64(k / d.Rows)}] != x {
						t.Fatalf("element %d is %v", k, x)
					}
				}
			}
			none, z, complexErr := Options{}.ReadEither(bytes.NewReader(complexFile), "f")
			typed(t, nil, complexErr)
			if none != nil || err == nil && complexErr == nil != (z != nil) || complexErr == nil && err != nil || small && (err == nil) != (complexErr == nil) {
				t.Fatalf("real: %v; complex: %v", err, complexErr)
			}
			if z != nil {
				for k, x := range d.Data {
					if z.Data[k] != complex(x, -2*x) {
						t.Fatalf("element %d is %v, not %v", k, z.Data[k], complex(x, -2*x))
					}
				}
			}
			tri, err := ReadTridiagonal(bytes.NewReader(file), "f")
			typed(t, nil, err)
			for k, x := range want {
				if err == nil && x != 0 && !(k[0] == k[1] && tri.D[k[0]] == x || k[0] == k[1]+1 && tri.E[k[1]] == x || k[1] == k[0]+1 && tri.E[k[0]] == x) {
					t.Fatalf("element %v, which is %v, is lost", k, x)
				}
			}
		})
	})
}

func ints(bytes []byte) []int32 {
	all := make([]int32, len(bytes))
	for i, x := range bytes {
		all[i] = int32(int8(x))
	}
	return all
}

// entriesOf returns the sums of the entries of a sparse matrix, and whether its arrays are right.
func entriesOf(format string, rows, cols int64, values []float64, a, b []byte) (map[[2]int64]float64, bool) {
	all := map[[2]int64]float64{}
	first, second := ints(a), ints(b)
	add := func(i, j int64, x float64) bool {
		all[[2]int64{i, j}] += x
		return i >= 0 && j >= 0 && i < rows && j < cols
	}
	right := rows >= 0 && cols >= 0 && len(first) == len(values)
	if !right {
		return nil, false
	}
	switch format {
	case "coo":
		right = len(second) == len(values)
		for k := range values {
			right = right && add(int64(first[k]), int64(second[k]), values[k])
		}
	case "csr", "csc":
		lines := rows
		if format == "csc" {
			lines = cols
		}
		right = int64(len(second)) == lines+1 && second[0] == 0
		for line := int64(0); right && line < lines; line++ {
			from, to := int(second[line]), int(second[line+1])
			right = from <= to && to <= len(values)
			for k := from; right && k < to; k++ {
				i, j := line, int64(first[k])
				if format == "csc" {
					i, j = j, i
				}
				right = add(i, j, values[k])
			}
		}
	default:
		return nil, false
	}
	return all, right
}

// FuzzArchiveInGzip reads an archive inside gzip, which is held in memory, and compares with the
// archive itself.
func FuzzArchiveInGzip(f *testing.F) {
	limitFuzzer(f)
	whole := npyFile(1, dictionary("<f8", false, "(1, 2)"), []float64{1, 2})
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add([]byte(npz(method, "A.npy", whole)), uint8(0))
		f.Add([]byte(npz(method, "x.npy", whole, "A.npy", whole[:50])), uint8(3))
		f.Add([]byte(npz(method, "A.npy", whole, "A.npy", whole)), uint8(0))
		f.Add([]byte(npz(method, "a.csv", "1,2\n")), uint8(0))
	}
	f.Add([]byte(sparseFile("coo", []int64{2, 2}, []float64{4}, coo, []int32{0}, []int32{1})), uint8(0))
	f.Fuzz(func(t *testing.T, file []byte, padding uint8) {
		if !bytes.HasPrefix(file, []byte(zipMagic)) {
			return
		}
		packed := []byte(gzipped(string(file)) + strings.Repeat("\x00", int(padding)))
		bounded(t, file, func() {
			d, err := Read(bytes.NewReader(file), "f")
			again, packedErr := Read(bytes.NewReader(packed), "f")
			if (err == nil) != (packedErr == nil) || err == nil && (d.Rows != again.Rows || d.Cols != again.Cols || !same(d.Data, again.Data)) {
				t.Fatalf("plain: %v; in gzip: %v", err, packedErr)
			}
			tri, err := ReadTridiagonal(bytes.NewReader(file), "f")
			againTri, packedErr := ReadTridiagonal(streamed(string(packed)), "f")
			if (err == nil) != (packedErr == nil) || err == nil && (!same(tri.D, againTri.D) || !same(tri.E, againTri.E)) {
				t.Fatalf("tridiagonal, plain: %v; in gzip: %v", err, packedErr)
			}
		})
	})
}

// FuzzNPZWriter writes arrays of all kinds under names of the fuzzer, and reads them again, all of
// them and one by one.
func FuzzNPZWriter(f *testing.F) {
	limitFuzzer(f)
	f.Add("A\nλ\n", []byte("12345678abcdefgh"), uint8(1))
	f.Add("A\nA", []byte{}, uint8(0))
	f.Add("A.npy\na/b\n\\\x00:\xff", []byte("\x00\x00\x00\x00\x00\x00\xf8\x7f"), uint8(7))
	f.Fuzz(func(t *testing.T, names string, data []byte, rows uint8) {
		list := strings.Split(names, "\n")
		if len(list) > 50 {
			return
		}
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			values = append(values, math.Float64frombits(le.Uint64(data)))
		}
		r := int(rows)
		cols := 0
		if r > 0 {
			cols = len(values) / r
		}
		values = values[:r*cols]
		bounded(t, []byte(names+strings.Repeat("12345678", len(list)*len(values))+zipMagic), func() {
			var file bytes.Buffer
			z := NewNPZWriter(&file)
			var written []string
			for k, name := range list {
				a, err := z.Array(name)
				if slices.Contains(written, name) != (err != nil) {
					t.Fatalf("%q after %q: %v", name, written, err)
				}
				if err != nil {
					continue
				}
				written = append(written, name)
				if k%2 == 0 {
					err = WriteNPY(a, r, cols, values, max(1, r))
				} else {
					err = WriteStack(a, 1, r, cols, func(int) []float64 { return values })
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			all, err := Options{}.ReadStacks(bytes.NewReader(file.Bytes()), "f")
			if err != nil || len(all.All) != len(written) {
				t.Fatalf("%v, %d arrays of %d", err, len(all.All), len(written))
			}
			for k, s := range all.All {
				if s.Name != written[k] || s.Count != 1 || s.Rows != r || s.Cols != cols || !same(s.Data, values) {
					t.Fatalf("%q: %+v", written[k], s)
				}
				if s.Name == "" || s.Dims != 2 {
					continue // the name "" means the array A
				}
				d, err := ReadNPZ(streamed(file.String()), "f", s.Name)
				if err != nil || d.Rows != r || d.Cols != cols || !same(d.Data, values) {
					t.Fatalf("%q: %+v, %v", s.Name, d, err)
				}
			}
		})
	})
}
