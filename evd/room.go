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
	stop    context.CancelFunc // touching
}

// room is the input's memory, or fresh memory, for m vectors.
func (s *solve[T]) room(a Sym[T], m int) *room[T] {
	if s.opt.Overwrite {
		return &room[T]{z: &Dense[T]{Rows: s.n, Cols: m, Ld: a.Ld, Data: a.Data, RowMajor: s.opt.RowMajor}, stop: func() {}}
	}
	r := &room[T]{}
	ctx, stop := context.WithCancel(s.ctx)
	r.stop = stop
	r.touched.Go(func() {
		r.z = packed[T](s.n, m, s.opt.RowMajor)
		r.touch(ctx)
	})
	return r
}

// touch has the system provide all pages, by several goroutines where it is worth it. When ctx ends, those
// still missing are left out.
func (r *room[T]) touch(ctx context.Context) {
	const most, worth = 4, 1 << 20 // goroutines; bytes for each at least
	data := r.z.Data
	workers := min(runtime.GOMAXPROCS(0), most, len(data)*int(unsafe.Sizeof(*new(T)))/worth)
	for w := range workers {
		r.touched.Go(func() { touch(ctx, data[len(data)*w/workers:len(data)*(w+1)/workers]) })
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
