package main

// #include <stdlib.h>
// #include "entry.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"sync/atomic"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// token is the Go object of a vkevd_token, with which a C program cancels solves.
type token struct {
	ctx    context.Context
	cancel context.CancelFunc
}

//export goTokenNew
func goTokenNew(h *C.vkevd_token, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		if h == nil {
			return errNull("token")
		}
		ctx, cancel := context.WithCancel(context.Background())
		*h = keep[C.vkevd_token](&token{ctx, cancel})
		return nil
	})
}

//export goCancel
func goCancel(h C.vkevd_token, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		t, err := lookUp[*token](h, "token")
		if err == nil {
			t.cancel()
		}
		return err
	})
}

//export goTokenFree
func goTokenFree(h C.vkevd_token, out *C.vkevd_error) C.int32_t {
	return guard(out, func() error {
		_, err := release[*token](h, "token")
		return err
	})
}

// turn makes the solves of one plan run one after another. It passes the plan's progress reports to
// the solve that is running.
type turn struct {
	dev   *vk.Device
	taken chan struct{} // a channel with one place, which is occupied while a solve runs
	watch atomic.Pointer[func(evd.Progress)]
}

func newTurn(dev *vk.Device) turn { return turn{dev: dev, taken: make(chan struct{}, 1)} }

type call struct {
	turn  *turn
	outer *call // the solve whose progress function has made this call, or nil
}

// outer returns the solve whose progress function the calling thread runs, or nil if it runs none.
func outer() *call {
	if h := cgo.Handle(C.vkevd_reporting()); h != 0 {
		return h.Value().(*call)
	}
	return nil
}

// `within` returns an error if the C program's call would wait for itself. This is the case if the
// calling thread runs the progress function of a solve whose turn satisfies `is`. A progress
// function may itself call a solve, whose progress function then runs in the same thread. within
// checks all these solves. `what` names the argument of the call.
func within(what string, is func(*turn) bool) error {
	for c := outer(); c != nil; c = c.outer {
		if is(c.turn) {
			return badArgument{what + ": in use by the solve whose progress function makes this call"}
		}
	}
	return nil
}

func (t *turn) progress(p evd.Progress) {
	if watch := t.watch.Load(); watch != nil {
		(*watch)(p)
	}
}

// run calls `solve` after the plan's other solves have ended. The token and the progress function
// of `control` can end the context of `solve`. `control` may be nil.
func (t *turn) run(control *C.vkevd_control, solve func(context.Context) error) error {
	c := orZero(control)
	if err := within("plan", func(other *turn) bool { return other == t }); err != nil {
		return err
	}
	ctx := context.Background()
	if c.token != 0 {
		by, err := lookUp[*token](c.token, "control.token")
		if err != nil {
			return err
		}
		ctx = by.ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-t.taken }()
	if c.progress != nil {
		number := cgo.NewHandle(&call{t, outer()})
		defer number.Delete()
		watch := func(p evd.Progress) { watch(number, &c, p, cancel) }
		t.watch.Store(&watch)
		defer t.watch.Store(nil)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return solve(ctx)
}

// watch calls the progress function of the C program, and `cancel` if that returns a nonzero value.
// `number` stands for the solve.
func watch(number cgo.Handle, c *C.vkevd_control, p evd.Progress, cancel func()) {
	stage := C.CString(p.Stage)
	defer C.free(unsafe.Pointer(stage))
	if C.vkevd_report(C.uint64_t(number), c.progress, c.user, stage, C.double(p.Done), C.double(p.Total)) != 0 {
		cancel()
	}
}
