package evd

import (
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// holder is what both kinds of plan are built on: device memory for one layout, which
// one call at a time uses, until it is closed.
type holder struct {
	busy   sync.Mutex // held by what uses the arena
	dev    *vk.Device
	n      int // the order; of order 0 nothing is allocated
	layout *vk.Layout
	arena  *vk.Arena // nil when closed
}

// allocate takes the memory that layout says. The error is a *vk.OutOfMemoryError if it does not fit.
func (h *holder) allocate() (err error) {
	h.arena, err = h.dev.NewArena(h.layout)
	return err
}

// open refuses what is asked of a closed plan.
func (h *holder) open() error {
	if h.n > 0 && h.arena == nil {
		return vk.ErrClosed
	}
	return nil
}

// Close releases the plan's device memory, when the solve under way has ended. What is asked of a
// closed plan is refused with vk.ErrClosed.
func (h *holder) Close() {
	h.busy.Lock()
	defer h.busy.Unlock()
	if h.arena != nil {
		h.arena.Close()
		h.arena = nil
	}
}

// Bytes is the device memory that the plan holds.
func (h *holder) Bytes() uint64 { return h.dev.Bytes(h.layout) }

// Memory lists the regions of that memory. Regions that are never alive at
// the same time share bytes.
func (h *holder) Memory() []vk.Placed { return h.dev.Table(h.layout) }
