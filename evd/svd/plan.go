package svd

import (
	"context"
	"fmt"
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options are those of a plan. The zero value computes all singular values.
type Options struct {
	// Largest is how many of the largest singular values are wanted; 0: all. With fewer only the last
	// step, of O(n²) operations, becomes cheaper.
	Largest int

	// Band is the number of superdiagonals b of the intermediate band, and Block the number of columns
	// between two updates of the whole trailing matrix, a multiple of Band; 0: the device's tuning.
	Band, Block int

	// Certify measures each result before it is returned: Result.Certificate. It takes a part of the
	// time of the last step, and one pass over A on the host.
	Certify bool

	// Progress is called now and then, from the goroutine of Solve.
	Progress func(evd.Progress)

	// Tuning overrides the device's sizes; nil takes the table's.
	Tuning *tuning.Tuning
}

// Plan is all that matrices of one shape need, prepared once: pipelines, stages, memory. Goroutines
// that share a plan wait for each other, as it solves one matrix at a time. The caller closes the
// plan, before the device.
type Plan[T evd.Float] struct {
	base spectrum.Base
	m, n int // of the caller's matrices
	opt  Options

	// A with at least as many rows as columns: the caller's matrix or its transpose.
	rows, cols int
	tune       tuning.Tuning

	// path solves; nil for a matrix without entries. A call that has the plan's lock may replace it:
	// methods without the lock take it from current.
	*path

	// replacing guards path, for current.
	replacing sync.Mutex
}

// path is the stages and the layout of their memory.
type path struct {
	steps   steps
	regions regions
	layout  *vk.Layout
}

// steps are the stages, in the order of the solve.
type steps struct {
	ops       product.Ops[float64]
	transpose *stages.Transpose[float64]
	band      *stages.GeneralBandReduction[float64]
	chase     *stages.BidiagonalChasing[float64]
	values    *spectrum.Stage
}

// regions is device memory of the plan itself.
type regions struct {
	a           vk.Region[float64] // rows·cols
	across      vk.Region[float64] // A as it is uploaded, where it is stored with fewer rows than columns
	left, right vk.Region[float64] // block factors of Q1 and P1
	band        vk.Region[float64]
}

// NewPlan prepares for m×n matrices on the device: it compiles kernels, which may take seconds when a
// driver sees them first, and allocates Bytes of device memory: about 9 bytes for each entry of A, or
// 17 if m ≠ n, as A may have to be transposed then.
//
// Errors: *evd.ShapeError for an order that no matrix can have, *evd.OptionError for the first option
// that is not possible, *vk.UnsupportedError for what the device lacks, *vk.OutOfMemoryError,
// vk.ErrClosed for a closed device. On a vk.Dry device the plan is a forecast: Bytes, Memory and Costs
// work, Solve does not.
func NewPlan[T evd.Float](dev *vk.Device, m, n int, opt Options) (*Plan[T], error) {
	const most = product.MostLd - 1
	for _, order := range []int{m, n} {
		if order < 0 || order > most {
			return nil, &evd.ShapeError{N: order, Most: most}
		}
	}
	p := &Plan[T]{m: m, n: n, opt: opt, rows: max(m, n), cols: min(m, n)}
	p.base = spectrum.Base{Dev: dev, N: p.cols, Layout: vk.Together()}
	err := p.check()
	if err != nil {
		return nil, err
	}
	if p.cols == 0 {
		return p, nil
	}
	if p.path, err = p.compile(p.tune); err != nil {
		return nil, err
	}
	p.base.Layout = p.layout
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// check settles the sizes, and returns an *evd.OptionError for the first option that is not possible.
func (p *Plan[T]) check() error {
	if p.opt.Largest < 0 || p.opt.Largest > p.cols {
		return spectrum.BadOption("Largest", fmt.Sprintf("%d of %d singular values", p.opt.Largest, p.cols))
	}
	if p.opt.Band < 0 || p.opt.Block < 0 {
		return spectrum.BadOption("Band, Block", "must not be negative")
	}
	p.tune = tuning.On(p.base.Dev.Info())
	if p.opt.Tuning != nil {
		p.tune = *p.opt.Tuning
	}
	if b := p.opt.Band; b > 0 {
		p.tune.Band, p.tune.Block = b, max(p.tune.Block/b, 1)*b
	}
	if p.opt.Block > 0 {
		p.tune.Block = p.opt.Block
	} else { // the pending updates cost 6·n²·k, so a block is a small part of the matrix
		b := p.tune.Band
		p.tune.Block = max(b, min(p.tune.Block, p.cols/16/b*b))
	}
	if p.tune.Block%p.tune.Band != 0 {
		return spectrum.BadOption("Block", fmt.Sprintf("%d is not a multiple of the %d superdiagonals", p.tune.Block, p.tune.Band))
	}
	return nil
}

// wanted is the number of singular values that Solve returns.
func (p *Plan[T]) wanted() int {
	if p.opt.Largest > 0 {
		return p.opt.Largest
	}
	return p.cols
}

// compile makes a path with the sizes t.
func (p *Plan[T]) compile(t tuning.Tuning) (*path, error) {
	made := &path{}
	return made, p.base.Dev.Compile(func() error { return p.prepare(made, t) })
}

// prepare makes the stages and lays out their memory.
func (p *Plan[T]) prepare(made *path, t tuning.Tuning) (err error) {
	dev, s, r := p.base.Dev, &made.steps, &made.regions
	facts := machine.Of(dev) // found once for each device and kept
	rate, err := facts.Float64Rate(context.Background())
	if err != nil {
		return err
	}
	t = t.Bounded(rate)
	if s.ops, err = product.New[float64](dev, t.Products); err != nil {
		return err
	}
	waiting, err := t.Waiting(context.Background(), facts)
	if err != nil {
		return err
	}
	if s.transpose, err = stages.NewTranspose[float64](dev); err != nil {
		return err
	}
	size := stages.GeneralSize{M: p.rows, N: p.cols, B: t.Band, K: t.Block}
	if s.band, err = stages.NewGeneralBandReduction(dev, size, s.ops, waiting, t.Panel); err != nil {
		return err
	}
	if s.chase, err = stages.NewBidiagonalChasing[float64](dev, stages.ChaseSize{N: p.cols, B: t.Band}, waiting, t.Chase.ChaseTuning); err != nil {
		return err
	}
	// The eigenvalues of the Golub-Kahan form, of order 2n, are ±σ; the upper half is wanted.
	opt := spectrum.Options{Select: spectrum.Index(2*p.cols-p.wanted(), 2*p.cols), Solver: spectrum.Bisection}
	if s.values, err = spectrum.New(dev, 2*p.cols, opt, p.opt.Certify, s.ops, t); err != nil {
		return err
	}
	entries := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	b2, across := t.Band*t.Band, 0
	if p.m != p.n {
		across = p.m * p.n
	}
	r.a, r.across = entries("A", p.rows*p.cols), entries("A as it comes", across)
	r.left, r.right = entries("T of Q1", size.LeftPanels()*b2), entries("T of P1", size.RightPanels()*b2)
	r.band = entries("band", size.BandLen())
	always := append([]vk.Space{r.a, r.left, r.right, r.band, s.ops.Work(), s.band.Status()}, s.values.Always()...)
	made.layout = vk.Together(append(always, vk.InTurn(vk.Together(r.across), s.band.Work(), s.chase.Work(), s.values.Work()))...)
	return nil
}

// avoidWaiting puts the plan on a path on which no workgroup waits for another, for this solve and
// all later ones, and remembers for the device that a wait failed. The caller has the plan's lock. The
// new path's memory is allocated after that of the old one is freed. Errors: those of NewPlan.
func (p *Plan[T]) avoidWaiting() error {
	machine.Of(p.base.Dev).WaitFailed()
	t := p.tune
	t.Chase.Wavefront = true
	next, err := p.compile(t)
	if err != nil {
		return err
	}
	p.replacing.Lock()
	p.path = next
	p.replacing.Unlock()
	return p.base.Replace(next.layout)
}

// current is the plan's path, for callers without the plan's lock.
func (p *Plan[T]) current() *path {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	return p.path
}

// Band is the number of superdiagonals of the intermediate band.
func (p *Plan[T]) Band() int { return p.tune.Band }

// Block is the number of columns between two updates of the whole trailing matrix.
func (p *Plan[T]) Block() int { return p.tune.Block }

// Costs is the forecast of floating-point operations, phase by phase; nil for a matrix without
// entries.
func (p *Plan[T]) Costs() []evd.StageCost {
	if p.cols == 0 {
		return nil
	}
	s := p.current().steps
	return []evd.StageCost{
		{Stage: stages.PhaseBandReduction, Flops: s.band.Flops()}, {Stage: stages.PhaseBulgeChasing, Flops: s.chase.Flops()}, s.values.Cost(),
	}
}

// Bytes is the device memory that the plan has allocated.
func (p *Plan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of that memory. Regions share bytes if they are never in use at the same
// time.
func (p *Plan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Solve returns evd.ErrClosed
// afterwards.
func (p *Plan[T]) Close() { p.base.Close() }
