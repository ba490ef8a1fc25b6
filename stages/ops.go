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
type Gemm interface {
	Record(rec *vk.Recorder, opA, opB Op, alpha float64, a, b Matrix, beta float64, c Matrix)
}

// RankTwoK records the lower triangle of C ← C − Y·Zᵀ − Z·Yᵀ (dsyr2k); the
// strictly upper triangle is neither read nor written.
type RankTwoK interface {
	Record(rec *vk.Recorder, y, z, c Matrix)
}

// Symm records P ← A·W with A symmetric, of which only the lower triangle is
// read (dsymm from the left). P must not overlap A or W.
type Symm interface {
	Record(rec *vk.Recorder, a, w, p Matrix)
}

// Ops is the products that the stages are written in. They are chosen once,
// for a device and a precision, by NewOps; the stages do not ask which they got.
type Ops struct {
	Gemm     Gemm
	RankTwoK RankTwoK
	Symm     Symm
}
