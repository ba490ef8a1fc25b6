package spectrum

import (
	"context"
	"runtime"
	"sync"
	"unsafe"

	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// resultMemory is memory on the host for vectors, allocated while the device computes. To get pages
// takes longer than to fill them: the operating system provides a page when it is first written,
// and Go's collector sets memory to zero before it hands it out again. At n = 32768 this saves
// three of seventeen seconds.
//
// allocate begins, wait ends; stop must be called in any case.
type resultMemory[T spirv.Real] struct {
	z       vk.Columns[T]
	workers sync.WaitGroup
	ctx     context.Context // ended by free
	free    context.CancelFunc
}

// newResultMemory has no memory yet. ctx ends the touching of pages, as stop does.
func newResultMemory[T spirv.Real](ctx context.Context) *resultMemory[T] {
	r := &resultMemory[T]{}
	r.ctx, r.free = context.WithCancel(ctx)
	return r
}

// allocate begins to allocate a packed rows×cols matrix, and returns at once.
func (r *resultMemory[T]) allocate(rows, cols int) {
	r.workers.Go(func() {
		r.z = vk.Columns[T]{Rows: rows, Cols: cols, Ld: max(rows, 1), Data: make([]T, rows*cols)}
		r.touch()
	})
}

// touch makes the operating system provide all pages, with several goroutines where that pays.
// Pages that are missing when ctx ends are left out.
func (r *resultMemory[T]) touch() {
	const maxWorkers, minBytes = 4, 1 << 20 // goroutines; bytes of each
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), maxWorkers, len(data)*int(unsafe.Sizeof(*new(T)))/minBytes)
	for w := range workers {
		r.workers.Go(func() { touch(r.ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
	}
}

// wait returns the memory when it is allocated.
func (r *resultMemory[T]) wait() vk.Columns[T] {
	r.workers.Wait()
	return r.z
}

// stop ends what is still being touched: after an error the pages are not needed.
func (r *resultMemory[T]) stop() {
	r.free()
	r.workers.Wait()
}

// touch writes to each page of v. (Reading would not do: pages that are only read share one of
// zeros.)
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
