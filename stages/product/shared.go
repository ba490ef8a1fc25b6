package product

import (
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// SharedBytes returns the bytes of shared memory that a kernel declares with the specialization
// constants `spec`. The results are cached, because reading the SPIR-V takes a tenth of a
// millisecond and each plan needs dozens of results. S and P must be comparable, which all
// generated types are.
func SharedBytes[S, P any](kernel func() spirv.Module[S, P], spec S) (int, error) {
	var push P // the type of the push constants is different for each kernel
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

// declaration identifies a kernel by the type of its push constants and its specialization
// constants.
type declaration struct{ push, spec any }

var declared sync.Map
