package stagetest

import (
	"encoding/binary"
	"testing"

	"github.com/vkevd/vkevd/vk/spirv"
)

// accesses holds the numbers of load and store instructions on buffers in a kernel. A private
// access is not ordered with the accesses of other invocations. If the qualifier nonprivate stands
// at the wrong place in the source, glslang makes an access private without a message. The results
// are then wrong, but only on GPUs.
type accesses struct{ Loads, Stores, PrivateLoads, PrivateStores int }

func AccessesOf(code []byte) (a accesses) {
	const (
		opLoad, opStore     = 61, 62
		aligned, nonPrivate = 0x2, 0x20
		headerWords         = 5
	)
	words := make([]uint32, len(code)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(code[4*i:])
	}
	for i := headerWords; i < len(words); i += int(words[i] >> 16) {
		in := words[i : i+int(words[i]>>16)]
		operands := map[uint32]int{opLoad: 4, opStore: 3}[in[0]&0xffff]
		if operands == 0 || len(in) <= operands || in[operands]&aligned == 0 {
			continue // not buffer memory
		}
		all, private := &a.Loads, &a.PrivateLoads
		if in[0]&0xffff == opStore {
			all, private = &a.Stores, &a.PrivateStores
		}
		*all++
		if in[operands]&nonPrivate == 0 {
			*private++
		}
	}
	return a
}

// SharedBytes fails the test unless the kernel needs `want` bytes of shared memory with the given
// constants.
func SharedBytes[S, P any](t testing.TB, name string, m spirv.Module[S, P], spec S, want int) {
	t.Helper()
	if bytes, err := m.SharedBytes(spec); err != nil || bytes != want {
		t.Errorf("%s: %d bytes of shared memory, %v; want %d", name, bytes, err, want)
	}
}
