package gonumlapack

import (
	"context"
	"errors"
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// planned is the interface that all plans have in common.
type planned interface{ Close() }

// solver is the part of evd.Plan that package gonumlapack uses.
type solver interface {
	planned
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
}

// singularSolver is the part of svd.Plan that package gonumlapack uses.
type singularSolver interface {
	planned
	Solve(context.Context, evd.Dense[float64]) (*svd.Result[float64], error)
}

// job describes the problems that a plan can solve.
type job struct {
	rows, cols int
	kind       kind
	u, v       svd.Vectors // only for singular values
}

type kind int

const (
	eigenvalues kind = iota
	eigenvectors
	singularValues
)

// keptPlans is the largest number of plans that keep their device memory. Most programs solve many
// matrices of one or two orders.
const keptPlans = 4

// plans keeps the plans used last, the most recent one first.
type plans struct {
	mu   sync.Mutex // held while a plan is in use: the device solves one matrix at a time anyway
	make func(job) (planned, error)
	kept []plan
}

type plan struct {
	planned
	job
}

// with calls use with a plan for the job, and returns the error of making the plan. If use fails,
// the plan is closed, unless the error is a NonFiniteError. So after the loss of a device each call
// tries to make a new plan, and gonum solves if this fails.
func (ps *plans) with(j job, use func(planned) error) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, err := ps.take(j)
	if err != nil {
		return err
	}
	var data *evd.NonFiniteError
	if err := use(p.planned); err != nil && !errors.As(err, &data) {
		p.Close()
		return nil
	}
	ps.keep(p)
	return nil
}

// take returns a kept plan for the job, and removes it from the list, or makes a new plan. If there
// is too little memory, it closes the other plans and tries again.
func (ps *plans) take(j job) (plan, error) {
	for i, p := range ps.kept {
		if p.job == j {
			ps.kept = append(ps.kept[:i], ps.kept[i+1:]...)
			return p, nil
		}
	}
	s, err := ps.make(j)
	var full *vk.OutOfMemoryError
	if errors.As(err, &full) && len(ps.kept) > 0 {
		ps.shrink(0)
		s, err = ps.make(j)
	}
	return plan{s, j}, err
}

// keep puts p at the front of the list, as the plan that was used last.
func (ps *plans) keep(p plan) {
	ps.kept = append([]plan{p}, ps.kept...)
	ps.shrink(keptPlans)
}

// shrink closes the plans that were used least recently, until at most `to` plans are left.
func (ps *plans) shrink(to int) {
	for len(ps.kept) > to {
		last := len(ps.kept) - 1
		ps.kept[last].Close()
		ps.kept = ps.kept[:last]
	}
}

// close closes all plans.
func (ps *plans) close() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.shrink(0)
}
