package matio

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// zipMagic opens a .npz file, which is a zip archive of .npy files, deflated or not.
const zipMagic = "PK\x03\x04"

// npyEnding follows the names of arrays in a .npz file.
const npyEnding = ".npy"

// usualArray is the one taken from a .npz file that holds several.
const usualArray = "A"

// ReadNPZ reads the matrix called array from a .npz stream. An empty array stands for the only one,
// or for A among several; an archive that scipy.sparse.save_npz wrote is one matrix. Streams that
// cannot be read at any place, such as pipes, are held in memory, compressed as they are.
func ReadNPZ(r io.Reader, name, array string) (*Dense, error) {
	o := Options{Array: array}
	if at, size, ok := zipped(r); ok {
		return o.fromZip(at, size, name)
	}
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	at, err := in.slurp()
	if err != nil {
		return nil, err
	}
	return o.fromZip(at, at.Size(), name)
}

// zipped says where the rest of r lies if it is a .npz file that can be read at any place.
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

// slurp reads a .npz file that comes in order: its directory is at the end, so all of it first.
func (in *input) slurp() (*bytes.Reader, error) {
	if !in.starts(zipMagic) {
		return nil, &FormatError{in.file, 0, "no .npz: not a zip archive"}
	}
	var file []byte
	for {
		if len(file) == cap(file) {
			room := max(askBytes, 2*cap(file))
			if cap(file) < askBytes/2 {
				room = max(1<<16, 2*cap(file))
			} else if !systemHas(room) {
				return nil, fmt.Errorf("%s: a .npz file in a stream of more than %d bytes, which this system has no memory for", in.file, len(file))
			}
			file = append(make([]byte, 0, room), file...)
		}
		n, err := in.Read(file[len(file):cap(file)])
		file = file[:len(file)+n]
		if err == io.EOF {
			return bytes.NewReader(file), nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", in.file, err)
		}
	}
}

// archive is a .npz file that can be read at any place.
type archive struct {
	name  string // the file's
	size  int64
	files []*zip.File
}

func openArchive(r io.ReaderAt, size int64, name string) (*archive, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, zipError(name, err)
	}
	return &archive{name, size, z.File}, nil
}

// fromZip reads the array that the options name, or a sparse matrix.
func (o Options) fromZip(r io.ReaderAt, size int64, name string) (*Dense, error) {
	z, err := openArchive(r, size, name)
	if err != nil {
		return nil, err
	}
	if o.Array == "" && z.isSparse() {
		s, err := z.readSparse()
		if err != nil {
			return nil, err
		}
		return s.dense()
	}
	member, complaint := findArray(z.files, o.Array)
	if complaint != "" {
		return nil, &FormatError{name, 0, complaint}
	}
	var d *Dense
	err = z.open(member, func(in *input) error {
		d, err = readNPY(in, mostElements)
		return err
	})
	return d, err
}

// open calls read for a member of the archive.
func (z *archive) open(member *zip.File, read func(in *input) error) error {
	inside := z.name + ": " + member.Name
	f, err := member.Open()
	if err != nil {
		return zipError(inside, err)
	}
	defer f.Close()
	if member.Method != zip.Store {
		in := unpacked(f, inside)
		defer in.done()
		return read(in)
	}
	in := newInput(unzipper{f}, inside, unknown)
	if member.UncompressedSize64 <= uint64(z.size) {
		in.left = int64(member.UncompressedSize64)
	}
	return read(in)
}

// member returns the file of an array, or nil.
func (z *archive) member(array string) *zip.File {
	for _, f := range z.files {
		if f.Name == array+npyEnding {
			return f
		}
	}
	return nil
}

// vector reads an array of one dimension.
func (z *archive) vector(array string) (a []float64, err error) {
	m := z.member(array)
	if m == nil {
		return nil, &FormatError{z.name, 0, "no array is called " + array}
	}
	err = z.open(m, func(in *input) error {
		a, err = readNPYVector(in)
		return err
	})
	return a, err
}

// findArray looks an array up by its name, which is that of its file less the ending.
func findArray(files []*zip.File, array string) (found *zip.File, complaint string) {
	want := array
	if want == "" {
		want = usualArray
	}
	var names []string
	for _, f := range files {
		name, npy := strings.CutSuffix(f.Name, npyEnding)
		if !npy {
			continue
		}
		if name == want {
			return f, ""
		}
		names = append(names, name)
		found = f
	}
	switch {
	case len(names) == 0:
		return nil, "the archive holds no .npy array"
	case len(names) == 1 && array == "":
		return found, ""
	}
	list := strings.Join(names[:min(len(names), 8)], ", ")
	if len(list) > 200 || len(names) > 8 {
		list = fmt.Sprintf("%d others", len(names))
	}
	if array == "" {
		return nil, fmt.Sprintf("several arrays, and none is called %s: name one of %s", want, list)
	}
	return nil, fmt.Sprintf("no array is called %s, only %s", want, list)
}

// zipError tells damaged archives from streams that cannot be read.
func zipError(name string, err error) error {
	switch {
	case errors.Is(err, zip.ErrFormat):
		return &FormatError{name, 0, "a damaged or truncated zip archive"}
	case errors.Is(err, zip.ErrAlgorithm):
		return &FormatError{name, 0, "neither stored nor deflated, which are the ways of .npz"}
	}
	return fmt.Errorf("%s: %w", name, err)
}
