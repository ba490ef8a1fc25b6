package plan

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ResultMemory is memory on the host for vectors. It is allocated while the device computes,
// because the first write to a page takes longer than later writes: the operating system provides a
// page only at the first write, and Go sets reused memory to zero. For n = 32768 the early
// allocation saved three of seventeen seconds.
//
// The method Allocate begins the allocation, and the method Wait ends it. The caller must call the
// method Stop in any case, and may call it after Wait. Stop ends the goroutines that write to the
// memory, because after an error this memory is not needed.
type ResultMemory[T spirv.Scalar] struct {
	z       vk.Columns[T]
	workers sync.WaitGroup
	ctx     context.Context // context that Stop ends
	free    context.CancelFunc
}

// NewResultMemory returns a ResultMemory that has no memory yet. If ctx ends, the goroutines that
// prepare the memory end, as after a call of Stop.
func NewResultMemory[T spirv.Scalar](ctx context.Context) *ResultMemory[T] {
	r := &ResultMemory[T]{}
	r.ctx, r.free = context.WithCancel(ctx)
	return r
}

// Allocate starts the allocation of a packed rows×cols matrix, and returns immediately.
func (r *ResultMemory[T]) Allocate(rows, cols int) {
	r.workers.Go(func() {
		r.z = vk.Columns[T]{Rows: rows, Cols: cols, Ld: max(rows, 1), Data: make([]T, rows*cols)}
		r.touch()
	})
}

// Use takes memory of the caller in place of new memory.
func (r *ResultMemory[T]) Use(z vk.Columns[T]) { r.z = z }

// touch writes to all pages of the memory, so that the operating system provides them. Each
// goroutine gets at least minBytes, so smaller memory is not touched. If ctx ends, `touch` leaves
// out the remaining pages.
func (r *ResultMemory[T]) touch() {
	const maxWorkers, minBytes = 4, 1 << 20 // largest number of goroutines; smallest number of bytes for each
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, len(data)*int(unsafe.Sizeof(*new(T)))/minBytes)
	for w := range workers {
		r.workers.Go(func() { touch(r.ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
	}
}

// Wait waits until the host memory for vectors is allocated, and returns it.
func (r *ResultMemory[T]) Wait() vk.Columns[T] {
	r.workers.Wait()
	return r.z
}

func (r *ResultMemory[T]) Stop() {
	r.free()
	r.workers.Wait()
}

// touch writes to each page of v. Reading is not enough, because the operating system gives all
// pages that are only read the same page of zeros.
func touch[T spirv.Scalar](ctx context.Context, v []T) {
	const pageBytes, between = 4096, 256 // size of the smallest page; ctx is checked every 256 pages
	step := pageBytes / int(unsafe.Sizeof(*new(T)))
	for i := 0; i < len(v); i += step {
		if i/step%between == 0 && ctx.Err() != nil {
			return
		}
		v[i] = 0
	}
}
