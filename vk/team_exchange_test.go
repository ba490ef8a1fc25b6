package vk

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// exchanging is some devices with memory, and an exchange between them.
type exchanging struct {
	dev []*Device
	mem []Slice[uint32]
	x   *Exchange
}

const exchangeWords = 5000

// openExchange opens devices and an exchange of twice exchangeWords words. If `apart` is true, the
// devices do not import host memory.
func openExchange(t *testing.T, devices int, apart bool, maxBuffer uint64) *exchanging {
	t.Helper()
	g := &exchanging{}
	region := Reserve[uint32]("x", exchangeWords)
	for k := range devices {
		d, err := Open(Options{Device: listed(k), Batch: time.Nanosecond, MaxBuffer: maxBuffer})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		if apart {
			d.from.extensions = nil
		}
		a, err := d.NewArena(Together(region))
		if err != nil {
			t.Fatal(err)
		}
		g.dev, g.mem = append(g.dev, d), append(g.mem, region.In(a))
	}
	x, err := NewExchange(g.dev, 8*exchangeWords)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close(); x.Close() })
	g.x = x
	return g
}

// listed returns element k of the list in VKEVD_DEVICE ("0,1"), which begins again after its end.
func listed(k int) string {
	list := strings.Split(os.Getenv("VKEVD_DEVICE"), ",")
	return list[k%len(list)]
}

// run runs a recording on each device at the same time, and returns the errors.
func (g *exchanging) run(ctx context.Context, record func(k int, rec *Recorder)) []error {
	errs := make([]error, len(g.dev))
	var all sync.WaitGroup
	for k, d := range g.dev {
		rec := NewRecorder(d)
		record(k, rec)
		all.Go(func() { _, errs[k] = d.Run(ctx, rec, nil) })
	}
	all.Wait()
	return errs
}

// TestExchange sends words around a ring of devices, many times, in one recording for each device.
// A device changes a part of the words before it sends them on. In the end all changes are there.
func TestExchange(t *testing.T) {
	for name, c := range map[string]struct {
		apart     bool
		maxBuffer uint64
	}{"imported": {}, "apart": {apart: true}, "paged": {maxBuffer: 1 << 13}} {
		t.Run(name, func(t *testing.T) {
			const devices, rounds = 3, 20
			g := openExchange(t, devices, c.apart, c.maxBuffer)
			if !c.apart && g.dev[0].importsHost() && !g.x.Imported() {
				t.Error("the devices could share memory")
			}
			events := make([]*Event, devices*rounds)
			for i := range events {
				events[i] = NewEvent()
			}
			got := make([]uint32, exchangeWords)
			errs := g.run(context.Background(), func(k int, rec *Recorder) {
				for round := range rounds {
					at, now := round*devices+k, g.mem[k]
					if at == 0 {
						Fill(rec, now, 1000)
					} else {
						rec.Wait(events[at-1])
						Take(rec, now, g.x, (at-1)%2*4*exchangeWords)
					}
					Fill(rec, now.Sub(at, 1), uint32(at))
					Post(rec, g.x, at%2*4*exchangeWords, now)
					rec.Signal(events[at])
				}
				if k == devices-1 {
					ReceiveLast(rec, got, g.mem[k])
				}
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			for i, v := range got {
				want := uint32(1000)
				if i < devices*rounds {
					want = uint32(i)
				}
				if v != want {
					t.Fatalf("word %d is %d, want %d", i, v, want)
				}
			}
		})
	}
}

// TestWaitEndsWithItsContext checks that an event that never happens does not stop a Run for ever,
// and that the device can be used afterwards.
func TestWaitEndsWithItsContext(t *testing.T) {
	g := openExchange(t, 1, false, 0)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	after := NewEvent()
	errs := g.run(ctx, func(_ int, rec *Recorder) {
		Fill(rec, g.mem[0], 1)
		rec.Wait(NewEvent())
		Fill(rec, g.mem[0], 2)
		rec.Signal(after)
	})
	if !errors.Is(errs[0], context.DeadlineExceeded) || after.happened.Load() {
		t.Fatalf("error %v, and the event after the wait: %v", errs[0], after.happened.Load())
	}
	got := make([]uint32, 1)
	errs = g.run(context.Background(), func(_ int, rec *Recorder) { Receive(rec, got, g.mem[0]) })
	if errs[0] != nil || got[0] != 1 {
		t.Errorf("afterwards: %v, word %d, want 1", errs[0], got[0])
	}
}

// TestSignalsOfAWaitingRun checks that a device signals all earlier events of its recording before
// it waits. So two devices can wait for each other in turn. If a device signalled later, this test
// would not end.
func TestSignalsOfAWaitingRun(t *testing.T) {
	g := openExchange(t, 2, false, 0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var mine [2][10]*Event
	for k := range mine {
		for i := range mine[k] {
			mine[k][i] = NewEvent()
		}
	}
	errs := g.run(ctx, func(k int, rec *Recorder) {
		for i := range mine[k] {
			Fill(rec, g.mem[k], uint32(i))
			rec.Signal(mine[k][i])
			rec.Wait(mine[1-k][i])
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestCloseOfAWaitingDevice closes a device while its Run waits for an event. Close waits for the
// Run, and the Run still gets its event and ends.
func TestCloseOfAWaitingDevice(t *testing.T) {
	g := openExchange(t, 1, false, 0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	before, event, closed := NewEvent(), NewEvent(), make(chan struct{})
	go func() {
		if before.wait(ctx, false) != nil { // afterwards the Run has begun, and waits next
			return
		}
		go func() { g.dev[0].Close(); close(closed) }()
		select {
		case <-closed:
			t.Error("Close has not waited for a Run that waits")
		case <-time.After(50 * time.Millisecond):
		}
		event.happen()
	}()
	got := make([]uint32, 1)
	errs := g.run(ctx, func(_ int, rec *Recorder) {
		Fill(rec, g.mem[0], 1)
		rec.Signal(before)
		rec.Wait(event)
		Fill(rec, g.mem[0], 2)
		ReceiveLast(rec, got, g.mem[0].Sub(0, 1))
	})
	if errs[0] != nil || got[0] != 2 {
		t.Fatalf("%v, word %d, want 2", errs[0], got[0])
	}
	select {
	case <-closed:
	case <-ctx.Done():
		t.Fatal("Close does not return")
	}
	if errs := g.run(context.Background(), func(_ int, rec *Recorder) { Fill(rec, g.mem[0], 3) }); !errors.Is(errs[0], ErrClosed) {
		t.Errorf("after Close: %v", errs[0])
	}
}

// TestExchangeOutlivesAClosedDevice closes one of the devices before the exchange. This is against
// the rules but must not crash. A new exchange with a closed or a dry device must be refused.
func TestExchangeOutlivesAClosedDevice(t *testing.T) {
	g := openExchange(t, 2, false, 0)
	g.dev[1].Close()
	g.x.Close()
	var e *DeviceError
	if _, err := NewExchange(g.dev, 64); !errors.As(err, &e) || e.Device != g.dev[1] {
		t.Errorf("with a closed device: %v", err)
	}
	if _, err := NewExchange([]*Device{Dry(Info{})}, 64); !errors.As(err, &e) {
		t.Errorf("with a dry device: %v", err)
	}
}

// TestExchangeRefuses checks that Post and Take panic in three cases: the bytes are not inside of
// the exchange, the first byte is no multiple of 4, or the exchange was made for other devices. It
// also checks that the text of a recording names the bytes that each Post and Take copies.
func TestExchangeRefuses(t *testing.T) {
	g, other := openExchange(t, 1, false, 0), openExchange(t, 1, false, 0)
	for name, record := range map[string]func(rec *Recorder){
		"past the end": func(rec *Recorder) { Post(rec, g.x, 8*exchangeWords-4, g.mem[0].Sub(0, 2)) },
		"before it":    func(rec *Recorder) { Take(rec, g.mem[0], g.x, -4) },
		"no word":      func(rec *Recorder) { Take(rec, g.mem[0], g.x, 2) },
		"other device": func(rec *Recorder) { Take(rec, g.mem[0], other.x, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is accepted", name)
				}
			}()
			record(NewRecorder(g.dev[0]))
		}()
	}
	rec := NewRecorder(g.dev[0])
	Take(rec, g.mem[0].Sub(0, 2), g.x, 16)
	Post(rec, g.x, 8, g.mem[0].Sub(1, 1))
	rec.Signal(NewEvent())
	rec.Wait(NewEvent())
	var text strings.Builder
	rec.WriteTo(&text)
	for _, want := range []string{"take x from 16, 8 bytes", "post x+4 to 8, 4 bytes", "signal", "wait"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &text)
		}
	}
}

// TestBroadcast spreads slices of many lengths, from another device each time, through an exchange
// with room for one, two or five pieces. Each device adds a word of its own before it sends, so
// that a piece that comes too early or too late is seen at the end.
func TestBroadcast(t *testing.T) {
	for name, c := range map[string]struct {
		apart  bool
		places int
	}{"imported": {places: 2}, "apart": {apart: true, places: 2}, "one place": {places: 1}, "five places": {places: 5}} {
		t.Run(name, func(t *testing.T) {
			const devices, piece = 3, 400
			g := openExchange(t, devices, c.apart, 0)
			b := NewBroadcast(g.x, 100, c.places*piece+200, piece, devices)
			got := make([][]uint32, devices)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			lengths := []int{1, 100, 101, 0, 99, 1000, 350, 5, 400, 3000, 200, 201}
			errs := g.run(ctx, func(k int, rec *Recorder) {
				p := b.Party(k)
				got[k] = make([]uint32, exchangeWords)
				Fill(rec, g.mem[k], uint32(k)+1000)
				for i, n := range append(lengths, lengths...) {
					sender := (i + i/4) % devices
					s := g.mem[k].Sub(i, n)
					if k == sender && n > 0 {
						Fill(rec, s.Sub(0, 1), uint32(i))
					}
					Spread(rec, p, sender, s)
				}
				ReceiveLast(rec, got[k], g.mem[k])
			})
			if err := errors.Join(errs...); err != nil {
				t.Fatal(err)
			}
			// The same copies in plain Go.
			mem := make([][]uint32, devices)
			for k := range mem {
				mem[k] = slices.Repeat([]uint32{uint32(k) + 1000}, exchangeWords)
			}
			for i, n := range append(lengths, lengths...) {
				s := mem[(i+i/4)%devices][i : i+n]
				if n > 0 {
					s[0] = uint32(i)
				}
				for k := range mem {
					copy(mem[k][i:i+n], s)
				}
			}
			for k := range mem {
				if !slices.Equal(got[k], mem[k]) {
					t.Errorf("device %d has other words", k)
				}
			}
		})
	}
}
