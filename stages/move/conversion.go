package move

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Conversion converts numbers between single and double precision on the device (slag2d, dlag2s).
// Solvers in single precision use Conversion, because they solve the tridiagonal problem in double
// precision.
type Conversion struct {
	widen  *Widening[float32]
	narrow *vk.Kernel[shaders.Dlag2sSpec, shaders.Dlag2sPush]
}

const conversionThreads = 256 // invocations of a workgroup, at most

func NewConversion(dev *vk.Device) (*Conversion, error) {
	widen, err := NewWidening[float32](dev)
	if err != nil {
		return nil, err
	}
	b := stages.Builder{Dev: dev}
	narrow := stages.Build(&b, shaders.Dlag2s(), shaders.Dlag2sSpec{LocalSize: b.Threads(conversionThreads)})
	return &Conversion{widen, narrow}, b.Err
}

// RecordWiden records y ← x, which is exact. y has at least as many elements as x.
func (c *Conversion) RecordWiden(rec *vk.Recorder, x vk.Slice[float32], y vk.Slice[float64]) {
	c.widen.Record(rec, x, y)
}

// RecordNarrow records y ← x with rounding. A number that is too large for float32 becomes
// infinite, or the largest number of float32 if the device rounds towards zero. A number that is
// too small becomes zero or a subnormal number. y has at least as many elements as x.
func (c *Conversion) RecordNarrow(rec *vk.Recorder, x vk.Slice[float64], y vk.Slice[float32]) {
	stages.Holds("the single-precision numbers", y, x.Len())
	moves(rec, x.Len(), sizeOf[float64]()+sizeOf[float32](), func(first, some int) {
		c.narrow.Dispatch(rec, vk.Folded(vk.Tiles(some, c.narrow.Spec.LocalSize)),
			shaders.Dlag2sPush{X: x.From(first).Addr(), Y: y.From(first).Addr(), N: uint64(some)})
	})
}

// Widening converts numbers of T to double precision on the device, which is exact.
type Widening[T spirv.StoredReal] struct {
	single *vk.Kernel[shaders.Slag2dSpec, shaders.Slag2dPush] // for float32
	half   *vk.Kernel[shaders.Hlag2dSpec, shaders.Hlag2dPush] // for spirv.Float16
}

func NewWidening[T spirv.StoredReal](dev *vk.Device) (*Widening[T], error) {
	w, b := &Widening[T]{}, stages.Builder{Dev: dev}
	threads := b.Threads(conversionThreads)
	switch spirv.KindOf[T]() {
	case spirv.Float32:
		w.single = stages.Build(&b, shaders.Slag2d(), shaders.Slag2dSpec{LocalSize: threads})
	case spirv.Half:
		w.half = stages.Build(&b, shaders.Hlag2d(), shaders.Hlag2dSpec{LocalSize: threads})
	}
	return w, b.Err
}

// Record records y ← x. y has at least as many elements as x.
func (w *Widening[T]) Record(rec *vk.Recorder, x vk.Slice[T], y vk.Slice[float64]) {
	stages.Holds("the doubles", y, x.Len())
	n := x.Len()
	if n == 0 {
		return
	}
	switch x := any(x).(type) {
	case vk.Slice[float64]:
		vk.Copy(rec, y, x)
	case vk.Slice[float32]:
		moves(rec, n, sizeOf[float32]()+sizeOf[float64](), func(first, some int) {
			w.single.Dispatch(rec, vk.Folded(vk.Tiles(some, w.single.Spec.LocalSize)),
				shaders.Slag2dPush{X: x.From(first).Addr(), Y: y.From(first).Addr(), N: uint64(some)})
		})
	case vk.Slice[spirv.Float16]:
		moves(rec, n, sizeOf[spirv.Float16]()+sizeOf[float64](), func(first, some int) {
			w.half.Dispatch(rec, vk.Folded(vk.Tiles(some, w.half.Spec.LocalSize)),
				shaders.Hlag2dPush{X: x.From(first).Addr(), Y: y.From(first).Addr(), N: uint64(some)})
		})
	}
}

// HalfRounding rounds numbers of single precision to half precision on the device. It needs no
// arithmetic in half or double precision.
type HalfRounding struct {
	kernel *vk.Kernel[shaders.Slag2hSpec, shaders.Slag2hPush]
}

// NewHalfRounding returns a *vk.UnsupportedError if the device cannot store half-precision numbers.
func NewHalfRounding(dev *vk.Device) (*HalfRounding, error) {
	b := stages.Builder{Dev: dev}
	return &HalfRounding{stages.Build(&b, shaders.Slag2h(), shaders.Slag2hSpec{LocalSize: b.Threads(conversionThreads)})}, b.Err
}

// Record records y ← x. The results are the nearest half-precision numbers, ties to even. Numbers
// whose magnitude is 65520 or more become infinite. y has at least as many elements as x.
func (r *HalfRounding) Record(rec *vk.Recorder, x vk.Slice[float32], y vk.Slice[spirv.Float16]) {
	stages.Holds("the half-precision numbers", y, x.Len())
	moves(rec, x.Len(), sizeOf[float32]()+sizeOf[spirv.Float16](), func(first, some int) {
		r.kernel.Dispatch(rec, vk.Folded(vk.Tiles(some, r.kernel.Spec.LocalSize)),
			shaders.Slag2hPush{X: x.From(first).Addr(), Y: y.From(first).Addr(), N: uint64(some)})
	})
}
