package move

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ComplexConversion converts between complex numbers and doubles on the device. Complex solvers use
// it, because the tridiagonal problem is real and in double precision:
//
//	T = D·S·Dᴴ   with a real S and D = diag(1, …, 1, phase)
//
// The reduction to T leaves an imaginary part in no element but the last one of the off-diagonal.
// The vectors of T are D times those of S. The bidiagonal problem of singular values is real, too:
// it has a phase for each side.
type ComplexConversion[T complex64 | complex128] struct {
	double struct { // for complex128
		toReal     *vk.Kernel[shaders.Zlag2dSpec, shaders.Zlag2dPush]
		bidiagonal *vk.Kernel[shaders.Zbd2dSpec, shaders.Zbd2dPush]
		promote    *vk.Kernel[shaders.ZpromoteSpec, shaders.ZpromotePush]
	}
	single struct { // for complex64
		toReal     *vk.Kernel[shaders.Clag2dSpec, shaders.Clag2dPush]
		bidiagonal *vk.Kernel[shaders.Cbd2dSpec, shaders.Cbd2dPush]
		promote    *vk.Kernel[shaders.CpromoteSpec, shaders.CpromotePush]
	}
	threads uint32
}

// NewComplexConversion is for tridiagonal matrices: RecordReal and RecordPromote.
func NewComplexConversion[T complex64 | complex128](dev *vk.Device) (*ComplexConversion[T], error) {
	b := stages.Builder{Dev: dev}
	c := newComplexConversion[T](&b)
	if spirv.KindOf[T]() == spirv.Complex64 {
		c.single.toReal = stages.Build(&b, shaders.Clag2d(), shaders.Clag2dSpec{LocalSize: c.threads})
	} else {
		c.double.toReal = stages.Build(&b, shaders.Zlag2d(), shaders.Zlag2dSpec{LocalSize: c.threads})
	}
	return c, b.Err
}

// NewComplexBidiagonal is for bidiagonal matrices: RecordBidiagonal and RecordPromote.
func NewComplexBidiagonal[T complex64 | complex128](dev *vk.Device) (*ComplexConversion[T], error) {
	b := stages.Builder{Dev: dev}
	c := newComplexConversion[T](&b)
	if spirv.KindOf[T]() == spirv.Complex64 {
		c.single.bidiagonal = stages.Build(&b, shaders.Cbd2d(), shaders.Cbd2dSpec{LocalSize: c.threads})
	} else {
		c.double.bidiagonal = stages.Build(&b, shaders.Zbd2d(), shaders.Zbd2dSpec{LocalSize: c.threads})
	}
	return c, b.Err
}

func newComplexConversion[T complex64 | complex128](b *stages.Builder) *ComplexConversion[T] {
	c := &ComplexConversion[T]{threads: b.Threads(conversionThreads)}
	if spirv.KindOf[T]() == spirv.Complex64 {
		c.single.promote = stages.Build(b, shaders.Cpromote(), shaders.CpromoteSpec{LocalSize: c.threads})
	} else {
		c.double.promote = stages.Build(b, shaders.Zpromote(), shaders.ZpromoteSpec{LocalSize: c.threads})
	}
	return c
}

// RecordReal records the conversion of t to the real matrix s. It stores one number in `phase`: the
// phase of the last off-diagonal element, or 1 if this element is 0 or does not exist. The order of
// t is the length of t.D, at least 1.
func (c *ComplexConversion[T]) RecordReal(
	rec *vk.Recorder, t stages.Tridiagonal[T], s stages.Tridiagonal[float64], phase vk.Slice[complex128],
) {
	n := t.D.Len()
	stages.Holds("the off-diagonal", t.E, n-1)
	stages.Holds("the real diagonal", s.D, n)
	stages.Holds("the real off-diagonal", s.E, n-1)
	stages.Holds("the phase", phase, 1)
	groups, d, e := vk.Folded(vk.Tiles(n, c.threads)), t.D.Addr(), t.E.Addr()
	if k := c.single.toReal; k != nil {
		k.Dispatch(rec, groups, shaders.Clag2dPush{
			D: spirv.Addr[complex64](d), E: spirv.Addr[complex64](e), RealD: s.D.Addr(), RealE: s.E.Addr(), Phase: phase.Addr(), N: uint32(n),
		})
		return
	}
	c.double.toReal.Dispatch(rec, groups, shaders.Zlag2dPush{
		D: spirv.Addr[complex128](d), E: spirv.Addr[complex128](e), RealD: s.D.Addr(), RealE: s.E.Addr(), Phase: phase.Addr(), N: uint32(n),
	})
}

// RecordBidiagonal records the conversion of an upper bidiagonal matrix C = D_U·S·D_Vᴴ to the real
// matrix S, D_U = diag(1, …, 1, phases[0]), D_V = diag(1, …, 1, phases[1]). `off` has the elements of
// C as the off-diagonal of its Golub-Kahan form: d1, e1, d2, …, dn. Only the last two may have an
// imaginary part. `reals` receives the elements of S. Phases of elements that are 0, or do not exist,
// are 1.
func (c *ComplexConversion[T]) RecordBidiagonal(
	rec *vk.Recorder, off vk.Slice[T], reals vk.Slice[float64], phases vk.Slice[complex128],
) {
	n := (off.Len() + 1) / 2
	stages.Holds("the real elements", reals, off.Len())
	stages.Holds("the phases", phases, 2)
	groups, from := vk.Folded(vk.Tiles(off.Len(), c.threads)), off.Addr()
	if k := c.single.bidiagonal; k != nil {
		k.Dispatch(rec, groups, shaders.Cbd2dPush{
			Off: spirv.Addr[complex64](from), Reals: reals.Addr(), Phases: phases.Addr(), N: uint32(n),
		})
		return
	}
	c.double.bidiagonal.Dispatch(rec, groups, shaders.Zbd2dPush{
		Off: spirv.Addr[complex128](from), Reals: reals.Addr(), Phases: phases.Addr(), N: uint32(n),
	})
}

// RecordPromote records X ← D·S for vectors S of the real matrix. s has a vector in each row, and x
// has the same shape. For complex64 the results are rounded. s and x must not overlap.
func (c *ComplexConversion[T]) RecordPromote(rec *vk.Recorder, s stages.Matrix, phase vk.Slice[complex128], x product.Matrix[T]) {
	if s.Rows != x.Rows || s.Cols != x.Cols {
		panic(fmt.Sprintf("stages: %d×%d real vectors to %d×%d", s.Rows, s.Cols, x.Rows, x.Cols))
	}
	stages.Holds("the phase", phase, 1)
	if s.Rows == 0 || s.Cols == 0 {
		return
	}
	moves(rec, s.Cols, float64(s.Rows)*(sizeOf[float64]()+sizeOf[T]()), func(first, some int) {
		groups := vk.Folded(vk.Tiles(s.Rows, c.threads) * some)
		from, to := s.Block(0, first, s.Rows, some).Addr(), x.Block(0, first, x.Rows, some).Addr()
		push := shaders.ZpromotePush{
			S: from, Phase: phase.Addr(), X: spirv.Addr[complex128](to),
			Rows: uint32(s.Rows), Cols: uint32(some), Lds: uint32(s.Ld), Ldx: uint32(x.Ld), Last: uint32(s.Cols - 1 - first),
		}
		if k := c.single.promote; k != nil {
			k.Dispatch(rec, groups, shaders.CpromotePush{
				S: push.S, Phase: push.Phase, X: spirv.Addr[complex64](to),
				Rows: push.Rows, Cols: push.Cols, Lds: push.Lds, Ldx: push.Ldx, Last: push.Last,
			}, vk.Touches(s.At), vk.Touches(phase), vk.Touches(x.At))
			return
		}
		c.double.promote.Dispatch(rec, groups, push, vk.Touches(s.At), vk.Touches(phase), vk.Touches(x.At))
	})
}
