package machine

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// A BatchPlan is a plan for batches of matrices of the type M: a *batch.Plan, or a
// *batch.TridiagonalPlan.
type BatchPlan[M any] interface {
	Memory() []vk.Placed
	Bytes() uint64
	Solve(context.Context, []M) (*batch.Result, error)
	Check(context.Context, []M, []batch.Spectrum) ([]evd.Ratios, error)
	Close()
}

// A batchOf is a plan for a batch, with the number of operations for all its matrices.
type batchOf[M any] struct {
	BatchPlan[M]
	flops float64
}

func (p batchOf[M]) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: stages.PhaseBatch, Flops: p.flops}}
}

// The types of matrices of a batch.
type (
	DenseMatrix       = evd.Sym[float64]
	TridiagonalMatrix = evd.Tridiagonal[float64]
)

// BatchBytes limits the matrices that are on the device at the same time: the largest sum of their
// sizes, in bytes. smallBytes is added to each size. It stands for what a plan needs beside a small
// matrix: less than 0.7 kB for a tridiagonal matrix of order 2 with vectors.
const (
	BatchBytes = 1 << 30
	smallBytes = 1 << 10
)

// AtOnce returns how many matrices of order n may be on the device at the same time. `count` is the
// number of all matrices.
func AtOnce(count, n int) int { return max(1, min(count, BatchBytes/(8*n*n+smallBytes))) }
