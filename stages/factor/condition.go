package factor

import (
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Condition estimates the condition number ‖B‖₁·‖B⁻¹‖₁ of a matrix B = L·Lᴴ from below, by inverse
// iteration with a few vectors: ‖B⁻¹·x‖₁/‖x‖₁ ≤ ‖B⁻¹‖₁ for every vector x, and after some steps the
// vectors lie near the eigenvectors of the smallest eigenvalues, where the quotient is nearly as large
// as ‖B⁻¹‖₂.
type Condition[T spirv.Scalar] struct {
	n     int
	ops   product.Ops[T]
	sums  *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[T]]
	b     vk.Region[T]    // column sums of |B|
	x     [2]vk.Region[T] // the vectors, and their next iterates
	norms vk.Region[T]    // 1-norms of the vectors after each step
}

// ConditionVectors is the number of vectors of the iteration.
const ConditionVectors = 4

const (
	conditionSteps   = 2
	conditionThreads = 256 // invocations of a workgroup that sums one column, at most
)

// NewCondition prepares for order n.
func NewCondition[T spirv.Scalar](dev *vk.Device, n int, ops product.Ops[T]) (*Condition[T], error) {
	b := stages.Builder{Dev: dev}
	c := &Condition[T]{n: n, ops: ops, b: vk.Reserve[T]("column sums", n), norms: vk.Reserve[T]("norms of iterates", (conditionSteps+1)*ConditionVectors)}
	c.sums = stages.Build(&b, shaders.ColumnResidual[T](), shaders.ColumnResidualSpec{LocalSize: b.Threads(conditionThreads)})
	for i := range c.x {
		c.x[i] = vk.Reserve[T]("iterates", n*ConditionVectors)
	}
	if b.Err != nil {
		return nil, b.Err
	}
	return c, ops.Reserve(product.Shape{M: n, N: ConditionVectors, K: n, Count: 1})
}

// Work is 9·n elements, in use from RecordNorm to RecordInverse.
func (c *Condition[T]) Work() *vk.Layout { return vk.Together(c.b, c.x[0], c.x[1], c.norms) }

// RecordNorm measures the matrix B, with both triangles stored, before it is factored.
func (c *Condition[T]) RecordNorm(rec *vk.Recorder, ws *vk.Arena, b product.Matrix[T]) {
	c.columnSums(rec, b, c.b.In(ws))
}

// RecordInverse records the iteration, from ConditionVectors·n numbers on that are not 0. The returned
// function gives ‖B‖₁ and the estimate of ‖B⁻¹‖₁ after the recording has been executed. For a B that is
// not positive definite they have no meaning. The function `reals` returns real numbers of type T as
// doubles.
func (c *Condition[T]) RecordInverse(rec *vk.Recorder, ws *vk.Arena, f Factor[T], start []T, reals func([]T) []float64) func() (norm, inverse float64) {
	x := product.NewMatrix(c.x[0].In(ws), c.n, ConditionVectors, c.n)
	y := product.NewMatrix(c.x[1].In(ws), c.n, ConditionVectors, c.n)
	norms := c.norms.In(ws)
	vk.SendFirst(rec, x.At, start)
	c.columnSums(rec, x, norms)
	for step := 1; step <= conditionSteps; step++ {
		f.Solve(rec, ws, Left, product.NoTrans, x, y)
		f.Solve(rec, ws, Left, product.Adjoint, y, x)
		c.columnSums(rec, x, norms.From(step*ConditionVectors))
	}
	columns, lengths := make([]T, c.n), make([]T, norms.Len())
	vk.ReceiveLast(rec, columns, c.b.In(ws))
	vk.ReceiveLast(rec, lengths, norms)
	return func() (norm, inverse float64) {
		x := reals(lengths)
		for i, after := range x[ConditionVectors:] {
			inverse = max(inverse, after/x[i])
		}
		return slices.Max(reals(columns)), inverse
	}
}

// columnSums records the sums of the magnitudes in each column of a matrix. No column of the identity
// is subtracted, because none has the number `none`.
func (c *Condition[T]) columnSums(rec *vk.Recorder, x product.Matrix[T], sums vk.Slice[T]) {
	const none = 1 << 31
	c.sums.Dispatch(rec, vk.Folded(x.Cols), shaders.ColumnResidualPush[T]{
		X: x.Addr(), Sums: sums.Addr(), Rows: uint32(x.Rows), Cols: uint32(x.Cols), Ldx: uint32(x.Ld), First: none,
	})
}
