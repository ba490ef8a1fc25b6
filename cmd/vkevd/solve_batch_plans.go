package main

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

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
	plans  []machine.BatchPlan[M]
}

// newBatchPlans makes a plan for each group of matrices. `orders` are the orders of the matrices of the
// file, and `of` is their kind. opt.Select is ignored, because each group has its own
// selection. opt.Progress gets the progress of all groups together.
func newBatchPlans[M any](
	dev machine.Device, of machine.Kind, groups []batchGroup, orders []int, opt batch.Options,
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
		share := machine.AtOnce(math.MaxInt, g.most) / len(groups)
		plan, err := machine.PlanOf[machine.BatchPlan[M]](dev, machine.Task{Kind: of, N: g.most, Count: max(1, min(len(g.index), share)), Batch: own})
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

func (p *batchPlans[M]) Bytes() (sum uint64) {
	for _, plan := range p.plans {
		sum += plan.Bytes()
	}
	return sum
}

func (p *batchPlans[M]) Memory() (all []vk.Placed) {
	for _, plan := range p.plans {
		all = append(all, plan.Memory()...)
	}
	return all
}

// Costs is empty: the plans report progress by matrices.
func (p *batchPlans[M]) Costs() []evd.StageCost { return nil }

func (p *batchPlans[M]) Close() {
	for _, plan := range p.plans {
		plan.Close()
	}
}
