package product

import (
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Op says how a factor enters a product.
type Op bool

const (
	NoTrans Op = false // op(A) = A
	Trans   Op = true  // op(A) = Aᵀ
)

// Ops is the products of matrices of T that the stages are written in. A plan chooses one
// implementation for a device and gives it to all stages.
//
// Calling order. Each stage calls Reserve in its constructor, once for each bound of the products
// that it will record. When all stages are made, the plan asks for Work and puts it into the layout
// of its arena. Then the stages record products. Products that are recorded one after another use
// the same workspace and keep nothing in it from one to the next; two products must not run
// concurrently.
//
// In all methods ws is an arena whose layout holds Work. Matrices whose shapes do not fit each
// other are a mistake of the caller: the methods panic. Overlaps are not looked at. A NaN or an
// infinity in a factor reaches the entries of C that it belongs to, and no others.
type Ops[T spirv.Scalar] interface {
	Gemm[T]
	Syr2k[T]
	Symm[T]

	// Reserve announces products of at most these sizes. An implementation that has nothing to
	// prepare may ignore it. An error says what the device cannot do.
	Reserve(shapes ...Shape) error

	// Work is the workspace of all products announced so far.
	Work() *vk.Layout
}

// Shape bounds products of M×K by K×N matrices, Count of them at a time. A symmetric product of
// order n with m columns counts as n×m with K = n, and a rank-2k update as n×n with K = k.
type Shape struct{ M, N, K, Count int }

// Gemm is the general products (dgemm).
type Gemm[T spirv.Scalar] interface {
	// Gemm records C ← α·op(A)·op(B) + β·C. β = 0 overwrites C, which may then hold anything; α = 0
	// does not read A and B. C must not overlap A or B.
	Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T])

	// GemmUnsplit is Gemm for results that have tiles enough to fill the device, so that their
	// inner dimension need not be split. It is one dispatch, and each element of C is one sum in
	// ascending order of the inner index.
	GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T])

	// GemmBatch records batch.Count products that run concurrently; a, b and c are the first one's
	// factors and result. No C may overlap another C or any A or B.
	GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha T, a, b Matrix[T], beta T, c Matrix[T])

	// GemmPair records C ← α·(op(A1)·op(B1) + op(A2)·op(B2)) + β·C. The two products have equal
	// shapes; leading dimensions may differ. Otherwise it is as Gemm.
	GemmPair(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha T, first, second Pair[T], beta T, c Matrix[T])
}

// Batch is the number of equally shaped products, and the distance in elements from the factors and
// the result of one product to those of the next.
type Batch struct{ Count, StrideA, StrideB, StrideC int }

// Pair is the two factors of a product.
type Pair[T spirv.Scalar] struct{ A, B Matrix[T] }

// Syr2k is the symmetric rank-2k update (dsyr2k).
type Syr2k[T spirv.Scalar] interface {
	// Syr2k records C ← C − Y·Zᵀ − Z·Yᵀ for the lower triangle of C, n×n; Y and Z are n×k. The
	// strictly upper triangle is neither read nor written. C must not overlap Y or Z.
	Syr2k(rec *vk.Recorder, ws *vk.Arena, y, z, c Matrix[T])
}

// Symm is the product with a symmetric matrix from the left (dsymm).
type Symm[T spirv.Scalar] interface {
	// Symm records P ← A·W. A is n×n; only its lower triangle is read. P and W are n×m, and P must
	// not overlap A or W.
	Symm(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix[T])
}
