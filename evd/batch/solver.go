package batch

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// kind says which problems a solver solves.
type kind int

const (
	ofDense kind = iota
	ofTridiagonals
	ofPairs // of dense matrices
)

// solver is the common part of Plan, PairPlan and TridiagonalPlan. R is the type of real numbers that belongs
// to T: T itself, or the type of the real and imaginary part of T.
type solver[T Number, R evd.Float] struct {
	base  plan.Base
	opt   Options
	count int // largest number of matrices of a part
	kind  kind

	others []*solver[T, R]

	batch *batch.Batch[T, R] // nil for order 0
	pairs *batch.Pairs[T]    // nil for order 0, and unless the matrices are pairs

	values vk.Region[R]
	a, b   vk.Region[T] // b is empty unless the matrices are pairs
	v      vk.Region[T] // empty if the vectors take the place of the matrices
}

func newSolver[T Number, R evd.Float](dev *vk.Device, n, count int, opt Options, of kind) (*solver[T, R], error) {
	if n < 0 {
		return nil, &evd.ShapeError{N: n, Tridiagonal: of == ofTridiagonals}
	}
	if most := sizes[T](opt, dev, of).Order(); n > most {
		return nil, &evd.ShapeError{N: n, Max: most, Tridiagonal: of == ofTridiagonals}
	}
	if err := opt.check(n, count); err != nil {
		return nil, err
	}
	if err := plan.CheckDevices(dev, opt.Devices); err != nil {
		return nil, err
	}
	if precision.IsDouble[T]() {
		single := "float32"
		if precision.IsComplex[T]() {
			single = "complex64"
		}
		if err := dev.Info().NeedFloat64("solve the batch in " + single + " there"); err != nil {
			return nil, err
		}
	}
	p, err := newPart[T, R](dev, n, count, opt, of)
	if err != nil && len(opt.Devices) > 0 {
		err = plan.OnDevice(dev, err)
	}
	if err != nil {
		return nil, err
	}
	for _, other := range opt.Devices {
		alone := opt
		alone.Devices, alone.Progress = nil, nil
		q, err := newSolver[T, R](other, n, count, alone, of)
		if err != nil {
			p.Close()
			return nil, plan.OnDevice(other, err)
		}
		p.others = append(p.others, q)
	}
	return p, nil
}

// newPart makes the part of a solver for one device. The arguments must have been checked.
func newPart[T Number, R evd.Float](dev *vk.Device, n, count int, opt Options, of kind) (*solver[T, R], error) {
	p := &solver[T, R]{
		base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt, kind: of,
		count: portionSize(count, count),
	}
	if n == 0 {
		return p, nil
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	return p, p.base.Allocate()
}

func (p *solver[T, R]) prepare() error {
	dev, n := p.base.Dev, p.base.N
	// The rate is measured once and stored. With the context of a caller, the measurement could end
	// early for all later callers.
	rate, err := machine.Of(dev).Rate(context.Background())
	if err != nil {
		return err
	}
	t := tuning.Of[R](p.opt.tuning(dev)).Bounded(rate) // all products have a real factor
	t.Batch = batch.Fitting[T](t.Batch, dev.Info())
	size := batch.Size{N: n, Count: p.count, Vectors: p.opt.Vectors, Tridiagonal: p.kind == ofTridiagonals}
	p.batch, err = batch.New[T, R](dev, size, t.Batch, t.DivideConquer, t.Products)
	if err != nil {
		return err
	}
	work := p.batch.Work()
	entries, second, apart := p.count*n*n, 0, 0
	switch p.kind {
	case ofTridiagonals:
		entries = 0
	case ofPairs:
		second = entries
		if p.pairs, err = batch.NewPairs[T](dev, size, t.Batch); err != nil {
			return err
		}
		work = vk.Together(work, p.pairs.Work())
	}
	p.a, p.b = vk.Reserve[T]("A, vectors", entries), vk.Reserve[T]("B, L", second)
	p.values = vk.Reserve[R]("values", p.count*n)
	if from, to, _ := spectrum.Range(spectrum.Selection(p.opt.Select), n); p.opt.Vectors && !p.inPlace() {
		apart = p.count * n * (to - from)
	}
	p.v = vk.Reserve[T]("selected vectors", apart)
	p.base.Layout = vk.Together(p.a, p.b, p.values, p.v, work)
	return nil
}

// inPlace reports whether the vectors take the place of the matrices: if the matrices are dense,
// and the whole spectrum of each matrix is wanted.
func (p *solver[T, R]) inPlace() bool {
	return p.kind != ofTridiagonals && p.opt.Select == evd.Selection{}
}

// Bytes returns the number of bytes of device memory that the plan has allocated on each of its
// devices.
func (p *solver[T, R]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory, which are the same on each of its devices.
func (p *solver[T, R]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid.
// Methods of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *solver[T, R]) Close() {
	p.base.Close()
	for _, q := range p.others {
		q.Close()
	}
}
