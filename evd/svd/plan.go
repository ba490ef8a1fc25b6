package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of matrices of one shape need: pipelines, stages and memory.
// NewPlan prepares all of them once. A plan solves one matrix at a time, and goroutines that share
// it wait for each other. The caller closes the plan before the device.
type Plan[T evd.Number] struct {
	problem[T]

	emulates choice

	// safe holds the stages for a second solve, by slower and simpler methods, if a result does not
	// pass its certificate. It uses the same memory as the field `path`. It is nil without
	// Options.Verify.
	safe *path[T]

	// single computes all results of this plan if T is float64 and Options.Storage has fewer
	// digits. Then the stages and the memory are those of `single`. Otherwise `single` is nil.
	single *Plan[float32]
}

// problem is the common part of Plan and BidiagonalPlan.
type problem[T evd.Number] struct {
	replaceable[*path[T]]
	m, n int // rows and columns of the caller's matrices

	// asked are the options of the caller. `opt` are those of the solve: with Options.Verify they
	// may have more vectors.
	asked, opt Options
	shape
}

// begin sets what does not depend on the stages.
func (p *problem[T]) begin(dev *vk.Device, m, n int, asked, opt Options) {
	p.m, p.n, p.asked, p.opt = m, n, asked, opt
	p.base = &plan.Base{Dev: dev, N: min(m, n), Layout: vk.Together()}
}

// NewPlan prepares for m×n matrices on the device. It compiles kernels, which may take seconds when
// a driver compiles them for the first time, and allocates device memory. Plan.Bytes returns the
// size of this memory:
//
//	about 9·m·n bytes     for the values, if m = n; half of it for float32
//	about 17·m·n bytes    for the values, if m ≠ n, because A may have to be transposed; half of it
//	                      for float32
//	about 38·n² bytes     for an n×n matrix with all vectors, if n is large; 40·n² bytes with
//	                      emulated products, and 33·n² bytes for float32
//
// A plan for complex128 or complex64 needs twice the memory of one for float64 or float32 for the
// values, and with all vectors about 83·n² or 50·n² bytes: the vectors of the bidiagonal matrix
// have memory of their own, because they are real.
//
// Options.Storage with fewer digits needs the memory of a plan for float32. Options.Verify needs no
// more memory, except for a second side of vectors. The workspace of panels adds up to about 100
// MB, which matters if n is small. An NVIDIA device then needs up to about 81·n² bytes for all
// vectors with n = 1024, and 43·n² bytes with n = 4096. If m or n is 0, NewPlan allocates memory
// only for the identity matrix that Full asks for.
//
// The error is an *evd.ShapeError for a shape that no matrix can have, an *evd.OptionError for the
// first option that is not possible, a *vk.UnsupportedError if the device lacks a feature, a
// *vk.OutOfMemoryError, or vk.ErrClosed for a closed device. On a vk.Dry device the plan is a
// forecast: Bytes, Memory and Costs work, and Solve does not.
func NewPlan[T evd.Number](dev *vk.Device, m, n int, opt Options) (*Plan[T], error) {
	if err := checkSizes(m, n); err != nil {
		return nil, err
	}
	if err := opt.check(min(m, n)); err != nil {
		return nil, err
	}
	auto := opt.Products == evd.ProductsAuto && mayEmulate[T](opt, min(m, n))
	return emulation.OrNative(auto, func(native bool) (*Plan[T], error) {
		if native {
			opt.Products = evd.ProductsNative
		}
		return newPlan[T](dev, m, n, opt)
	})
}

// newPlan makes a plan. The sizes and the options must have been checked. Emulated products that do
// not fit into the device's memory are an error.
func newPlan[T evd.Number](dev *vk.Device, m, n int, opt Options) (*Plan[T], error) {
	if err := checkStorage[T](opt, dev.Info()); err != nil {
		return nil, err
	}
	p := &Plan[T]{}
	p.begin(dev, m, n, opt, opt.computed())
	opt = p.opt
	var err error
	if precision.IsDouble[T]() && fewerDigits[T](opt) {
		if err := p.prepareInSingle(dev); err != nil {
			return nil, err
		}
		return p, nil
	}
	if err := needsDoubles[T](dev); err != nil {
		return nil, err
	}
	if p.emulates, err = chooses[T](dev, p.base.N, opt.U != None || opt.V != None, opt); err != nil {
		return nil, err
	}
	if p.tune, err = sizes[T](p.opt, dev.Info(), p.base.N, p.emulates.reduction); err != nil {
		return nil, err
	}
	if p.shape = newShape(m, n, opt, p.tune); p.cols == 0 {
		return p.withoutEntries()
	}
	p.newPath = func(t tuning.Tuning) (*path[T], error) { return newPath[T](dev, p.shape, p.emulates, p.opt, t) }
	if opt.Verify {
		if err := p.prepareSafe(); err != nil {
			return nil, err
		}
	}
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p, nil
}

// avoid makes new stages for the plan after the call c has failed, for this solve and all later
// ones: with native products if emulated products refused the matrix, and otherwise without the
// waits that failed. The caller must hold the plan's lock.
func (p *Plan[T]) avoid(c *plan.Call) error {
	if c.GaveUp().Cause != stages.CauseRefused {
		return p.avoidWaiting(c)
	}
	wanted := p.emulates
	p.emulates = choice{}
	err := p.replace(p.tune)
	if err != nil {
		p.emulates = wanted // the plan has no new stages, or no memory for them
	}
	return err
}

// withoutEntries finishes the plan for matrices with m = 0 or n = 0. With Full it allocates device
// memory for an identity matrix of m² or n² elements, U = I or V = I. If there is too little,
// withoutEntries returns an error, as NewPlan does.
func (p *Plan[T]) withoutEntries() (*Plan[T], error) {
	identity := 0
	if p.opt.U == Full {
		identity = p.m * p.m
	}
	if p.opt.V == Full {
		identity = max(identity, p.n*p.n)
	}
	if identity == 0 {
		return p, nil
	}
	p.base.Layout = vk.Together(vk.Reserve[T]("identity", identity))
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// Band returns the number of superdiagonals of the band to which the plan first reduces a matrix.
func (p *Plan[T]) Band() int { return p.tune.Band }

// Block returns the block size of the plan's reduction to a band: the number of columns that are
// reduced between two updates of the whole trailing matrix.
func (p *Plan[T]) Block() int { return p.tune.Block }

// Costs returns a forecast of the operations of each phase, in the order of the solve, or nil for
// matrices without entries.
func (p *Plan[T]) Costs() []evd.StageCost {
	if p.single != nil {
		return p.single.Costs()
	}
	return p.problem.Costs()
}

// Costs returns a forecast of the number of floating-point operations of each phase, in the order
// of the solve. Costs returns nil for matrices without entries.
func (p *problem[T]) Costs() []evd.StageCost {
	if p.cols == 0 {
		return nil
	}
	return p.path.Current().costs(p.shape, p.opt.U != None && p.opt.V != None)
}
