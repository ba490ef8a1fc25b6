package matio

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// unknown is the value of a size that is not known before the end of the stream.
const unknown = -1

// An input is a stream of bytes after decompression, with a name for errors. The function that
// opened it must call `done`, even after a read has failed. Only one goroutine may use an input.
//
// The embedded Reader buffers 64 KiB, so Peek can look at up to 64 KiB without consuming them.
// Readers recognise formats in this way, so streams need not be able to seek.
type input struct {
	*bufio.Reader
	source
	// `left` is the number of bytes that the stream had when it was opened, or `unknown`.
	left int64
	// done frees what the input holds, such as the goroutine of a decompressor. It does not close
	// the stream.
	done func()
	// `at` is the file, for reading at any position, or nil if the stream is compressed or not a
	// file.
	at *stream.File
}

// A source makes the errors about a file. `file` is the name that the caller gave, and `complex`
// says that the elements are known to be complex.
type source struct {
	file    string
	complex bool
}

// errorf returns an error about the content of a file, without the number of a line.
func (s source) errorf(format string, args ...any) *FormatError {
	return &FormatError{s.file, 0, fmt.Sprintf(format, args...)}
}

func (s source) tooLarge(rows, cols int) error { return &TooLargeError{s.file, rows, cols, s.complex} }

// failed adds the name to an error of the stream.
func (s source) failed(err error) error { return fmt.Errorf("%s: %w", s.file, err) }

// ended returns the error about a read inside the part `what` of the file, which returned `err`. It
// returns nil if `err` is nil.
func (s source) ended(err error, what string) error {
	switch err {
	case nil:
		return nil
	case io.EOF, io.ErrUnexpectedEOF: // compared directly: a broken gzip stream wraps these errors
		return s.errorf("the file ends inside %s", what)
	}
	return s.failed(err)
}

// push appends the number in this row and column of the file to a list that grows with the file.
func (s source) push(a *[]float64, x float64, row, col int) (err error) {
	grown, ok := memory.Push(*a, x)
	if !ok {
		return s.tooLarge(row, col)
	}
	*a = grown
	return nil
}

// newInput reads `r` without decompression. It has `left` bytes, which may be `unknown`.
func newInput(r io.Reader, file string, left int64) *input {
	return &input{Reader: bufio.NewReaderSize(r, 1<<16), source: source{file: file}, left: left, done: func() {}}
}

// unpacked returns an input with the data of the decompressor z, which runs in a goroutine of its
// own until `done` is called.
func unpacked(z io.Reader, file string) *input {
	a := stream.ReadAhead(unzipper{z})
	in := newInput(a, file, unknown)
	in.done = a.Close
	return in
}

// byteOrderMark is the character at the beginning of UTF-8 files from some programs.
const byteOrderMark = "\xef\xbb\xbf"

// ReadAll reads a stream to its end, as io.ReadAll does, but asks for memory before it takes it. If
// the system does not have the memory, the error is a *TooLargeError, which counts eight bytes as
// one element. `name` stands for the file in errors.
func ReadAll(r io.Reader, name string) ([]byte, error) {
	var file []byte
	for {
		if len(file) == cap(file) {
			var ok bool
			if file, ok = memory.Grow(file, 1<<16, math.MaxInt); !ok {
				return nil, source{file: name}.tooLarge(len(file)/memory.WordBytes, 1)
			}
		}
		n, err := r.Read(file[len(file):cap(file)])
		file = file[:len(file)+n]
		if err == io.EOF {
			return file, nil
		} else if err != nil {
			return nil, source{file: name}.failed(err)
		}
	}
}

func (in *input) dropByteOrderMark() {
	for in.starts(byteOrderMark) {
		in.Discard(len(byteOrderMark))
		in.at = nil // positions in the file are no longer those of the input
		if in.left != unknown {
			in.left -= int64(len(byteOrderMark))
		}
	}
}

// open makes an input from r. It recognises gzip by its first bytes, removes a byte order mark, and
// finds the number of bytes to read if this is possible. An empty stream is an error, and so is a
// format that is known, but that this package does not read. The caller must call `done` if there
// is no error.
//
// A compressed stream is unpacked in a goroutine of its own. Its unpacked size is unknown, because
// gzip stores the size only modulo 2³², and at the end of the stream.
func open(r io.Reader, name string) (*input, error) {
	// stream.FileOf must be called before anything is read from r, because it stores the position
	// of r.
	at := stream.FileOf(r)
	in := newInput(r, name, bytesLeft(r))
	in.at = at
	if in.starts(stream.GzipMagic) {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, in.failed(unzipError(err))
		}
		in = unpacked(stream.NewMembers(z, in.Reader), name)
	}
	in.dropByteOrderMark()
	_, err := in.Peek(1)
	if err == nil {
		err = knownForeign(in)
	}
	switch {
	case err == nil:
		return in, nil
	case errors.As(err, new(*FormatError)):
	case err == io.EOF:
		err = in.errorf("the file is empty")
	default:
		err = in.failed(err)
	}
	in.done()
	return nil, err
}

func opened[T any](r io.Reader, name string, read func(*input) (T, error)) (none T, _ error) {
	in, err := open(r, name)
	if err != nil {
		return none, err
	}
	defer in.done()
	return read(in)
}

func fromFile[T any](path string, read func(io.Reader, string) (T, error)) (none T, _ error) {
	f, err := os.Open(path)
	if err != nil {
		return none, err
	}
	defer f.Close()
	return read(f, path)
}

// starts reports whether the input begins with the given bytes. It consumes nothing.
func (in *input) starts(with string) bool {
	b, _ := in.Peek(len(with))
	return string(b) == with
}

// bytesLeft returns the number of bytes that r can still return: for files on a disk, from the
// current position on, and for readers with a method Len (bytes.Reader, bytes.Buffer,
// strings.Reader). Otherwise, and for files in /proc, which report the size zero, it returns
// `unknown`.
func bytesLeft(r io.Reader) int64 {
	var left int64
	switch r := r.(type) {
	case interface{ Len() int }: // bytes.Reader, bytes.Buffer, strings.Reader
		left = int64(r.Len())
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return unknown
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return unknown
		}
		left = info.Size() - at
	}
	if left <= 0 {
		return unknown
	}
	return left
}

// An unzipper is a decompressor whose errors mention the compressed data.
type unzipper struct{ z io.Reader }

func (u unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	return n, unzipError(err)
}

// unzipError says that the error is about the compressed data. Readers compare errors with io.EOF,
// which stays as it is.
func unzipError(err error) error {
	// At the end of correct data, gzip returns io.EOF itself.
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("compressed data: %w", err)
}
