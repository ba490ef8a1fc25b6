package matio

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
)

// unknown stands for a size that only the end of the stream will tell.
const unknown = -1

// An input is a stream of bytes after decompression, with its name for errors. Whoever opened it
// must call done, also after an error of a read. It is for one goroutine.
//
// The embedded Reader buffers 64 KiB. So Peek can look at that much without consuming it, which is
// how formats are recognised: streams need not be able to seek.
type input struct {
	*bufio.Reader
	// Name, as the caller gave it.
	file string
	// Bytes that the stream still had when it was opened, or unknown.
	left int64
	// Releases the stream below; it need not be closed by an input.
	done func()
	// The file itself, if the stream is an uncompressed file; else nil.
	at *regular
}

// newInput reads r as it is. left is the number of bytes that r still has, or unknown. There is
// nothing to release, so done does nothing.
func newInput(r io.Reader, file string, left int64) *input {
	return &input{Reader: bufio.NewReaderSize(r, 1<<16), file: file, left: left, done: func() {}}
}

// unpacked reads what the decompressor z returns, which runs in a goroutine of its own until done
// is called. The size of the result is unknown, and it has no random access.
func unpacked(z io.Reader, file string) *input {
	a := readAhead(unzipper{z})
	in := newInput(a, file, unknown)
	in.done = a.close
	return in
}

// open recognises gzip by its magic bytes, and finds out how many bytes there are to read. An empty
// stream is an error. The caller must call done if there is no error.
//
// A compressed stream is unpacked by a goroutine of its own; its unpacked size is unknown, because
// the size in gzip's trailer is modulo 2³² and at the end of the stream.
func open(r io.Reader, name string) (*input, error) {
	// Before anything is read, because the position is remembered.
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

// bytesLeft returns how many bytes r still has, or unknown. Known are files on a disk, from their
// position on, and readers with a method Len (bytes.Reader, bytes.Buffer, strings.Reader). A size
// of zero is not trusted: files in Linux's /proc report it.
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

// An unzipper is a decompressor whose errors say that they are about the compressed data.
type unzipper struct{ z io.Reader }

func (u unzipper) Read(p []byte) (int, error) {
	n, err := u.z.Read(p)
	return n, unzipError(err)
}

// unzipError marks an error of a decompressor. It does not mark io.EOF: at the end of good data
// gzip returns it as it is, and readers compare with it. A stream that ends too early is
// io.ErrUnexpectedEOF, which is marked.
func unzipError(err error) error {
	// gzip returns io.EOF itself at the end of good data, and readers compare with it.
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("compressed data: %w", err)
}
