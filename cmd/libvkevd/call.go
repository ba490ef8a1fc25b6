package main

// #include <stdlib.h>
// #include "entry.h"
import "C"

import (
	"context"
	"sync/atomic"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
)

// token is the Go object that the C type vkevd_token stands for. A C program cancels solves with
// it.
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
	taken chan struct{} // a channel with one place, which is occupied while a solve runs
	watch atomic.Pointer[func(evd.Progress)]
}

func newTurn() turn { return turn{taken: make(chan struct{}, 1)} }

// progress receives the progress reports of a plan. It calls the progress function of the solve
// that is running.
func (t *turn) progress(p evd.Progress) {
	if watch := t.watch.Load(); watch != nil {
		(*watch)(p)
	}
}

// run waits until the plan's other solves have ended, and then calls the function `solve`. The
// token of `control` and its progress function can end the context of `solve`. `control` may be
// nil.
func (t *turn) run(control *C.vkevd_control, solve func(context.Context) error) error {
	c := orZero(control)
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
		watch := func(p evd.Progress) { watch(&c, p, cancel) }
		t.watch.Store(&watch)
		defer t.watch.Store(nil)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return solve(ctx)
}

// watch reports the progress of a solve to the progress function of the C program. If this function
// returns a nonzero value, watch calls `cancel`.
func watch(c *C.vkevd_control, p evd.Progress, cancel func()) {
	stage := C.CString(p.Stage)
	defer C.free(unsafe.Pointer(stage))
	if C.vkevd_report(c.progress, c.user, stage, C.double(p.Done), C.double(p.Total)) != 0 {
		cancel()
	}
}
