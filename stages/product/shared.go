package product

import (
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// SharedBytes returns the bytes of shared memory that a kernel declares with the specialisation
// constants `spec`. The results are cached, because reading the SPIR-V takes a tenth of a
// millisecond and each plan needs dozens of results. S and P must be comparable, which all
// generated types are.
func SharedBytes[S, P any](kernel func() spirv.Module[S, P], spec S) (int, error) {
	var push P // its type tells the kernels apart
	key := declaration{push, spec}
	if bytes, ok := declared.Load(key); ok {
		return bytes.(int), nil
	}
	bytes, err := kernel().SharedBytes(spec)
	if err == nil {
		declared.Store(key, bytes)
	}
	return bytes, err
}

// declaration is a key of the cache of shared memory sizes. It has the kernel's specialisation
// constants, and the zero value of the kernel's push constants, whose type identifies the kernel.
type declaration struct{ push, spec any }

// declared is a cache. It maps a kernel with its specialisation constants to the number of bytes of
// shared memory that the kernel declares.
var declared sync.Map
