package main

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// A batchPlan is a plan for batches of matrices of the type M: a *batch.Plan, or a
// *batch.TridiagonalPlan.
type batchPlan[M any] interface {
	Memory() []vk.Placed
	Bytes() uint64
	Solve(context.Context, []M) (*batch.Result, error)
	Check(context.Context, []M, []batch.Spectrum) ([]evd.Ratios, error)
	Close()
}

// A batchOf is a plan for a batch, with the number of operations for all its matrices.
type batchOf[M any] struct {
	batchPlan[M]
	flops float64
}

func (p batchOf[M]) Costs() []evd.StageCost {
	return []evd.StageCost{{Stage: stages.PhaseBatch, Flops: p.flops}}
}

// The types of matrices of a batch.
type (
	denseMatrix       = evd.Sym[float64]
	tridiagonalMatrix = evd.Tridiagonal[float64]
)

// batchBytes limits the matrices that are on the device at the same time: the largest sum of their
// sizes, in bytes. smallBytes is added to each size. It stands for what a plan needs beside a small
// matrix: less than 0.7 kB for a tridiagonal matrix of order 2 with vectors.
const (
	batchBytes = 1 << 30
	smallBytes = 1 << 10
)

// atOnce returns how many matrices of order n may be on the device at the same time. `count` is the
// number of all matrices.
func atOnce(count, n int) int { return max(1, min(count, batchBytes/(8*n*n+smallBytes))) }

// A batchGroup is the set of matrices of a file from which the same indices of eigenvalues are
// wanted. The largest eigenvalues, for example, have other indices for every order.
type batchGroup struct {
	part  evd.Selection
	most  int   // the largest order
	index []int // the numbers of the matrices in the file
}

// batchPlans holds the plans for the matrices of a file. The matrices are divided into groups, and
// each group has a plan.
type batchPlans[M any] struct {
	groups []batchGroup
	plans  []batchPlan[M]
}

// newBatchPlans makes a plan for each group of matrices. `orders` are the orders of the matrices of the
// file, and `of` is their kind. opt.Select is ignored, because each group has its own
// selection. opt.Progress gets the progress of all groups together.
func newBatchPlans[M any](
	dev device, of kind, groups []batchGroup, orders []int, opt batch.Options,
) (*batchPlans[M], error) {
	p := &batchPlans[M]{groups: groups}
	total, before := 0.0, 0.0
	for _, n := range orders {
		total += batchs.BatchFlops(n, opt.Vectors)
	}
	for _, g := range groups {
		own := opt
		own.Select = g.part
		if done := before; opt.Progress != nil {
			own.Progress = func(at evd.Progress) {
				at.Done, at.Total = done+at.Done, total
				opt.Progress(at)
			}
		}
		for _, k := range g.index {
			before += batchs.BatchFlops(orders[k], opt.Vectors)
		}
		// All plans have their memory on the device at the same time, so each group gets a part of
		// it.
		share := atOnce(math.MaxInt, g.most) / len(groups)
		plan, err := planOf[batchPlan[M]](dev, task{kind: of, n: g.most, count: max(1, min(len(g.index), share)), batch: own})
		if err != nil {
			p.Close()
			return nil, err
		}
		p.plans = append(p.plans, plan)
	}
	return p, nil
}

// Solve solves all matrices of the file. The result has only Spectra and Profile.
func (p *batchPlans[M]) Solve(ctx context.Context, a []M) (*batch.Result, error) {
	all := &batch.Result{Spectra: make([]batch.Spectrum, len(a)), Profile: vk.NewProfile()}
	for i, g := range p.groups {
		res, err := p.plans[i].Solve(ctx, chosen(a, g.index))
		if err != nil {
			return nil, err
		}
		for j, k := range g.index {
			all.Spectra[k] = res.Spectra[j]
		}
		all.Profile.Merge(res.Profile)
	}
	return all, nil
}

// Check returns the error ratios of the results for all matrices of the file.
func (p *batchPlans[M]) Check(ctx context.Context, a []M, s []batch.Spectrum) ([]evd.Ratios, error) {
	all := make([]evd.Ratios, len(a))
	for i, g := range p.groups {
		checked, err := p.plans[i].Check(ctx, chosen(a, g.index), chosen(s, g.index))
		if err != nil {
			return nil, err
		}
		for j, k := range g.index {
			all[k] = checked[j]
		}
	}
	return all, nil
}

// chosen returns the elements of a list whose indices are given.
func chosen[T any](list []T, index []int) []T {
	all := make([]T, len(index))
	for j, k := range index {
		all[j] = list[k]
	}
	return all
}

// Bytes returns the size of the device memory of all plans together, in bytes.
func (p *batchPlans[M]) Bytes() (sum uint64) {
	for _, plan := range p.plans {
		sum += plan.Bytes()
	}
	return sum
}

// Memory lists the regions of all plans.
func (p *batchPlans[M]) Memory() (all []vk.Placed) {
	for _, plan := range p.plans {
		all = append(all, plan.Memory()...)
	}
	return all
}

// Costs is empty: the plans report progress by matrices.
func (p *batchPlans[M]) Costs() []evd.StageCost { return nil }

// Close closes all plans.
func (p *batchPlans[M]) Close() {
	for _, plan := range p.plans {
		plan.Close()
	}
}
