package matio

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"github.com/vkevd/vkevd/evd/matio/internal/numpy"
)

// recorder is a stream that stores what is written, and counts the writes, and the bytes that were
// written from the memory of a matrix.
type recorder struct {
	from, to uintptr // the memory of the matrix
	all      bytes.Buffer
	writes   int
	inPlace  int // bytes
	most     int // bytes of a write
	room     int // writes until an error
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.writes == r.room {
		return 0, errFull
	}
	r.writes++
	r.most = max(r.most, len(p))
	if at := uintptr(unsafe.Pointer(unsafe.SliceData(p))); at >= r.from && at < r.to {
		r.inPlace += len(p)
	}
	return r.all.Write(p)
}

// TestLargeMatricesAreWrittenInPlace checks that a large matrix without gaps between its columns is
// written from its own memory, in pieces. In an earlier version all numbers were copied to a buffer
// of 256 KiB first. The file must be the same as that of an equal matrix with gaps.
func TestLargeMatricesAreWrittenInPlace(t *testing.T) {
	if !numpy.NativeLittle {
		t.Skip("numbers of this machine must be converted")
	}
	const rows, cols, ld = 1100, 2100, 1103
	a, gaps := make([]float64, rows*cols), make([]float64, ld*cols)
	for i := range a {
		a[i] = float64(i) / 3
	}
	for j := range cols {
		copy(gaps[j*ld:], a[j*rows:(j+1)*rows])
	}
	var want bytes.Buffer
	if err := WriteNPY(&want, rows, cols, gaps, ld); err != nil {
		t.Fatal(err)
	}
	begin := uintptr(unsafe.Pointer(&a[0]))
	for name, write := range map[string]func(*recorder) error{
		"WriteNPY": func(r *recorder) error { return WriteNPY(r, rows, cols, a, rows) },
		"NPYWriter": func(r *recorder) error {
			w := NewNPYWriter(r, rows, cols)
			return errors.Join(w.WriteColumns(cols, a, rows), w.Close())
		},
	} {
		r := &recorder{from: begin, to: begin + 8*rows*cols, room: 9}
		if err := write(r); err != nil {
			t.Fatal(name, err)
		}
		if r.inPlace != 8*rows*cols || r.most > directBytes {
			t.Errorf("%s: %d of %d bytes from the matrix, a write of %d bytes", name, r.inPlace, 8*rows*cols, r.most)
		}
		if !bytes.Equal(r.all.Bytes(), want.Bytes()) {
			t.Errorf("%s: another file", name)
		}
		r = &recorder{room: 2}
		if err := write(r); !errors.Is(err, errFull) || r.writes != 2 {
			t.Errorf("%s: %v after %d writes to a full disk", name, err, r.writes)
		}
	}
}
