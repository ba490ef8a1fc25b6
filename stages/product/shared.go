package product

import (
	"sync"

	"github.com/vkevd/vkevd/vk/spirv"
)

// SharedBytes is the shared memory that a kernel declares under the given constants, in bytes.
// Answers are kept: reading one from SPIR-V takes a tenth of a millisecond, and each plan asks for
// dozens. S and P are comparable, as all generated types are.
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

// declaration is a kernel, by the zero value of its push block, and its constants.
type declaration struct{ push, spec any }

// declared maps declarations to bytes.
var declared sync.Map
