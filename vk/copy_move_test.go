package vk

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// pair is two devices, each with memory for pairWords words, and a link from the first device to
// the second.
type pair struct {
	dev  [2]*Device
	mem  [2]Slice[uint32]
	link *Link
}

const pairWords = 1 << 18

// openPair opens two devices and a link between them, which copies pieces of the given number of
// bytes. If `apart` is true, the devices do not import host memory. Buffers of the first device
// have at most maxBuffer bytes, and those of the second maxBuffer/8. After an error nothing is
// open.
func openPair(piece int, apart bool, maxBuffer uint64) (p *pair, err error) {
	p = &pair{}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	x := Reserve[uint32]("x", pairWords)
	for i := range p.dev {
		if p.dev[i], err = Open(Options{Device: listed(i), Batch: time.Nanosecond, MaxBuffer: maxBuffer >> (3 * i)}); err != nil {
			return p, err
		}
		if apart {
			p.dev[i].from.extensions = nil
		}
		a, err := p.dev[i].NewArena(Together(x))
		if err != nil {
			return p, err
		}
		p.mem[i] = x.In(a)
	}
	p.link, err = newLink(p.dev[0], p.dev[1], piece)
	return p, err
}

// close closes the link and then both devices. It closes the link twice, because a second Close
// must do nothing.
func (p *pair) close() {
	if p.link != nil {
		p.link.Close()
		p.link.Close()
	}
	for _, d := range p.dev {
		if d != nil {
			d.Close()
		}
	}
}

// block returns a block with the given numbers of rows and columns. Its leading dimension and its
// place in the slice `in` are random.
func block(rng *rand.Rand, rows, cols int, in Slice[uint32]) Block[uint32] {
	ld := rows + rng.IntN(3)*rng.IntN(20)
	at := rng.IntN(in.Len() - ld*cols)
	return Block[uint32]{rows, cols, ld, in.From(at)}
}

// Move copies blocks of several shapes, with random places and leading dimensions, in small and in
// large pieces. A large piece of a block with many short columns ends early, after linkCommands
// columns. The copies are right, and Move writes nothing else.
func TestMove(t *testing.T) {
	ctx := context.Background()
	for name, c := range map[string]struct {
		apart     bool
		maxBuffer uint64
		piece     int
	}{"imported": {piece: 1000}, "apart": {apart: true, piece: 1000}, "paged": {maxBuffer: 1 << 17, piece: 1000}, "large pieces": {piece: 1 << 17}} {
		t.Run(name, func(t *testing.T) {
			p, err := openPair(c.piece, c.apart, c.maxBuffer)
			if err != nil {
				t.Fatal(err)
			}
			defer p.close()
			if imports := p.dev[0].importsHost() && p.dev[1].importsHost(); p.link.Imported() != imports {
				t.Errorf("the devices share memory: %v; they can: %v", p.link.Imported(), imports)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			from, to := make([]uint32, pairWords), make([]uint32, pairWords)
			for i := range from {
				from[i], to[i] = rng.Uint32(), rng.Uint32()
			}
			err = errors.Join(Upload(ctx, p.dev[0], p.mem[0], Vector(from)), Upload(ctx, p.dev[1], p.mem[1], Vector(to)))
			if err != nil {
				t.Fatal(err)
			}
			for _, shape := range [][2]int{{1, 1}, {250, 1}, {251, 1}, {0, 5}, {5, 0}, {3, 2000}, {1, 6000}, {300, 7}, {2000, 9}, {17, 100}} {
				src, dst := block(rng, shape[0], shape[1], p.mem[0]), block(rng, shape[0], shape[1], p.mem[1])
				if err := Move(ctx, p.link, dst, src); err != nil {
					t.Fatal(err)
				}
				s, d := from[(src.At.addr-p.mem[0].addr)/4:], to[(dst.At.addr-p.mem[1].addr)/4:]
				for j := range shape[1] {
					copy(d[j*dst.Ld:j*dst.Ld+shape[0]], s[j*src.Ld:])
				}
				got := make([]uint32, pairWords)
				if err := Download(ctx, p.dev[1], Vector(got), p.mem[1]); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, to) {
					t.Fatalf("%d×%d is wrong on the other device", shape[0], shape[1])
				}
			}
		})
	}
}

// A Move between two devices begins while recordings that were started on them may still run. All
// must succeed.
func TestMoveDuringRuns(t *testing.T) {
	ctx := context.Background()
	p, err := openPair(1000, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	const half = pairWords / 2
	var running [2]*Running
	for i, d := range p.dev {
		if _, err := d.Run(ctx, filling(d, p.mem[i], 1, 3), nil); err != nil {
			t.Fatal(err)
		}
		running[i] = d.Start(ctx, filling(d, p.mem[i].Sub(0, half), 100, 5), nil)
	}
	if _, err := p.dev[0].Run(ctx, filling(p.dev[0], p.mem[0].From(half), 1, 7), nil); err != nil {
		t.Fatal(err)
	}
	part := Block[uint32]{half, 1, half, p.mem[0].From(half)}
	if err := Move(ctx, p.link, Block[uint32]{half, 1, half, p.mem[1].From(half)}, part); err != nil {
		t.Error(err)
	}
	got := make([]uint32, pairWords)
	for i, d := range p.dev {
		if _, err := running[i].Await(); err != nil {
			t.Error(err)
		}
		if err := Download(ctx, d, Vector(got), p.mem[i]); err != nil || got[0] != 5 || got[half] != 7 || got[pairWords-1] != 7 {
			t.Errorf("device %d: %v, %v", i, err, []uint32{got[0], got[half], got[pairWords-1]})
		}
	}
}

// filling returns a recording that sets all elements of the slice s to `word`. It has `times` such
// commands.
func filling(d *Device, s Slice[uint32], times int, word uint32) *Recorder {
	rec := NewRecorder(d)
	for range times {
		Fill(rec, s, word)
	}
	return rec
}

// A test program opens a link and moves a block. In each run another driver call fails, on one of
// the two devices. An error names a device, no call hangs, and no object of the link is left. Some
// calls may fail without an error of the program.
func TestEveryDriverCallOfAMoveMayFail(t *testing.T) {
	when.Skip(t, when.Quick, "injected faults")
	when.Skip(t, when.Widths, "failing driver calls")
	for _, apart := range []bool{false, true} {
		p, err := openPair(1000, apart, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		p.link.Close()
		before := driver.Live()
		move := func() error {
			link, err := newLink(p.dev[0], p.dev[1], 1000)
			if err != nil {
				return err
			}
			defer link.Close()
			return Move(context.Background(), link, Block[uint32]{2000, 1, 2000, p.mem[1]}, Block[uint32]{2000, 1, 2000, p.mem[0]})
		}
		for _, result := range []driver.Result{driver.OutOfHostMemory, driver.OutOfMemory, driver.DeviceLost} {
			for k, ended := 0, false; !ended; k++ {
				name, err := failAt(k, result, move)
				ended = name == ""
				var of *DeviceError
				if err != nil && (!errors.As(err, &of) || of.Device == nil || !strings.HasPrefix(err.Error(), "device ")) {
					t.Errorf("%s failing with %v gave %v", name, result, err)
				}
				if err == nil && (name == "vkQueueSubmit" || name == "vkWaitSemaphores" || name == "vkBeginCommandBuffer") {
					t.Errorf("%s failing with %v is not an error", name, result)
				}
				if result == driver.DeviceLost && err != nil && !errors.Is(err, ErrDeviceLost) {
					t.Errorf("%s losing the device gave %v", name, err)
				}
				if n := driver.Live() - before; n != 0 {
					t.Fatalf("%s failing with %v leaves %d objects", name, result, n)
				}
			}
		}
	}
}

// failAt calls the function `do` and lets driver call number k, counted from 0, fail with `result`.
// The returned `name` is that of the failed call. It is "" if `do` made fewer calls.
func failAt(k int, result driver.Result, do func() error) (name string, err error) {
	defer func() { driver.Fault = nil }()
	calls := 0
	driver.Fault = func(call string) driver.Result {
		if calls++; calls == k+1 {
			name = call
			return result
		}
		return driver.Success
	}
	err = do()
	return name, err
}

// The caller may free the memory of both blocks when Move has returned, so no copy is in flight
// then.
func TestMoveWaitsForBothDevices(t *testing.T) {
	p, err := openPair(4*pairWords, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	for range 20 {
		if err := Move(context.Background(), p.link, Block[uint32]{pairWords, 1, pairWords, p.mem[1]}, Block[uint32]{pairWords, 1, pairWords, p.mem[0]}); err != nil {
			t.Fatal(err)
		}
		for i, e := range p.link.ends() {
			if err := e.dev.dev.Wait(e.timeline, e.value, 0); err != nil {
				t.Fatalf("device %d still copies: %v", i, err)
			}
		}
	}
}

// When the context of a Move ends, Move returns, and the link can be used again. After Close of one
// of the devices, Move and NewLink return an error. If the devices are closed before the link, no
// driver object is left.
func TestMoveEnds(t *testing.T) {
	p, err := openPair(1000, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	src, dst := Block[uint32]{9000, 1, 9000, p.mem[0]}, Block[uint32]{9000, 1, 9000, p.mem[1]}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Move(cancelled, p.link, dst, src); err != context.Canceled {
		t.Error(err)
	}
	if err := Move(context.Background(), p.link, dst, src); err != nil {
		t.Error(err)
	}
	p.dev[1].Close()
	var of *DeviceError
	if err := Move(context.Background(), p.link, dst, src); !errors.Is(err, ErrClosed) || !errors.As(err, &of) || of.Device != p.dev[1] {
		t.Error(err)
	}
	if _, err := NewLink(p.dev[0], p.dev[1]); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if _, err := NewLink(Dry(Info{}), p.dev[0]); err == nil {
		t.Error("a dry device has a link")
	}
	p.dev[0].Close()
	p.close()
	if n := driver.Live(); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}

// importingPair is openPair for devices that import host memory. Without such devices, the test is
// skipped.
func importingPair(t *testing.T) *pair {
	p, err := openPair(1000, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !p.link.Imported() {
		p.close()
		t.Skip("the devices do not import host memory")
	}
	return p
}

// beginClose closes the device in a goroutine, and returns when Device.Close has begun. The channel
// gets the error of Device.Close, which waits for the calls in progress.
func beginClose(d *Device) chan error {
	closed := make(chan error)
	go func() { closed <- d.Close() }()
	for d.usage.enter() == nil {
		d.usage.leave()
		runtime.Gosched()
	}
	return closed
}

func (p *pair) leaveNothing(t *testing.T) {
	p.close()
	if n := driver.Live(); n != 0 {
		t.Errorf("%d objects are left", n)
	}
}

// TestLinkClosedDuringDeviceClose closes a link while one of its devices is being closed. The host
// memory that this device has imported must not be freed before the device is closed.
func TestLinkClosedDuringDeviceClose(t *testing.T) {
	p := importingPair(t)
	memory, d := p.link.from.imported.memory, p.dev[1]
	if err := d.usage.enter(); err != nil { // Device.Close waits for this call
		t.Fatal(err)
	}
	closed := beginClose(d)
	p.link.Close()
	if memory.Bytes == nil {
		t.Error("the memory is freed, and the device still has it")
	}
	d.usage.leave()
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if memory.Bytes != nil {
		t.Error("the memory is not freed")
	}
	p.leaveNothing(t)
}

// TestLinkOpenedDuringDeviceClose opens a link while one of its devices is being closed, and the
// driver refuses to import host memory. The link opens its ends a second time then, and the device
// must release what belongs to the first ends, too.
func TestLinkOpenedDuringDeviceClose(t *testing.T) {
	p := importingPair(t)
	p.link.Close()
	d := p.dev[0]
	var closed chan error
	imports := 0
	driver.Fault = func(call string) driver.Result {
		if call != "vkGetMemoryHostPointerPropertiesEXT" {
			return driver.Success
		}
		if imports++; imports == 1 { // the first end gets its memory, while Device.Close begins
			closed = beginClose(d)
			return driver.Success
		}
		return driver.InitFailed
	}
	link, err := newLink(d, p.dev[1], 1000)
	if err != nil {
		t.Error(err)
	} else {
		link.Close()
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	driver.Fault = nil
	p.leaveNothing(t)
}
