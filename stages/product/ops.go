package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Op says which matrix op(A) a product uses in place of its factor A.
type Op uint8

const (
	NoTrans Op = iota // op(A) = A
	Trans             // op(A) = Aᵀ
	Conj              // op(A) has the conjugate elements of A. For real matrices it is A
	Adjoint           // op(A) = Aᴴ, the ConjTrans of the BLAS. For real matrices it is Aᵀ
)

// Transposes tells whether the rows of op(A) are the columns of A.
func (o Op) Transposes() bool { return o == Trans || o == Adjoint }

// Conjugates tells whether op(A) has the conjugate elements of A.
func (o Op) Conjugates() bool { return o == Conj || o == Adjoint }

// Ops is the interface of the products that the stages use, for matrices of T. A plan chooses one
// implementation for a device and gives it to all stages.
//
// The order of calls is as follows. Each stage calls Reserve in its constructor, with bounds on the
// products that it will record. When all stages are made, the plan calls Work and puts the
// workspace into the layout of its arena. Then the stages record products. Products that are
// recorded one after another use the same workspace, and keep no data in it from one product to the
// next. Products of two calls must not run concurrently.
//
// In all methods ws is an arena whose layout contains Work. If the shapes of the matrices do not
// fit each other, the caller has made a mistake, and the methods panic. Overlaps are not checked. A
// NaN or an infinity in a factor reaches the elements of C that depend on it, and no other
// elements.
type Ops[T spirv.Scalar] interface {
	Gemm[T]
	Syr2k[T]
	Symm[T]

	// Reserve reserves memory for products up to these sizes. The error says what the device lacks.
	Reserve(shapes ...Shape) error

	// Work is the workspace of all products that have been reserved so far.
	Work() *vk.Layout
}

// Shape is a bound on the sizes of products: Count products of M×K by K×N matrices that run at the
// same time. A symmetric product of order n with m columns counts as M×N = n×m with K = n. A
// rank-2k update of order n counts as n×n with K = k. A call of Syr2kColumns with n×k factors
// counts as n×k with K = 2k. A pair of products counts with the sum of both inner dimensions.
type Shape struct {
	M, N, K, Count int

	// Held is true for a symmetric product A·W whose factor A is a block of the matrix in the last
	// call of the method Hold.
	Held bool
}

type Gemm[T spirv.Scalar] interface {
	// Gemm records C ← α·op(A)·op(B) + β·C. If β = 0, C is not read, and may hold any values. If α
	// = 0, A and B are not read. In no method may a result overlap another result or a factor.
	Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T])

	// GemmUnsplit is Gemm without splitting the inner dimension, for results that have enough tiles
	// to fill the device. In a native product, each element of the result is one sum in ascending
	// order of the inner index.
	GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T])

	// GemmBatch records batch.Count products that run concurrently. a, b and c are those of the
	// first.
	GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T])

	// GemmTogether records products that run concurrently and may have different shapes.
	// GemmTogether is for products with few columns, which native kernels always compute.
	GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...Product[T])

	// GemmPair records C ← α·(op(A1)·op(B1) + op(A2)·op(B2)) + β·C. The inner and the leading
	// dimensions of the two products may differ. The rules for α and β are those of Gemm.
	GemmPair(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, first, second Pair[T], beta float64, c Matrix[T])

	// Gemmtr is Gemm for the lower triangle of the n×n matrix C (dgemmtr). Elements above the
	// diagonal may have any values afterwards.
	Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix[T], beta float64, c Matrix[T])
}

// Product is the product C ← op(A)·op(B).
type Product[T spirv.Scalar] struct {
	OpA, OpB Op
	A, B, C  Matrix[T]
}

// Batch is a number of products C ← op(A)·op(B) of equal shape, and the distances, in elements,
// from the matrices A, B and C of one product to those of the next.
type Batch struct{ Count, StrideA, StrideB, StrideC int }

type Pair[T spirv.Scalar] struct{ A, B Matrix[T] }

// Syr2k is dsyr2k for real matrices and zher2k for complex ones.
type Syr2k[T spirv.Scalar] interface {
	// Syr2k records C ← C − Y·Zᴴ − Z·Yᴴ for the lower triangle of C. C is n×n, Y and Z are n×k. The
	// strictly upper triangle of C is neither read nor written.
	Syr2k(rec *vk.Recorder, ws *vk.Arena, y, z, c Matrix[T])

	// Syr2kColumns is Syr2k for some blocks of columns of the lower triangle of a matrix that has
	// as many rows as Y and Z. The diagonal block of each block of columns is updated in full. The
	// diagonal may get imaginary parts, which are rounding errors.
	Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z Matrix[T], blocks []ColumnBlock[T])
}

// ColumnBlock is a block of neighbouring columns of a matrix, from the row of its first diagonal
// element on. First is the number of this row and column.
type ColumnBlock[T spirv.Scalar] struct {
	First int
	C     Matrix[T]
}

// Pairs implements Syr2kColumns by calls of GemmPair, for implementations without a better way.
func Pairs[T spirv.Scalar](rec *vk.Recorder, ws *vk.Arena, ops Gemm[T], y, z Matrix[T], blocks []ColumnBlock[T]) {
	for _, b := range blocks {
		rows := func(m Matrix[T], count int) Matrix[T] { return m.Block(b.First, 0, count, m.Cols) }
		m, n := b.C.Rows, b.C.Cols
		ops.GemmPair(rec, ws, NoTrans, Adjoint, -1,
			Pair[T]{rows(y, m), rows(z, n)}, Pair[T]{rows(z, m), rows(y, n)}, 1, b.C)
	}
}

type Symm[T spirv.Scalar] interface {
	// Symm records P ← A·W. A is n×n, and only its lower triangle is read. W and P are n×m.
	Symm(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T])

	// SymmTogether records P ← A·W and the other products concurrently, by the rules of
	// GemmTogether. A, W and the other factors may overlap.
	SymmTogether(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T], others ...Product[T])

	// Hold says that the factors A of the following calls of Symm and SymmTogether are lower right
	// blocks of the symmetric matrix a. The lower triangle of a must not change until the next call
	// of Hold. Hold may record a conversion of a, and keeps the converted matrix in the workspace
	// HeldWork.
	Hold(rec *vk.Recorder, ws *vk.Arena, a Matrix[T])

	// HeldWork is the workspace of Hold. Its contents must not change between products.
	HeldWork() *vk.Layout
}
