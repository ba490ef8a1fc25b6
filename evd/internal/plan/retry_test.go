package plan

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"weak"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// attempts is a solve whose attempts return given errors. A nil field means an attempt that
// succeeds.
type attempts struct {
	waits         int   // number of attempts, from the first one on, in which a wait fails
	first, second error // errors of attempts in which no wait fails: of the first attempt, and of later ones
	avoid         error
	cancelled     bool
	calls         []*Call
	avoided       int
}

// run passes the fake solve to Survive.
func (a *attempts) run() (int, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	begin := func() *Call {
		c := &Call{Ctx: ctx, Dev: vk.Dry(vk.Info{}), Profile: vk.NewProfile()}
		a.calls = append(a.calls, c)
		return c
	}
	return Survive(begin, func(c *Call) (int, error) {
		c.Profile.Add("a", 2)
		which := len(a.calls)
		if a.cancelled {
			cancel()
		}
		if which <= a.waits {
			c.gaveUp = &stages.InfoError{Stage: "chase", Info: uint32(which)}
			return which, fmt.Errorf("in a test: %w", c.gaveUp)
		}
		if which > 1 {
			return which, a.second
		}
		return which, a.first
	}, func(failed *Call) error {
		if failed.GaveUp() == nil || failed != a.calls[len(a.calls)-1] {
			return errors.New("this call has not failed")
		}
		a.avoided++
		return a.avoid
	})
}

// TestSurvive checks when Survive makes another attempt: after a wait that failed, but not after
// other errors, and only if the context of the call has not ended. There must be at most four
// attempts, because each of three causes of a failure can be avoided once. Survive must return the
// error of the last attempt.
func TestSurvive(t *testing.T) {
	other, failedWait, same := errors.New("other"), errors.New("a failed wait"), &stages.InfoError{Stage: "chase", Info: 3}
	for _, c := range []struct {
		name  string
		a     attempts
		res   int
		err   error
		calls int
	}{
		{"good", attempts{}, 1, nil, 1},
		{"another error", attempts{first: other}, 1, other, 1},
		{"a stage error that is no wait", attempts{first: same}, 1, same, 1},
		{"a wait", attempts{waits: 1}, 2, nil, 2},
		{"a wait of a cancelled solve", attempts{waits: 1, cancelled: true}, 0, context.Canceled, 1},
		{"no memory for the second attempt", attempts{waits: 1, avoid: other}, 0, other, 1},
		{"the second attempt fails", attempts{waits: 1, second: other}, 2, other, 2},
		{"a wait of a panel, then another wait", attempts{waits: 2}, 3, nil, 3},
		{"a wait in every attempt", attempts{waits: 9}, 4, failedWait, 4},
	} {
		res, err := c.a.run()
		if failed := (*stages.InfoError)(nil); c.err == failedWait && errors.As(err, &failed) && failed.Info == 4 {
			err = c.err
		}
		if res != c.res || !errors.Is(err, c.err) || len(c.a.calls) != c.calls {
			t.Errorf("%s: %d, %v after %d attempts", c.name, res, err, len(c.a.calls))
		}
		want := min(c.a.waits, 3)
		if c.a.cancelled {
			want = 0
		}
		if c.a.avoided != want {
			t.Errorf("%s: %d paths were made, want %d", c.name, c.a.avoided, want)
		}
		for i, call := range c.a.calls {
			if (call.Retried != nil) != (i > 0) || i > 0 && call.Retried.Info != uint32(i) {
				t.Errorf("%s: attempt %d: retried after %v", c.name, i, call.Retried)
			}
			if call.Profile.Phase(stages.PhaseGivenUp) != float64(2*i) || call.Profile.Phase("a") != 2 {
				t.Errorf("%s: attempt %d: %+v", c.name, i, call.Profile)
			}
		}
	}
}

// TestSurviveFreesMemory checks that the host memory for the vectors of a failed attempt is free
// when the next attempt begins. Otherwise a solve with all vectors would need it twice.
func TestSurviveFreesMemory(t *testing.T) {
	ctx := context.Background()
	var first weak.Pointer[float64]
	begin := func() *Call { return &Call{Ctx: ctx, Dev: vk.Dry(vk.Info{}), Profile: vk.NewProfile()} }
	_, err := Survive(begin, func(c *Call) (int, error) {
		if c.Retried != nil {
			if first.Value() != nil {
				t.Error("the memory of the first attempt is not free")
			}
			return 0, nil
		}
		m := NewResultMemory[float64](c.Ctx)
		defer m.Stop()
		m.Allocate(1000, 1000)
		first = weak.Make(&m.Wait().Data[0])
		c.gaveUp = &stages.InfoError{Stage: "chase", Info: 1}
		return 0, c.gaveUp
	}, func(*Call) error { return nil })
	if err != nil || first == (weak.Pointer[float64]{}) {
		t.Error(err, first)
	}
}

// TestReplaceTriesAgain asks for more memory for a plan than the device has. The plan then has no
// memory. Each call of the plan must try again to allocate, until the memory fits or the plan is
// closed.
func TestReplaceTriesAgain(t *testing.T) {
	layout := func(n int) *vk.Layout { return vk.Together(vk.Reserve[float64]("A", n)) }
	b := Base{Dev: vk.Dry(vk.Info{Memory: 1 << 20, Free: 1 << 20}), N: 1, Layout: layout(10)}
	if err := b.Allocate(); err != nil {
		t.Fatal(err)
	}
	small := b.Bytes()
	var full *vk.OutOfMemoryError
	if err := b.Replace(layout(1 << 20)); !errors.As(err, &full) || b.Bytes() <= small {
		t.Errorf("%d bytes, %v", b.Bytes(), err)
	}
	if err := b.Open(); !errors.As(err, &full) {
		t.Errorf("open: %v", err)
	}
	if err := b.Replace(layout(10)); err != nil || b.Open() != nil || b.Bytes() != small {
		t.Errorf("%d bytes, %v", b.Bytes(), err)
	}
	b.Close()
	if err := b.Open(); err != ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// TestRising checks the function Rising, which combines the progress of two attempts of a solve.
// Done must not decrease in the second attempt, and Total must stay that of the first attempt.
func TestRising(t *testing.T) {
	var have []Progress
	report := Rising(func(at Progress) { have = append(have, at) })
	for _, at := range []Progress{{"a", 0, 9}, {"b", 6, 9}, {"a", 0, 18}, {"a", 10, 18}, {"b", 15, 18}, {"b", 9, 9}} {
		report(at)
	}
	want := []Progress{{"a", 0, 9}, {"b", 6, 9}, {"a", 6, 9}, {"a", 6, 9}, {"b", 7.5, 9}, {"b", 9, 9}}
	if fmt.Sprint(have) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", have, want)
	}
	if Rising(nil) != nil {
		t.Error("something is reported to nobody")
	}
}
