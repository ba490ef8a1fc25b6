package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TridiagonalPlan is Plan for matrices that are tridiagonal to begin with,
//
//	T = S·Λ·Sᵀ
//
// of one order and one set of options. It allocates memory of order n² only for Options.Vectors, or
// if the solver needs it. Goroutines that share a plan wait for each other. The caller closes the
// plan, before the device.
type TridiagonalPlan[T Float] struct {
	base spectrum.Base
	opt  Options

	// tune has the sizes, bounded so that no dispatch takes long on this device.
	tune tuning.Tuning

	doubles   doubles[T]
	ops       product.Ops[float64]
	spectrum  *spectrum.Stage
	orient    *orientation[T]
	residuals *stages.TridiagonalResidual

	// z is the memory of the vectors, one per column.
	z vk.Region[T]

	// residual and orthogonality are the memory for column sums of a check.
	residual, orthogonality vk.Region[float64]
}

// NewTridiagonalPlan prepares for matrices of order n on the device. Errors, and plans on a vk.Dry
// device, are those of NewPlan. The options about dense matrices give an *OptionError: Band, Block,
// Wavefront, Verify, Overwrite.
func NewTridiagonalPlan[T Float](dev *vk.Device, n int, opt Options) (*TridiagonalPlan[T], error) {
	most := maxRows
	if opt.Vectors {
		most = maxOrder
	}
	if err := checkOrder(n, most, true); err != nil {
		return nil, err
	}
	if err := opt.checkTridiagonal(n); err != nil {
		return nil, err
	}
	p := &TridiagonalPlan[T]{base: spectrum.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt}
	tune, err := opt.sizes(dev, n)
	if err != nil || n == 0 {
		return p, err
	}
	if err := dev.Compile(func() error { return p.prepare(tune) }); err != nil {
		return nil, err
	}
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// rateOf returns the device's rate of FP64 arithmetic, in flops per second, or 0 if it is not
// known. Tests replace this function.
var rateOf = func(dev *vk.Device) (float64, error) {
	return machine.Of(dev).Float64Rate(context.Background()) // found once for each device and kept
}

// prepare makes the stages and lays out their memory. The vectors are stored on the same bytes as
// the solver's workspace, which is no longer needed then.
func (p *TridiagonalPlan[T]) prepare(t tuning.Tuning) (err error) {
	dev, n, m := p.base.Dev, p.base.N, p.opt.capacity(p.base.N)
	rate, err := rateOf(dev)
	if err != nil {
		return err
	}
	t = t.Bounded(rate)
	p.tune = t
	if p.doubles, err = doublesOf[T](); err != nil {
		return err
	}
	if p.ops, err = product.New[float64](dev, t.Products); err != nil {
		return err
	}
	if p.spectrum, err = spectrum.New(dev, n, p.opt.spectrum(), true, p.ops, t); err != nil {
		return err
	}
	if !p.opt.Vectors {
		p.base.Layout = vk.Together(append(p.spectrum.Always(), p.ops.Work(), p.spectrum.Work())...)
		return nil
	}
	var b builder
	p.orient, err = newOrientation[T](dev, p.opt)
	b.keep(err)
	p.residuals, err = stages.NewTridiagonalResidual(dev, n, m, p.ops)
	b.keep(err)
	if b.err != nil {
		return b.err
	}
	p.z = vk.Reserve[T]("vectors", n*m)
	p.residual, p.orthogonality = vk.Reserve[float64]("residual sums", m), vk.Reserve[float64]("orthogonality sums", m)
	p.base.Layout = vk.Together(append(p.spectrum.Always(), p.ops.Work(), p.residual, p.orthogonality,
		vk.InTurn(p.spectrum.Work(), vk.Together(p.z, p.residuals.Work())))...)
	return nil
}

// Costs is the forecast of floating-point operations. It has one line, and is nil for order 0.
func (p *TridiagonalPlan[T]) Costs() []StageCost {
	if p.base.N == 0 {
		return nil
	}
	return []StageCost{p.spectrum.Cost()}
}

// Bytes is the device memory that the plan has allocated.
func (p *TridiagonalPlan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory. Regions share bytes if they are never in
// use at the same time.
func (p *TridiagonalPlan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. Methods of a closed plan that need the device return ErrClosed. A
// second call does nothing.
func (p *TridiagonalPlan[T]) Close() { p.base.Close() }

// accepts returns a *ShapeError if t does not fit the plan, and ErrClosed if the plan is closed.
func (p *TridiagonalPlan[T]) accepts(t Tridiagonal[T]) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.N() != p.base.N {
		return &ShapeError{N: t.N(), Len: len(t.E), Tridiagonal: true, Plan: p.base.N}
	}
	return p.base.Open()
}

// upload copies T to the device, and waits until it is there.
func (p *TridiagonalPlan[T]) upload(c *spectrum.Call, t spectrum.Tridiagonal) error {
	return c.Run(func(rec *vk.Recorder) { p.spectrum.Send(rec, c.Arena, t) })
}
