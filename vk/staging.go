package vk

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// stagingBytes is the size of the staging buffer between host and device. A transfer uses the two
// halves for double buffering: the host copies one half while the device copies the other half. For
// example, an upload:
//
//	half 0   host 0 | device 0 |          host 2 | device 2
//	half 1            host 1 |   device 1 |        host 3 …
//
// A Run uses the whole buffer for the data that its recording sends and receives. No such transfer
// is in flight at that time.
const (
	stagingBytes = 32 << 20
	stagingHalf  = stagingBytes / inFlight
)

// needStaging allocates the staging buffer at its first use. The caller must hold the queue
// (takeQueue). Device.Close frees the buffer. The error is an *Error, for example if there is too
// little memory.
func (d *Device) needStaging() error {
	if d.staging != nil {
		return nil
	}
	var err error
	if d.staging, err = d.newBuffer(stagingBytes, driver.HostVisible|driver.HostCoherent, driver.HostCached, true); err != nil {
		return wrap("allocating the staging buffer", "", "", err)
	}
	return nil
}

// copier is the state of a transfer between the host and n elements of device memory. The transfer
// goes through the two halves of the staging buffer.
type copier struct {
	dev    *Device
	device Slice[byte]
	elem   uint64 // size of an element, in bytes
	up     bool   // the direction is to the device

	// touch copies elements [from, to) between the host and a half of the staging buffer. Several
	// goroutines call `touch` for different parts of the same half at the same time.
	touch func(half []byte, from, to int)

	// next is the first element whose copy was not submitted yet. `copies` are the copies in
	// flight, one for each half of the staging buffer.
	next   int
	copies [inFlight]halfCopy
}

// halfCopy is a copy in flight of elements [from, to). `value` is the value of the timeline
// semaphore when the copy has ended. `value` is 0 if no copy is in flight.
type halfCopy struct {
	value    uint64
	from, to int
}

// transfer copies n elements of elem bytes through the halves of the staging buffer. It copies to
// the device if `up` is true, otherwise from the device. `at` is the memory of the elements on the
// device, and `touch` is copier.touch. When ctx ends, `transfer` starts no new copy. After an error
// no copy is in flight.
func transfer(
	ctx context.Context, d *Device, at Slice[byte], elem uint64, n int, touch func(half []byte, from, to int), up bool,
) error {
	if d.dry {
		return errors.New("vk: a dry device has no memory")
	}
	if err := d.usage.enter(); err != nil {
		return err
	}
	defer d.usage.leave()
	d.usage.takeQueue()
	defer d.usage.releaseQueue()
	c := &copier{dev: d, device: at, elem: elem, touch: touch, up: up}
	return c.all(ctx, n)
}

// all copies n elements through the staging buffer. The caller must hold the device's queue. When
// ctx ends, `all` starts no new copy. When `all` returns, no copy is in flight.
func (c *copier) all(ctx context.Context, n int) (err error) {
	d := c.dev
	defer func() { d.settle(err) }()
	if err := d.needStaging(); err != nil {
		return err
	}
	step := pieceBytes(uint64(n)*c.elem) / int(c.elem)
	for half := 0; c.next < n; half = (half + 1) % inFlight {
		if err := c.finish(half); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return errors.Join(err, c.finishAll())
		}
		if err := c.submit(half, min(step, n-c.next)); err != nil {
			return err
		}
	}
	return c.finishAll()
}

// pieceBytes returns how many bytes of a transfer are copied at a time. A large transfer is copied
// in halves of the staging buffer, and a small transfer in smaller pieces. The host therefore
// always copies one piece while the device copies another piece.
func pieceBytes(bytes uint64) int {
	const parts, least = 4, 1 << 20 // a smaller copy takes less time than its submission
	return int(min(max(bytes/parts, least), stagingHalf))
}

// half returns the host's view of a half of the staging buffer, and the offset of this half in the
// buffer. The host must not touch the bytes while a copy of this half is in flight.
func (c *copier) half(i int) ([]byte, uint64) {
	return c.dev.staging.Host[i*stagingHalf : (i+1)*stagingHalf], uint64(i * stagingHalf)
}

// submit starts the copy of the next `count` elements. In an upload it first fills the half of the
// staging buffer. The half must not be in flight. If `submit` returns an error, no copy was
// submitted.
func (c *copier) submit(half, count int) error {
	d := c.dev
	host, hostOff := c.half(half)
	from, to := c.next, c.next+count
	size := uint64(count) * c.elem
	there := d.pieces(c.device.addr+uint64(from)*c.elem, size)
	here := []piece{{d.staging, hostOff, size}}
	var cmds []driver.Command
	if c.up {
		c.touchAll(host, from, to)
		cmds = copies(there, here)
	} else {
		cmds = copies(here, there)
	}
	b := d.queue.batches[half]
	if err := d.dev.Record(b, append(cmds, driver.Command{Op: driver.OpBarrier}), nil, 0); err != nil {
		return wrap("recording a transfer", "", "", err)
	}
	if err := d.submit(b, d.queue.timeline, d.queue.value+1); err != nil {
		return wrap("submitting a transfer", "", "", err)
	}
	d.queue.value++
	c.copies[half] = halfCopy{d.queue.value, from, to}
	c.next = to
	return nil
}

// finish waits for the copy of a half of the staging buffer, if a copy is in flight. In a download,
// `finish` then copies the half to the host. `finish` waits even if the transfer was cancelled,
// because the device may still be reading or writing the half.
func (c *copier) finish(half int) error {
	done := c.copies[half]
	if done.value == 0 {
		return nil
	}
	c.copies[half].value = 0
	if err := c.dev.await(context.Background(), done.value); err != nil {
		return wrap("waiting for a transfer", "", "", err)
	}
	if !c.up {
		host, _ := c.half(half)
		c.touchAll(host, done.from, done.to)
	}
	return nil
}

// finishAll waits for all copies and returns the first error. After an error it still waits for the
// remaining copies.
func (c *copier) finishAll() error {
	var first error
	for half := range c.copies {
		if err := c.finish(half); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// touchAll copies elements [from, to) between the host and a half of the staging buffer. Several
// goroutines share a large range, because one goroutine is slower than the bus, especially if host
// memory is used for the first time.
func (c *copier) touchAll(half []byte, from, to int) {
	const most, share = 8, 256 << 10 // goroutines at most; bytes for each at least
	n, elem := to-from, int(c.elem)
	workers := max(1, min(runtime.GOMAXPROCS(0), most, n*elem/share))
	var wg sync.WaitGroup
	for w := range workers {
		a, b := n*w/workers, n*(w+1)/workers
		wg.Add(1)
		go func() {
			defer wg.Done()
			c.touch(half[a*elem:b*elem], from+a, from+b)
		}()
	}
	wg.Wait()
}
