package evd

import (
	"errors"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/internal/team"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of one order with one set of options need: pipelines, stages
// and memory. A plan solves one matrix at a time, and goroutines that share it wait for each other.
// Several plans may use one device and share its memory.
//
// The caller closes the plan before the device.
type Plan[T Number] struct {
	opt Options

	// team has the devices and their memory. There are several devices only with Options.Devices.
	team team.Team

	// stages are the stages of a solve. For order 0 they have sizes only.
	stages plan.Replaceable[team.Stages[T]]

	// safe holds the stages for a second solve, by slower and simpler methods, if a result does not
	// pass its certificate. It uses the same memory as the field `stages`. It is nil without
	// Options.Verify.
	safe team.Stages[T]
}

// NewPlan prepares for matrices of order n ≥ 0 on the device. It compiles kernels, which may take
// seconds the first time, and allocates device memory. Plan.Bytes returns the size of this memory.
//
// The error is a *ShapeError for an order that no matrix can have, an *OptionError for the first
// option that is not possible, a *vk.UnsupportedError if the device lacks a feature, a
// *vk.OutOfMemoryError, or vk.ErrClosed for a closed device. A plan for float64 or complex128 needs
// a device that computes in double precision. For a plan for float32 or complex64 the host solves
// the tridiagonal problem if the device does not (vk.Info.Float64).
//
// If Options.Devices has further devices, NewPlan sets Options.Distribute where that was measured
// to be faster, or where the memory of a device is too small otherwise. Plan.Distributed reports
// the choice.
//
// On a vk.Dry device the plan is a forecast: Bytes, Memory and Costs work, and Solve does not.
func NewPlan[T Number](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
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
	if precision.IsDouble[T]() && !precision.IsComplex[T]() && opt.dividesFaster(dev, n) {
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

// dividesFaster tells whether a plan for float64 with several devices is faster if they divide the
// matrix. That was measured only for equal parts on devices of one name, and for divide and
// conquer.
func (opt Options) dividesFaster(dev *vk.Device, n int) bool {
	c := opt.config()
	others := func(d *vk.Device) bool { return d.Info().Name != dev.Info().Name }
	conquers := !opt.Vectors || opt.Solver == Auto || opt.Solver == DivideConquer
	return c.Table(dev).Divided.Divides(n, c.MostVectors(n)) && conquers && len(opt.Shares) == 0 && !slices.ContainsFunc(opt.Devices, others)
}

// Distributed reports whether the plan divides the matrix among its devices: with
// Options.Distribute, because this is faster, or because the matrix does not fit the memory of one
// of them. Matrices of the orders 0 and 1 are not divided.
func (p *Plan[T]) Distributed() bool { return p.opt.Distribute }

// newPlan makes a plan. The options must have been checked. If the plan uses emulated products that
// do not fit into the device's memory, newPlan returns an error.
func newPlan[T Number](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	opt.Distribute = opt.Distribute && n > 1 // smaller orders are solved on the host
	opt.Tuning = copied(opt.Tuning)
	p := &Plan[T]{opt: opt, team: team.Team{Base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}}}
	if n == 0 {
		var err error
		p.stages.Now, err = team.Unsolved[T](dev, opt.config())
		return p, err
	}
	if n > 1 && (opt.Vectors || opt.Distribute) && len(opt.Devices) > 0 {
		if err := p.team.Join(opt.Devices, opt.Shares); err != nil {
			return nil, err
		}
	}
	if err := p.team.OnFirst(dev.Compile(p.prepare)); err != nil {
		return nil, err
	}
	if err := p.team.Allocate(p.memory()...); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// prepare makes the plan's stages. With Options.Verify it also makes the stages of a second solve,
// by slower and simpler methods. Both share memory, because they never run at the same time.
func (p *Plan[T]) prepare() (err error) {
	if p.stages.Now, err = team.New[T](&p.team, p.opt.config()); err == nil && p.opt.Verify {
		p.safe, err = team.New[T](&p.team, p.opt.config().Safely(p.team.N))
	}
	return err
}

// memory lists the stages that share the plan's memory.
func (p *Plan[T]) memory() []team.Memory {
	if p.safe == nil {
		return []team.Memory{p.stages.Now}
	}
	return []team.Memory{p.stages.Now, p.safe}
}

// lead has the stages of the first device for the tridiagonal problem.
func (p *Plan[T]) lead() *dense.Lead[T] { return p.stages.Current().Leader() }

// Band returns the half-bandwidth b of the first stage: Options.Band, or the tuning's value for
// this order. It returns 1 if the matrix is reduced to tridiagonal form in one stage.
func (p *Plan[T]) Band() int { return p.lead().Tune.Band }

// Block returns the rank k of the updates of the trailing matrix in the first stage: Options.Block,
// or the tuning's value for this order. It returns 1 if the matrix is reduced in one stage.
func (p *Plan[T]) Block() int { return p.lead().Tune.Block }

// Costs returns a forecast of the number of floating-point operations of each phase of a solve, in
// the order of the phases. Phases with few operations, such as conversions, transposes and checks,
// are left out. Costs returns nil for order 0.
func (p *Plan[T]) Costs() []StageCost { return p.stages.Current().Costs() }

// Bytes returns the size in bytes of the device memory that the plan has allocated on its first
// device.
func (p *Plan[T]) Bytes() uint64 { return p.team.Bytes() }

// Memory lists the regions of the plan's memory on its first device. Regions that are never in use
// at the same time may share bytes.
func (p *Plan[T]) Memory() []vk.Placed { return p.team.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. Other methods of a closed plan return ErrClosed, if they need the
// device. A second call of Close does nothing.
func (p *Plan[T]) Close() { p.team.Close() }

// DeviceShare describes what one device contributes to a plan: its part of the vectors and its
// memory.
type DeviceShare struct {
	// Device is the device.
	Device *vk.Device

	// Part is the part of the vectors that the device computes. It is a fraction between 0 and 1.
	// With Options.Distribute it is also the device's part of the matrix, up to a block of columns.
	Part float64

	// Bytes is the size of the memory that the plan has allocated on the device, in bytes. Memory
	// lists the regions of this memory.
	Bytes  uint64
	Memory []vk.Placed
}

// Devices lists the devices that the plan uses: first the device of NewPlan, then those of
// Options.Devices. For the orders 0 and 1, and if the plan neither computes vectors nor divides the
// matrix, it uses only the first device.
func (p *Plan[T]) Devices() []DeviceShare {
	all := []DeviceShare{{p.team.Dev, p.team.Share(0), p.Bytes(), p.Memory()}}
	for k, o := range p.team.Others {
		all = append(all, DeviceShare{o.Dev, p.team.Share(k + 1), o.Bytes(), o.Memory()})
	}
	return all
}

// accepts returns a *ShapeError if `a` does not fit the plan, and ErrClosed if the plan is closed.
func (p *Plan[T]) accepts(a Sym[T]) error {
	if err := a.fits(p.team.N); err != nil {
		return err
	}
	return p.team.Open()
}
