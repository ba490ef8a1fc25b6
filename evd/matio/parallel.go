package matio

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Large files are read in pieces by several goroutines. A single goroutine copies from the system's
// page cache at only a fraction of the memory's bandwidth, because the system must first provide
// each page of newly allocated memory.
const (
	parallelBytes   = 1 << 23 // smallest file that is read in parallel, in bytes
	pieceBytes      = 1 << 21 // bytes that a goroutine reads at a time
	parallelReaders = 8       // largest number of goroutines
)

// regular is a file that can be read at any position.
type regular struct {
	*os.File
	from int64 // position of the file when it was opened here
}

// regularFile returns r as a file, or nil if r must be read in order, as a pipe must, or if its
// position is unknown. It must be called before anything is read from r, also through a buffer.
func regularFile(r io.Reader) *regular {
	f, ok := r.(*os.File)
	if !ok {
		return nil
	}
	from, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return &regular{f, from}
}

// fill reads len(p) bytes that begin `offset` bytes after the position at which the file was opened
// here. Afterwards the file's position is at the end of these bytes. The error is
// io.ErrUnexpectedEOF if the file ends before.
//
// Goroutines take pieces in order from a common counter, so that none of them is idle while there
// is work. A goroutine stops at its first error. If several have an error, any one of them is
// returned, and p is then undefined.
func (f *regular) fill(p []byte, offset int64) error {
	var next atomic.Int64
	var group sync.WaitGroup
	failures := make([]error, min(parallelReaders, runtime.GOMAXPROCS(0)))
	for g := range failures {
		group.Go(func() {
			for failures[g] == nil {
				from := next.Add(pieceBytes) - pieceBytes
				if from >= int64(len(p)) {
					return
				}
				piece := p[from:min(from+pieceBytes, int64(len(p)))]
				// At the end of a file ReadAt may return all bytes together with io.EOF.
				if n, err := f.ReadAt(piece, f.from+offset+from); n == len(piece) {
					continue
				} else if err == io.EOF {
					failures[g] = io.ErrUnexpectedEOF
				} else {
					failures[g] = err
				}
			}
		})
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	_, err := f.Seek(f.from+offset+int64(len(p)), io.SeekStart)
	return err
}
