package machine

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Flags is the memory through which the workgroups of a kernel wait for each other. The shader file
// flags.glsl uses the same layout of 32-bit words:
//
//	0                                INFO: 0, or which wait was given up
//	1 … tickets                      a ticket for each dispatch; a workgroup takes its number from it
//	1 + tickets + stride·i           flag i, in which a workgroup counts what it has finished
//
// Tickets and flags must be zero when a dispatch begins.
type Flags struct {
	region  vk.Region[uint32]
	tickets int    // number of tickets
	stride  uint32 // words from one flag to the next
}

// ReserveFlags reserves memory for tickets (counters from which workgroups take numbers) and flags
// (counters of finished work). `stride` is the distance between two flags in 32-bit words, at least
// 1. If the flags are on different cache lines, polling one flag does not slow down the accesses to
// another flag.
func ReserveFlags(name string, tickets, flags int, stride uint32) Flags {
	return Flags{vk.Reserve[uint32](name, 1+tickets+flags*int(stride)), tickets, stride}
}

func (f Flags) Layout() *vk.Layout { return vk.Together(f.region) }

func (f Flags) Stride() uint32 { return f.stride }

func (f Flags) Info(ws *vk.Arena) vk.Slice[uint32] { return f.region.In(ws).Sub(0, 1) }

// Ticket is the 32-bit word in the arena from which workgroups of dispatch i take their numbers.
func (f Flags) Ticket(ws *vk.Arena, i int) vk.Slice[uint32] {
	return f.region.In(ws).Sub(1, f.tickets).Sub(i, 1)
}

// First is the address of flag 0. Flag i lies Stride·i words after it.
func (f Flags) First(ws *vk.Arena) spirv.Addr[uint32] { return f.flags(ws).Addr() }

// Flag is flag i in the arena.
func (f Flags) Flag(ws *vk.Arena, i int) vk.Slice[uint32] {
	return f.flags(ws).Sub(i*int(f.stride), 1)
}

func (f Flags) flags(ws *vk.Arena) vk.Slice[uint32] { return f.region.In(ws).From(1 + f.tickets) }

func (f Flags) Clear(rec *vk.Recorder, ws *vk.Arena) { vk.Fill(rec, f.region.In(ws), 0) }

// ClearFirst sets all tickets and the given number of flags, from flag 0 on, to zero, but not the
// INFO word. ClearFirst is used between dispatches of one recording, whose common INFO word is read
// only at the end.
func (f Flags) ClearFirst(rec *vk.Recorder, ws *vk.Arena, flags int) {
	vk.Fill(rec, f.region.In(ws).Sub(1, f.tickets+flags*int(f.stride)), 0)
}
