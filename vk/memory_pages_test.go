package vk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// paged is a device with small buffers, and a guarded arena of some regions. `singles` and
// `doubles` are the contents that the regions must have.
type paged struct {
	d       *Device
	a       *Arena
	x       []Region[float32]
	y       []Region[float64]
	singles [][]float32
	doubles [][]float64
	widen   *Kernel[shaders.Slag2dSpec, shaders.Slag2dPush]
	rng     *rand.Rand
}

func newPaged(t *testing.T, limit uint64, regions, most int) *paged {
	t.Helper()
	p := &paged{d: smallBuffers(t, limit), rng: rand.New(rand.NewPCG(limit, uint64(most)))}
	var parts []Space
	for i := range regions {
		x := Reserve[float32](fmt.Sprint("x", i), 1+p.rng.IntN(most))
		y := Reserve[float64](fmt.Sprint("y", i), 1+p.rng.IntN(most))
		p.x, p.y, parts = append(p.x, x), append(p.y, y), append(parts, x, y)
		p.singles, p.doubles = append(p.singles, make([]float32, x.Len())), append(p.doubles, make([]float64, y.Len()))
	}
	var err error
	if p.a, err = p.d.NewGuardedArena(Together(parts...)); err != nil {
		t.Fatal(err)
	}
	if p.widen, err = Build(p.d, shaders.Slag2d(), shaders.Slag2dDefaults()); err != nil {
		t.Fatal(err)
	}
	rec := NewRecorder(p.d)
	p.a.Poison(rec)
	for i := range p.x {
		Fill(rec, p.x[i].In(p.a), 0)
		Fill(rec, p.y[i].In(p.a), 0)
	}
	if _, err := p.d.Run(context.Background(), rec, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// span returns two random ranges of the same length n, for a random command: one begins at i and
// lies in a slice of length a, the other begins at j and lies in a slice of length b.
func (p *paged) span(a, b int) (i, j, n int) {
	n = 1 + p.rng.IntN(min(a, b))
	return p.rng.IntN(a - n + 1), p.rng.IntN(b - n + 1), n
}

// step records one random command, and changes the expected contents.
func (p *paged) step(rec *Recorder) {
	i, j := p.rng.IntN(len(p.x)), p.rng.IntN(len(p.y))
	x, y := p.x[i].In(p.a), p.y[j].In(p.a)
	switch p.rng.IntN(4) {
	case 0: // a kernel widens numbers
		from, to, n := p.span(x.Len(), y.Len())
		p.widen.Dispatch(rec, Grid(Tiles(n, p.widen.Spec.LocalSize)),
			shaders.Slag2dPush{X: x.From(from).Addr(), Y: y.From(to).Addr(), N: uint64(n)})
		for k := range n {
			p.doubles[j][to+k] = float64(p.singles[i][from+k])
		}
	case 1:
		from, _, n := p.span(x.Len(), x.Len())
		const bits, value = 0x40a00000, 5
		Fill(rec, x.Sub(from, n), bits)
		for k := range n {
			p.singles[i][from+k] = value
		}
	case 2:
		_, to, n := p.span(x.Len(), x.Len())
		v := make([]float32, n)
		for k := range v {
			v[k] = p.rng.Float32()
		}
		Send(rec, x.From(to), v)
		copy(p.singles[i][to:], v)
	case 3:
		if k := p.rng.IntN(len(p.y)); k != j {
			from, to, n := p.span(p.y[k].Len(), y.Len())
			Copy(rec, y.Sub(to, n), p.y[k].In(p.a).Sub(from, n))
			copy(p.doubles[j][to:to+n], p.doubles[k][from:from+n])
		}
	}
}

// Kernels, fills, copies, sends, receives and transfers of regions that lie in many buffers have
// the same results as on the host. Nothing else is written.
func TestPagedRegions(t *testing.T) {
	ctx := context.Background()
	for _, limit := range []uint64{256, 1000, 1 << 12, 5 << 12} {
		p := newPaged(t, limit, 4, 3000)
		if len(p.a.chunks) < 4 || !slices.ContainsFunc(p.a.names, func(r named) bool { return r.Paged }) {
			t.Fatalf("buffers of %d bytes: %d buffers, %+v", limit, len(p.a.chunks), p.a.names)
		}
		for range 3 {
			rec := NewRecorder(p.d)
			for range 40 {
				p.step(rec)
			}
			got := make([]float64, p.y[0].Len())
			Receive(rec, got, p.y[0].In(p.a))
			if _, err := p.d.Run(ctx, rec, nil); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, p.doubles[0]) {
				t.Fatalf("buffers of %d bytes: a received region is wrong", limit)
			}
			for i := range p.x {
				x, y := make([]float32, p.x[i].Len()), make([]float64, p.y[i].Len())
				if err := errors.Join(Download(ctx, p.d, Vector(x), p.x[i].In(p.a)), Download(ctx, p.d, Vector(y), p.y[i].In(p.a))); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(x, p.singles[i]) || !slices.Equal(y, p.doubles[i]) {
					t.Fatalf("buffers of %d bytes: region %d is wrong", limit, i)
				}
				x[0]++
				p.singles[i][0]++
				if err := Upload(ctx, p.d, p.x[i].In(p.a), Vector(x)); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.a.CheckGuards(ctx); err != nil {
				t.Fatalf("buffers of %d bytes: %v", limit, err)
			}
		}
	}
}

// A kernel that writes past the end of a paged region changes its guard bytes. A recording prints
// the names of paged regions.
func TestGuardsOfPagedRegions(t *testing.T) {
	ctx, p := context.Background(), newPaged(t, 1<<10, 1, 3000)
	rec := NewRecorder(p.d)
	x, y := p.x[0].In(p.a), p.y[0].In(p.a)
	push := shaders.Slag2dPush{X: x.Addr(), Y: y.From(y.Len() - 1).Addr(), N: 1}
	p.widen.Dispatch(rec, Grid(1), push)
	var text strings.Builder
	rec.WriteTo(&text)
	if want := fmt.Sprintf("slag2d 1×1×1 X=x0 Y=y0+%d\nbarrier\n", 8*(y.Len()-1)); text.String() != want {
		t.Errorf("recorded %q, want %q", text.String(), want)
	}
	push.N = 40 // guard bytes begin at most 32 numbers after the last one
	past := NewRecorder(p.d)
	p.widen.Dispatch(past, Grid(1), push)
	for _, c := range []struct {
		rec     *Recorder
		written bool
	}{{rec, false}, {past, true}} {
		if _, err := p.d.Run(ctx, c.rec, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.a.CheckGuards(ctx); (err != nil) != c.written || err != nil && !strings.Contains(err.Error(), "past the end of y0") {
			t.Errorf("written %v: %v", c.written, err)
		}
	}
}

// Concurrent commands must not use the same memory, even if one of them uses device addresses and
// the other one virtual addresses. The same holds for both ranges of a copy.
func TestPagedRegionsOverlap(t *testing.T) {
	d := Dry(Info{MaxBuffer: 1 << 12})
	large, small, next := Reserve[float64]("large", 3000), Reserve[float64]("small", 64), Reserve[float64]("next", 64)
	a, err := d.NewArena(InTurn(large, Together(small, next)))
	if err != nil {
		t.Fatal(err)
	}
	if !spirv.Virtual(large.In(a).addr) || spirv.Virtual(small.In(a).addr) {
		t.Fatal("the wrong region is paged")
	}
	refused := func(f func(r *Recorder)) (is bool) {
		defer func() { is = recover() != nil }()
		f(NewRecorder(d))
		return
	}
	for _, c := range []struct {
		from int
		want bool
	}{{0, true}, {63, true}, {64, false}, {2999, false}} {
		if refused(func(r *Recorder) {
			r.Concurrently(func() {
				Fill(r, small.In(a), 0)
				Fill(r, large.In(a).Sub(c.from, 1), 0)
			})
		}) != c.want {
			t.Errorf("concurrent fills, element %d: refused %v", c.from, !c.want)
		}
		if refused(func(r *Recorder) { Copy(r, small.In(a), large.In(a).Sub(c.from, 1)) }) != (c.from == 0) {
			t.Errorf("a copy from element %d: refused %v", c.from, c.from != 0)
		}
	}
}

// Arenas get ranges of the page table, give them back, and never share a page. A layout for which
// the table is too short is refused, on a Dry device as on a real one.
func TestPageTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const limit = 1 << 14
	for _, d := range []*Device{smallBuffers(t, limit), Dry(Info{MaxBuffer: limit})} {
		var open []*Arena
		for range 200 {
			if i := len(open); i > 0 && rng.IntN(5) < 2 {
				i = rng.IntN(i)
				open[i].Close()
				open = slices.Delete(open, i, i+1)
				continue
			}
			a, err := d.NewArena(Together(Reserve[byte]("x", 1+rng.IntN(5*limit))))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, a)
			pages := 0
			for i, r := range d.pages.ranges {
				pages += int(r.count)
				if i > 0 && r.first < d.pages.ranges[i-1].first+d.pages.ranges[i-1].count {
					t.Fatalf("pages %+v", d.pages.ranges)
				}
			}
			need := 1
			for _, a := range open {
				if a.base != 0 {
					need += int(a.size) / limit * pageShare
					need += (int(a.size)%limit + limit/pageShare - 1) / (limit / pageShare)
				}
			}
			if pages != need && need > 1 {
				t.Fatalf("%d pages are in use, not %d", pages, need)
			}
		}
		for _, a := range open {
			a.Close()
		}
		if len(d.pages.ranges) != 1 || d.pages.free() != tablePages-1 {
			t.Errorf("left: %+v", d.pages.ranges)
		}
		var oom *OutOfMemoryError
		const most = (tablePages - 1) * limit / pageShare
		if a, err := d.NewArena(Together(Reserve[byte]("x", most))); err != nil {
			t.Error(err)
		} else {
			a.Close()
		}
		if _, err := d.NewArena(Together(Reserve[byte]("x", most+1))); !errors.As(err, &oom) || oom.Limit != most {
			t.Errorf("one byte more: %v", err)
		}
	}
}

// If the translated variant of a kernel cannot be compiled, Run returns the error.
func TestTranslatedKernelFails(t *testing.T) {
	when.Pick(t, when.GPUAV)
	ctx, p := context.Background(), newPaged(t, 1<<10, 1, 3000)
	defer func() { driver.Fault = nil }()
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" {
			return driver.OutOfHostMemory
		}
		return driver.Success
	}
	record := func() *Recorder {
		rec := NewRecorder(p.d)
		p.widen.Dispatch(rec, Grid(1), shaders.Slag2dPush{X: p.x[0].In(p.a).Addr(), Y: p.y[0].In(p.a).Addr(), N: 1})
		return rec
	}
	var failed *Error
	if _, err := p.d.Run(ctx, record(), nil); !errors.As(err, &failed) || failed.Kernel != "slag2d with pages" {
		t.Errorf("the error is %v", err)
	}
	driver.Fault = nil
	if _, err := p.d.Run(ctx, record(), nil); err != nil {
		t.Errorf("the next recording: %v", err)
	}
}

// A device whose push blocks have no room for the address of the page table gets kernels that
// contain the address. Their push blocks must not be larger than the device allows.
func TestTableAddressInTheKernel(t *testing.T) {
	when.Pick(t, when.GPUAV)
	ctx := context.Background()
	p := newPaged(t, 1<<10, 1, 3000)
	const most = 24 // bytes of the push block of slag2d
	p.d.from.props.MaxPush = most
	paged := p.widen.core.recipe.paged(p.d)
	if paged.pushSize != most || paged.pages.Address != p.d.pages.buffer.Address || len(p.d.pages.extend(make([]byte, most), paged.pushSize)) != most {
		t.Errorf("a push block of %d bytes, and a table at %#x", paged.pushSize, paged.pages.Address)
	}
	if code, err := paged.translate(p.widen.core.recipe.code); err != nil || !bytes.Contains(code, binary.LittleEndian.AppendUint64(nil, p.d.pages.buffer.Address)) {
		t.Errorf("the kernel does not contain the address of the table: %v", err)
	}
	rec := NewRecorder(p.d)
	v := make([]float32, 100)
	for i := range v {
		v[i] = float32(i)
	}
	Send(rec, p.x[0].In(p.a), v)
	p.widen.Dispatch(rec, Grid(2), shaders.Slag2dPush{X: p.x[0].In(p.a).Addr(), Y: p.y[0].In(p.a).Addr(), N: 100})
	got := make([]float64, 100)
	Receive(rec, got, p.y[0].In(p.a))
	if _, err := p.d.Run(ctx, rec, nil); err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if got[i] != float64(i) {
			t.Fatalf("element %d is %v", i, got[i])
		}
	}
}

// TestPlaceOfTheTableAddress checks where kernels with push blocks of several sizes find the
// address of the page table. If the device allows so large a push block, the address is in the push
// block, after its members and at a multiple of 8 bytes. Otherwise it is in the code of the kernel.
func TestPlaceOfTheTableAddress(t *testing.T) {
	for _, d := range []*Device{smallBuffers(t, 1<<12), Dry(Info{MaxBuffer: 1 << 12})} {
		a, err := d.NewArena(Together(Reserve[byte]("x", 1<<13))) // the table exists from now on
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		address := d.pages.address()
		if address == 0 {
			t.Error("address 0, which stands for an address in the push block")
		}
		for _, c := range []struct{ size, most, at, total int }{
			{24, 128, 24, 32}, {20, 128, 24, 32}, {24, 32, 24, 32}, {20, 32, 24, 32}, {20, 31, -1, 20}, {24, 31, -1, 24}, {24, 24, -1, 24},
			{120, 128, 120, 128}, {116, 128, 120, 128}, {121, 128, -1, 121}, {124, 128, -1, 124}, {128, 128, -1, 128}, {128, 256, 128, 136},
		} {
			table, total := d.pages.table(c.size, c.most)
			inCode := table.Address != 0
			if total != c.total || inCode != (c.at < 0) || inCode && table.Address != address || !inCode && table.Push != c.at || table.Shift != d.pages.shift {
				t.Errorf("%d bytes of at most %d: %d bytes, table %+v", c.size, c.most, total, table)
			}
			push := bytes.Repeat([]byte{0xaa}, c.size)
			long := d.pages.extend(push, total)
			if len(long) != c.total || !bytes.Equal(long[:c.size], push) || c.at >= 0 && binary.LittleEndian.Uint64(long[c.at:]) != address {
				t.Errorf("%d bytes of at most %d: the push block is %x", c.size, c.most, long)
			}
		}
	}
}

// The driver refuses to compile a kernel's variant for paged regions. Recordings that use the
// variant fail with the driver's error. Each recording tries once to compile the variant.
func TestARefusedVariantIsCompiledOnce(t *testing.T) {
	p := newPaged(t, 1<<10, 1, 3000)
	x, y := p.x[0].In(p.a), p.y[0].In(p.a)
	var tried atomic.Int32
	defer func() { driver.Fault = nil }()
	driver.Fault = func(call string) driver.Result {
		if call == "vkCreateComputePipelines" {
			tried.Add(1)
			return driver.OutOfMemory
		}
		return driver.Success
	}
	const recordings = 2
	for range recordings {
		rec := NewRecorder(p.d)
		for range 3 {
			p.widen.Dispatch(rec, Grid(1), shaders.Slag2dPush{X: x.Addr(), Y: y.Addr(), N: 1})
			if err := rec.Compiled(); err == nil {
				t.Error("the variant was compiled")
			}
		}
		_, err := p.d.Run(context.Background(), rec, nil)
		var failed *Error
		if !errors.As(err, &failed) || failed.Kernel != "slag2d with pages" {
			t.Errorf("error %v", err)
		}
	}
	p.d.pipes.pending.Wait()
	if n := tried.Load(); n != recordings {
		t.Errorf("the variant was compiled %d times in %d recordings", n, recordings)
	}
}
