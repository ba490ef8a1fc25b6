package matio

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// unknown stands for a size that is known only at the end of the stream.
const unknown = -1

// An input is a stream of bytes after decompression, with its name for errors. The one that opened
// it must call done, also after an error of a read. It is for one goroutine.
//
// The embedded Reader buffers 64 KiB. So Peek can look at that much without consuming it. This is
// how formats are recognised, so streams need not be able to seek.
type input struct {
	*bufio.Reader
	// file is the name of the file, as the caller gave it.
	file string
	// left is the number of bytes that the stream still had when it was opened, or unknown.
	left int64
	// done releases resources of the input. It does not close the stream.
	done func()
	// at is the file itself, if the stream is an uncompressed file. Otherwise it is nil.
	at *regular
}

// newInput reads r without decompression. left is the number of bytes that r still has, or unknown.
// There is nothing to release, so done does nothing.
func newInput(r io.Reader, file string, left int64) *input {
	return &input{Reader: bufio.NewReaderSize(r, 1<<16), file: file, left: left, done: func() {}}
}

// unpacked reads the data that the decompressor z returns. z runs in a goroutine of its own until
// done is called. The size of the data is unknown, and there is no random access.
func unpacked(z io.Reader, file string) *input {
	a := readAhead(unzipper{z})
	in := newInput(a, file, unknown)
	in.done = a.close
	return in
}

// open recognises gzip by its first bytes, and finds out how many bytes there are to read. An empty
// stream is an error. The caller must call done if there is no error.
//
// A compressed stream is unpacked in a goroutine of its own. Its unpacked size is unknown, because
// the size in gzip's trailer is modulo 2³² and at the end of the stream.
func open(r io.Reader, name string) (*input, error) {
	// This must be called before anything is read, because it stores the position.
	at := regularFile(r)
	in := newInput(r, name, bytesLeft(r))
	in.at = at
	if in.starts("\x1f\x8b") {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, unzipError(err))
		}
		in = unpacked(z, name)
	}
	_, err := in.Peek(1)
	switch {
	case err == nil:
		return in, nil
	case err == io.EOF:
		err = &FormatError{name, 0, "the file is empty"}
	default:
		err = fmt.Errorf("%s: %w", name, err)
	}
	in.done()
	return nil, err
}

// starts tells whether the input begins with the given bytes. It consumes nothing. An input that is
// shorter, or that cannot be read, does not begin with them.
func (in *input) starts(with string) bool {
	b, _ := in.Peek(len(with))
	return string(b) == with
}

// bytesLeft returns how many bytes r still has, or unknown. The number is known for files on a
// disk, from their position on, and for readers with a method Len (bytes.Reader, bytes.Buffer,
// strings.Reader). A size of zero is not trusted, because files in Linux's /proc report it.
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

// unzipError adds to an error of a decompressor that it is about the compressed data. It returns
// io.EOF unchanged, because readers compare with it. A stream that ends too early gives
// io.ErrUnexpectedEOF, which is changed.
func unzipError(err error) error {
	// gzip returns io.EOF itself at the end of good data, and readers compare with it.
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("compressed data: %w", err)
}
