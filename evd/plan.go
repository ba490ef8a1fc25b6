package evd

import (
	"errors"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of one order with one set of options need: pipelines, stages
// and memory. A plan solves one matrix at a time, and goroutines that share it wait for each other.
// Several plans may use one device and share its memory.
//
// The caller closes the plan before the device.
type Plan[T Float] struct {
	base plan.Base
	opt  Options

	// path holds the stages of a solve and their memory. For order 0 it has sizes, but no stages.
	path plan.Replaceable[*path[T]]

	// others are the further devices of Options.Devices, in their order; the list is empty if no
	// vectors are wanted and the matrix is not distributed. `split` says which part of the vectors
	// and of a distributed matrix each device has, the first device included.
	others []*other
	split  shares

	// exchange is the memory of the host through which the devices exchange numbers if the matrix
	// is distributed. Otherwise it is nil.
	exchange *vk.Exchange

	// safe holds the stages for a second solve, by slower and simpler methods, if a result does not
	// pass its certificate. It uses the same memory as the field `path`. It is nil without
	// Options.Verify.
	safe *path[T]
}

// NewPlan prepares for matrices of order n ≥ 0 on the device. It compiles kernels, which may take
// seconds the first time, and allocates device memory. Plan.Bytes returns the size of this memory.
//
// The error is a *ShapeError for an order that no matrix can have, an *OptionError for the first
// option that is not possible, a *vk.UnsupportedError if the device lacks a feature, a
// *vk.OutOfMemoryError, or vk.ErrClosed for a closed device. A plan for float64 needs a device that
// computes in double precision. For a plan for float32 the host solves the tridiagonal problem if
// the device does not (vk.Info.Float64).
//
// If Options.Devices has further devices, NewPlan sets Options.Distribute where that was measured
// to be faster, or where the memory of a device is too small otherwise. Plan.Distributed says so.
//
// On a vk.Dry device the plan is a forecast: Bytes, Memory and Costs work, and Solve does not.
func NewPlan[T Float](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	if err := checkOrder(n, maxOrder, false); err != nil {
		return nil, err
	}
	if err := errors.Join(opt.check(n), plan.CheckDevices(dev, opt.Devices)); err != nil {
		return nil, err
	}
	makePlan := func(opt Options) (*Plan[T], error) {
		return withFittingProducts(n, opt, func(opt Options) (*Plan[T], error) { return newPlan[T](dev, n, opt) })
	}
	if opt.Distribute || len(opt.Devices) == 0 {
		return makePlan(opt)
	}
	whole, divided := opt, opt
	divided.Distribute = true
	if spectrum.UlpOf[T]() == spectrum.Ulp && opt.dividesFaster(dev, n) {
		p, err := makePlan(divided)
		if !errors.As(err, new(*vk.OutOfMemoryError)) && !errors.As(err, new(*vk.UnsupportedError)) {
			return p, err
		}
		return makePlan(whole)
	}
	p, err := makePlan(whole)
	if !errors.As(err, new(*vk.OutOfMemoryError)) {
		return p, err
	}
	p, failed := makePlan(divided)
	if errors.As(failed, new(*vk.UnsupportedError)) {
		return nil, err // the matrix cannot be divided
	}
	return p, failed
}

// dividesFaster tells whether a plan with several devices is faster if they divide the matrix. That
// was measured only for equal parts on devices of one name, and for divide and conquer.
func (opt Options) dividesFaster(dev *vk.Device, n int) bool {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	others := func(d *vk.Device) bool { return d.Info().Name != dev.Info().Name }
	conquers := !opt.Vectors || opt.Solver == Auto || opt.Solver == DivideConquer
	return t.Divided.Divides(n, opt.vectors(n)) && conquers && len(opt.Shares) == 0 && !slices.ContainsFunc(opt.Devices, others)
}

// Distributed reports whether the plan divides the matrix among its devices: with
// Options.Distribute, because it is faster, or because the matrix does not fit the memory of one of
// them. Matrices of the orders 0 and 1 are not divided.
func (p *Plan[T]) Distributed() bool { return p.opt.Distribute }

// newPlan makes a plan with options that are possible. If it uses emulated products that do not fit
// into the device's memory, it returns an error.
func newPlan[T Float](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	opt.Distribute = opt.Distribute && n > 1 // smaller orders are solved on the host
	p := &Plan[T]{base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt}
	if n == 0 {
		var err error
		p.path.Now = &path[T]{opt: opt}
		p.path.Now.tune, err = sizes[T](dev, n, opt)
		return p, err
	}
	if err := p.addDevices(opt); err != nil {
		return nil, err
	}
	if err := p.onFirst(dev.Compile(p.prepare)); err != nil {
		return nil, err
	}
	if err := p.allocate(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// prepare makes the plan's stages. With Options.Verify it also makes the stages of a second solve,
// by slower and simpler methods. Both share memory, because they never run at the same time.
func (p *Plan[T]) prepare() (err error) {
	if p.path.Now, err = p.newPath(p.opt); err != nil {
		return err
	}
	if p.opt.Verify {
		if p.safe, err = p.newPath(p.opt.safely(p.base.N)); err != nil {
			return err
		}
	}
	first, others := p.layouts(p.path.Now)
	p.base.Layout = first
	for k, o := range p.others {
		o.base.Layout = others[k]
	}
	return nil
}

// Band returns the half-bandwidth b of the first stage: Options.Band, or the tuning's value for
// this order. It returns 1 if the matrix is reduced to tridiagonal form in one stage.
func (p *Plan[T]) Band() int { return p.path.Current().tune.Band }

// Block returns the rank k of the updates of the trailing matrix in the first stage: Options.Block,
// or the tuning's value for this order. It returns 1 if the matrix is reduced in one stage.
func (p *Plan[T]) Block() int { return p.path.Current().tune.Block }

// Bytes returns the size in bytes of the device memory that the plan has allocated on
// its first device.
func (p *Plan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's memory on its first device. Regions that are never in use
// at the same time may share bytes.
func (p *Plan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. Other methods of a closed plan return ErrClosed, if they need the
// device. A second call of Close does nothing.
func (p *Plan[T]) Close() {
	p.base.Close()
	if p.exchange != nil {
		p.exchange.Close()
	}
	for _, o := range p.others {
		o.close()
	}
}

// accepts returns a *ShapeError if `a` does not fit the plan, and ErrClosed if the plan is closed.
func (p *Plan[T]) accepts(a Sym[T]) error {
	if err := a.Validate(); err != nil {
		return err
	}
	if a.N != p.base.N {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data), Plan: p.base.N}
	}
	return p.open()
}
