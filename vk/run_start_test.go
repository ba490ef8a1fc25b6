package vk_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// The test starts several recordings and awaits them in another order. The recordings run in the
// order in which they were started. One of them sends and receives more than fits into the staging
// buffer.
func TestStartedRecordingsRunInOrder(t *testing.T) {
	const count, large = 12, 9 << 20 // words; 36 MiB
	d := open(t, vk.Options{Batch: time.Nanosecond})
	x := vk.Reserve[uint32]("x", large)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	first := x.In(a).Sub(0, 1)
	var running [count]*vk.Running
	var before [count][1]uint32
	sent, received := make([]uint32, large), make([]uint32, large)
	for i := range running {
		rec := vk.NewRecorder(d)
		if i == count/2 {
			sent[0], sent[large-1] = uint32(i), 7
			vk.SendFirst(rec, x.In(a), sent)
			vk.Receive(rec, before[i][:], first)
			vk.Fill(rec, first, uint32(i+1))
			vk.ReceiveLast(rec, received, x.In(a))
		} else {
			vk.Receive(rec, before[i][:], first)
			vk.Fill(rec, first, uint32(i+1))
		}
		running[i] = d.Start(context.Background(), rec, nil)
	}
	for i := count - 1; i >= 0; i-- {
		if _, err := running[i].Await(); err != nil {
			t.Errorf("recording %d: %v", i, err)
		}
		if i > 0 && before[i][0] != uint32(i) {
			t.Errorf("recording %d found the number %d", i, before[i][0])
		}
	}
	if received[0] != count/2+1 || received[large-1] != 7 {
		t.Errorf("received %d and %d", received[0], received[large-1])
	}
}

// Device.Close waits for the recordings that were started. After Close, Await of a new recording
// returns an error. A second call of Await returns the same result as the first call.
func TestCloseWaitsForStartedRecordings(t *testing.T) {
	d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Batch: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	rec, _ := progressing(t, d, 200)
	first, second := d.Start(context.Background(), rec, nil), d.Start(context.Background(), rec, nil)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for range 2 {
		for i, r := range []*vk.Running{first, second} {
			if profile, err := r.Await(); err != nil || profile.Phases[0].Count < 200 {
				t.Errorf("recording %d: %v, %v", i, profile, err)
			}
		}
	}
	if n := driver.Live(); n != 0 {
		t.Errorf("%d objects are left", n)
	}
	if profile, err := d.Start(context.Background(), rec, nil).Await(); !errors.Is(err, vk.ErrClosed) || profile == nil {
		t.Errorf("after Close: %v, %v", profile, err)
	}
	dry := vk.Dry(vk.Info{})
	if _, err := dry.Start(context.Background(), vk.NewRecorder(dry), nil).Await(); err == nil {
		t.Error("a dry device runs a recording")
	}
}

// Two recordings are started with different contexts. When one context ends, its recording ends,
// and the other recording continues. A short recording may end before its context does, so the test
// tries longer and longer ones.
func TestStartedRecordingsAreCancelled(t *testing.T) {
	d := open(t, vk.Options{Batch: time.Nanosecond})
	for phases := 50; ; phases *= 4 {
		rec, _ := progressing(t, d, phases)
		other, _ := progressing(t, d, 5)
		ctx, cancel := context.WithCancel(context.Background())
		first := d.Start(ctx, rec, func(vk.Progress) { cancel() })
		second := d.Start(context.Background(), other, nil)
		if _, err := second.Await(); err != nil {
			t.Error(err)
		}
		_, err := first.Await()
		if errors.Is(err, context.Canceled) {
			return
		}
		if err != nil || phases > 50_000 {
			t.Fatalf("%d phases: %v", phases, err)
		}
	}
}

// A progress function may start a recording on the same device and await it. If a progress function
// panics, Await panics with the same value, and the device is usable afterwards.
func TestStartedRecordingsReportProgress(t *testing.T) {
	ctx := context.Background()
	d := open(t, vk.Options{Batch: time.Nanosecond})
	rec, _ := progressing(t, d, 20)
	inner, _ := progressing(t, d, 3)
	reports, innerReports := 0, 0
	outer := d.Start(ctx, rec, func(vk.Progress) {
		if reports++; reports > 1 {
			return
		}
		if _, err := d.Start(ctx, inner, func(vk.Progress) { innerReports++ }).Await(); err != nil {
			t.Error(err)
		}
	})
	if _, err := outer.Await(); err != nil || reports < 20 || innerReports < 3 {
		t.Errorf("%v; %d and %d reports", err, reports, innerReports)
	}
	func() {
		defer func() {
			if v := recover(); v != "enough" {
				t.Errorf("recovered %v", v)
			}
		}()
		d.Start(ctx, rec, func(vk.Progress) { panic("enough") }).Await()
		t.Error("Await returned")
	}()
	if _, err := d.Run(ctx, rec, nil); err != nil {
		t.Error(err)
	}
}
