package vk

import (
	"context"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// stagingBytes is the size of the staging buffer between host and device. A transfer uses it in
// sections. The host copies some sections while the device copies others. For example, an upload:
//
//	section 0   host 0 | device 0 |                     host 4 | device 4
//	section 1            host 1 |   device 1 |                   host 5 …
//	section 2                       host 2 |   device 2 |
//	section 3                                  host 3 |   device 3 |
//
// A Run uses the whole buffer for the data that its recording sends and receives. Before the host
// writes the sent data there, it waits for uploads that the device is still copying.
const (
	stagingBytes = 32 << 20
	sections     = 4
	sectionBytes = stagingBytes / sections
)

// needStaging allocates the staging buffer at its first use. The caller holds the queue.
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

// copier is a transfer between the host and elements of device memory. Piece p of the transfer goes
// through section p mod `sections` of the staging buffer.
type copier struct {
	dev    *Device
	device Slice[byte]
	elem   uint64 // size of an element, in bytes
	up     bool   // the direction is to the device

	// touch copies elements [from, to) between the host and a section of the staging buffer.
	// Several goroutines call it for different parts of a section.
	touch func(section []byte, from, to int)

	// step is the number of elements of a piece, and `count` is the number of elements of the
	// transfer. `values[p]` is the value of the timeline semaphore when the device's copy of piece
	// p has ended.
	step, count int
	values      []uint64

	helpers *helpers // the goroutines that copy on the host
}

// transfer copies n elements of `elem` bytes at the address `at` of the device. When ctx ends,
// transfer starts no new copy. After an error no copy is in flight.
func transfer(
	ctx context.Context, d *Device, at Slice[byte], elem uint64, n int, touch func(section []byte, from, to int), up bool,
) error {
	if d.dry {
		return errNoMemory
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

// `all` copies n elements between the host and the device. The caller holds the queue. When ctx
// ends, `all` starts no new copy. When `all` returns, the host's memory is no longer in use. Copies
// of an upload may still be in flight on the device: later work on the device follows them
// (queue.uploaded).
func (c *copier) all(ctx context.Context, n int) (err error) {
	d := c.dev
	defer func() { d.settle(err) }()
	if err := d.needStaging(); err != nil {
		return err
	}
	if err := d.finishUploads(""); err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	c.count, c.step = n, pieceBytes(uint64(n)*c.elem)/int(c.elem)
	c.values = make([]uint64, (n+c.step-1)/c.step)
	c.helpers = c.newHelpers()
	defer c.helpers.stop()
	if c.up {
		return c.upload(ctx)
	}
	return c.download(ctx)
}

// upload submits the copy of each piece as soon as the host has filled its section. Before piece p,
// it waits for the copy of piece p − sections/2, and opens the next piece to the host's goroutines.
func (c *copier) upload(ctx context.Context) error {
	opened := min(sections, len(c.values))
	c.helpers.open(opened)
	for p := range c.values {
		if old := p - sections/2; old >= 0 && opened < len(c.values) {
			if err := c.await(old); err != nil {
				return err
			}
			opened++
			c.helpers.open(opened)
		}
		c.helpers.wait(p)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.submit(p); err != nil {
			return err
		}
	}
	return nil
}

// download first submits one copy into each section. When a copy has ended, the host's goroutines
// copy the numbers from its section, and the next copy into this section is submitted.
func (c *copier) download(ctx context.Context) error {
	for p := range min(sections, len(c.values)) {
		if err := c.submit(p); err != nil {
			return err
		}
	}
	for p := range c.values {
		if err := c.await(p); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		c.helpers.open(p + 1)
		if next := p - 1 + sections; p > 0 && next < len(c.values) {
			c.helpers.wait(p - 1)
			if err := c.submit(next); err != nil {
				return err
			}
		}
	}
	c.helpers.wait(len(c.values) - 1)
	return nil
}

// pieceBytes returns the size of a piece, in bytes. A transfer that is smaller than the staging
// buffer is divided equally among the sections, but not into pieces of less than `least` bytes, so
// that host and device copy at the same time.
func pieceBytes(bytes uint64) int {
	const least = 1 << 20 // a smaller copy takes less time than its submission
	return int(min(max((bytes+sections-1)/sections, least), sectionBytes))
}

// section returns the host's view of the section of piece p, and its offset in the staging buffer.
// The host must not touch these bytes while the device copies them.
func (c *copier) section(p int) ([]byte, uint64) {
	i := p % sections
	return c.dev.staging.Host[i*sectionBytes : (i+1)*sectionBytes], uint64(i * sectionBytes)
}

func (c *copier) elements(p int) (from, to int) { return p * c.step, min((p+1)*c.step, c.count) }

// submit starts the device's copy of piece p, unless it returns an error. In an upload the host
// must have filled the section. No other copy of the section may be in flight.
func (c *copier) submit(p int) error {
	d := c.dev
	from, to := c.elements(p)
	_, offset := c.section(p)
	size := uint64(to-from) * c.elem
	src, dst := d.pieces(c.device.addr+uint64(from)*c.elem, size), []piece{{d.staging, offset, size}}
	if c.up {
		src, dst = dst, src
	}
	cmds := copies(dst, src)
	b := d.queue.copies[p%sections]
	if err := d.dev.Record(b, append(cmds, driver.Command{Op: driver.OpBarrier}), nil, 0); err != nil {
		return wrap("recording a transfer", "", "", err)
	}
	if err := d.submit(b, d.queue.timeline, d.queue.value+1); err != nil {
		return wrap("submitting a transfer", "", "", err)
	}
	d.queue.value++
	c.values[p] = d.queue.value
	if c.up {
		d.queue.uploaded.Store(d.queue.value)
	}
	return nil
}

func (c *copier) await(p int) error {
	return wrap("waiting for a transfer", "", "", c.dev.await(context.Background(), c.values[p]))
}

// awaitUploads waits until the device's copies of all uploads have ended, or the device has failed.
// The caller need not hold the queue.
func (d *Device) awaitUploads() {
	if value := d.queue.uploaded.Load(); value > 0 {
		d.settle(d.await(context.Background(), value))
	}
}

// finishUploads waits until the device's copies of all uploads have ended, so that the host may
// write to the staging buffer. An error names the phase. The caller holds the queue.
func (d *Device) finishUploads(phase string) error {
	value := d.queue.uploaded.Load()
	if value == 0 {
		return nil
	}
	return wrap("waiting for a transfer", "", phase, d.await(context.Background(), value))
}
