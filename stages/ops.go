package stages

import "github.com/vkevd/vkevd/vk"

// Op says how a factor enters a product.
type Op bool

const (
	NoTrans Op = false
	Trans   Op = true
)

// Gemm records C ← α·op(A)·op(B) + β·C (dgemm). β = 0 overwrites C, which may
// then hold anything. C must not overlap A or B.
//
// ws is the arena whose layout holds Ops.Work; so too below. It is used by one
// product after another and keeps nothing between them.
type Gemm interface {
	Record(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix)

	// RecordBatch records batch.Count products side by side: a, b and c are
	// the first one's. No C may overlap another's or any A or B.
	RecordBatch(rec *vk.Recorder, ws *vk.Arena, batch Batch, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix)
}

// Batch is the number of equally shaped products and the distance, in elements,
// from each one's factors and result to the next one's.
type Batch struct{ Count, StrideA, StrideB, StrideC int }

// GemmPair records C ← α·(op(A1)·op(B1) + op(A2)·op(B2)) + β·C, where A1 and A2
// have one shape and B1 and B2 have; otherwise as Gemm.
type GemmPair interface {
	RecordPair(rec *vk.Recorder, ws *vk.Arena, opA, opB Op, alpha float64, a1, b1, a2, b2 Matrix, beta float64, c Matrix)
}

// RankTwoK records the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ (dsyr2k); the
// strictly upper triangle is neither read nor written.
type RankTwoK interface {
	Record(rec *vk.Recorder, ws *vk.Arena, y, z, c Matrix)
}

// Symm records P ← A·W with A symmetric, of which only the lower triangle is
// read (dsymm from the left). P must not overlap A or W.
type Symm interface {
	Record(rec *vk.Recorder, ws *vk.Arena, a, w, p Matrix)
}

// Ops is the products that the stages are written in. They are chosen once,
// for a device and a precision, by NewOps; the stages do not ask which they got.
type Ops struct {
	Gemm     Gemm
	GemmPair GemmPair
	RankTwoK RankTwoK
	Symm     Symm
	work     *vk.Layout
}

// Work is the products' workspace. A plan lays it out beside that of the stages
// that use them.
func (o Ops) Work() *vk.Layout { return o.work }
