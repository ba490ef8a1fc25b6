package stream

import (
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
)

// These constants are for large files, which several goroutines read in pieces. One goroutine alone
// copies from the system's page cache with only a fraction of the memory bandwidth, because the
// system must first provide each page of newly allocated memory.
const (
	ParallelBytes   = 1 << 23 // smallest file that is read in parallel, in bytes
	pieceBytes      = 1 << 21 // bytes that a goroutine reads at a time
	parallelReaders = 8       // largest number of goroutines
)

// A File is a regular file, which can be read at any position.
type File struct {
	*os.File
	from int64 // position of the file when it was opened here
}

// FileOf returns r as a file for random access, or nil if r must be read in order, as a pipe must.
// It must be called before anything is read from r, because a buffer would change the position.
func FileOf(r io.Reader) *File {
	f, ok := r.(*os.File)
	if !ok {
		return nil
	}
	from, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return &File{f, from}
}

// Fill reads len(p) bytes, which begin `offset` bytes after the position that the file had when
// FileOf was called. Afterwards the position is at their end. The error is io.ErrUnexpectedEOF if
// the file ends before. Goroutines take the next piece from a common counter, so that none of them
// is idle before the end.
func (f *File) Fill(p []byte, offset int64) error {
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
				// At the end of a file, ReadAt may return all bytes together with io.EOF.
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
