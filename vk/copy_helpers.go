package vk

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// helpers copies the pieces of a transfer between host memory and the staging buffer, by several
// goroutines, because one goroutine is slower than the bus. Each piece is divided into shares.
// Waking a thread takes as long as copying a share. A goroutine that starts late delays nothing,
// because each goroutine takes one share after another.
type helpers struct {
	c *copier

	// perPiece is the number of shares of a piece. next is the number of the first share that
	// nobody has taken; share i belongs to piece i/perPiece.
	perPiece int
	next     atomic.Int64

	// opened[p] is closed when piece p may be copied. copied[p] is closed when piece p has been
	// copied. left[p] is the number of its shares that have not been copied.
	opened, copied []chan struct{}
	left           []atomic.Int64

	done    int         // number of channels `opened` that are closed
	stopped atomic.Bool // no more pieces are copied
	group   sync.WaitGroup
}

// newHelpers starts the goroutines of a transfer. The caller must call `stop` in any case.
func (c *copier) newHelpers() *helpers {
	const most, share = 8, 256 << 10 // goroutines at most; bytes of a share
	h := &helpers{c: c, perPiece: max(1, c.step*int(c.elem)/share), left: make([]atomic.Int64, len(c.values))}
	for p := range c.values {
		h.opened, h.copied = append(h.opened, make(chan struct{})), append(h.copied, make(chan struct{}))
		h.left[p].Store(int64(h.perPiece))
	}
	// The caller of `wait` copies, too.
	for range min(runtime.GOMAXPROCS(0), most, len(c.values)*h.perPiece) - 1 {
		h.group.Go(h.work)
	}
	return h
}

func (h *helpers) work() {
	for {
		i := int(h.next.Add(1)) - 1
		p := i / h.perPiece
		if p >= len(h.opened) {
			return
		}
		h.receive(h.opened[p])
		if h.stopped.Load() {
			return
		}
		h.copy(i)
	}
}

func (h *helpers) copy(i int) {
	c, p, k := h.c, i/h.perPiece, i%h.perPiece
	from, to := c.elements(p)
	n, elem := to-from, int(c.elem)
	a, b := n*k/h.perPiece, n*(k+1)/h.perPiece
	section, _ := c.section(p)
	c.touch(section[a*elem:b*elem], from+a, from+b)
	if h.left[p].Add(-1) == 0 {
		close(h.copied[p])
	}
}

func (h *helpers) open(count int) {
	for ; h.done < count; h.done++ {
		close(h.opened[h.done])
	}
}

// wait waits until piece p has been copied. The piece must be open. The caller copies shares
// meanwhile.
func (h *helpers) wait(p int) {
	for h.left[p].Load() > 0 {
		i := h.next.Load()
		if int(i)/h.perPiece > min(p, h.done-1) {
			break // others have taken all shares of the piece
		}
		if h.next.CompareAndSwap(i, i+1) {
			h.copy(int(i))
		}
	}
	h.receive(h.copied[p])
}

// handWait is the time for which a goroutine polls a channel before it sleeps. Waking a goroutine
// takes as long as the device's copy of a piece of a small transfer, about 0.05 ms.
const handWait = 300 * time.Microsecond

// receive waits until the channel is closed. It polls for a short time first, unless the device
// computes on the CPU's cores.
func (h *helpers) receive(closed <-chan struct{}) {
	if h.c.dev.from.props.Type != driver.CPU {
		for began := time.Now(); time.Since(began) < handWait; runtime.Gosched() {
			select {
			case <-closed:
				return
			default:
			}
		}
	}
	<-closed
}

// stop waits until no goroutine copies any more. If there are pieces that are not open, the
// goroutines copy no further shares.
func (h *helpers) stop() {
	if h.done < len(h.opened) {
		h.stopped.Store(true)
	}
	h.open(len(h.opened))
	h.group.Wait()
}
