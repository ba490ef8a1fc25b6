package vk_test

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// While two goroutines close the device, others make and close arenas, build kernels, run
// recordings, upload data, and read memory sizes and statistics. Each call succeeds or fails with
// ErrClosed, and no driver object is left. The test is meant for the race detector and for the
// driver's count of objects.
func TestCloseRacesWithEverything(t *testing.T) {
	when.Skip(t, when.Widths, "no kernels")
	x := vk.Reserve[float64]("x", 1000)
	for round := range 20 {
		d, err := vk.Open(vk.Options{Device: os.Getenv("VKEVD_DEVICE"), Statistics: round%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		kept, err := d.NewArena(vk.Together(x))
		if err != nil {
			t.Fatal(err)
		}
		fill := vk.NewRecorder(d)
		vk.Fill(fill, x.In(kept), 0)
		var all sync.WaitGroup
		start := make(chan struct{})
		for i, use := range []func(k int) error{
			func(int) error {
				a, err := d.NewArena(vk.Together(x))
				if err == nil {
					a.Close()
				}
				return err
			},
			func(k int) error {
				_, err := vk.Build(d, shaders.RandomFill[float64](), shaders.RandomFillSpec{LocalSize: uint32(1 + k%8)})
				return err
			},
			func(int) error { _, err := d.Run(context.Background(), fill, nil); return err },
			func(int) error {
				return vk.Upload(context.Background(), d, x.In(kept), vk.Vector(make([]float64, 1000)))
			},
			func(int) error { d.Memory(); _, err := d.Statistics(); return err },
			func(k int) error {
				if k == 3 {
					kept.Close() // twice, perhaps: by the device, too
				}
				return nil
			},
		} {
			if i == 5 && round%3 > 0 { // what the runs use is closed by the device alone
				continue
			} else if (i == 2 || i == 3) && round%3 == 0 {
				continue
			}
			all.Add(1)
			go func() {
				defer all.Done()
				<-start
				for k := range 1000 {
					if err := use(k); errors.Is(err, vk.ErrClosed) {
						return
					} else if err != nil {
						t.Errorf("use %d: %v", i, err)
						return
					}
				}
			}()
		}
		for range 2 {
			all.Add(1)
			go func() {
				defer all.Done()
				<-start
				time.Sleep(time.Duration(round) * 100 * time.Microsecond)
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			}()
		}
		close(start)
		all.Wait()
		kept.Close()
		if n := driver.Live(); n != 0 {
			t.Fatalf("round %d leaves %d objects", round, n)
		}
	}
}

// progressing returns a recording that the device d divides into the given number of batches, and
// the vector that the recording changes. Options.Batch of d must be one nanosecond.
func progressing(t *testing.T, d *vk.Device, batches int) (*vk.Recorder, vk.Slice[float64]) {
	t.Helper()
	x := vk.Reserve[float64]("x", 1000)
	a, err := d.NewArena(vk.Together(x))
	if err != nil {
		t.Fatal(err)
	}
	rec := vk.NewRecorder(d)
	for i := range batches {
		rec.Phase("fill", float64(i), float64(batches))
		vk.Fill(rec, x.In(a), uint32(i))
	}
	return rec, x.In(a)
}

// A progress function calls many methods of the device. The reports stay in order, and each report
// is made before Run returns. Another goroutine, for which the progress function waits, may use the
// device, too.
func TestProgressUsesTheDevice(t *testing.T) {
	ctx := context.Background()
	d := open(t, vk.Options{Batch: time.Nanosecond})
	rec, x := progressing(t, d, 12)
	inner, y := progressing(t, d, 3)
	var seen []float64
	_, err := d.Run(ctx, rec, func(p vk.Progress) {
		seen = append(seen, p.Done)
		d.Memory()
		if _, err := vk.Build(d, shaders.ProbeFma(), shaders.ProbeFmaDefaults()); err != nil {
			t.Error(err)
		}
		if len(seen) == 2 {
			if _, err := d.Run(ctx, inner, func(vk.Progress) {}); err != nil {
				t.Error(err)
			}
			done := make(chan error)
			go func() { done <- vk.Upload(ctx, d, y, vk.Vector(make([]float64, 1000))) }()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 12 || seen[len(seen)-1] != 11 {
		t.Errorf("reports %v", seen)
	}
	for i := 1; i < len(seen); i++ {
		if !(seen[i] >= seen[i-1]) {
			t.Errorf("reports out of order: %v", seen)
		}
	}
	_ = x
}

// If no other goroutine waits for the device, Run waits until the progress function has returned.
// At that time at most one further batch was submitted. If the function ends the context, the Run
// therefore ends soon.
func TestProgressIsAwaited(t *testing.T) {
	d := open(t, vk.Options{Batch: time.Nanosecond})
	rec, _ := progressing(t, d, 50)
	ctx, cancel := context.WithCancel(context.Background())
	reports := 0
	_, err := d.Run(ctx, rec, func(vk.Progress) {
		if reports++; reports == 3 {
			time.Sleep(20 * time.Millisecond)
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || reports > 4 {
		t.Errorf("%v after %d reports", err, reports)
	}
}

// If a progress function panics, Run panics with the same value, and the device is usable
// afterwards.
func TestProgressPanics(t *testing.T) {
	d := open(t, vk.Options{Batch: time.Nanosecond})
	rec, _ := progressing(t, d, 20)
	func() {
		defer func() {
			if v := recover(); v != "enough" {
				t.Errorf("recovered %v", v)
			}
		}()
		reports := 0
		d.Run(context.Background(), rec, func(vk.Progress) {
			if reports++; reports == 2 {
				panic("enough")
			}
		})
		t.Error("Run returned")
	}()
	if _, err := d.Run(context.Background(), rec, nil); err != nil {
		t.Error(err)
	}
}

// A progress function may close the device. Run then ends, and Close returns.
func TestProgressClosesTheDevice(t *testing.T) {
	d := open(t, vk.Options{Batch: time.Nanosecond})
	rec, _ := progressing(t, d, 20)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	closed := make(chan struct{})
	var once sync.Once
	d.Run(ctx, rec, func(vk.Progress) {
		once.Do(func() {
			d.Close()
			close(closed)
		})
	})
	select {
	case <-closed:
	case <-ctx.Done():
		t.Fatal("neither ended")
	}
	if _, err := d.Run(ctx, rec, nil); !errors.Is(err, vk.ErrClosed) {
		t.Errorf("%v", err)
	}
}
