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

// usualArray is the one taken from a .npz file that holds several.
const usualArray = "A"

// ReadNPZ reads the matrix called array from a .npz stream. An empty array stands for the
// only one, or for A among several. Streams that cannot be read at any place, such as
// pipes, are held in memory, compressed as they are.
func ReadNPZ(r io.Reader, name, array string) (*Dense, error) {
	if at, size, ok := zipped(r); ok {
		return readNPZ(at, size, name, array)
	}
	in, err := open(r, name)
	if err != nil {
		return nil, err
	}
	defer in.done()
	return in.npz(array)
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

// npz reads a .npz file that comes in order: its directory is at the end, so all of it first.
func (in *input) npz(array string) (*Dense, error) {
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
			return readNPZ(bytes.NewReader(file), int64(len(file)), in.file, array)
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", in.file, err)
		}
	}
}

func readNPZ(r io.ReaderAt, size int64, name, array string) (*Dense, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, zipError(name, err)
	}
	member, complaint := findArray(archive.File, array)
	if complaint != "" {
		return nil, &FormatError{name, 0, complaint}
	}
	inside := name + ": " + member.Name
	f, err := member.Open()
	if err != nil {
		return nil, zipError(inside, err)
	}
	defer f.Close()
	if member.Method != zip.Store {
		in := unpacked(f, inside)
		defer in.done()
		return readNPY(in, mostElements)
	}
	in := newInput(unzipper{f}, inside, unknown)
	if member.UncompressedSize64 <= uint64(size) {
		in.left = int64(member.UncompressedSize64)
	}
	return readNPY(in, mostElements)
}

// findArray looks an array up by its name, which is that of its file less the ending.
func findArray(files []*zip.File, array string) (found *zip.File, complaint string) {
	const ending = ".npy"
	want := array
	if want == "" {
		want = usualArray
	}
	var names []string
	for _, f := range files {
		name, npy := strings.CutSuffix(f.Name, ending)
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
