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

func (b Block[T]) check() {
	if b.Rows < 0 || b.Cols < 0 || b.Ld < b.Rows || b.Cols > 0 && b.Rows > 0 && b.At.n < (b.Cols-1)*b.Ld+b.Rows {
		panic(fmt.Sprintf("vk: a block of %d×%d, Ld %d, in %d elements", b.Rows, b.Cols, b.Ld, b.At.n))
	}
}

// Move copies the matrix src to dst, which has the same shape. The link l must lead from the device
// of src to the device of dst. Move returns when the copy has ended. During the copy nothing else
// may write src or use dst. If a Run on one of the devices uses the matrices, the caller must wait
// for this Run before Move, or for Move before the Run.
//
// If ctx ends before all pieces have started, no new piece starts. Move waits for the pieces in
// flight and returns ctx.Err(); dst then has undefined contents. Other errors are a *DeviceError.
// Move panics if the shapes differ or a block is inconsistent.
//
// While one device reads a piece of src, the other device writes an earlier piece to dst:
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

type spanned struct { // a Block in bytes
	rows, cols, ld int
	at             Slice[byte]
}

// joined returns a matrix without gaps between its columns as one long column, and any other matrix
// unchanged.
func (s spanned) joined() spanned {
	if s.ld == s.rows || s.cols == 1 {
		return spanned{s.rows * s.cols, 1, s.rows * s.cols, s.at}
	}
	return s
}

func (l *Link) move(ctx context.Context, dst, src spanned) (err error) {
	l.busy.Lock()
	defer l.busy.Unlock()
	leave, err := enterAll(l.from.dev, l.to.dev)
	if err != nil {
		return err
	}
	defer leave()
	if l.from.timeline == nil {
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

// mover is the state of a Move in flight. The pieces of the matrix are counted from 0. The host
// memory of the link has room for linkPieces pieces. Piece k lies in part k modulo linkPieces of
// this memory.
type mover struct {
	link     *Link
	dst, src spanned
	total    int

	// `read` is the number of bytes whose copies to the host were submitted, and `written` the
	// number of those whose copies to the destination were submitted.
	read, written int

	// `first` is the oldest piece whose copies to the destination were not submitted yet, and
	// `next` is the next piece to copy to the host. The pieces from `first` to next−1 are on their
	// way to the host, or have arrived there.
	first, next int

	// bytes[i] is the size of the piece in part i of the host memory. reads[i] is the value that
	// the timeline semaphore of the source device reaches when this piece is on the host. writes[i]
	// is the value that the semaphore of the destination device reaches when this piece has left
	// the host.
	bytes         [linkPieces]int
	reads, writes [linkPieces]uint64
}

// readPiece submits the copies of the next piece to the host. Before that, it waits until the
// earlier piece has left the same part of the host memory.
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

// writePiece waits until the oldest piece has arrived on the host, and submits its copies from the
// host to the destination.
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

// `end` waits for all copies in flight, first on the one device of the link, then on the other. If
// the wait for a device fails, `end` waits until this device is idle, because the caller may free
// the memory of the copies.
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

// reach returns the largest number `end` such that the bytes [from, end) of the matrix lie in at
// most linkCommands columns. One command copies at most one column. A column takes several commands
// if the matrix lies in several buffers.
func (s spanned) reach(from int) int { return (from/s.rows + linkCommands) * s.rows }

// copies returns the commands that copy the bytes [from, to) of a matrix from a host buffer if `up`
// is true, otherwise to it. Bytes are counted in column-major order without the gaps between
// columns. In the host buffer they lie from `offset` on, without gaps.
func (s spanned) copies(host *driver.Buffer, offset, from, to int, up bool) (list []driver.Command) {
	for from < to {
		column, row := from/s.rows, from%s.rows
		n := min(s.rows-row, to-from)
		there := s.at.in.dev.pieces(s.at.addr+uint64(column*s.ld+row), uint64(n))
		here := []piece{{host, uint64(offset), uint64(n)}}
		if up {
			list = append(list, copies(there, here)...)
		} else {
			list = append(list, copies(here, there)...)
		}
		from += n
		offset += n
	}
	return list
}

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
