package spectrum

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// resultMemory is memory on the host for vectors. It is allocated while the device computes,
// because the first write to a page takes longer than later writes: the operating system provides a
// page only at the first write, and Go sets reused memory to zero. For n = 32768 the early
// allocation saved three of seventeen seconds.
//
// The method `allocate` begins the allocation, and the method `wait` ends it. The caller must call
// the method `stop` in any case.
type resultMemory[T spirv.Real] struct {
	z       vk.Columns[T]
	workers sync.WaitGroup
	ctx     context.Context // the method stop ends it
	free    context.CancelFunc
}

// newResultMemory returns a resultMemory that has no memory yet. If ctx ends, the goroutines that
// prepare the memory end, as after a call of the method `stop`.
func newResultMemory[T spirv.Real](ctx context.Context) *resultMemory[T] {
	r := &resultMemory[T]{}
	r.ctx, r.free = context.WithCancel(ctx)
	return r
}

// allocate starts the allocation of a packed rows×cols matrix, and returns immediately.
func (r *resultMemory[T]) allocate(rows, cols int) {
	r.workers.Go(func() {
		r.z = vk.Columns[T]{Rows: rows, Cols: cols, Ld: max(rows, 1), Data: make([]T, rows*cols)}
		r.touch()
	})
}

// touch writes to all pages, so that the operating system provides them. Several goroutines share
// the work if the memory is large. If ctx ends, `touch` leaves out the remaining pages.
func (r *resultMemory[T]) touch() {
	const maxWorkers, minBytes = 4, 1 << 20 // goroutines; bytes of each
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, len(data)*int(unsafe.Sizeof(*new(T)))/minBytes)
	for w := range workers {
		r.workers.Go(func() { touch(r.ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
	}
}

// wait waits until the host memory for vectors is allocated, and returns it.
func (r *resultMemory[T]) wait() vk.Columns[T] {
	r.workers.Wait()
	return r.z
}

// stop ends the goroutines that write to the pages of the memory. The caller may not need the
// memory, for example after an error.
func (r *resultMemory[T]) stop() {
	r.free()
	r.workers.Wait()
}

// touch writes to each page of v. Reading is not enough, because the operating system gives all
// pages that are only read the same page of zeros.
func touch[T spirv.Real](ctx context.Context, v []T) {
	const pageBytes, between = 4096, 256 // the smallest page; pages between looks at ctx
	step := pageBytes / int(unsafe.Sizeof(*new(T)))
	for i := 0; i < len(v); i += step {
		if i/step%between == 0 && ctx.Err() != nil {
			return
		}
		v[i] = 0
	}
}
