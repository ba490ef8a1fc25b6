package spectrum

import (
	"context"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// Base is what a plan is built on: a device, an order, and device memory for one layout, which one
// call at a time uses, until the plan is closed.
//
//	Dev, N, Layout   set by the plan's constructor, which then calls Allocate
//	Lock … Unlock    around each method of the plan that uses the device
//	Open, Begin      inside: refuse a closed plan, begin the call
//	Close            by the user
type Base struct {
	// Dev is the device, which the caller owns.
	Dev *vk.Device

	// N is the order. A plan of order 0 allocates nothing.
	N int

	// Layout is the layout of the device memory that Allocate allocates.
	Layout *vk.Layout

	// BeforeInfo is for tests: it may record commands that overwrite an INFO word before the word
	// is read. nil records nothing.
	BeforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32])

	busy  sync.Mutex // held by the call that uses the arena
	arena *vk.Arena  // nil before Allocate and after Close
}

// Allocate allocates the layout's memory. The error is a *vk.OutOfMemoryError if it does not fit.
func (b *Base) Allocate() (err error) {
	b.arena, err = b.Dev.NewArena(b.Layout)
	return err
}

// Lock waits until no other call uses the plan. Unlock ends the call.
func (b *Base) Lock() { b.busy.Lock() }

// Unlock is called by the call that has the lock.
func (b *Base) Unlock() { b.busy.Unlock() }

// Open returns ErrClosed if the plan is closed. The caller has the lock.
func (b *Base) Open() error {
	if b.N > 0 && b.arena == nil {
		return ErrClosed
	}
	return nil
}

// Begin begins a call. The caller holds the lock. progress may be nil.
func (b *Base) Begin(ctx context.Context, progress func(vk.Progress)) *Call {
	return &Call{
		Ctx: ctx, Dev: b.Dev, Arena: b.arena, Profile: vk.NewProfile(),
		progress: progress, beforeInfo: b.BeforeInfo,
	}
}

// Bytes is the device memory that the layout takes.
func (b *Base) Bytes() uint64 { return b.Dev.Bytes(b.Layout) }

// Memory lists the layout's regions. Regions share bytes if they are never in use at the same time.
func (b *Base) Memory() []vk.Placed { return b.Dev.Table(b.Layout) }

// Close waits for the call in flight and frees the memory. A plan may be closed twice.
func (b *Base) Close() {
	b.busy.Lock()
	defer b.busy.Unlock()
	if b.arena != nil {
		b.arena.Close()
		b.arena = nil
	}
}
