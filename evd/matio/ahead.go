package matio

import "io"

// An ahead has aheadBlocks buffers, of aheadBytes bytes each.
const (
	aheadBlocks = 4
	aheadBytes  = 1 << 18
)

// An ahead reads a stream in a goroutine of its own, so that decompression and parsing run at the
// same time. It is an io.Reader for one goroutine. The one that made it must call close. Until then
// the stream belongs to the goroutine.
//
// Buffers circulate: fill takes one from empty and sends it on blocks, and Read returns it to empty
// when all of it has been read. So memory is bounded by aheadBlocks·aheadBytes, and the
// decompressor waits if parsing is slower.
type ahead struct {
	// blocks has the blocks that were read, in order.
	blocks chan block
	// empty has the buffers to read into.
	empty chan []byte
	// quit is closed by close, to end the reading.
	quit chan struct{}
	// gone is closed by fill, when the goroutine has ended.
	gone chan struct{}
	// now is the rest of the block that Read currently returns.
	now block
	// all is the whole buffer of now. It is nil before the first block.
	all []byte
}

// A block is a piece of the stream, and the error that the stream returned after it, or nil. Only
// the last block has an error; it may have no bytes.
type block struct {
	bytes []byte
	err   error
}

// readAhead starts to read r. The last block carries the stream's error, which is io.EOF at the end
// of the stream.
func readAhead(r io.Reader) *ahead {
	a := &ahead{
		blocks: make(chan block, aheadBlocks), empty: make(chan []byte, aheadBlocks),
		quit: make(chan struct{}), gone: make(chan struct{}),
	}
	for range aheadBlocks {
		a.empty <- make([]byte, aheadBytes)
	}
	go a.fill(r)
	return a
}

// fill reads r into empty buffers until r returns an error or quit is closed.
//
// Only r.Read can block it for long. The channel blocks has a place for every buffer, so sending
// never blocks, and a wait for an empty buffer ends when quit is closed.
func (a *ahead) fill(r io.Reader) {
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

// Read returns the data that fill has read, in order. It returns at most the rest of one block, so
// fewer bytes than len(p) do not mean the end. It blocks until a block has been read. An error of
// the stream is returned after all data before it, and again at each later call.
func (a *ahead) Read(p []byte) (int, error) {
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

// close ends the goroutine, and returns after the read that is in flight. The stream then belongs
// to the caller again.
func (a *ahead) close() {
	close(a.quit)
	<-a.gone
}
