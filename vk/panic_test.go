package vk

import (
	"context"
	"os"
	"testing"
	"time"
)

// TestARunThatPanicsLeavesNothingInFlight runs a recording whose first batch takes long. The second
// batch uses an arena that is closed, so that Run panics while it encodes this batch. A caller may
// recover, and free memory. So when Run has panicked, no batch may be in flight, and the next Run
// must have the queue.
func TestARunThatPanicsLeavesNothingInFlight(t *testing.T) {
	ctx := context.Background()
	d, err := Open(Options{Device: os.Getenv("VKEVD_DEVICE"), Batch: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	x, y := Reserve[uint32]("x", 1<<26), Reserve[uint32]("y", 64)
	large, err := d.NewArena(Together(x))
	if err != nil {
		t.Fatal(err)
	}
	small, err := d.NewArena(Together(y))
	if err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(d)
	Fill(rec, x.In(large), 7)
	Fill(rec, y.In(small), 7)
	small.Close()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a closed arena is accepted")
			}
		}()
		d.Run(ctx, rec, nil)
	}()
	if now, err := d.dev.Value(d.queue.timeline); err != nil || d.queue.value == 0 || now != d.queue.value {
		t.Errorf("%d of %d batches have ended, %v", now, d.queue.value, err)
	}
	next, last := NewRecorder(d), make([]uint32, 1)
	Receive(next, last, x.In(large).From(x.Len()-1))
	if _, err := d.Run(ctx, next, nil); err != nil || last[0] != 7 {
		t.Errorf("the next recording: %d, %v", last[0], err)
	}
}
