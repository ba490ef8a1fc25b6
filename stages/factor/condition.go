package factor

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Condition measures ‖B‖₁, and estimates ‖B⁻¹‖₂ for B = L·Lᴴ from below. With a few vectors x it
// computes y = L⁻¹·x and z = L⁻ᴴ·y. Then ‖z‖₂/‖y‖₂ ≤ ‖L⁻¹‖₂, which is the root of ‖B⁻¹‖₂. For
// nearly all x the quotient is nearly as large, because the large parts of y belong to the smallest
// singular values of L.
type Condition[T spirv.Scalar] struct {
	n    int
	sums *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[T]]
	copy *move.Copying[T]
	b    vk.Region[T]    // column sums of |B|, then the diagonal of B
	x    [2]vk.Region[T] // the vectors x, later z, and y
}

// ConditionVectors is the number of vectors x from which Condition estimates ‖B⁻¹‖₂ of a positive
// definite matrix B.
const ConditionVectors = 4

const conditionThreads = 256 // invocations of a workgroup that sums one column, at most

// NewCondition prepares for order n. `ops` are the products of the factor.
func NewCondition[T spirv.Scalar](dev *vk.Device, n int, ops product.Ops[T], t Tuning) (*Condition[T], error) {
	b := stages.Builder{Dev: dev}
	c := &Condition[T]{n: n, b: vk.Reserve[T]("column sums", n)}
	c.sums = stages.Build(&b, shaders.ColumnResidual[T](), shaders.ColumnResidualSpec{LocalSize: b.Threads(conditionThreads)})
	for i := range c.x {
		c.x[i] = vk.Reserve[T]("vectors of the condition", n*ConditionVectors)
	}
	if b.Err != nil {
		return nil, b.Err
	}
	var err error
	if c.copy, err = move.NewCopying[T](dev); err != nil {
		return nil, err
	}
	return c, ops.Reserve(t.SolveShape(n, ConditionVectors))
}

// Work is 9·n elements, in use from RecordNorm to RecordInverse.
func (c *Condition[T]) Work() *vk.Layout { return vk.Together(c.b, c.x[0], c.x[1]) }

// RecordNorm records copies of the column sums of the magnitudes of b, and of its diagonal, to the
// host. b must have both triangles, and must not have been factored in place yet. The results have
// the numbers after the recording has been executed. The largest sum is ‖B‖₁.
func (c *Condition[T]) RecordNorm(rec *vk.Recorder, ws *vk.Arena, b product.Matrix[T]) (columns, diagonal []T) {
	const none = 1 << 31 // no column of the identity with this number is subtracted
	c.sums.Dispatch(rec, vk.Folded(b.Cols), shaders.ColumnResidualPush[T]{
		X: b.Addr(), Sums: c.b.In(ws).Addr(), Rows: uint32(b.Rows), Cols: uint32(b.Cols), Ldx: uint32(b.Ld), First: none,
	})
	columns, diagonal = make([]T, c.n), make([]T, c.n)
	vk.Receive(rec, columns, c.b.In(ws))
	c.copy.Record(rec, product.Matrix[T]{Rows: 1, Cols: c.n, Ld: b.Ld + 1, At: b.At}, product.NewMatrix(c.b.In(ws), 1, c.n, 1))
	vk.Receive(rec, diagonal, c.b.In(ws))
	return columns, diagonal
}

// RecordInverse records y = L⁻¹·x and z = L⁻ᴴ·y for ConditionVectors vectors x, the columns of the
// matrix X on the host. L is the Cholesky factor of f. The results have the vectors y and z after
// the recording has been executed. If the factored matrix is not positive definite, they have no
// meaning.
func (c *Condition[T]) RecordInverse(rec *vk.Recorder, ws *vk.Arena, f Factor[T], x []T) (y, z []T) {
	matrix := func(i int) product.Matrix[T] {
		return product.NewMatrix(c.x[i].In(ws), c.n, ConditionVectors, c.n)
	}
	vk.SendFirst(rec, matrix(0).At, x)
	f.Solve(rec, ws, Left, product.NoTrans, matrix(0), matrix(1))
	y, z = make([]T, len(x)), make([]T, len(x))
	vk.Receive(rec, y, matrix(1).At)
	f.Solve(rec, ws, Left, product.Adjoint, matrix(1), matrix(0))
	vk.ReceiveLast(rec, z, matrix(0).At)
	return y, z
}
