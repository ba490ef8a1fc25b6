package tridiag

import "time"

// pollStop is the time between two calls of `stop` in Interruptible.
const pollStop = 20 * time.Millisecond

// Interruptible calls f, which cannot be interrupted, and returns when f has returned. If `stop`
// returns an error before, Interruptible returns this error soon afterwards. Then f continues to
// run in a goroutine of its own, so f may only use memory that no other goroutine uses. A panic of
// f is passed to the caller, except after an error. If `stop` is nil, Interruptible only calls f.
func Interruptible(stop func() error, f func()) error {
	if stop == nil {
		f()
		return nil
	}
	ended := make(chan any, 1) // the value with which f panicked, or nil
	go func() {
		defer func() { ended <- recover() }()
		f()
	}()
	tick := time.NewTicker(pollStop)
	defer tick.Stop()
	for {
		select {
		case failure := <-ended:
			if failure != nil {
				panic(failure)
			}
			return nil
		case <-tick.C:
			if err := stop(); err != nil {
				return err
			}
		}
	}
}
