package vk

import (
	"context"
	"slices"
	"sync/atomic"
)

// Event happens once. A recording on one device lets it happen (Signal), and recordings on other
// devices wait for it (Wait). So recordings on several devices, which run at the same time, can
// exchange numbers through the memory of an Exchange:
//
//	device 0   … Post(x), Signal(e) …
//	device 1   … Wait(e), Take(x) …
//
// The host waits, not the device: a device gets the commands after Wait when the event has
// happened. The host encodes these commands before it waits.
//
// A Run holds the queue of its device while it waits. So recordings that wait for each other must
// run while one caller has reserved all their devices (Gather). Otherwise two such sets of
// recordings on the same devices could wait for each other for ever.
type Event struct {
	happened atomic.Bool
	done     chan struct{} // closed after `happened` is set
}

// NewEvent returns an event that has not happened yet.
func NewEvent() *Event { return &Event{done: make(chan struct{})} }

func (e *Event) happen() {
	if e.happened.Swap(true) {
		panic("vk: an event happens twice")
	}
	close(e.done)
}

// wait waits until the event has happened or the context has ended, and returns the error of the
// context. If `poll` is true, wait polls for a short time before it sleeps, because it takes up to
// 0.1 ms to wake a goroutine.
func (e *Event) wait(ctx context.Context, poll bool) error {
	if poll && spin(e.happened.Load) {
		return ctx.Err()
	}
	select {
	case <-e.done:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Signal lets the event happen when all commands recorded so far have ended. A recording with
// events can run only once. If the Run fails, the event may never happen: then the contexts of all
// Runs that wait for it must end.
func (r *Recorder) Signal(e *Event) {
	r.cmds = append(r.cmds, command{op: opSignal, event: e})
}

// Wait lets the commands that follow begin only when the events have happened. When the context of
// Run ends, Run waits no longer. Everything that other devices have written to an Exchange before
// the events is visible to the commands that follow.
func (r *Recorder) Wait(events ...*Event) {
	for _, e := range events {
		r.cmds = append(r.cmds, command{op: opWait, event: e})
	}
}

func (r *Recorder) hasEvents() bool {
	return slices.ContainsFunc(r.cmds, func(c command) bool { return c.op == opSignal || c.op == opWait })
}

// ready waits for the events before the batch b. If there are such events, and a batch in flight on
// this device signals an event, `ready` first finishes all batches in flight: another device may
// need the signalled event before it signals those for b. At last the host copies what the batch b
// takes from exchanges.
func (r *run) ready(b *batch) error {
	signals := func(b *batch) bool { return b != nil && len(b.signals) > 0 }
	if len(b.waits) > 0 && slices.ContainsFunc(r.pending[:], signals) {
		if err := r.finishAll(); err != nil {
			return err
		}
	}
	for _, e := range b.waits {
		if err := e.wait(r.ctx, r.dev.polls()); err != nil {
			return err
		}
	}
	for _, x := range b.takes {
		x.toDevice()
	}
	return nil
}

// ended makes those copies of posted numbers that the host must make, and then lets the events of
// the batch happen. The commands of the batch must have ended.
func (b *batch) ended() {
	for _, x := range b.posts {
		x.toHost()
	}
	for _, e := range b.signals {
		e.happen()
	}
}
