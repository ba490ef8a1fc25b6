package factor

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Factor is the lower triangular factor L of a Cholesky factorisation on the device, with the
// inverses of its diagonal blocks. The last block may be smaller than the others.
type Factor[T spirv.Scalar] struct {
	L        product.Matrix[T]
	Inverses vk.Slice[T] // one after another, Tuning.InverseLen elements
	tune     Tuning
	ops      product.Ops[T]
}

// NewFactor returns the factor that a Cholesky with this tuning writes to this memory. `ops` are
// the products that compute with it.
func NewFactor[T spirv.Scalar](t Tuning, l product.Matrix[T], inverses vk.Slice[T], ops product.Ops[T]) Factor[T] {
	stages.Holds("inverses", inverses, t.InverseLen(l.Rows))
	return Factor[T]{L: l, Inverses: inverses.Sub(0, t.InverseLen(l.Rows)), tune: t, ops: ops}
}

// SolveShape is a bound on the products of Solve and Vectors with a factor of order n on the left
// and m right-hand sides.
func (t Tuning) SolveShape(n, m int) product.Shape {
	return product.Shape{M: min(n, t.Block), N: m, K: n, Count: 1}
}

// Block returns the diagonal block of order n of the triangular matrix f that begins at row
// `first`, a multiple of Tuning.Block.
func (f Factor[T]) Block(first, n int) Factor[T] {
	f.L = f.L.Block(first, first, n, n)
	f.Inverses = f.Inverses.From(first / f.tune.inverse() * f.stride())
	return f
}

func (f Factor[T]) stride() int { return f.tune.inverse() * f.tune.inverse() }

// inverse returns the inverse of a diagonal block of the triangular matrix f. The block has `size`
// rows from row `first` on, and lies within one of the inverted blocks.
func (f Factor[T]) inverse(first, size int) product.Matrix[T] {
	order := f.tune.inverse()
	block := product.NewMatrix(f.Inverses.Sub(first/order*f.stride(), f.stride()), order, order, order)
	return block.Block(first%order, first%order, size, size)
}

// Side is the side of the right-hand sides X on which the inverse of a triangular matrix stands.
type Side bool

const (
	Left  Side = true  // op(L)⁻¹·X
	Right Side = false // X·op(L)⁻¹
)

// Solve records Y ← op(L)⁻¹·X or Y ← X·op(L)⁻¹ (dtrsm, ztrsm). X and Y have equal shapes and must
// not overlap. X is overwritten. The products must be reserved (see SolveShape). The cost is n²·m
// flops for m right-hand sides, as for a product with a triangular matrix.
//
// Substitution goes through L in blocks of Tuning.Block rows, and within them in blocks whose
// inverses are known. For each block, one product subtracts from X what the known parts of Y
// contribute.
func (f Factor[T]) Solve(rec *vk.Recorder, ws *vk.Arena, side Side, op product.Op, x, y product.Matrix[T]) {
	n, has := f.L.Rows, x.Cols
	if side == Left {
		has = x.Rows
	}
	if has != n || x.Rows != y.Rows || x.Cols != y.Cols {
		panic(fmt.Sprintf("stages: triangular solve of order %d with %d×%d and %d×%d", n, x.Rows, x.Cols, y.Rows, y.Cols))
	}
	// part returns rows [i, i+size) of a matrix if L is on the left, otherwise these columns.
	part := func(m product.Matrix[T], i, size int) product.Matrix[T] {
		if side == Left {
			return m.Block(i, 0, size, m.Cols)
		}
		return m.Block(0, i, m.Rows, size)
	}
	multiply := func(alpha float64, l, v product.Matrix[T], beta float64, to product.Matrix[T]) {
		if side == Left {
			f.ops.Gemm(rec, ws, op, product.NoTrans, alpha, l, v, beta, to)
		} else {
			f.ops.Gemm(rec, ws, product.NoTrans, op, alpha, v, l, beta, to)
		}
	}
	forward := side == Left != op.Transposes()
	// subtract subtracts from the right-hand sides X, in part [i, i+size), the product of the
	// triangular matrix with the known parts of the solution Y, which lie in [first, end).
	subtract := func(i, size, first, end int) {
		if forward {
			multiply(-1, f.L.Block(i, first, size, i-first), part(y, first, i-first), 1, part(x, i, size))
		} else {
			known := i + size
			multiply(-1, f.L.Block(known, i, end-known, size), part(y, known, end-known), 1, part(x, i, size))
		}
	}
	inOrder(0, n, f.tune.Block, forward, func(first, end int) {
		subtract(first, end-first, 0, n)
		inOrder(first, end, f.tune.inverse(), forward, func(i, next int) {
			subtract(i, next-i, first, end)
			multiply(1, f.inverse(i, next-i), part(x, i, next-i), 0, part(y, i, next-i))
		})
	})
}

// inOrder calls `visit` for the parts of [begin, end) of the given size, from the first to the last
// one or backwards. The last part may be shorter.
func inOrder(begin, end, size int, forward bool, visit func(first, end int)) {
	for k := range vk.Tiles(end-begin, uint32(size)) {
		if !forward {
			k = vk.Tiles(end-begin, uint32(size)) - 1 - k
		}
		visit(begin+k*size, min(begin+(k+1)*size, end))
	}
}
