package tridiag

import (
	"errors"
	"testing"
)

// TestInterruptible checks the three ways in which Interruptible ends: f returns, f panics, and
// `stop` fails while f runs.
func TestInterruptible(t *testing.T) {
	never := func() error { return nil }
	for _, stop := range []func() error{nil, never} {
		called := 0
		if err := Interruptible(stop, func() { called++ }); err != nil || called != 1 {
			t.Errorf("%v after %d calls", err, called)
		}
		func() {
			defer func() {
				if p := recover(); p != "broken" {
					t.Errorf("panic %v", p)
				}
			}()
			Interruptible(stop, func() { panic("broken") })
			t.Error("the panic is lost")
		}()
	}
	enough, released, ended := errors.New("enough"), make(chan bool), make(chan bool)
	err := Interruptible(func() error { return enough }, func() { <-released; close(ended) })
	if !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
	close(released)
	<-ended // f has run to its end
}
