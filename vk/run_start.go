package vk

import "context"

// Running is a recording that Device.Start has started. The caller must call the method Await
// before it frees memory that the recording uses, even if something else has failed.
type Running struct {
	ended   chan struct{} // closed when the recording has ended
	profile *Profile
	err     error
	thrown  any // the value of a panic, or exited; nil if there was none
}

// Start starts a recording and returns at once. Start and Running.Await together do what Run does.
// Recordings that are started on one device run one after another, in the order of the calls of
// Start. Recordings on different devices run at the same time.
//
// The recording `rec`, and the host memory from which it sends data, must not change before Await
// has returned. Device.Close waits for all recordings that were started before it.
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

// runCompiled first waits for kernels that are still being compiled. If one cannot be compiled,
// runCompiled gives up its turn for the queue, so that later calls can continue.
func (d *Device) runCompiled(ctx context.Context, rec *Recorder, onProgress func(Progress), turn uint64) (*Profile, error) {
	if err := rec.Compiled(); err != nil {
		d.usage.takeTurn(turn) // the calls after this one wait for its turn
		d.usage.releaseQueue()
		return NewProfile(), err
	}
	return d.run(ctx, rec, onProgress, turn)
}

// Await waits until the recording has ended, and returns its profile and its error, as Run does. If
// the progress function has panicked, Await panics with the same value. Await may be called
// repeatedly.
func (r *Running) Await() (*Profile, error) {
	<-r.ended
	rethrow(r.thrown)
	return r.profile, r.err
}
