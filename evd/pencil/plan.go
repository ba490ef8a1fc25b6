package pencil

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of pairs of one order need: pipelines, stages, memory, and the
// factor of B between two calls. A plan solves one pair at a time, and goroutines that share it
// wait for each other. The caller closes the plan before the device.
type Plan[T evd.Number] struct {
	opt  Options
	base plan.Base

	// stages are the stages of a solve, and `safe` those of a second solve, by slower and simpler
	// methods, if a result does not pass its certificate. They use the same memory. For the orders
	// 0 and 1, and `safe` without Options.Verify, they are nil.
	stages plan.Replaceable[*dense.Stages[T]]
	safe   *dense.Stages[T]

	// canonical solves instead of the stages, with Options.Overlap, for orders above 1.
	canonical *canonical[T]

	factor   *dense.Factor[T] // memory of the factor of B
	factored *dense.Factored  // what is known of this B. nil if there is no factor
	one      float64          // B, if its order is 1
}

// NewPlan prepares for pairs of order n ≥ 0 on the device. It compiles kernels, which may take
// seconds the first time, and allocates device memory. Plan.Bytes returns the size of this memory:
// about that of an evd.Plan and n² numbers for the factor of B, and with Options.Verify or
// Options.Refine n² numbers for B, and perhaps some n² more for a refinement.
//
// The errors are those of evd.NewPlan.
func NewPlan[T evd.Number](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	if err := checkOrder(n); err != nil {
		return nil, err
	}
	if err := opt.check(n); err != nil {
		return nil, err
	}
	auto := opt.Products == evd.ProductsAuto && opt.config().MayEmulate(n)
	return emulation.OrNative(auto, func(native bool) (*Plan[T], error) {
		if native {
			opt.Products = evd.ProductsNative
		}
		return newPlan[T](dev, n, opt)
	})
}

func newPlan[T evd.Number](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	if opt.Tuning != nil {
		t := *opt.Tuning
		opt.Tuning = &t
	}
	p := &Plan[T]{opt: opt, base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}}
	t, err := dense.Sizes[T](dev, n, opt.config())
	if err != nil {
		return nil, err
	}
	if n <= 1 {
		return p, p.base.Allocate()
	}
	if opt.Overlap.Canonical {
		if p.canonical, err = newCanonical(p); err != nil {
			return nil, err
		}
		p.base.Layout = p.canonical.space.Now.Layout()
		if err = p.base.Allocate(); err != nil {
			p.Close()
		}
		return p, err
	}
	p.factor = dense.NewFactor[T](n, t, opt.Verify || opt.Refine)
	err = dev.Compile(func() (err error) {
		if p.stages.Now, err = dense.NewOfPair(dev, n, opt.config(), p.factor); err == nil && opt.Verify {
			p.safe, err = dense.NewOfPair(dev, n, opt.config().Safely(n), p.factor)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.base.Layout = p.layout()
	return p, p.base.Allocate()
}

// layout is the layout of the memory. The stages of both paths never run at the same time.
func (p *Plan[T]) layout() *vk.Layout {
	in := p.stages.Now.Layout()
	if p.safe != nil {
		in = vk.InTurn(in, p.safe.Layout())
	}
	return vk.Together(p.factor.Layout(), in)
}

// avoid replaces the plan's stages, for this solve and all later ones, after the call c has failed:
// by stages with native products if emulated products refused a matrix, and otherwise by stages
// without the waits that failed. The factor of B is moved to the new memory. The caller must have
// the plan's lock.
func (p *Plan[T]) avoid(c *plan.Call) error {
	cfg := p.stages.Now.Config.Avoiding(c)
	next, err := plan.Compiled(p.base.Dev, func() (*dense.Stages[T], error) {
		return dense.NewOfPair(p.base.Dev, p.base.N, cfg, p.factor)
	})
	if err != nil {
		return err
	}
	restore, err := p.saved(c)
	if err != nil {
		return err
	}
	p.stages.Take(next)
	if err := p.base.Replace(p.layout()); err != nil {
		return err
	}
	return restore(p.base.Begin(c.Ctx, nil))
}

// saved copies the factor of B to the host, if there is one. The returned function copies it to the
// memory of another call. Until then the plan has no factor.
func (p *Plan[T]) saved(c *plan.Call) (restore func(*plan.Call) error, err error) {
	known := p.factored
	if p.factored = nil; known == nil {
		return func(*plan.Call) error { return nil }, nil
	}
	var parts [][]T
	for _, s := range p.factor.Parts(c.Arena) {
		parts = append(parts, make([]T, s.Len()))
		if err := vk.Download(c.Ctx, c.Dev, column(parts[len(parts)-1]), s); err != nil {
			return nil, err
		}
	}
	return func(to *plan.Call) error {
		for i, s := range p.factor.Parts(to.Arena) {
			if err := vk.Upload(to.Ctx, to.Dev, s, column(parts[i])); err != nil {
				return err
			}
		}
		p.factored = known
		return nil
	}, nil
}

// column returns all elements of v as a matrix with one column.
func column[T evd.Number](v []T) vk.Columns[T] {
	return vk.Columns[T]{Rows: len(v), Cols: 1, Ld: len(v), Data: v}
}

// Costs returns a forecast of the number of floating-point operations of each phase of SolvePair,
// in the order of the phases: with one step if Options.Refine is set, and without one otherwise.
// For the orders 0 and 1 it returns nil.
func (p *Plan[T]) Costs() []evd.StageCost { return append(p.FactorCosts(), p.SolveCosts()...) }

// FactorCosts is the part of Costs that Factor does.
func (p *Plan[T]) FactorCosts() []evd.StageCost {
	if p.canonical != nil {
		return p.canonical.costsOf(stepOfB, stepToC)
	}
	if s := p.stages.Current(); s != nil {
		return []evd.StageCost{s.CholeskyCost()}
	}
	return nil
}

// SolveCosts is the part of Costs that Solve does: what each further A with the same B costs.
func (p *Plan[T]) SolveCosts() []evd.StageCost {
	if p.canonical != nil {
		return p.canonical.costsOf(stepToC, allSteps)
	}
	s := p.stages.Current()
	if s == nil {
		return nil
	}
	costs := s.Costs()
	if p.opt.measures() {
		costs = append(costs, s.PairCheckCost())
	}
	if p.opt.Refine {
		costs = append(costs, s.RefinementCost())
	}
	return costs
}

// Emulated reports whether the plan computes large matrix products by integer units: all of them,
// or only those with the factor of B, which gain from a smaller order on. See evd.Plan.Emulated.
func (p *Plan[T]) Emulated() bool {
	if p.canonical != nil {
		return p.canonical.emulated()
	}
	s := p.stages.Current()
	return s != nil && len(s.Products.Emulated)+len(s.Products.PairEmulated) > 0
}

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *Plan[T]) Bytes() uint64 {
	if p.canonical != nil {
		return p.base.Bytes() + p.canonical.bytes()
	}
	return p.base.Bytes()
}

// Memory lists the regions of the plan's memory. Regions that are never in use at the same time may
// share bytes.
func (p *Plan[T]) Memory() []vk.Placed {
	if p.canonical != nil {
		return append(p.base.Memory(), p.canonical.memory(p.base.Bytes())...)
	}
	return p.base.Memory()
}

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid. A
// second call does nothing.
func (p *Plan[T]) Close() {
	p.base.Close()
	if p.canonical != nil {
		p.canonical.close()
	}
}
