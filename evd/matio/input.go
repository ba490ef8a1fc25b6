package matio

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// unknown stands for a number of bytes that only the end of the stream will tell.
const unknown = -1

// An input is a stream, seen through gzip, with its name for errors.
type input struct {
	*bufio.Reader
	file string
	left int64    // bytes the stream held when opened, or unknown
	done func()   // lets go of the stream below
	at   *regular // the file itself, if the stream is one and not compressed; else nil
}

func newInput(r io.Reader, file string, left int64) *input {
	return &input{Reader: bufio.NewReaderSize(r, 1<<16), file: file, left: left, done: func() {}}
}

// unpacked is the input that a decompressor yields.
func unpacked(z io.Reader, file string) *input {
	a := readAhead(unzipper{z})
	in := newInput(a, file, unknown)
	in.done = a.close
	return in
}

// open, which done must follow, looks through gzip, by its magic bytes, and finds out how much there is to read.
func open(r io.Reader, name string) (*input, error) {
	at := regularFile(r) // before anything is read
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

// starts reports whether the input begins with the given bytes.
func (in *input) starts(with string) bool {
	b, _ := in.Peek(len(with))
	return string(b) == with
}

// bytesLeft is how much r still holds. Zero is not believed: Linux's /proc files claim it.
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

// An unzipper is a decompressor whose errors say that they are about the compression.
type unzipper struct{ z io.Reader }

func (u unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	return n, unzipError(err)
}

func unzipError(err error) error {
	// gzip returns io.EOF itself at the end of good data, and readers compare with it.
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("compressed data: %w", err)
}
