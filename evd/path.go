package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	backs "github.com/vkevd/vkevd/stages/back"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// path holds everything that one solve of the spectrum of A uses: sizes, stages, and the layout of
// their memory. A plan has one path. With Options.Verify it has a second one, for slower and
// simpler methods. The two paths use the same device memory, so only one of them runs at a time.
type path[T Float] struct {
	// n is the order of the matrices.
	n int

	// opt has the options for these stages: the plan's options, or options with slower and simpler
	// methods for the second solve of Options.Verify.
	opt Options

	// tune has the sizes of all stages. They depend on the number type, the order and the options.
	tune tuning.Tuning

	// oneStage says that A is reduced to tridiagonal form T in one stage, without a wider band
	// between. Then B = T has the half-bandwidth 1, and Q2 = I.
	oneStage bool

	// doubles converts between the number type T and double precision.
	doubles doubles[T]

	// steps are the stages of the solve. `regions` is the device memory of the stages' input and
	// output. `layout` is the layout of all device memory that the stages use.
	steps   steps[T]
	regions regions[T]
	layout  *vk.Layout

	// back holds the stages of the other devices. They compute a part of the vectors. If the matrix is
	// distributed, they also hold a part of it.
	back []*path[T]
}

// steps are the stages, in the order of the solve. The fields from `q2` on are nil if no vectors
// are wanted. `q2` is also nil if A is reduced in one stage. If the matrix is distributed
// (Options.Distribute), `share` takes the place of `load` and `reduce`, and `panels` that of
// `residuals`. On the
// further devices `conquer` has their part of `spectrum`, if plan.Shared.
type steps[T Float] struct {
	products  products[T]
	load      *move.SymmetricLoad[T]
	reduce    reduction[T]
	share     *reduce.BandShare[T]
	conquer   *stedc.ConquerShare
	chase     *chases.BulgeChasing[T]
	spectrum  *spectrum.Stage
	q2        emulation.Q2[T]
	q1        *backs.ApplyQ1[T]
	orient    *orientation[T]
	residuals *residual.Residual[T]
	panels    *residual.ResidualPanels[T]
}

// newPath makes the stages of a solve for matrices of order n ≥ 1 and lays out their memory. If the
// plan uses several devices, `split` says which part each of them has.
func newPath[T Float](dev *vk.Device, n int, opt Options, split shares) (p *path[T], err error) {
	p = &path[T]{n: n, opt: opt}
	if p.tune, err = sizes[T](dev, n, opt); err != nil {
		return nil, err
	}
	first := part{split: split}
	if p.distributed() {
		first.most = split.most(0, opt.vectors(n))
	}
	if p.doubles, err = newDoubles[T](dev, n, opt.vectors(n)); err != nil {
		return nil, err
	}
	waiting, err := p.suit(dev)
	if err != nil {
		return nil, err
	}
	if p.steps, err = newSteps(dev, n, opt, p.tune, waiting, p.oneStage, p.doubles, first.most); err != nil {
		return nil, err
	}
	if p.distributed() {
		if p.opt.Vectors && p.steps.spectrum.Shared() { // the device has only its own vectors
			p.doubles.Resize(0, singleRows(n, first.most))
		}
		if err = p.newShare(dev, first, waiting); err != nil {
			return nil, err
		}
		p.layShare(first.most)
		return p, nil
	}
	p.lay()
	return p, nil
}

// suit adapts the sizes in the tuning to the device: to its measured rate, and to the reduction in
// one stage if that is possible. It returns how workgroups may wait for each other on this device.
func (p *path[T]) suit(dev *vk.Device) (stages.Waiting, error) {
	// The properties of the device are measured once and stored. If a measurement used the context
	// of a caller, it could end early for all later callers.
	ctx, facts := context.Background(), machine.Of(dev)
	rate, err := facts.Rate(ctx) // it also bounds the first batches
	if err != nil {
		return stages.Waiting{}, err
	}
	waiting, err := p.tune.Waiting(ctx, facts)
	if err != nil {
		return stages.Waiting{}, err
	}
	p.tune = p.tune.Bounded(rate)
	if p.opt.Band == 0 && p.opt.Block == 0 && !p.distributed() && p.tune.OneStage(p.n, p.opt.vectors(p.n), waiting, facts.Info) {
		p.oneStage, p.tune.Band, p.tune.Block = true, 1, 1
	}
	return waiting, nil
}

// newSteps makes all stages of a solve. If several of them cannot be made, the error is that of the
// first one in the order of the solve. `most` is the largest number of vectors of the first device
// if the matrix is distributed, and otherwise 0.
func newSteps[T Float](
	dev *vk.Device, n int, opt Options, t tuning.Tuning, waiting stages.Waiting, oneStage bool, double doubles[T], most int,
) (s steps[T], err error) {
	if s.products, err = newProducts(dev, n, opt, t, double); err != nil {
		return s, err
	}
	var b builder
	s.load, err = move.NewSymmetricLoad[T](dev)
	b.keep(err)
	if !opt.Distribute {
		s.reduce, err = newReduction(dev, reduce.BandSize{N: n, B: t.Band, K: t.Block}, s.products.reduction, waiting, t, oneStage)
		b.keep(err)
	}
	chase := chases.Size{N: n, B: t.Band, Vectors: opt.Vectors && !oneStage}
	s.chase, err = chases.NewBulgeChasing[T](dev, chase, waiting, t.Chase)
	b.keep(err)
	of := opt.spectrum()
	of.Part = most
	s.spectrum, err = double.stage(dev, n, of, opt.Verify, s.products.tridiagonal, t.Double())
	b.keep(err)
	if !opt.Vectors {
		return s, b.err
	}
	m := opt.capacity(n)
	back := backs.Size{N: n, B: t.Band, M: m}
	if !oneStage {
		s.q2, err = emulation.NewQ2(dev, back, m, s.products.vectors, s.products.emulated, waiting, t.ApplyQ2)
		b.keep(err)
	}
	s.orient, err = newOrientation[T](dev, opt)
	b.keep(err)
	if !opt.Distribute {
		s.q1, err = backs.NewApplyQ1(dev, back, s.products.vectors, s.products.emulated.Panel(t))
		b.keep(err)
		s.residuals, err = residual.NewResidual(dev, n, m, s.products.native)
		b.keep(err)
	}
	return s, b.err
}

// reduction is the first stage: A = Q1·B·Q1ᵀ. Package stages has two of them, to a band and to
// tridiagonal form. Both store B and Q1 in the same form.
type reduction[T Float] interface {
	Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T])
	Info(ws *vk.Arena) vk.Slice[uint32]
	Work() *vk.Layout
	Status() *vk.Layout
	Flops() float64
	Panels() int
}

// newReduction makes the first stage: the reduction to a band, or the reduction to tridiagonal form
// if oneStage is true.
func newReduction[T Float](
	dev *vk.Device, size reduce.BandSize, ops product.Ops[T], w stages.Waiting, t tuning.Tuning, oneStage bool,
) (reduction[T], error) {
	if oneStage {
		return reduce.NewTridiagonalisation(dev, size.N, ops, w, t.Sytrd)
	}
	return reduce.NewBandReduction(dev, size, ops, w, t.Panel)
}

// phase returns the name of the first stage in profiles, progress and forecasts.
func (p *path[T]) phase() string {
	if p.oneStage {
		return stages.PhaseTridiagonalisation
	}
	return stages.PhaseBandReduction
}

// builder collects errors while several stages are made. It stores the first one.
type builder struct{ err error }

// keep stores the error `err`, unless `err` is nil or an earlier error is stored.
func (b *builder) keep(err error) {
	if b.err == nil {
		b.err = err
	}
}

// matrixA returns the device memory of the dense matrix A. The band reduction stores its reflectors
// in this memory, and the back transformation stores the eigenvectors in it.
func (p *path[T]) matrixA(ws *vk.Arena) product.Matrix[T] {
	return product.NewMatrix(p.regions.a.In(ws), p.n, p.n, p.n)
}
