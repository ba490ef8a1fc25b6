package vk

import (
	"runtime"
	"sync"
)

// usage counts the calls that use a device. Any number of calls may be in progress while the device
// is open. Only one of them at a time has the queue and everything that belongs to it: command
// buffers, staging buffer, abort word.
//
// Order of locks: a call takes the queue before it takes any other lock of the device, and holds no
// other lock while it waits for the queue. The lock probes.trying is the exception: it is held
// during a probe, which takes the queue. No call that has the queue asks for that lock.
type usage struct {
	lock    sync.Mutex
	changed sync.Cond // signalled when a member changes

	users   int  // number of calls in progress
	closed  bool // no more calls begin
	taken   bool // a call has the queue
	waiting int  // number of calls that wait for the queue
}

// init is called before the first other method.
func (u *usage) init() { u.changed.L = &u.lock }

// enter begins a call that uses the driver. A call may enter again before it leaves. After close
// the error is ErrClosed.
func (u *usage) enter() error {
	u.lock.Lock()
	defer u.lock.Unlock()
	if u.closed {
		return ErrClosed
	}
	u.users++
	return nil
}

// leave ends a call that enter has begun.
func (u *usage) leave() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.users--
	u.changed.Broadcast()
}

// close prevents new calls and waits for the end of those in progress.
func (u *usage) close() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.closed = true
	u.changed.Broadcast()
	for u.users > 0 {
		u.changed.Wait()
	}
}

// takeQueue waits until no other call has the queue, and takes it. The caller must have entered,
// and must not have the queue already, because that would be a deadlock.
func (u *usage) takeQueue() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.waiting++
	u.changed.Broadcast()
	for u.taken {
		u.changed.Wait()
	}
	u.waiting--
	u.taken = true
}

// releaseQueue gives the queue back, so that the next call can have it.
func (u *usage) releaseQueue() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.taken = false
	u.changed.Broadcast()
}

// reports calls the progress function of one Run, in its own goroutine and in order. Run waits for
// each call to return, unless another call waits for the queue or the device is being closed. The
// function may therefore use the device itself. If the function panics, Run panics with the same
// value.
type reports struct {
	on   *usage // its lock guards what follows
	call func(Progress)

	queue  []Progress // not yet reported
	active bool       // the goroutine runs
	thrown any        // the value of a panic, or exited; nil if there was none
}

// exited stands for the panic value of a progress function that called runtime.Goexit.
type exited struct{}

// add adds a progress report. The caller must have the queue.
func (r *reports) add(p Progress) {
	r.on.lock.Lock()
	defer r.on.lock.Unlock()
	r.queue = append(r.queue, p)
	if !r.active {
		r.active = true
		go r.deliver()
	}
	for r.active && r.on.waiting == 0 && !r.on.closed {
		r.on.changed.Wait()
	}
}

// flush waits for the last call of the progress function, unless the device is being closed, and
// repeats the panic of such a call. The caller must have released the queue.
func (r *reports) flush() {
	r.on.lock.Lock()
	for r.active && !r.on.closed {
		r.on.changed.Wait()
	}
	thrown := r.thrown
	r.on.lock.Unlock()
	switch thrown {
	case nil:
	case exited{}:
		runtime.Goexit()
	default:
		panic(thrown)
	}
}

// failed tells whether the progress function has panicked. If so, Run ends early.
func (r *reports) failed() bool {
	r.on.lock.Lock()
	defer r.on.lock.Unlock()
	return r.thrown != nil
}

// deliver calls the user's function for each waiting report, until none is left. If that function
// panics, the remaining reports are dropped.
func (r *reports) deliver() {
	r.on.lock.Lock()
	thrown := any(exited{})
	defer func() {
		if v := recover(); v != nil {
			thrown = v
		}
		if thrown != nil {
			r.on.lock.Lock()
			r.thrown, r.queue = thrown, nil
		}
		r.active = false
		r.on.changed.Broadcast()
		r.on.lock.Unlock()
	}()
	for len(r.queue) > 0 {
		p := r.queue[0]
		r.queue = r.queue[1:]
		r.on.lock.Unlock()
		r.call(p)
		r.on.lock.Lock()
	}
	thrown = nil
}
