package matio

import "io"

// Blocks read ahead: so many, of so many bytes.
const (
	aheadBlocks = 4
	aheadBytes  = 1 << 18
)

// An ahead reads from a stream in a goroutine of its own, so that unpacking and parsing
// share the time instead of adding up.
type ahead struct {
	blocks chan block
	empty  chan []byte
	quit   chan struct{}
	gone   chan struct{} // closed when the goroutine has ended
	now    block         // being handed out
	all    []byte        // the whole of its buffer
}

// A block is a piece of the stream and what the stream said after it.
type block struct {
	bytes []byte
	err   error
}

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

// fill never waits for ever but in r: there are as many places in blocks as buffers, and
// whoever waits for an empty one hears quit.
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

// close ends the goroutine, after the read it is in: the stream is the caller's again.
func (a *ahead) close() {
	close(a.quit)
	<-a.gone
}
