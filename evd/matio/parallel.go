package matio

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// Large files are read in pieces by several goroutines: one alone copies from the system's cache at
// a fraction of the memory's speed, because each page of fresh memory must first be made.
const (
	parallelBytes   = 1 << 23 // the smallest file that is worth it
	pieceBytes      = 1 << 21
	parallelReaders = 8 // goroutines at most
)

// regular is a file that can be read at any place, and how far it was read when it was opened here.
type regular struct {
	*os.File
	from int64
}

// regularFile returns nil if r must be read in order.
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

// fill reads len(p) bytes that begin at the given offset from where the file was opened here, and
// leaves the file's position after them. The error is io.ErrUnexpectedEOF if the file ends before.
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
