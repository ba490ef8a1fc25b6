package evd

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Plan is everything that one order and one set of options need, prepared
// once: pipelines, stages, memory. A plan solves one matrix at a time: of goroutines that
// share it one waits for the other. Several plans may share a device.
type Plan[T Float] struct {
	holder
	opt     Options
	tune    stages.Tuning
	steps   steps
	regions regions
	safe    *Plan[T] // with Options.Verify: what solves again, in the same memory
}

// steps are the stages, in the order of the paper. Those that only vectors
// need are nil without them.
type steps struct {
	ops       product.Ops
	load      *stages.SymmetricLoad
	band      *stages.BandReduction
	chase     *stages.BulgeChasing
	spectral  *spectral
	q2        *stages.ApplyQ2
	q1        *stages.ApplyQ1
	finish    *finish
	residuals *stages.Residual
}

// NewPlan prepares for matrices of order n on the device. It fails early: with a *ShapeError,
// an *OptionError, a *vk.UnsupportedError, or a *vk.OutOfMemoryError. On a
// vk.Dry device it makes a forecast: Bytes, Memory and Costs work, Solve does not.
func NewPlan[T Float](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	if err := checkOrder(n, mostOrder, false); err != nil {
		return nil, err
	}
	tune, err := opt.tuning(dev, n)
	if err != nil {
		return nil, err
	}
	if err := opt.Select.check(n); err != nil {
		return nil, err
	}
	p := &Plan[T]{holder: holder{dev: dev, n: n}, opt: opt, tune: tune}
	if n == 0 {
		p.layout = vk.Together()
		return p, nil
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	if opt.Verify {
		if err := p.prepareSafe(); err != nil {
			return nil, err
		}
	}
	if err := p.allocate(); err != nil {
		return nil, err
	}
	if p.safe != nil {
		p.safe.arena = p.arena
	}
	return p, nil
}

// tuning is the device's table, for order n, with what the caller overrides.
func (opt Options) tuning(dev *vk.Device, n int) (stages.Tuning, error) {
	t := stages.TuningFor(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	if opt.Band < 0 || opt.Block < 0 {
		return t, &OptionError{"Band, Block", "must not be negative"}
	}
	t = t.For(n, opt.vectors(n))
	if opt.Band > 0 {
		// The table's block, brought to a multiple of the new band.
		t.Block = max(t.Block/opt.Band, 1) * opt.Band
		t.Band = opt.Band
	}
	if opt.Block > 0 {
		t.Block = opt.Block
	}
	if t.Block%t.Band != 0 {
		return t, &OptionError{"Block", fmt.Sprintf("%d is no multiple of the half-bandwidth %d", t.Block, t.Band)}
	}
	t.Chase.Wavefront = t.Chase.Wavefront || opt.Wavefront
	if opt.Overwrite && !opt.Vectors {
		return t, &OptionError{"Overwrite", "only vectors can take the input's place"}
	}
	if opt.RowMajor && !opt.Vectors {
		return t, &OptionError{"RowMajor", "only vectors have rows"}
	}
	if opt.Overwrite && opt.Verify {
		return t, &OptionError{"Verify", "the input is needed again, Overwrite destroys it"}
	}
	return t, nil
}

// vectors is how many there may be, of order n.
func (opt Options) vectors(n int) int {
	if !opt.Vectors {
		return 0
	}
	return opt.Select.capacity(n)
}

// Band is the half-bandwidth of the first stage.
func (p *Plan[T]) Band() int { return p.tune.Band }

// prepare makes the stages and lays out their memory.
func (p *Plan[T]) prepare() (err error) {
	s, dev, n, b, t := &p.steps, p.dev, p.n, p.tune.Band, p.tune
	if s.ops, err = product.New(dev, t.Products); err != nil {
		return err
	}
	var errs []error
	s.load = made(stages.NewSymmetricLoad(dev, t))(&errs)
	s.band = made(stages.NewBandReduction(dev, n, b, t.Block, s.ops, t))(&errs)
	s.chase = made(stages.NewBulgeChasing(dev, n, p.opt.Vectors, t))(&errs)
	s.spectral = made(newSpectral(dev, n, p.opt, p.opt.Verify, s.ops, t))(&errs)
	if m := p.opt.Select.capacity(n); p.opt.Vectors {
		s.q2 = made(stages.NewApplyQ2(dev, n, m, t))(&errs)
		s.q1 = made(stages.NewApplyQ1(dev, n, b, m, s.ops, t))(&errs)
		s.finish = made(newFinish(dev, p.opt, t))(&errs)
		s.residuals = made(stages.NewResidual(dev, n, m, s.ops))(&errs)
	}
	if len(errs) > 0 {
		return errs[0]
	}
	p.lay()
	return nil
}

// made collects the error of a constructor.
func made[S any](stage S, err error) func(*[]error) S {
	return func(errs *[]error) S {
		if err != nil {
			*errs = append(*errs, err)
		}
		return stage
	}
}

// accepts says whether a fits the plan.
func (p *Plan[T]) accepts(a Sym[T]) error {
	if err := a.Check(); err != nil {
		return err
	}
	if a.N != p.n {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data), Plan: p.n}
	}
	return p.open()
}
