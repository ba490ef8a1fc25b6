package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// zipMagic is the beginning of a .npz file. A .npz file is a zip archive of .npy files, each stored
// or deflated. The directory of an archive is at its end.
const zipMagic = "PK\x03\x04"

const npyEnding = ".npy"

// ReadNPZ reads the matrix with the name `array` from a .npz file. If `array` is empty, ReadNPZ
// reads the only array, or the one called A. An archive that scipy.sparse.save_npz wrote is read as
// one matrix. `name` stands for the file in errors. The errors are *FormatError, *TooLargeError and
// those of the reader `r`.
//
// The directory of the archive is at its end. So a stream without random access, such as a pipe, is
// first read into memory completely, still compressed.
func ReadNPZ(r io.Reader, name, array string) (*Dense, error) {
	o := Options{Array: array}
	return packedOrPlain(r, name, func(z *archive) (*Dense, error) { return denseOf(o.packed(z)) }, func(in *input) (*Dense, error) {
		return nil, in.errorf("not a .npz file: not a zip archive")
	})
}

// packedOrPlain reads a matrix from a stream. For a .npz file packedOrPlain calls the function
// `packed`, and for any other content the function `plain`. If a .npz file has random access, it is
// not copied to memory. A pipe, or an archive inside gzip, is first read into memory.
func packedOrPlain[T any](r io.Reader, name string, packed func(*archive) (*T, error), plain func(*input) (*T, error)) (*T, error) {
	fromArchive := func(at io.ReaderAt, size int64) (*T, error) {
		z, err := openArchive(at, size, name)
		if err != nil {
			return nil, err
		}
		return packed(z)
	}
	if at, size, ok := zipped(r); ok {
		return fromArchive(at, size)
	}
	return opened(r, name, func(in *input) (*T, error) {
		if !in.starts(zipMagic) {
			return plain(in)
		}
		file, err := ReadAll(in, name)
		if err != nil {
			return nil, err
		}
		return fromArchive(bytes.NewReader(file), int64(len(file)))
	})
}

// zipped decides whether r is a .npz file with random access, such as an *os.File or a
// *bytes.Reader, and returns the part from the current position on. The position does not change. A
// pipe has the methods, too, but no known size.
func zipped(r io.Reader) (at io.ReaderAt, size int64, ok bool) {
	f, anywhere := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	size = bytesLeft(r)
	if !anywhere || size == unknown {
		return nil, 0, false
	}
	from, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, false
	}
	magic := make([]byte, len(zipMagic))
	if n, _ := f.ReadAt(magic, from); string(magic[:n]) != zipMagic {
		return nil, 0, false
	}
	return io.NewSectionReader(f, from, size), size, true
}

type archive struct {
	source
	size  int64 // in bytes
	files []*zip.File
}

// openArchive reads the directory of an archive. Two arrays of one name are an error: numpy.load
// reads the last of them, other programs read the first. The reader must stay open as long as the
// archive is in use.
func openArchive(r io.ReaderAt, size int64, name string) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, zipError(name, err)
	}
	seen := map[string]int{}
	for i, f := range z.File {
		array, npy := strings.CutSuffix(f.Name, npyEnding)
		if !npy {
			continue
		}
		if k, twice := seen[array]; twice {
			return nil, source{file: name}.errorf("two arrays are called %s: files %d and %d of the archive", array, k+1, i+1)
		}
		seen[array] = i
	}
	return &archive{source{file: name}, size, z.File}, nil
}

// packed returns the array that the options name, or a sparse matrix, or else the array that
// findArray chooses. So a single part of a sparse matrix can be read by its name.
func (o Options) packed(z *archive) (*matrix, error) {
	if o.Array == "" && z.isSparse() {
		return o.sparse(z)
	}
	member, err := z.findArray(o)
	if err != nil {
		return nil, err
	}
	c, err := inside(z, member, o.readNPY)
	if err == nil {
		c.file = z.file
	}
	return c, err
}

// `inside` calls the function `read` with the content of a member of the archive, which is valid
// until `read` returns. A stored member, without compression, has a known size, so a header with
// another size is found before the elements are read. A large deflated member is unpacked in a
// goroutine of its own.
func inside[T any](z *archive, member *zip.File, read func(in *input) (T, error)) (none T, _ error) {
	path := z.file + ": " + member.Name
	f, err := member.Open()
	if err != nil {
		return none, zipError(path, err)
	}
	defer f.Close()
	// A small member is not worth the buffers of a goroutine.
	if member.Method != zip.Store && member.UncompressedSize64 > stream.AheadBytes {
		in := unpacked(f, path)
		defer in.done()
		return read(in)
	}
	in := newInput(unzipper{f}, path, unknown)
	if member.Method == zip.Store && member.UncompressedSize64 <= uint64(z.size) {
		in.left = int64(member.UncompressedSize64)
	}
	return read(in)
}

func (z *archive) member(array string) *zip.File {
	for _, f := range z.files {
		if f.Name == array+npyEnding {
			return f
		}
	}
	return nil
}

func (z *archive) vector(array string) ([]float64, error) {
	m := z.member(array)
	if m == nil {
		return nil, z.errorf("no array is called %s", array)
	}
	return inside(z, m, readNPYVector)
}

// findArray returns the file of the array that the options name. If they name none, it returns the
// first usual array, or else the only array. If there is none, the error lists the first arrays of
// the archive.
func (z *archive) findArray(o Options) (found *zip.File, err error) {
	for _, want := range o.wanted() {
		if f := z.member(want); f != nil {
			return f, nil
		}
	}
	var names []string
	for _, f := range z.files {
		if name, npy := strings.CutSuffix(f.Name, npyEnding); npy {
			names = append(names, name)
			found = f
		}
	}
	switch {
	case len(names) == 0:
		return nil, z.noArrays()
	case len(names) == 1 && o.Array == "":
		return found, nil
	}
	list := listOf(names)
	want := strings.Join(o.wanted(), " or ")
	if o.Array == "" {
		return nil, z.errorf("several arrays, and none is called %s; choose one of %s", want, list)
	}
	return nil, z.errorf("no array is called %s; the archive has %s", want, list)
}

// listOf returns the first names of arrays, or their number if they are long.
func listOf(names []string) string {
	list := strings.Join(names[:min(len(names), 8)], ", ")
	if len(list) > 200 {
		return fmt.Sprintf("its %d arrays", len(names))
	} else if more := len(names) - 8; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

func zipError(name string, err error) error {
	switch {
	case errors.Is(err, zip.ErrFormat):
		return source{file: name}.errorf("a damaged or truncated zip archive")
	case errors.Is(err, zip.ErrAlgorithm):
		return source{file: name}.errorf("neither stored nor deflated: a .npz file has no other compression")
	}
	return source{file: name}.failed(err)
}
