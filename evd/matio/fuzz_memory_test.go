package matio

import (
	"bytes"
	"errors"
	"runtime/metrics"
	"testing"

	"github.com/vkevd/vkevd/evd/matio/internal/memory"
	"github.com/vkevd/vkevd/evd/matio/internal/stream"
)

// allocated returns how many bytes this process has allocated so far.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// limitMemory lets readers believe, until the end of the test, that they may allocate this many
// bytes at a time. A number below memory.AskBytes has the same effect as memory.AskBytes.
func limitMemory(t testing.TB, bytes int64) {
	t.Helper()
	before := memory.Left
	memory.Left = func() int64 { return bytes + memory.SpareBytes }
	t.Cleanup(func() { memory.Left = before })
}

// limitFuzzer gives readers little memory, so that a file which describes a large matrix with few
// entries does not slow a fuzzer down.
func limitFuzzer(f *testing.F) {
	f.Helper()
	limitMemory(f, 0)
}

// bounded calls the function `read`, which reads a file one time or a few times. It fails the test
// if `read` allocates much more memory than the data of the file can need. A number takes two bytes
// of a text and eight of memory. A slice that grows takes four times its memory in all. Matrices
// may be transposed. Compressed data have up to 1032 times their size.
func bounded(t *testing.T, file []byte, read func()) {
	t.Helper()
	const (
		buffers = 16 << 20 // for what does not depend on the file, and less than memory.AskBytes of claims
		plain   = 128
		packed  = 4 << 10
	)
	most := uint64(buffers + plain*len(file))
	if bytes.HasPrefix(file, []byte(stream.GzipMagic)) || bytes.Contains(file, []byte(zipMagic)) {
		most += packed * uint64(len(file))
	}
	before := allocated()
	read()
	if got := allocated() - before; got > most {
		t.Fatalf("%d bytes allocated for a file of %d bytes", got, len(file))
	}
}

// boundedRead calls `bounded` with a function that reads a matrix.
func boundedRead(t *testing.T, file []byte, read func() (*Dense, error)) (d *Dense, err error) {
	t.Helper()
	bounded(t, file, func() { d, err = read() })
	return d, err
}

// typed fails the test unless err has a type that the package documents for the content of a file.
// For files with compressed data every error is allowed, such as those of the decompressor.
func typed(t *testing.T, file []byte, err error) {
	t.Helper()
	switch {
	case err == nil, errors.As(err, new(*FormatError)), errors.As(err, new(*TooLargeError)), errors.As(err, new(*AmbiguousError)),
		errors.As(err, new(*NotSquareError)), errors.As(err, new(*NotSymmetricError)):
	case bytes.HasPrefix(file, []byte(stream.GzipMagic)) || bytes.Contains(file, []byte(zipMagic)):
	default:
		t.Fatalf("untyped error: %v", err)
	}
}
