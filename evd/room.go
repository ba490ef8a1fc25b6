package evd

import (
	"context"
	"runtime"
	"sync"
	"unsafe"
)

// room is memory that vectors will come to. It is slower to have than to fill: the system provides a page when it is
// first written, and what the collector gives again is set to zero before. So this is done while the device computes.
type room[T Float] struct {
	z       *Dense[T]
	touched sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc // touching
}

func newRoom[T Float](ctx context.Context) *room[T] {
	r := &room[T]{}
	r.ctx, r.stop = context.WithCancel(ctx)
	return r
}

// begin asks for the memory of n×m elements.
func (r *room[T]) begin(n, m int, rowMajor bool) {
	r.touched.Go(func() {
		r.z = packed[T](n, m, rowMajor)
		r.touch()
	})
}

// touch has the system provide all pages, by several goroutines where it is worth it. When ctx ends, those
// still missing are left out.
func (r *room[T]) touch() {
	const most, worth = 4, 1 << 20 // goroutines; bytes for each at least
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), most, len(data)*int(unsafe.Sizeof(*new(T)))/worth)
	for w := range workers {
		r.touched.Go(func() { touch(r.ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
	}
}

// ready waits until nobody else writes there.
func (r *room[T]) ready() *Dense[T] {
	r.touched.Wait()
	return r.z
}

// leave stops what still touches: after an error nobody needs the pages.
func (r *room[T]) leave() {
	r.stop()
	r.touched.Wait()
}

// touch writes to each page of v: of one that is only read the system lends a common one.
func touch[T Float](ctx context.Context, v []T) {
	const page, look = 4096, 256 // bytes at least; pages between looks at ctx
	step := page / int(unsafe.Sizeof(*new(T)))
	for i := 0; i < len(v); i += step {
		if i/step%look == 0 && ctx.Err() != nil {
			return
		}
		v[i] = 0
	}
}
