package panel

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// FactorRows computes the triangular factor T of a panel, I − Y·T·Yᴴ, and multiplies matrices by
// −T, in one dispatch. T has at most MaxPanel columns.
type FactorRows[T spirv.Scalar] struct {
	kernel *vk.Kernel[shaders.LarftRowsSpec, shaders.LarftRowsPush[T]]
}

// NewFactorRows builds the kernel for panels of b columns. If a subgroup has an invocation for each
// column, a workgroup is one subgroup, so that no invocation waits for another subgroup at the
// barriers. For comparison, on an H200 a dispatch for panels of 32 columns took 12 µs with
// workgroups of 512 invocations.
func NewFactorRows[T spirv.Scalar](dev *vk.Device, b int) (f FactorRows[T], err error) {
	columns := stages.PowerOfTwo(b)
	size := max(stages.PowerOfTwo(dev.Info().Subgroup), columns)
	f.kernel, err = vk.Build(dev, shaders.LarftRows[T](), shaders.LarftRowsSpec{LocalSize: size, Columns: columns})
	return f, err
}

// TimesFactor is a product R ← −S·T with the factor T of a panel. S and R have equal shapes and may
// be empty.
type TimesFactor[T spirv.Scalar] struct{ S, R product.Matrix[T] }

// Record computes T from the factors τ and from the Gram matrix g = Yᴴ·Y of the reflectors Y, of
// which it reads the part above the diagonal. `above` receives a second copy of T. Record also
// computes the products `first` and `second`.
func (f FactorRows[T]) Record(
	rec *vk.Recorder, g product.Matrix[T], tau vk.Slice[T], t, above product.Matrix[T], first, second TimesFactor[T],
) {
	n := g.Cols
	push := shaders.LarftRowsPush[T]{
		G: g.Addr(), Tau: tau.Addr(), T: t.Addr(), N: uint32(n), Ldg: uint32(g.Ld), Ldt: uint32(t.Ld),
		Above: above.Addr(), LdAbove: uint32(above.Ld),
		Rows1: uint32(first.S.Rows), Lds1: uint32(first.S.Ld), Ldr1: uint32(first.R.Ld),
		Rows2: uint32(second.S.Rows), Lds2: uint32(second.S.Ld), Ldr2: uint32(second.R.Ld),
	}
	touch := []vk.Touch{vk.Touches(g.At), vk.Touches(tau), vk.Touches(t.At), vk.Touches(above.At)}
	if first.S.Rows > 0 {
		push.S1, push.R1 = first.S.Addr(), first.R.Addr()
		touch = append(touch, vk.Touches(first.S.At), vk.Touches(first.R.At))
	}
	if second.S.Rows > 0 {
		push.S2, push.R2 = second.S.Addr(), second.R.Addr()
		touch = append(touch, vk.Touches(second.S.At), vk.Touches(second.R.At))
	}
	rows := f.kernel.Spec.LocalSize / f.kernel.Spec.Columns // of a workgroup
	f.kernel.Dispatch(rec, vk.Folded(vk.Tiles(n+first.S.Rows+second.S.Rows, rows)), push, touch...)
}
