package vk

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Block is a matrix in device memory in column-major storage: column j is At[j·Ld : j·Ld+Rows].
type Block[T any] struct {
	Rows, Cols, Ld int
	At             Slice[T]
}

// check panics if the block is inconsistent.
func (b Block[T]) check() {
	if b.Rows < 0 || b.Cols < 0 || b.Ld < b.Rows || b.Cols > 0 && b.Rows > 0 && b.At.n < (b.Cols-1)*b.Ld+b.Rows {
		panic(fmt.Sprintf("vk: a block of %d×%d, Ld %d, in %d elements", b.Rows, b.Cols, b.Ld, b.At.n))
	}
}

// Move copies src to dst, which has the same shape, over a link from the device of src to that of
// dst. It waits for the end. Nothing else may write src, or use dst, meanwhile. Between Move and a
// Run on one of the devices the caller keeps the order.
//
// When ctx ends, no new piece starts, Move waits for the pieces in flight and returns ctx.Err(); dst
// then has undefined contents. Other errors are a *DeviceError. Move panics if the shapes differ or
// a block is inconsistent.
//
// While one device reads a piece of src, the other one writes an earlier piece to dst:
//
//	piece 0   read  | write ····················| read  | write
//	piece 1           read  | write ·····················| read …
//	piece 2                   read  | write
//	piece 3                           read  | write
func Move[T any](ctx context.Context, l *Link, dst, src Block[T]) error {
	dst.check()
	src.check()
	if dst.Rows != src.Rows || dst.Cols != src.Cols {
		panic(fmt.Sprintf("vk: %d×%d moved to %d×%d", src.Rows, src.Cols, dst.Rows, dst.Cols))
	}
	if src.Rows == 0 || src.Cols == 0 {
		return ctx.Err()
	}
	size := int(unsafe.Sizeof(*new(T)))
	return l.move(ctx, spanned{dst.Rows * size, dst.Cols, dst.Ld * size, dst.At.bytes()},
		spanned{src.Rows * size, src.Cols, src.Ld * size, src.At.bytes()})
}

// spanned is a Block in bytes.
type spanned struct {
	rows, cols, ld int
	at             Slice[byte]
}

// joined returns the same bytes as one column if there are no gaps between the columns.
func (s spanned) joined() spanned {
	if s.ld == s.rows || s.cols == 1 {
		return spanned{s.rows * s.cols, 1, s.rows * s.cols, s.at}
	}
	return s
}

// move is Move in bytes.
func (l *Link) move(ctx context.Context, dst, src spanned) (err error) {
	l.busy.Lock()
	defer l.busy.Unlock()
	for _, e := range l.ends() {
		if err := e.dev.usage.enter(); err != nil {
			return &DeviceError{e.dev, err}
		}
		defer e.dev.usage.leave()
	}
	if l.from.buffer == nil {
		return &DeviceError{l.from.dev, ErrClosed}
	}
	m := &mover{link: l, dst: dst.joined(), src: src.joined(), total: src.rows * src.cols}
	defer func() {
		if e := m.end(); err == nil {
			err = e
		}
	}()
	for m.written < m.total {
		for m.next-m.first < linkPieces && m.read < m.total {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.readPiece(); err != nil {
				return err
			}
		}
		if err := m.writePiece(); err != nil {
			return err
		}
	}
	return nil
}

// mover is a Move in flight. The pieces are counted from 0, and piece k is in the place k modulo
// linkPieces.
type mover struct {
	link     *Link
	dst, src spanned
	total    int

	// read and written are the numbers of bytes whose copies to and from the host were submitted.
	read, written int

	// first is the number of the oldest piece that is not written, and next that of the next piece to
	// read. The pieces from first to next are being read.
	first, next int

	// bytes are the sizes of the pieces, by place. reads and writes are the values of the timelines
	// when their copies have ended.
	bytes         [linkPieces]int
	reads, writes [linkPieces]uint64
}

// readPiece submits the copies of the next piece to the host. Its place may still be in use by the
// copies of an earlier piece from the host, for which readPiece waits. The error is a *DeviceError.
func (m *mover) readPiece() error {
	i := m.next % linkPieces
	if err := m.link.to.await(m.writes[i]); err != nil {
		return &DeviceError{m.link.to.dev, err}
	}
	end := min(m.total, m.read+m.link.piece)
	end = min(end, m.src.reach(m.read), m.dst.reach(m.read))
	copies := m.src.copies(m.link.from.buffer, i*m.link.piece, m.read, end, false)
	value, err := m.link.from.submit(i, copies)
	if err != nil {
		return &DeviceError{m.link.from.dev, err}
	}
	m.bytes[i], m.reads[i] = end-m.read, value
	m.read = end
	m.next++
	return nil
}

// writePiece waits until the oldest piece is on the host, and submits its copies to dst.
func (m *mover) writePiece() error {
	i, l := m.first%linkPieces, m.link
	if err := l.from.await(m.reads[i]); err != nil {
		return &DeviceError{l.from.dev, err}
	}
	if !l.Imported() {
		copyParallel(l.to.buffer.Host[i*l.piece:][:m.bytes[i]], l.from.buffer.Host[i*l.piece:])
	}
	copies := m.dst.copies(l.to.buffer, i*l.piece, m.written, m.written+m.bytes[i], true)
	value, err := l.to.submit(i, copies)
	if err != nil {
		return &DeviceError{l.to.dev, err}
	}
	m.writes[i] = value
	m.written += m.bytes[i]
	m.first++
	return nil
}

// end waits for all copies in flight, also after an error. If a wait fails, `end` waits until the
// device is idle, because the caller may free the memory of the copies. The error is a *DeviceError.
func (m *mover) end() error {
	var first error
	for _, e := range m.link.ends() {
		err := e.await(e.value)
		if err != nil {
			e.dev.idle()
		}
		if err != nil && first == nil {
			first = &DeviceError{e.dev, err}
		}
	}
	return first
}

// reach returns the largest end of bytes from `from` on that linkCommands commands copy.
func (s spanned) reach(from int) int { return (from/s.rows + linkCommands) * s.rows }

// copies returns the commands that copy bytes [from, to) of the packed matrix between device memory
// and the host's buffer, where they lie at offset without gaps.
func (s spanned) copies(host *driver.Buffer, offset, from, to int, up bool) (list []driver.Command) {
	chunk := s.at.in
	for from < to {
		column, row := from/s.rows, from%s.rows
		n := min(s.rows-row, to-from)
		c := driver.Command{Op: driver.OpCopy, Size: uint64(n)}
		at := chunk.at(s.at.addr) + uint64(column*s.ld+row)
		if up {
			c.A, c.OffsetA, c.B, c.OffsetB = chunk.buffer.Raw(), at, host.Raw(), uint64(offset)
		} else {
			c.A, c.OffsetA, c.B, c.OffsetB = host.Raw(), uint64(offset), chunk.buffer.Raw(), at
		}
		list = append(list, c)
		from += n
		offset += n
	}
	return list
}

// copyParallel copies len(dst) bytes with several goroutines.
func copyParallel(dst, src []byte) {
	const most, share = 8, 1 << 20 // goroutines at most; bytes for each at least
	n := len(dst)
	workers := max(1, min(runtime.GOMAXPROCS(0), most, n/share))
	var wait sync.WaitGroup
	for w := range workers {
		a, b := n*w/workers, n*(w+1)/workers
		wait.Go(func() { copy(dst[a:b], src[a:b]) })
	}
	wait.Wait()
}
