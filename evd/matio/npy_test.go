package matio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/transpose"
)

// npyFile makes the content of a .npy file from its version, its dictionary and its elements.
func npyFile(version byte, dictionary string, elements ...any) string {
	var b bytes.Buffer
	b.WriteString(npyMagic)
	b.Write([]byte{version, 0})
	if version == 1 {
		binary.Write(&b, le, uint16(len(dictionary)))
	} else {
		binary.Write(&b, le, uint32(len(dictionary)))
	}
	b.WriteString(dictionary)
	for _, e := range elements {
		binary.Write(&b, le, e)
	}
	return b.String()
}

func dictionary(descr string, fortran bool, shape string) string {
	order := map[bool]string{false: "False", true: "True"}[fortran]
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }   \n", descr, order, shape)
}

// streamed returns a stream of s whose size a reader cannot find out.
func streamed(s string) io.Reader { return io.MultiReader(strings.NewReader(s)) }

func TestNPYTypes(t *testing.T) {
	big := func(v any) []byte {
		var b bytes.Buffer
		binary.Write(&b, binary.BigEndian, v)
		return b.Bytes()
	}
	for _, c := range []struct {
		descr    string
		elements any
		want     []float64
	}{
		{"<f8", []float64{1.5, -2, nan, inf}, []float64{1.5, -2, nan, inf}},
		{">f8", big([]float64{1.5, -2, 3, 4}), []float64{1.5, -2, 3, 4}},
		{"<f4", []float32{1.5, -2, 0.1, 4}, []float64{1.5, -2, float64(float32(0.1)), 4}},
		{">f4", big([]float32{1.5, -2, 3, 4}), []float64{1.5, -2, 3, 4}},
		{"<i8", []int64{1, -2, 1<<53 + 1, 4}, []float64{1, -2, 1 << 53, 4}},
		{">i8", big([]int64{1, -2, 3, 4}), []float64{1, -2, 3, 4}},
		{"<i4", []int32{1, -2, 3, 4}, []float64{1, -2, 3, 4}},
		{">i4", big([]int32{1, -2, 3, 4}), []float64{1, -2, 3, 4}},
		{"<i2", []int16{1, -2, 3, 4}, []float64{1, -2, 3, 4}},
		{">i2", big([]int16{1, -2, 3, 4}), []float64{1, -2, 3, 4}},
		{"<u8", []uint64{1, 2, 1<<53 + 1, math.MaxUint64}, []float64{1, 2, 1 << 53, 1 << 64}},
		{">u8", big([]uint64{1, 2, 3, 4}), []float64{1, 2, 3, 4}},
		{"<u4", []uint32{1, 2, 3, 1<<32 - 1}, []float64{1, 2, 3, 1<<32 - 1}},
		{">u4", big([]uint32{1, 2, 3, 4}), []float64{1, 2, 3, 4}},
		{"<u2", []uint16{1, 2, 3, 65535}, []float64{1, 2, 3, 65535}},
		{">u2", big([]uint16{1, 2, 3, 4}), []float64{1, 2, 3, 4}},
		{"<f2", []uint16{0x3c00, 0xc000, 0x7bff, 0x0001}, []float64{1, -2, 65504, 0x1p-24}},
		{">f2", big([]uint16{0x3555, 0x7c00, 0xfc00, 0x7e00}), []float64{0.333251953125, inf, -inf, nan}},
		{"|i1", []int8{1, -2, 127, -128}, []float64{1, -2, 127, -128}},
		{"|u1", []uint8{1, 2, 200, 255}, []float64{1, 2, 200, 255}},
		{"|b1", []bool{true, false, false, true}, []float64{1, 0, 0, 1}},
	} {
		file := npyFile(1, dictionary(c.descr, true, "(2, 2)"), c.elements)
		for _, r := range []io.Reader{strings.NewReader(file), streamed(file)} {
			d, err := ReadNPY(r, "m.npy")
			if err != nil {
				t.Errorf("%s: %v", c.descr, err)
			} else if !same(d.Data, c.want) {
				t.Errorf("%s: got %v, want %v", c.descr, d.Data, c.want)
			}
		}
	}
}

// TestNPYTypeNames reads the names of types that numpy.load reads (tried with NumPy 1.24), besides
// those that NumPy writes itself. Other names must be refused.
func TestNPYTypeNames(t *testing.T) {
	f8, i2, bytes := []float64{1.5, -2}, []int16{1, -2}, []byte{1, 0}
	for _, c := range []struct {
		descr    string // a Python literal
		elements any
		want     []float64
	}{
		{"'=f8'", f8, f8}, {"'|f8'", f8, f8}, {"'f8'", f8, f8}, {"u'<f8'", f8, f8}, {`u"<f8"`, f8, f8},
		{"'d'", f8, f8}, {"'<d'", f8, f8}, {"'double'", f8, f8}, {"'float'", f8, f8}, {"'float64'", f8, f8},
		{"('<f8', ())", f8, f8}, {"('<f8', {'unit': {'a': \"m\"}})", f8, f8}, {"(u'<f8',{})", f8, f8},
		{"'f'", []float32{1.5, -2}, f8}, {"'single'", []float32{1.5, -2}, f8}, {"'=f4'", []float32{1.5, -2}, f8},
		{"'e'", []uint16{0x3e00, 0xc000}, f8}, {"'half'", []uint16{0x3e00, 0xc000}, f8}, {"'float16'", []uint16{0x3e00, 0xc000}, f8},
		{"'h'", i2, []float64{1, -2}}, {"'=i2'", i2, []float64{1, -2}}, {"'>h'", []byte{0, 1, 255, 254}, []float64{1, -2}},
		{"'<b1'", bytes, []float64{1, 0}}, {"'=b1'", bytes, []float64{1, 0}}, {"'>b1'", bytes, []float64{1, 0}},
		{"'?'", bytes, []float64{1, 0}}, {"'bool'", bytes, []float64{1, 0}}, {"'b1'", bytes, []float64{1, 0}},
		{"'<i1'", []int8{1, -2}, []float64{1, -2}}, {"'>i1'", []int8{1, -2}, []float64{1, -2}}, {"'b'", []int8{1, -2}, []float64{1, -2}},
		{"'<u1'", []uint8{1, 254}, []float64{1, 254}}, {"'B'", []uint8{1, 254}, []float64{1, 254}}, {"'uint8'", []uint8{1, 254}, []float64{1, 254}},
	} {
		file := npyFile(1, "{'descr': "+c.descr+", 'fortran_order': False, 'shape': (2,), }", c.elements)
		if got, err := ReadVector(strings.NewReader(file), "v"); err != nil || !same(got, c.want) {
			t.Errorf("%s: %v, %v", c.descr, got, err)
		}
	}
	for _, descr := range []string{
		"''", "'<'", "'<F8'", "'<f8 '", "'!f8'", "'<<f8'", "'<f9'", "'l'", "'int'", "'<V8'", "'<U4'", "'<M8[ns]'", "b'<f8'",
		"('<f8', (2,))", "('<f8',)", "('<f8', {'a': 1)", "[('x', '<f8')]", "'<c16'", "'D'", "'>c8'",
	} {
		file := npyFile(1, "{'descr': "+descr+", 'fortran_order': False, 'shape': (2,), }", f8)
		if got, err := ReadVector(strings.NewReader(file), "v"); err == nil {
			t.Errorf("%s is read: %v", descr, got)
		}
	}
}

func TestNPYShapesAndVersions(t *testing.T) {
	six := []float64{1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		name, file string
		rows, cols int
		want       []float64
	}{
		{"Fortran order", npyFile(1, dictionary("<f8", true, "(2, 3)"), six), 2, 3, six},
		{"C order", npyFile(1, dictionary("<f8", false, "(2, 3)"), six), 2, 3, []float64{1, 4, 2, 5, 3, 6}},
		{"C order, square", npyFile(1, dictionary("<f8", false, "(2, 2)"), six[:4]), 2, 2, []float64{1, 3, 2, 4}},
		{"C order, row", npyFile(1, dictionary("<f8", false, "(1, 6)"), six), 1, 6, six},
		{"C order, column", npyFile(1, dictionary("<f8", false, "(6, 1)"), six), 6, 1, six},
		{"version 2", npyFile(2, dictionary("<f8", true, "(3, 2)"), six), 3, 2, six},
		{"version 3", npyFile(3, dictionary("<f8", true, "(3, 2)"), six), 3, 2, six},
		{"empty", npyFile(1, dictionary("<f8", false, "(0, 5)")), 0, 5, nil},
		{"other order of keys, other marks", npyFile(1, `{"shape":(2L,3L),"fortran_order":True,"descr":"<f8"}`, six), 2, 3, six},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.file), streamed(c.file)} {
			d, err := ReadNPY(r, "m.npy")
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if d.Rows != c.rows || d.Cols != c.cols || d.DeclaredSymmetric || !same(d.Data, c.want) {
				t.Errorf("%s: got %+v, want %d by %d %v", c.name, *d, c.rows, c.cols, c.want)
			}
		}
	}
}

func TestNPYBad(t *testing.T) {
	fine := dictionary("<f8", false, "(1, 2)")
	pair := []float64{1, 2}
	const types = "booleans, integers and floats of at most 64 bits"
	for _, c := range []struct{ file, known, unknown string }{
		{"\x93NUMP", "the file ends inside the header", ""},
		{"\x93NUMPX\x01\x01", "not a .npy array: it does not begin with its magic bytes", ""},
		{npyMagic + "\x04\x00", ".npy version 4.0 is not one of 1.0, 2.0, 3.0", ""},
		{npyMagic + "\x01\x01", ".npy version 1.1 is not one of 1.0, 2.0, 3.0", ""},
		{npyMagic + "\x01\x00\x40", "the file ends inside the header", ""},
		{npyMagic + "\x01\x00\x40\x00{", "the file ends inside the header", ""},
		{npyMagic + "\x02\x00\xff\xff\xff\xff", "the header has 4294967295 bytes, more than a plain array needs", ""},
		{npyFile(1, fine, pair[:1]), "the header announces 16 bytes of elements, but the file has 8", "the file ends inside its elements"},
		{npyFile(1, fine, pair, byte(0)), "the header announces 16 bytes of elements, but the file has 17", "data follow the last of 2 elements"},
		{npyFile(1, dictionary("<f8", true, "(1000000, 1000000)")), "the header announces 8000000000000 bytes of elements, but the file has 0", "the file ends inside its elements"},
		{npyFile(1, dictionary("<f8", true, "("+mostText+", 2)")), mostText + " by 2 elements take 1.64e+04 GiB, more than this system can provide", ""},
		{npyFile(1, dictionary("<f8", true, "(3,)")), "a matrix has two dimensions, but this array has 1: A.reshape(n, n) makes a matrix", ""},
		{npyFile(1, dictionary("<f8", true, "()")), "a matrix has two dimensions, but this array has 0", ""},
		{npyFile(1, dictionary("<f8", true, "(1, 1, 1)")), "a matrix has two dimensions, but this array has 3; vkevd solve --batch solves a stack of matrices", ""},
		{npyFile(1, dictionary("<c16", true, "(1, 1)")), complexWayOut, ""},
		{npyFile(1, dictionary("<c32", true, "(1, 1)")), `element type "<c32" is not supported: save A.astype(complex) instead`, ""},
		{npyFile(1, dictionary("<f16", true, "(1, 1)")), `element type "<f16" is not supported, only ` + types + ": save A.astype(float) instead", ""},
		{npyFile(1, dictionary("|O", true, "(1, 1)")), `element type "|O" is not supported, only ` + types + ": save A.astype(float) instead", ""},
		{npyFile(1, "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1,)}"), `header: arrays of records are not supported: save A["FIELD"] instead`, ""},
		{npyFile(1, "{'descr': '<f8', 'fortran_order': False}"), "header: no shape", ""},
		{npyFile(1, "{}"), "header: no descr", ""},
		{npyFile(1, ""), `header: expected { before ""`, ""},
		{npyFile(1, "{'descr': '<f8', 'fortran_order': 0, "), `header: expected False before "0, "`, ""},
		{npyFile(1, "{'descr': '<f8"), "header: a string does not end", ""},
		{npyFile(1, "{'order': 'C'}"), `header: unknown key "order"`, ""},
		{npyFile(1, "{'shape': (1, -1)}"), "header: a dimension is not an integer from 0 to " + mostText, ""},
		{npyFile(1, "{'shape': (1 2)}"), `header: expected ) before "2)}"`, ""},
		{npyFile(1, fine+"{"), "header: text after the closing brace", ""},
	} {
		if c.unknown == "" {
			c.unknown = c.known
		}
		_, err := ReadNPY(strings.NewReader(c.file), "m.npy")
		if got := fmt.Sprint(err); got != "m.npy: "+c.known {
			t.Errorf("%q:\n got %s\nwant m.npy: %s", c.file, got, c.known)
		}
		_, err = ReadNPY(streamed(c.file), "m.npy")
		if got := fmt.Sprint(err); got != "m.npy: "+c.unknown {
			t.Errorf("%q, streamed:\n got %s\nwant m.npy: %s", c.file, got, c.unknown)
		}
	}
}

// TestNPYGrows reads a stream of unknown length in row order and in column order. The stream is
// longer than the first allocation and longer than a chunk.
func TestNPYGrows(t *testing.T) {
	d := numbered(600, 500)
	for _, fortran := range []bool{true, false} {
		file := npyFile(1, dictionary("<f8", fortran, "(600, 500)"), d.Data)
		got, err := ReadNPY(streamed(file), "m.npy")
		if err != nil {
			t.Fatal(err)
		}
		want := d.Data
		if !fortran {
			want = make([]float64, len(d.Data))
			transpose.Into(want, d.Data, 600, 500)
		}
		if !same(got.Data, want) || cap(got.Data) != len(want) {
			t.Errorf("Fortran order %v: elements differ, or %d are kept for %d", fortran, cap(got.Data), len(want))
		}
	}
}
