package product

import (
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// SharedBytes is the shared memory, in bytes, that a kernel declares under the given constants.
// Answers are cached, because reading one from SPIR-V takes a tenth of a millisecond and each plan
// needs dozens. S and P must be comparable, which all generated types are.
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

// declaration is the key of the cache: a kernel, given by the zero value of its push block, and its
// constants.
type declaration struct{ push, spec any }

// declared is the cache. It maps each declaration to a number of bytes.
var declared sync.Map
