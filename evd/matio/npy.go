package matio

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// npyMagic is the beginning of every .npy file. The format is:
//
//	6 bytes       npyMagic
//	2 bytes       version: major, minor
//	2 or 4 bytes  length of the header, little endian; 2 in version 1, 4 later
//	header        a Python dictionary as text (numpy.ParseHeader), blanks, a line feed
//	elements      without padding, in the order that the header says
const npyMagic = "\x93NUMPY"

var le = binary.LittleEndian

// longestHeader is the largest allowed number of bytes of the header. Only arrays of records have
// long headers.
const longestHeader = 1 << 16

type npy struct {
	*input
	numpy.Header
	numpy.Element
	header int64
}

// readHeader reads a .npy file up to its elements, which must be numbers. Complex numbers are
// refused if complexToo is false. Descr becomes the name of the type in numpy.Types.
func (f *npy) readHeader(complexToo bool) error {
	if err := f.readDictionary(); err != nil {
		return err
	}
	given := f.Descr
	f.Descr = numpy.UsualType(given)
	var known bool
	f.Element, known = numpy.Types[f.Descr]
	switch {
	case known:
		if f.complex = f.Numbers == 2; f.complex && !complexToo {
			return f.errorf("%s", complexWayOut)
		}
		return nil
	case len(f.Descr) > 1 && f.Descr[1] == 'c':
		return f.errorf("element type %q is not supported: save A.astype(complex) instead", given)
	}
	return f.errorf("element type %q is not supported, only booleans, integers and floats of at most 64 bits: save A.astype(float) instead", given)
}

// readDictionary reads version and dictionary. It accepts elements that are not numbers, too,
// because archives of scipy contain strings.
func (f *npy) readDictionary() error {
	var fixed [8]byte
	if err := f.full(fixed[:], "the header"); err != nil {
		return err
	}
	if string(fixed[:6]) != npyMagic {
		return f.errorf("not a .npy array: it does not begin with its magic bytes")
	}
	// Version 2 allows longer headers than version 1. Version 3 allows UTF-8 in headers. Headers of
	// plain arrays need neither.
	major, minor := fixed[6], fixed[7]
	if major < 1 || major > 3 || minor != 0 {
		return f.errorf(".npy version %d.%d is not one of 1.0, 2.0, 3.0", major, minor)
	}
	sizeBytes := 4
	if major == 1 {
		sizeBytes = 2
	}
	var size [4]byte
	if err := f.full(size[:sizeBytes], "the header"); err != nil {
		return err
	}
	n := le.Uint32(size[:])
	if n > longestHeader {
		return f.errorf("the header has %d bytes, more than a plain array needs", n)
	}
	text := make([]byte, n)
	if err := f.full(text, "the header"); err != nil {
		return err
	}
	var complaint string
	if f.Header, complaint = numpy.ParseHeader(string(text)); complaint != "" {
		return f.errorf("header: %s", complaint)
	}
	f.header = int64(len(fixed) + sizeBytes + len(text))
	if f.left != unknown {
		f.left -= f.header
	}
	return nil
}

// readData reads all elements in the order of the file, pairs of numbers if they are complex, and
// fails if more bytes follow. If the size of the file is known, it is compared with the header
// before the memory for all elements is allocated. If the size is not known, the memory grows with
// the data that have been read.
func (f *npy) readData() ([]float64, error) {
	total := 1
	for _, n := range append(slices.Clone(f.Shape), f.Numbers) {
		var ok bool
		if total, ok = memory.Elements(total, n, memory.MostElements); !ok {
			return nil, f.shapeTooLarge()
		}
	}
	first := memory.FirstElements
	if f.left != unknown {
		if need := int64(total) * int64(f.Bytes); need != f.left {
			return nil, f.errorf("the header announces %d bytes of elements, but the file has %d", need, f.left)
		}
		first = total
	}
	if f.Native && f.at != nil && f.left >= stream.ParallelBytes { // and f.left is what the header says
		a, ok := memory.Allocate[float64](total)
		if !ok {
			return nil, f.shapeTooLarge()
		}
		return a, f.ended(f.at.Fill(numpy.Raw(a), f.header), "its elements")
	}
	var a []float64
	for at := 0; at < total; at = len(a) {
		var ok bool
		if a, ok = memory.Grow(a, first, total); !ok {
			return nil, f.shapeTooLarge()
		}
		a = a[:cap(a)]
		if err := f.Fill(a[at:], func(p []byte) error { return f.full(p, "its elements") }); err != nil {
			return nil, err
		}
	}
	switch _, err := f.ReadByte(); {
	case err == nil:
		return nil, f.errorf("data follow the last of %d elements", total/f.Numbers)
	case err != io.EOF:
		return nil, f.failed(err)
	}
	return a, nil
}

func (f *npy) full(p []byte, what string) error {
	_, err := io.ReadFull(f.input, p)
	return f.ended(err, what)
}

// shapeTooLarge makes the error that the system has no memory for the array. An array with only one
// dimension counts as a matrix with one column.
func (f *npy) shapeTooLarge() error {
	shape := append(slices.Clone(f.Shape), 1)
	return f.tooLarge(shape[0], shape[1])
}
