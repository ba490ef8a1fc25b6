package vk

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"sort"
	"sync"

	"github.com/vkevd/vkevd/vk/internal/driver"
	"github.com/vkevd/vkevd/vk/spirv"
)

// bounds checks every access of every kernel: Options.DebugShaders. Kernels are rewritten before
// they are compiled (spirv.Guard) and look up in a buffer what they may touch, which is the regions of
// all arenas as of the beginning of a Run, and record there the first access that is elsewhere.
type bounds struct {
	buffer *driver.Buffer // visible to the host
	arenas []*Arena       // whose regions are in the table
	abort  uint64         // address of the abort word

	lock    sync.Mutex
	kernels []guarded // by the number in the record, from 1
}

type guarded struct {
	name     string
	accesses []spirv.Access
}

// debugGap lies behind every region where accesses are checked: what misses its region should
// not hit the next one.
const debugGap = 64 << 10

// debugRanges is how many regions the table has room for: more than a hundred plans.
const debugRanges = 1 << 14

func (d *Device) openBounds() error {
	if !d.opt.DebugShaders {
		return nil
	}
	const size = spirv.GuardTable + debugRanges*spirv.GuardPair
	buffer, err := d.newBuffer(size, driver.HostVisible|driver.HostCoherent, driver.DeviceLocal, true)
	if err != nil {
		return wrap("allocating the memory of debug shaders", "", "", err)
	}
	d.bounds = &bounds{buffer: buffer, abort: d.abort}
	clear(buffer.Host)
	return nil
}

// guard is a kernel's code with its accesses checked, or the code itself where nothing is.
func (b *bounds) guard(r recipe) ([]byte, error) {
	if b == nil {
		return r.code, nil
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	number := uint32(len(b.kernels) + 1)
	code, accesses, err := spirv.Guard(r.code, r.spec, r.data, spirv.Watch{Memory: b.buffer.Address, Kernel: number})
	if err == nil {
		b.kernels = append(b.kernels, guarded{r.name, accesses})
	}
	return code, err
}

// begin tells the kernels what they may touch. Nothing may be running.
func (b *bounds) begin(arenas []*Arena) error {
	if b == nil {
		return nil
	}
	b.arenas = arenas
	ranges := []span{{b.abort, b.abort + 4}}
	for _, a := range arenas {
		for _, r := range a.names {
			if r.Bytes > 0 {
				from := a.address(r.Offset)
				ranges = append(ranges, span{from, from + r.Bytes})
			}
		}
	}
	pairs := 1 << bits.Len(uint(len(ranges))) // the first is no range
	if pairs > debugRanges {
		return fmt.Errorf("vk: debug shaders tell %d regions apart, there are %d", debugRanges-1, len(ranges))
	}
	sort.Slice(ranges, func(i, j int) bool { return ranges[i].from < ranges[j].from })
	table := b.buffer.Host[spirv.GuardTable:]
	for i := range pairs {
		r := span{}
		if i > len(ranges) {
			r = span{math.MaxUint64, 0}
		} else if i > 0 {
			r = ranges[i-1]
		}
		binary.LittleEndian.PutUint64(table[i*spirv.GuardPair:], r.from)
		binary.LittleEndian.PutUint64(table[i*spirv.GuardPair+8:], r.to)
	}
	clear(b.buffer.Host[:spirv.GuardTable])
	binary.LittleEndian.PutUint64(b.buffer.Host[spirv.GuardHalf:], uint64(pairs/2*spirv.GuardPair))
	return nil
}

// found is what a batch that has ended recorded, nil if nothing.
func (b *bounds) found(of *batch) error {
	if b == nil {
		return nil
	}
	host := b.buffer.Host
	u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(host[at:]) }
	number := u32(spirv.GuardKernel)
	if number == 0 {
		return nil
	}
	b.lock.Lock()
	kernel := b.kernels[number-1]
	b.lock.Unlock()
	access := kernel.accesses[u32(spirv.GuardAccess)]
	e := &OutOfRangeError{
		Kernel: kernel.name, Access: access.Kind, Bytes: access.Bytes, Of: access.Of, Function: access.Function, Line: access.Line,
		Address: binary.LittleEndian.Uint64(host[spirv.GuardAddress:]),
	}
	for i := range e.Invocation {
		e.Invocation[i] = u32(spirv.GuardInvocation + 4*i)
	}
	e.locate(b.arenas)
	return of.of(kernel.name).wrap("memory access", e)
}

// of is the part of a batch's work that one kernel did.
func (b *batch) of(kernel string) *work {
	w := &work{}
	for _, m := range b.ran {
		if m.kernel == kernel {
			w.add(m.phase, kernel)
		}
	}
	return w
}
