package vk

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// stagingBytes is the size of the window between host and device: two halves,
// one being copied by the host while the device copies the other.
const stagingBytes = 32 << 20

// Columns is a host matrix in column-major storage: column j is Data[j·Ld : j·Ld+Rows].
type Columns[T any] struct {
	Rows, Cols, Ld int
	Data           []T
}

// Vector is a one-column matrix.
func Vector[T any](v []T) Columns[T] { return Columns[T]{len(v), 1, len(v), v} }

func (c Columns[T]) check(n int) {
	if c.Rows < 0 || c.Cols < 0 || c.Ld < c.Rows || c.Rows*c.Cols > n || c.Cols > 0 && c.Rows > 0 && len(c.Data) < (c.Cols-1)*c.Ld+c.Rows {
		panic(fmt.Sprintf("vk: transfer of %d×%d, Ld %d, %d elements, to or from %d", c.Rows, c.Cols, c.Ld, len(c.Data), n))
	}
}

// Upload copies src to the device, where its columns become contiguous (leading dimension Rows).
// It panics if src is inconsistent, or more than dst holds.
func Upload[T any](ctx context.Context, d *Device, dst Slice[T], src Columns[T]) error {
	src.check(dst.n)
	return transfer(ctx, d, dst.bytes(), dst.elem(), src.Rows*src.Cols, func(half []byte, from, to int) {
		src.pieces(from, to, func(host []T, at int) {
			copy(view[T](half)[at:], host)
		})
	}, true)
}

// Download is the way back: dst's columns are read from contiguous ones at src. It panics if
// dst is inconsistent, or more than src holds.
func Download[T any](ctx context.Context, d *Device, dst Columns[T], src Slice[T]) error {
	dst.check(src.n)
	return transfer(ctx, d, src.bytes(), src.elem(), dst.Rows*dst.Cols, func(half []byte, from, to int) {
		dst.pieces(from, to, func(host []T, at int) {
			copy(host, view[T](half)[at:])
		})
	}, false)
}

// pieces visits the stretches of columns that elements [from, to) of the packed matrix fall on.
func (c Columns[T]) pieces(from, to int, visit func(host []T, at int)) {
	for e := from; e < to; {
		j, i := e/c.Rows, e%c.Rows
		n := min(c.Rows-i, to-e)
		visit(c.Data[j*c.Ld+i:j*c.Ld+i+n], e-from)
		e += n
	}
}

func view[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// transfer moves n elements in halves of the staging buffer; touch copies between host and half.
func transfer(ctx context.Context, d *Device, at Slice[byte], elem uint64, n int, touch func(half []byte, from, to int), up bool) (err error) {
	if d.dry {
		return errors.New("vk: a dry device has no memory")
	}
	d.running.Lock()
	defer d.running.Unlock()
	if d.dev == nil {
		return ErrClosed
	}
	defer func() { d.settle(err) }()
	if err := d.needStaging(); err != nil {
		return err
	}
	const half = stagingBytes / inFlight
	step := half / int(elem)
	t := &ferry{dev: d, ctx: ctx, device: at, elem: elem, touch: touch, up: up}
	for slot := 0; t.next < n; slot = (slot + 1) % inFlight {
		if err := t.land(slot); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return errors.Join(err, t.landAll())
		}
		if err := t.sail(slot, min(step, n-t.next)); err != nil {
			return err
		}
	}
	return t.landAll()
}

func (d *Device) needStaging() error {
	if d.staging != nil {
		return nil
	}
	var err error
	types := d.memoryTypes(driver.HostVisible|driver.HostCoherent, driver.HostCached)
	if d.staging, err = d.dev.NewBuffer(stagingBytes, types, true); err != nil {
		return wrap("allocating the staging buffer", "", "", err)
	}
	return nil
}

// ferry is one transfer under way.
type ferry struct {
	dev    *Device
	ctx    context.Context
	device Slice[byte]
	elem   uint64
	touch  func(half []byte, from, to int)
	up     bool
	next   int // first element not yet on its way
	trips  [inFlight]trip
}

type trip struct {
	value    uint64 // 0 if none
	from, to int
}

func (t *ferry) half(slot int) ([]byte, uint64) {
	const half = stagingBytes / inFlight
	return t.dev.staging.Host[slot*half : (slot+1)*half], uint64(slot * half)
}

// sail starts the next count elements.
func (t *ferry) sail(slot, count int) error {
	d := t.dev
	host, hostOff := t.half(slot)
	from, to := t.next, t.next+count
	buffer, device := t.device.in.buffer.Raw(), t.device.in.at(t.device.addr+uint64(from)*t.elem)
	c := driver.Command{Op: driver.OpCopy, Size: uint64(count) * t.elem}
	if t.up {
		t.move(host, from, to)
		c.A, c.OffsetA, c.B, c.OffsetB = buffer, device, d.staging.Raw(), hostOff
	} else {
		c.A, c.OffsetA, c.B, c.OffsetB = d.staging.Raw(), hostOff, buffer, device
	}
	b := d.queue.batches[slot]
	if err := d.dev.Record(b, []driver.Command{c, {Op: driver.OpBarrier}}, nil, 0); err != nil {
		return wrap("recording a transfer", "", "", err)
	}
	if err := d.dev.Submit(b, d.queue.timeline, d.queue.value+1); err != nil {
		return wrap("submitting a transfer", "", "", err)
	}
	d.queue.value++
	t.trips[slot] = trip{d.queue.value, from, to}
	t.next = to
	return nil
}

// land waits for the slot's trip and, on the way down, empties its half.
func (t *ferry) land(slot int) error {
	trip := t.trips[slot]
	if trip.value == 0 {
		return nil
	}
	t.trips[slot].value = 0
	if err := t.dev.await(context.Background(), trip.value); err != nil {
		return wrap("waiting for a transfer", "", "", err)
	}
	if !t.up {
		host, _ := t.half(slot)
		t.move(host, trip.from, trip.to)
	}
	return nil
}

// move copies between the host and a half, with several goroutines where it is worth it:
// one alone is slower than the bus, above all into memory that was never touched.
func (t *ferry) move(half []byte, from, to int) {
	const most, worth = 8, 1 << 20 // goroutines; bytes for each at least
	n := to - from
	workers := max(1, min(runtime.GOMAXPROCS(0), most, n*int(t.elem)/worth))
	var wg sync.WaitGroup
	for w := range workers {
		a, b := n*w/workers, n*(w+1)/workers
		wg.Add(1)
		go func() {
			defer wg.Done()
			t.touch(half[a*int(t.elem):b*int(t.elem)], from+a, from+b)
		}()
	}
	wg.Wait()
}

func (t *ferry) landAll() error {
	var first error
	for slot := range t.trips {
		if err := t.land(slot); err != nil && first == nil {
			first = err
		}
	}
	return first
}
