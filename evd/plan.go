package evd

import (
	"sync"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of one order with one set of options need: pipelines, stages,
// memory. Goroutines that share a plan wait for each other, because it solves for one matrix at a
// time. Several plans may share a device, whose memory they divide.
//
// The caller closes the plan before the device.
type Plan[T Float] struct {
	base spectrum.Base
	opt  Options

	// path solves. For order 0 it has only sizes. A call that has the plan's lock may replace path.
	// Methods without the lock must call current.
	path *path[T]

	// replacing is the lock that guards the member path, for the method current.
	replacing sync.Mutex

	// safe is the path that solves again, in the same memory. It is nil without Options.Verify.
	safe *path[T]
}

// NewPlan prepares for matrices of order n ≥ 0 on the device. It compiles kernels, which may take
// seconds the first time, and allocates Bytes of device memory.
//
// The error is a *ShapeError for an order that no matrix can have, an *OptionError for the first
// option that is not possible, a *vk.UnsupportedError if the device lacks something, a
// *vk.OutOfMemoryError, or vk.ErrClosed for a closed device.
//
// On a vk.Dry device the plan is a forecast: Bytes, Memory and Costs work, Solve does not.
func NewPlan[T Float](dev *vk.Device, n int, opt Options) (*Plan[T], error) {
	if err := checkOrder(n, maxOrder, false); err != nil {
		return nil, err
	}
	if err := opt.check(n); err != nil {
		return nil, err
	}
	p := &Plan[T]{base: spectrum.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt}
	if n == 0 {
		var err error
		p.path = &path[T]{opt: opt}
		p.path.tune, err = opt.sizes(dev, n)
		return p, err
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare makes the plan's one or two paths. They share memory, because they never run at the same
// time.
func (p *Plan[T]) prepare() (err error) {
	dev, n := p.base.Dev, p.base.N
	if p.path, err = newPath[T](dev, n, p.opt); err != nil {
		return err
	}
	p.base.Layout = p.path.layout
	if !p.opt.Verify {
		return nil
	}
	if p.safe, err = newPath[T](dev, n, p.opt.safely(n)); err != nil {
		return err
	}
	p.base.Layout = vk.InTurn(p.path.layout, p.safe.layout)
	return nil
}

// Band is the half-bandwidth b of the first stage: Options.Band, or the tuning's value for this
// order. It is 1 if the matrix is reduced to tridiagonal form in one stage.
func (p *Plan[T]) Band() int { return p.current().tune.Band }

// current returns the plan's path, for callers without the plan's lock.
func (p *Plan[T]) current() *path[T] {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	return p.path
}

// Bytes is the device memory that the plan has allocated.
func (p *Plan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory. Regions share bytes if they are never in
// use at the same time.
func (p *Plan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. Methods of a closed plan that need the device return ErrClosed. A
// second call does nothing.
func (p *Plan[T]) Close() { p.base.Close() }

// accepts returns a *ShapeError if a does not fit the plan, and ErrClosed if the plan is closed.
func (p *Plan[T]) accepts(a Sym[T]) error {
	if err := a.Check(); err != nil {
		return err
	}
	if a.N != p.base.N {
		return &ShapeError{N: a.N, Ld: a.Ld, Len: len(a.Data), Plan: p.base.N}
	}
	return p.base.Open()
}
