package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestSlowest checks the reports that Slowest makes of the progress of two devices. It must report
// the progress of the slower device, once for each new mark, and the reported progress must never
// decrease.
func TestSlowest(t *testing.T) {
	var got []string
	s := NewSlowest(2, func(p vk.Progress) { got = append(got, fmt.Sprint(p.Phase, p.Done)) })
	first, second := s.Of(0), s.Of(1)
	first(vk.Progress{Phase: "a", Done: 1, Total: 4})
	second(vk.Progress{Phase: "a", Done: 0, Total: 4})
	second(vk.Progress{Phase: "a", Done: 2, Total: 4})
	first(vk.Progress{Phase: "b", Done: 1, Total: 2})
	second(vk.Progress{Phase: "a", Done: 3, Total: 4})
	s.Ended(0)
	second(vk.Progress{Phase: "b", Done: 0, Total: 2})
	s.Ended(1)
	if want := []string{"a0", "a1", "a2", "a3", "b0"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	if NewSlowest(2, nil).Of(0) != nil {
		t.Error("there is a function for no reports")
	}
}

// TestParallel checks two rules. First returns an error other than context.Canceled if there is
// one. If a call of the function `do` panics, Parallel cancels the other calls and then panics with
// the same value. (In an earlier version the panic came only when all other devices had done their
// whole work.)
func TestParallel(t *testing.T) {
	lost := errors.New("lost")
	k, err := First(Parallel(3, func() {}, func(k int) error { return []error{nil, context.Canceled, lost}[k] }))
	if k != 2 || err != lost {
		t.Errorf("%d, %v", k, err)
	}
	if _, err := First(Parallel(2, func() {}, func(int) error { return context.Canceled })); err != context.Canceled {
		t.Error(err)
	}
	defer func() {
		if v := recover(); v != "enough" {
			t.Errorf("recovered %v", v)
		}
	}()
	ctx, cancel := context.WithCancel(context.Background())
	Parallel(2, cancel, func(k int) error {
		if k == 1 {
			panic("enough")
		}
		<-ctx.Done() // waits until the panic cancels the context
		return ctx.Err()
	})
}
