package stedc

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// newMerge returns the record that describes m to the kernels. The vectors of the two blocks of m
// begin at element q of the memory of Q, the vectors of all solved blocks. The rotated vectors W =
// Q·G begin at element `work` of the memory of W.
func newMerge(m *dc.Merge, q, work int) shaders.Merge {
	return shaders.Merge{
		Lo: uint32(m.Lo), N1: uint32(m.N1), N: uint32(m.N()), K: uint32(m.K),
		Upper: uint32(m.Upper), Lower: uint32(m.Lower), From: uint32(m.From), To: uint32(m.To),
		At: wide(q), Work: wide(work),
	}
}

// wide returns a 64-bit offset as two 32-bit words, as the kernels read it. The first word has the
// low bits.
func wide(offset int) [2]uint32 { return [2]uint32{uint32(offset), uint32(uint64(offset) >> 32)} }

// list is an array on the device that kernels read. The host writes it by the method send, or
// another kernel writes it.
type list[T any] struct {
	region vk.Region[T]
	host   []T // memory on the host, at most as long as region; nil until withHost makes it
}

func newList[T any](name string, n int) list[T] { return list[T]{region: vk.Reserve[T](name, n)} }

func (l list[T]) withHost(n int) list[T] { return list[T]{l.region, make([]T, n)} }

func (l list[T]) send(rec *vk.Recorder, ws *vk.Arena) { vk.SendFirst(rec, l.region.In(ws), l.host) }

func (l list[T]) at(ws *vk.Arena, i int) spirv.Addr[T] { return l.region.In(ws).From(i).Addr() }
