package spectrum

import (
	"context"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// AllocateEarly starts to allocate a packed rows×cols matrix on the host, and returns immediately.
// The matrix is for results that are downloaded later. The function `wait` waits until the memory
// is allocated, and returns it. The function `stop` ends the work after an error. The caller must
// call `stop` in any case, and may call it after `wait`.
func AllocateEarly[T spirv.Real](ctx context.Context, rows, cols int) (wait func() vk.Columns[T], stop func()) {
	r := newResultMemory[T](ctx)
	r.allocate(rows, cols)
	return r.wait, r.stop
}
