package spectrum

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// resultMemory is memory on the host for vectors, allocated while the device computes. The first
// write to a page takes longer than later ones, because the operating system provides the page only
// then, and because Go's collector sets reused memory to zero. At n = 32768 allocating early saves
// three of seventeen seconds.
//
// The method allocate begins, and wait ends. stop must be called in any case.
type resultMemory[T spirv.Real] struct {
	z       vk.Columns[T]
	workers sync.WaitGroup
	ctx     context.Context // ended by free
	free    context.CancelFunc
}

// newResultMemory returns a resultMemory without memory yet. The end of ctx ends the touching of
// pages, as stop does.
func newResultMemory[T spirv.Real](ctx context.Context) *resultMemory[T] {
	r := &resultMemory[T]{}
	r.ctx, r.free = context.WithCancel(ctx)
	return r
}

// allocate starts the allocation of a packed rows×cols matrix, and returns at once.
func (r *resultMemory[T]) allocate(rows, cols int) {
	r.workers.Go(func() {
		r.z = vk.Columns[T]{Rows: rows, Cols: cols, Ld: max(rows, 1), Data: make([]T, rows*cols)}
		r.touch()
	})
}

// touch makes the operating system provide all pages, with several goroutines if the memory is
// large. When ctx ends, the remaining pages are left out.
func (r *resultMemory[T]) touch() {
	const maxWorkers, minBytes = 4, 1 << 20 // goroutines; bytes of each
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, len(data)*int(unsafe.Sizeof(*new(T)))/minBytes)
	for w := range workers {
		r.workers.Go(func() { touch(r.ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
	}
}

// wait waits until the memory is allocated, and returns it.
func (r *resultMemory[T]) wait() vk.Columns[T] {
	r.workers.Wait()
	return r.z
}

// stop ends the writing to pages, which is useless after an error.
func (r *resultMemory[T]) stop() {
	r.free()
	r.workers.Wait()
}

// touch writes to each page of v. Reading would not be enough, because all pages that are only read
// share one page of zeros.
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
