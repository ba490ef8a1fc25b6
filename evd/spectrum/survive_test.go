package spectrum

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// attempts is a fake solve for tests. Its two attempts return the given errors; nil means that the
// attempt succeeds.
type attempts struct {
	wait          bool // a wait fails in the first attempt
	first, second error
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
		if len(a.calls) == 2 {
			return 2, a.second
		}
		if a.wait {
			c.gaveUp = &StageError{Stage: "chase", Info: 3}
			a.first = fmt.Errorf("in a test: %w", c.gaveUp)
		}
		if a.cancelled {
			cancel()
		}
		return 1, a.first
	}, func() error { a.avoided++; return a.avoid })
}

// TestSurvive checks when Survive makes a second attempt: only after a wait that failed, and only
// if the context of the call has not ended. There must be no third attempt. Survive must return the
// error of the second attempt unchanged.
func TestSurvive(t *testing.T) {
	other, same := errors.New("other"), &StageError{Stage: "chase", Info: 3}
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
		{"a wait", attempts{wait: true}, 2, nil, 2},
		{"a wait of a cancelled solve", attempts{wait: true, cancelled: true}, 0, context.Canceled, 1},
		{"no memory for the second attempt", attempts{wait: true, avoid: other}, 0, other, 1},
		{"the second attempt fails", attempts{wait: true, second: other}, 2, other, 2},
	} {
		res, err := c.a.run()
		if res != c.res || !errors.Is(err, c.err) || len(c.a.calls) != c.calls {
			t.Errorf("%s: %d, %v after %d attempts", c.name, res, err, len(c.a.calls))
		}
		if want := c.a.wait && !c.a.cancelled; (c.a.avoided == 1) != want || c.a.avoided > 1 {
			t.Errorf("%s: %d paths were made", c.name, c.a.avoided)
		}
		for i, call := range c.a.calls {
			if retried := i == 1; (call.Retried != nil) != retried || (call.Profile.Phase(stages.PhaseGivenUp) == 2) != retried || call.Profile.Phase("a") != 2 {
				t.Errorf("%s: attempt %d: %v, %+v", c.name, i, call.Retried, call.Profile)
			}
		}
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
