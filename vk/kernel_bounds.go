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

// bounds checks each memory access of each kernel, for Options.DebugShaders. spirv.Guard rewrites
// kernels before they are compiled. A rewritten kernel searches a table of the addresses that it
// may access, and records the first access to any other address. The table has the regions of all
// arenas that are open when a Run begins.
//
// While accesses are checked, only one batch is in flight at a time. A recorded access therefore
// belongs to the batch that has just ended.
//
// A nil *bounds checks nothing.
type bounds struct {
	buffer *driver.Buffer // visible to the host
	arenas []*Arena       // whose regions are in the table
	abort  uint64         // address of the abort word, which kernels may access

	lock    sync.Mutex
	kernels []guarded // kernel i has the number i+1 in a record
}

// guarded is a kernel that spirv.Guard has rewritten, with the list of its accesses.
type guarded struct {
	name     string
	accesses []spirv.Access
}

const (
	debugGap    = 64 << 10 // bytes between regions, so that an access past the end of one hits no other
	debugRanges = 1 << 14  // of the table, enough for a hundred plans
)

func (d *Device) openBounds() error {
	if !d.opt.DebugShaders {
		return nil
	}
	const size = spirv.GuardTable + debugRanges*spirv.GuardPair
	buffer, err := d.newControl(size)
	if err != nil {
		return wrap("allocating the memory of debug shaders", "", "", err)
	}
	d.bounds = &bounds{buffer: buffer, abort: d.abort}
	clear(buffer.Host)
	return nil
}

// guard returns the code of a kernel with checks of its memory accesses. Goroutines may share it.
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

// begin fills the table of addresses that kernels may access: the abort word, and the regions of
// the arenas. It also deletes the record of an earlier access. It returns an error if the table is
// too short. No batch may be in flight.
//
// Kernels find an address in the table by binary search. The table therefore has 2^k entries in
// ascending order. The first entry is an empty range.
func (b *bounds) begin(arenas []*Arena) error {
	if b == nil {
		return nil
	}
	b.arenas = arenas
	ranges := b.ranges()
	pairs := 1 << bits.Len(uint(len(ranges)))
	if pairs > debugRanges {
		return fmt.Errorf("vk: debug shaders tell %d regions apart, there are %d", debugRanges-1, len(ranges))
	}
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

// ranges lists the address ranges that kernels may access, in ascending order. With
// Options.DebugShaders no two regions of an arena share bytes, so the ranges do not overlap.
func (b *bounds) ranges() []span {
	all := []span{{b.abort, b.abort + 4}}
	for _, a := range b.arenas {
		for _, r := range a.names {
			if r.Bytes > 0 {
				all = append(all, span{r.addr, r.addr + r.Bytes})
			}
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].from < all[j].from })
	return all
}

// found returns the first access out of range that the batch has recorded, as an *Error that wraps
// an *OutOfRangeError, or nil. The batch must have ended, and no other batch may be in flight.
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
		Kernel: kernel.name, Access: access.Kind, Bytes: access.Bytes,
		Of: access.Of, Function: access.Function, Line: access.Line,
		Address: binary.LittleEndian.Uint64(host[spirv.GuardAddress:]),
	}
	for i := range e.Invocation {
		e.Invocation[i] = u32(spirv.GuardInvocation + 4*i)
	}
	e.locate(b.arenas)
	return of.only(kernel.name).wrap("memory access", e)
}

func (b *batch) only(kernel string) *work {
	w := &work{}
	for _, m := range b.ran {
		if m.kernel == kernel {
			w.add(m.phase, kernel)
		}
	}
	return w
}

// OutOfRangeError describes the first access of a Run to memory outside of all regions of open
// arenas. Only a device with Options.DebugShaders finds such accesses. If several invocations make
// such accesses at the same time, the error describes one of them.
type OutOfRangeError struct {
	Kernel string
	Access string // "load", "store" or "atomic"
	Bytes  int    // of the access

	Of       string // name of the accessed memory in the shader, such as "MatrixIn.at"
	Function string // function of the shader that contains the access
	Line     string // "file:line", or "" if the shader was compiled without line numbers

	Invocation [3]uint32 // gl_GlobalInvocationID of the invocation that made the access
	Address    uint64    // device address of the access

	Region string // nearest to the access; "" if there are no regions
	Size   uint64 // of the region, in bytes
	Offset int64  // of the access from the beginning of the region, in bytes
}

func (e *OutOfRangeError) Error() string {
	s := fmt.Sprintf("%s of %d bytes", e.Access, e.Bytes)
	if e.Of != "" {
		s += " of " + e.Of
	}
	if e.Function != "" {
		s += " in " + e.Function
	}
	if e.Line != "" {
		s += " (" + e.Line + ")"
	}
	i := e.Invocation
	return fmt.Sprintf("%s, %s (invocation %d,%d,%d)", s, e.place(), i[0], i[1], i[2])
}

func (e *OutOfRangeError) place() string {
	end := e.Offset + int64(e.Bytes)
	switch {
	case e.Address < nullBytes:
		return fmt.Sprintf("%d bytes from the null address", e.Address)
	case e.Region == "":
		return fmt.Sprintf("at %#x, and there is no region", e.Address)
	case e.Offset < 0:
		return fmt.Sprintf("%d bytes before the beginning of region %q", -e.Offset, e.Region)
	case uint64(e.Offset) < e.Size:
		return fmt.Sprintf("the last %d of them past the end of region %q", uint64(end)-e.Size, e.Region)
	}
	return fmt.Sprintf("%d bytes past the end of region %q", uint64(e.Offset)-e.Size, e.Region)
}

// nullBytes is one more than the largest address that an error calls an offset from the null
// address. Such an address belongs to a pointer that was never set.
const nullBytes = 1 << 16

func (e *OutOfRangeError) locate(arenas []*Arena) {
	nearest := ^uint64(0)
	for _, a := range arenas {
		for _, r := range a.names {
			from, to := r.addr, r.addr+r.Bytes
			far := uint64(0)
			if e.Address < from {
				far = from - e.Address
			} else if e.Address >= to {
				far = e.Address - to
			}
			if far < nearest {
				nearest = far
				e.Region, e.Size, e.Offset = r.Name, r.Bytes, int64(e.Address-from)
			}
		}
	}
}
