package main

import (
	"context"
	"math"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// A batchSolver is a plan for batches of matrices: a *batch.Plan, or a fake in tests.
type batchSolver interface {
	Bytes() uint64
	Solve(context.Context, []evd.Sym[float64]) (*batch.Result, error)
	Check(context.Context, []evd.Sym[float64], []batch.Spectrum) ([]evd.Ratios, error)
	Close()
}

func (d opened) batch(n, count int, opt batch.Options) (batchSolver, error) {
	opt.Devices = d.others
	p, err := batch.NewPlan(d.Device, n, count, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// batchBytes limits the matrices that are on the device at the same time. It is the largest sum of
// their sizes, in bytes.
const batchBytes = 1 << 30

// atOnce returns how many matrices of order n may be on the device at the same time. `count` is the
// number of all matrices.
func atOnce(count, n int) int { return max(1, min(count, batchBytes/max(1, 8*n*n))) }

// A batchGroup is the set of matrices of a file from which the same indices of eigenvalues are
// wanted. The largest eigenvalues, for example, have other indices for every order.
type batchGroup struct {
	part  evd.Selection
	most  int   // the largest order
	index []int // the numbers of the matrices in the file
}

// batchPlans holds the plans for the matrices of a file. The matrices are divided into groups, and
// each group has a plan.
type batchPlans struct {
	groups []batchGroup
	plans  []batchSolver
}

// newBatchPlans makes a plan for each group of matrices. `all` are the matrices of the file.
// opt.Select is ignored, because each group has its own selection. opt.Progress gets the progress
// of all groups together.
func newBatchPlans(dev device, groups []batchGroup, all []evd.Sym[float64], opt batch.Options) (*batchPlans, error) {
	p := &batchPlans{groups: groups}
	total, before := 0.0, 0.0
	for _, a := range all {
		total += stages.BatchFlops(a.N, opt.Vectors)
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
			before += stages.BatchFlops(all[k].N, opt.Vectors)
		}
		// All plans have their memory on the device at the same time, so each group gets a part of
		// it.
		share := atOnce(math.MaxInt, g.most) / len(groups)
		plan, err := dev.batch(g.most, max(1, min(len(g.index), share)), own)
		if err != nil {
			p.Close()
			return nil, err
		}
		p.plans = append(p.plans, plan)
	}
	return p, nil
}

// Solve solves all matrices of the file. The result has only Spectra and Profile.
func (p *batchPlans) Solve(ctx context.Context, a []evd.Sym[float64]) (*batch.Result, error) {
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
func (p *batchPlans) Check(ctx context.Context, a []evd.Sym[float64], s []batch.Spectrum) ([]evd.Ratios, error) {
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
func (p *batchPlans) Bytes() (sum uint64) {
	for _, plan := range p.plans {
		sum += plan.Bytes()
	}
	return sum
}

// Close closes all plans.
func (p *batchPlans) Close() {
	for _, plan := range p.plans {
		plan.Close()
	}
}
