package trials

import (
	"context"
	"sync"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// A work is a kind of solve, of a matrix of order `order`: by one device or several, with a plan of
// one kind.
type work struct {
	name    string
	devices int
	make    func(d []*vk.Device, opt evd.Options) (solver, error)
}

// solver is a plan of any kind that finds eigenvalues.
type solver interface {
	Solve(ctx context.Context, a evd.Sym[float64]) (*evd.Result[float64], error)
	Close()
}

// checker is a solver that can check its results.
type checker interface {
	Check(ctx context.Context, a evd.Sym[float64], res *evd.Result[float64]) (evd.Ratios, error)
}

var (
	ofValues = work{"values", 1, func(d []*vk.Device, opt evd.Options) (solver, error) {
		return solverOf(evd.NewPlan[float64](d[0], order, opt))
	}}
	ofVectors = work{"vectors", 1, func(d []*vk.Device, opt evd.Options) (solver, error) {
		opt.Vectors = true
		return solverOf(evd.NewPlan[float64](d[0], order, opt))
	}}
	ofRefinement = work{"refinement", 1, func(d []*vk.Device, opt evd.Options) (solver, error) { return refining(d[0], opt, 1) }}
	// coldRefinement has approximate vectors that are zero, so it solves without them.
	coldRefinement = work{"cold refinement", 1, func(d []*vk.Device, opt evd.Options) (solver, error) { return refining(d[0], opt, 0) }}
	inMixed        = work{"mixed precision", 1, func(d []*vk.Device, opt evd.Options) (solver, error) {
		return solverOf(evd.NewMixedPlan[float64](d[0], order, opt))
	}}
	onTwoDevices = work{"two devices", 2, func(d []*vk.Device, opt evd.Options) (solver, error) {
		opt.Vectors, opt.Devices = true, d[1:]
		return solverOf(evd.NewPlan[float64](d[0], order, opt))
	}}
	distributed = work{"distributed", 2, func(d []*vk.Device, opt evd.Options) (solver, error) {
		opt.Vectors, opt.Devices, opt.Distribute = true, d[1:], true
		return solverOf(evd.NewPlan[float64](d[0], order, opt))
	}}
)

// solverOf returns the plan p, and nil instead of it after an error.
func solverOf[P solver](p P, err error) (solver, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

// refiner is a plan for refinements of the vectors q.
type refiner struct {
	*evd.RefinePlan[float64]
	q evd.Dense[float64]
}

func (r refiner) Solve(ctx context.Context, a evd.Sym[float64]) (*evd.Result[float64], error) {
	return r.Refine(ctx, a, r.q)
}

// refining makes a plan for refinements of approximate eigenvectors. These are the eigenvectors of
// random(order, 1), computed in single precision and multiplied by `scale`.
func refining(d *vk.Device, opt evd.Options, scale float64) (solver, error) {
	q, err := approximate()
	if err != nil {
		return nil, err
	}
	for i, x := range q.Data {
		q.Data[i] = scale * x
	}
	p, err := evd.NewRefinePlan[float64](d, order, opt)
	if err != nil {
		return nil, err
	}
	return refiner{p, q}, nil
}

// rounded returns the result for random(order, 1) in single precision. It is computed once.
var rounded = sync.OnceValues(func() (*evd.Result[float32], error) {
	a := random(order, 1)
	single := evd.Sym[float32]{N: a.N, Ld: a.Ld}
	for _, x := range a.Data {
		single.Data = append(single.Data, float32(x))
	}
	d, err := open(vk.Options{})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p, err := evd.NewPlan[float32](d, order, options(true))
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return p.Solve(context.Background(), single)
})

// approximate returns the vectors of random(order, 1), in single precision.
func approximate() (q evd.Dense[float64], err error) {
	res, err := rounded()
	if err != nil {
		return q, err
	}
	q = evd.Dense[float64]{Rows: order, Cols: order, Ld: order}
	for j := range order {
		for _, x := range res.Vectors.Col(j) {
			q.Data = append(q.Data, float64(x))
		}
	}
	return q, nil
}

// `on` opens the devices of the work, with the options `opt`. The caller must close them, even
// after an error.
func (w work) on(opt vk.Options) (all []*vk.Device, err error) {
	for range w.devices {
		d, err := open(opt)
		if err != nil {
			return all, err
		}
		all = append(all, d)
	}
	return all, nil
}

// TestWorks checks that the kinds of work do what their names say. Other tests of this package
// would also pass if all refinements were cold, or none.
func TestWorks(t *testing.T) {
	for _, w := range []work{ofRefinement, coldRefinement, inMixed} {
		f := newFixture(t, w)
		if r := f.want.Refinement; r == nil || (r.Cold != "") != (w.name == coldRefinement.name) || r.Steps == 0 {
			t.Errorf("%s: %+v", w.name, r)
		}
	}
}
