package gonumlapack

import (
	"context"
	"errors"
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// solver is what is needed of an evd.Plan.
type solver interface {
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
	Close()
}

// keptPlans bounds how many orders keep their device memory. Programs that solve again and
// again do so in one or two of them.
const keptPlans = 4

// plans are those used last, first the very last.
type plans struct {
	mu   sync.Mutex // held while one is in use: the device does one matrix at a time anyway
	make func(n int, vectors bool) (solver, error)
	kept []plan
}

type plan struct {
	solver
	n       int
	vectors bool
}

// with calls use with a plan, and returns the error of making one. A plan whose use
// failed for the device's reasons is given up, so that a lost device is not asked for ever.
func (ps *plans) with(n int, vectors bool, use func(solver) error) error {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p, err := ps.take(n, vectors)
	if err != nil {
		return err
	}
	var data *evd.NonFiniteError
	if err := use(p); err != nil && !errors.As(err, &data) {
		p.Close()
		return nil
	}
	ps.keep(p)
	return nil
}

// take removes the plan from those kept, or makes it. If memory is short it closes the
// others and tries again.
func (ps *plans) take(n int, vectors bool) (plan, error) {
	for i, p := range ps.kept {
		if p.n == n && p.vectors == vectors {
			ps.kept = append(ps.kept[:i], ps.kept[i+1:]...)
			return p, nil
		}
	}
	s, err := ps.make(n, vectors)
	var full *vk.OutOfMemoryError
	if errors.As(err, &full) && len(ps.kept) > 0 {
		ps.shrink(0)
		s, err = ps.make(n, vectors)
	}
	return plan{s, n, vectors}, err
}

func (ps *plans) keep(p plan) {
	ps.kept = append([]plan{p}, ps.kept...)
	ps.shrink(keptPlans)
}

// shrink closes all but the first.
func (ps *plans) shrink(to int) {
	for len(ps.kept) > to {
		last := len(ps.kept) - 1
		ps.kept[last].Close()
		ps.kept = ps.kept[:last]
	}
}

func (ps *plans) close() {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.shrink(0)
}
