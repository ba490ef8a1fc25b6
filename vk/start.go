package vk

import (
	"context"
	"runtime"
)

// Running is a recording that Start has started. The caller must call Await, also after an error
// elsewhere, before it frees memory that the recording uses.
type Running struct {
	ended   chan struct{} // closed when the recording has ended
	profile *Profile
	err     error
	thrown  any // the value of a panic, or exited; nil if there was none
}

// Start starts a recording and returns at once. Start and Await together do what Run does. The
// recordings that are started on one device run in the order of the calls of Start, one after the
// other. Recordings on different devices run at the same time.
//
// rec, and the memory that it sends, must not change before Await has returned. Device.Close waits
// for the recordings that were started before it.
func (d *Device) Start(ctx context.Context, rec *Recorder, onProgress func(Progress)) *Running {
	r := &Running{ended: make(chan struct{}), profile: NewProfile()}
	turn, err := d.begin()
	if err != nil {
		r.err = err
		close(r.ended)
		return r
	}
	go func() {
		r.thrown = exited{}
		defer close(r.ended)
		defer d.usage.leave()
		defer func() {
			if v := recover(); v != nil {
				r.thrown = v
			}
		}()
		r.profile, r.err = d.runCompiled(ctx, rec, onProgress, turn)
		r.thrown = nil
	}()
	return r
}

// runCompiled is run for a recording whose kernels may not be compiled yet. It waits for them before
// its turn comes to an end.
func (d *Device) runCompiled(ctx context.Context, rec *Recorder, onProgress func(Progress), turn uint64) (*Profile, error) {
	if err := rec.Compiled(); err != nil {
		d.usage.takeTurn(turn) // the calls after this one wait for its turn
		d.usage.releaseQueue()
		return NewProfile(), err
	}
	return d.run(ctx, rec, onProgress, turn)
}

// Await waits until the recording has ended, and returns its profile and its error, as Run does. If
// the progress function has panicked, Await panics with the same value. Await may be called more
// than once.
func (r *Running) Await() (*Profile, error) {
	<-r.ended
	switch r.thrown {
	case nil:
	case exited{}:
		runtime.Goexit()
	default:
		panic(r.thrown)
	}
	return r.profile, r.err
}
