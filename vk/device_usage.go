package vk

import (
	"runtime"
	"sync"
)

// usage counts the calls that use a device. Any number of calls may be in progress while the device
// is open. Only one of them at a time holds the queue, and with it the command buffers, the staging
// buffer and the abort word.
//
// Order of locks: a call takes the queue before it takes any other lock of the device. A call that
// waits for the queue holds no other lock. The lock probes.trying is the exception: a call of
// ProbeOnce holds this lock during the probe, and the probe takes the queue. No call that holds the
// queue takes the lock probes.trying. A call that holds the queue may wait for an Event of a call
// on another device. The caller of such calls has reserved all their devices by Gather. A deadlock
// is therefore impossible, with one exception: a progress function waits for a call of Gather while
// the devices of its own Run are reserved.
type usage struct {
	lock    sync.Mutex
	changed sync.Cond // signalled when a member changes

	users  int  // number of calls in progress
	closed bool // no more calls begin

	// Calls get the queue in the order in which they asked for it. The turn of a call is the number
	// of earlier calls that have asked. `turns` is the number of all calls that have asked, and
	// `done` is the number of calls that have given the queue back. So the next call is the one
	// whose turn is `done`. If `taken` is true, this call has the queue. Otherwise it may take the
	// queue.
	turns, done uint64
	taken       bool
}

// init prepares the condition variable. It must be called before any other method of the type.
func (u *usage) init() { u.changed.L = &u.lock }

// enter begins a call that uses the driver. The call may enter again before it leaves.
func (u *usage) enter() error {
	u.lock.Lock()
	defer u.lock.Unlock()
	if u.closed {
		return ErrClosed
	}
	u.users++
	return nil
}

func (u *usage) leave() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.users--
	u.changed.Broadcast()
}

// close prevents new calls, and waits until all calls in progress have ended.
func (u *usage) close() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.closed = true
	u.changed.Broadcast()
	for u.users > 0 {
		u.changed.Wait()
	}
}

// askQueue returns the caller's turn: the place in the order of requests for the queue. Later
// requests wait for this turn, so the caller must then call takeTurn. The caller must have called
// `enter` before. A call that holds the queue, or that has a turn already, must not ask again: it
// would wait for itself.
func (u *usage) askQueue() (turn uint64) {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.turns++
	u.changed.Broadcast()
	return u.turns - 1
}

func (u *usage) takeTurn(turn uint64) {
	u.lock.Lock()
	defer u.lock.Unlock()
	for u.done != turn {
		u.changed.Wait()
	}
	u.taken = true
}

func (u *usage) takeQueue() { u.takeTurn(u.askQueue()) }

func (u *usage) releaseQueue() {
	u.lock.Lock()
	defer u.lock.Unlock()
	u.taken = false
	u.done++
	u.changed.Broadcast()
}

// wanted tells whether one call has the queue while another waits for it. The caller holds u.lock.
func (u *usage) wanted() bool { return u.taken && u.turns > u.done+1 }

// reports calls the progress function of one Run in a goroutine of its own, one report after
// another. Run waits until the function has returned, unless another call needs the queue of the
// device or closes the device. So a progress function may use the device itself and does not wait
// for ever. If other devices wait for the Run, the Run waits for the function only at its own end,
// because the function may use these devices. If the function panics, Run panics with the same
// value.
type reports struct {
	on   *usage // its lock guards what follows
	call func(Progress)

	shared bool // the recording has events: other devices may wait for the Run

	queue  []Progress // not yet reported
	active bool       // the goroutine runs
	thrown any        // the value of a panic, or exited; nil if there was none
}

// exited is used in place of a panic value if a progress function has called runtime.Goexit.
type exited struct{}

// rethrow panics with the value with which a progress function has panicked, or ends the goroutine
// if that function has called runtime.Goexit. It does nothing if `thrown` is nil.
func rethrow(thrown any) {
	switch thrown {
	case nil:
	case exited{}:
		runtime.Goexit()
	default:
		panic(thrown)
	}
}

func (r *reports) add(p Progress) {
	r.on.lock.Lock()
	defer r.on.lock.Unlock()
	r.queue = append(r.queue, p)
	if !r.active {
		r.active = true
		go r.deliver()
	}
	for r.active && !r.shared && !r.on.wanted() && !r.on.closed {
		r.on.changed.Wait()
	}
}

// flush waits until the last call of the progress function has returned, unless the device is being
// closed. If the function has panicked, `flush` panics with the same value. The caller must have
// released the queue.
func (r *reports) flush() {
	r.on.lock.Lock()
	for r.active && !r.on.closed {
		r.on.changed.Wait()
	}
	thrown := r.thrown
	r.on.lock.Unlock()
	rethrow(thrown)
}

func (r *reports) failed() bool {
	r.on.lock.Lock()
	defer r.on.lock.Unlock()
	return r.thrown != nil
}

// deliver calls the user's progress function for each report. If the function panics, the later
// reports are dropped.
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
