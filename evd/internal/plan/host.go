package plan

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// HostWork is the connection between a solver on the host, which runs in several goroutines, and
// the call that waits for it. Call.OnHost makes it.
type HostWork struct {
	ctx    context.Context
	cancel context.CancelFunc
	phase  string
	report func(vk.Progress) // may be nil

	lock   sync.Mutex
	done   float64 // fraction of the work that is done
	thrown any     // the value of a panic of `report`, or exited; nil if there was none
}

// exited is used in place of a panic value if a progress function has called runtime.Goexit.
type exited struct{}

// OnHost calls the function `solve`, which solves a problem on the host. It adds the time to the
// profile, under the name of the phase followed by stages.OnHost. The error is that of `solve`, or
// ctx.Err() if the context of the call has ended before.
//
// If the progress function of the call panics or ends its goroutine, the solver stops, and OnHost
// then does the same in the goroutine of the caller.
func (c *Call) OnHost(phase string, solve func(w *HostWork) error) error {
	if err := c.Ctx.Err(); err != nil {
		return err
	}
	began := time.Now()
	defer func() { c.Profile.Add(phase+stages.OnHost, time.Since(began).Seconds()) }()
	w := &HostWork{phase: phase, report: c.progress}
	w.ctx, w.cancel = context.WithCancel(c.Ctx)
	defer w.cancel()
	err := solve(w)
	switch w.thrown {
	case nil:
	case exited{}:
		runtime.Goexit()
	default:
		panic(w.thrown)
	}
	return err
}

// Stop returns an error if the solver must stop: the error of the context, or context.Canceled
// after a failure of the progress function. Several goroutines may call Stop at the same time.
func (w *HostWork) Stop() error { return w.ctx.Err() }

// Progress reports that a part of the work has been done. The sum of all parts is 1. Several
// goroutines may call Progress at the same time. It calls the progress function in a goroutine of
// its own, one call at a time, because this function may panic or end its goroutine.
func (w *HostWork) Progress(part float64) {
	if w.report == nil {
		return
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.thrown != nil {
		return
	}
	w.done = min(w.done+part, 1)
	var call sync.WaitGroup
	call.Go(func() {
		w.thrown = exited{}
		defer func() {
			if v := recover(); v != nil {
				w.thrown = v
			}
		}()
		w.report(vk.Progress{Phase: w.phase, Done: w.done, Total: 1})
		w.thrown = nil
	})
	if call.Wait(); w.thrown != nil {
		w.cancel()
	}
}
