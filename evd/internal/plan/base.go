package plan

import (
	"context"
	"sync"

	"github.com/vkevd/vkevd/vk"
)

// Base is the common part of all plans: a device, an order, and device memory for one layout. Only
// one call at a time uses this memory. A plan uses a Base as follows:
//
//	Dev, N, Layout   the plan's constructor sets these fields, then calls Allocate
//	Lock … Unlock    surround each method of the plan that uses the device
//	Open, Begin      come after Lock: refuse a closed plan, and begin the call
//	Replace          comes after Lock: replaces the memory
//	Close            is called by the user of the plan
type Base struct {
	// Dev is the device, which the caller owns.
	Dev *vk.Device

	// N is the order of the plan's matrices. A plan of order 0 allocates no memory.
	N int

	// Layout is the layout of the plan's device memory. The method Replace changes it.
	Layout *vk.Layout

	// BeforeInfo is set only by tests. It may record commands that overwrite the INFO word of a
	// stage before the host reads this word. nil records nothing.
	BeforeInfo func(rec *vk.Recorder, phase string, word vk.Slice[uint32])

	busy   sync.Mutex // held by the call that uses the arena
	arena  *vk.Arena  // nil before Allocate, after Close, and after a Replace that failed
	closed bool       // true after Close

	// shape guards changes of Layout and `arena`, which Bytes and Memory read during a call.
	shape sync.Mutex
}

// Allocate allocates the layout's memory. The error is a *vk.OutOfMemoryError if the device has too
// little memory.
func (b *Base) Allocate() error {
	arena, err := b.Dev.NewArena(b.Layout)
	if err == nil {
		b.hold(arena)
	}
	return err
}

// hold makes `arena` the plan's memory. The caller must hold the plan's lock, or be the plan's
// constructor.
func (b *Base) hold(arena *vk.Arena) {
	b.shape.Lock()
	defer b.shape.Unlock()
	b.arena = arena
}

// Lock waits until no other call uses the plan, and reserves the plan for one call. Unlock must
// follow at the end of the call.
func (b *Base) Lock() { b.busy.Lock() }

// Unlock ends a call of the plan that began with Lock. Another call may then use the plan.
func (b *Base) Unlock() { b.busy.Unlock() }

// Replace frees the plan's memory and allocates memory for another layout. If the device has too
// little memory, the error is a *vk.OutOfMemoryError, and the next Open tries to allocate again.
// The caller must have the lock.
func (b *Base) Replace(layout *vk.Layout) error {
	b.shape.Lock()
	b.Layout = layout
	b.shape.Unlock()
	b.free()
	return b.Allocate()
}

// Open returns ErrClosed if the plan is closed. If the plan has no memory because a Replace failed,
// Open allocates the memory, or returns a *vk.OutOfMemoryError. For a plan of order 0, Open does
// nothing. The caller must have the lock.
func (b *Base) Open() error {
	switch {
	case b.N > 0 && b.closed:
		return ErrClosed
	case b.N > 0 && b.arena == nil:
		return b.Allocate()
	}
	return nil
}

// Begin begins a call. The caller must have the lock. `progress` receives the progress of the
// call's recordings, and may be nil.
func (b *Base) Begin(ctx context.Context, progress func(vk.Progress)) *Call {
	return &Call{
		Ctx: ctx, Dev: b.Dev, Arena: b.arena, Profile: vk.NewProfile(),
		progress: progress, beforeInfo: b.BeforeInfo,
	}
}

// Bytes returns the size of the plan's device memory, in bytes. For a plan without memory it is the
// size that the memory would have now.
func (b *Base) Bytes() uint64 {
	layout, arena := b.memory()
	if arena == nil {
		return b.Dev.Bytes(layout)
	}
	return arena.Bytes()
}

// Memory lists the layout's regions. Regions that are never in use at the same time may share
// bytes. For a plan without memory the offsets are those that the regions would have now.
func (b *Base) Memory() []vk.Placed {
	layout, arena := b.memory()
	if arena == nil {
		return b.Dev.Table(layout)
	}
	return arena.Table()
}

// memory returns the plan's layout, and its arena or nil, for callers without the plan's lock.
func (b *Base) memory() (*vk.Layout, *vk.Arena) {
	b.shape.Lock()
	defer b.shape.Unlock()
	return b.Layout, b.arena
}

// Close waits for the call in flight and frees the memory. A second call does nothing.
func (b *Base) Close() {
	b.busy.Lock()
	defer b.busy.Unlock()
	b.closed = true
	b.free()
}

// `free` frees the plan's device memory, if the plan has any. The caller must hold the plan's lock.
func (b *Base) free() {
	if b.arena != nil {
		b.arena.Close()
		b.hold(nil)
	}
}
