// Package stream reads streams: ahead of time, with several goroutines, and compressed with gzip.
package stream

import "io"

// aheadBlocks is the number of buffers of an Ahead, and AheadBytes the size of each.
const (
	aheadBlocks = 4
	AheadBytes  = 1 << 18
)

// An Ahead reads a stream in a goroutine of its own, so that decompression and parsing run at the
// same time. It is an io.Reader for one goroutine, the reader. The caller of ReadAhead must call
// Close, and must not use the stream before.
//
// Buffers circulate. The method `fill` receives a buffer from the channel `empty`, fills it, and
// sends it to the channel `blocks`. Read returns the buffer to `empty` when all its bytes have been
// read. So the memory is limited to aheadBlocks·AheadBytes, and the decompressor waits if parsing
// is slower.
type Ahead struct {
	blocks chan block    // what `fill` has read, in the order of the stream
	empty  chan []byte   // buffers that `fill` may use again
	quit   chan struct{} // closed by Close
	gone   chan struct{} // closed when `fill` has used the stream for the last time
	now    block         // what Read has not returned yet
	all    []byte        // the whole buffer of `now`, nil before the first block
}

// A block is a piece of the stream. Its err is the error that the stream returned after these
// bytes, or nil. Only the last block has an error, and it may have no bytes.
type block struct {
	bytes []byte
	err   error
}

// ReadAhead starts to read r. The last block carries the error of the stream, which is io.EOF at
// its end.
func ReadAhead(r io.Reader) *Ahead {
	a := &Ahead{
		blocks: make(chan block, aheadBlocks), empty: make(chan []byte, aheadBlocks),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	for range aheadBlocks {
		a.empty <- make([]byte, AheadBytes)
	}
	go a.fill(r)
	return a
}

// fill reads r into empty buffers until r returns an error or the channel `quit` is closed. Only
// r.Read can block it for a long time, because `blocks` has a place for every buffer.
func (a *Ahead) fill(r io.Reader) {
	defer close(a.gone)
	for {
		var buf []byte
		select {
		case buf = <-a.empty:
		case <-a.quit:
			return
		}
		n, err := 0, error(nil)
		for n < len(buf) && err == nil {
			var m int
			m, err = r.Read(buf[n:])
			n += m
		}
		a.blocks <- block{buf[:n], err}
		if err != nil {
			return
		}
	}
}

// Read returns at most the rest of one block, so fewer bytes than len(p) do not mean the end of the
// stream. An error of the stream comes after all data before it, and again at each later call.
func (a *Ahead) Read(p []byte) (int, error) {
	for len(a.now.bytes) == 0 {
		if a.now.err != nil {
			return 0, a.now.err
		}
		if a.all != nil {
			a.empty <- a.all
		}
		a.now = <-a.blocks
		a.all = a.now.bytes[:cap(a.now.bytes)]
	}
	n := copy(p, a.now.bytes)
	a.now.bytes = a.now.bytes[n:]
	return n, nil
}

// Close waits until the current read of the stream returns. Afterwards the caller may use the
// stream again.
func (a *Ahead) Close() {
	close(a.quit)
	<-a.gone
}
