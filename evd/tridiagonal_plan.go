package evd

import (
	"context"

	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TridiagonalPlan computes the spectrum of tridiagonal matrices T of one order, with one set of
// options:
//
//	T = S·Λ·Sᵀ
//
// The memory grows with n² only with Options.Vectors, or if the solver needs such memory.
// Goroutines that share a plan wait for each other. The caller closes the plan before the device.
type TridiagonalPlan[T Float] struct {
	base plan.Base
	opt  Options

	// tune has the sizes of the stages. They are adapted to the device's speed, so that no dispatch
	// takes long.
	tune tuning.Tuning

	doubles  dense.Doubles[T]
	spectrum *spectrum.Stage
	orient   *dense.Orientation[T]
	sums     columnSums[T]

	// z is the device memory of the vectors, one per column.
	z vk.Region[T]
}

// NewTridiagonalPlan prepares for tridiagonal matrices of order n. The errors are those of NewPlan.
// On a vk.Dry device the plan is a forecast, as NewPlan describes. Options that are only for dense
// matrices give an *OptionError: Band, Block, NoWaits, Products, Moduli, Verify, Overwrite,
// Devices, Shares and Distribute.
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
	p := &TridiagonalPlan[T]{base: plan.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt}
	tune, err := dense.Sizes[float64](dev, n, opt.config())
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

// rateOf returns the device's measured rate of FP64 arithmetic, or of FP32 if it has no FP64, in
// operations per second. It returns 0 if the rate is not known. Tests replace this function.
var rateOf = func(dev *vk.Device) (float64, error) {
	return machine.Of(dev).Rate(context.Background()) // measured once for each device, and stored
}

// prepare makes the stages and lays out their memory. The vectors share memory with the solver's
// workspace, because the workspace is not needed any more when the vectors are stored.
func (p *TridiagonalPlan[T]) prepare(t tuning.Tuning) (err error) {
	dev, n, cfg := p.base.Dev, p.base.N, p.opt.config()
	m := cfg.Capacity(n)
	rate, err := rateOf(dev)
	if err != nil {
		return err
	}
	t = t.Bounded(rate)
	p.tune = t
	if p.doubles, err = dense.NewDoubles[T](dev, n, cfg.MostVectors(n)); err != nil {
		return err
	}
	var ops product.Ops[float64]
	if !p.doubles.OnHost() {
		if ops, err = product.New[float64](dev, t.Products); err != nil {
			return err
		}
	}
	if p.spectrum, err = p.doubles.Stage(dev, n, cfg.Options, true, ops, t); err != nil {
		return err
	}
	if !p.opt.Vectors {
		p.base.Layout = vk.Together(append(p.spectrum.Always(), workOf(ops), p.spectrum.Work())...)
		return nil
	}
	if p.orient, err = dense.NewOrientation[T](dev, p.opt.RowMajor); err != nil {
		return err
	}
	if p.sums = (sumsOnHost[T]{}); !p.doubles.OnHost() {
		if p.sums, err = newSumsOnDevice(dev, n, m, ops, p.doubles.Widen); err != nil {
			return err
		}
	}
	p.z = vk.Reserve[T]("vectors", n*m)
	p.base.Layout = vk.Together(append(p.spectrum.Always(), workOf(ops), p.sums.always(),
		vk.InTurn(p.spectrum.Work(), vk.Together(p.doubles.Rows(), p.z, p.sums.work())))...)
	return nil
}

// workOf returns the workspace of products, which may be nil.
func workOf(ops product.Ops[float64]) *vk.Layout {
	if ops == nil {
		return vk.Together()
	}
	return ops.Work()
}

// Costs returns a forecast of the number of floating-point operations. The forecast has one phase.
// Costs returns nil for order 0.
func (p *TridiagonalPlan[T]) Costs() []StageCost {
	if p.base.N == 0 {
		return nil
	}
	return []StageCost{p.spectrum.Cost()}
}

// Bytes returns the size in bytes of the device memory that the plan has allocated.
func (p *TridiagonalPlan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory. Regions that are never in use at the same
// time may share bytes.
func (p *TridiagonalPlan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Results stay valid,
// because they are on the host. Other methods of a closed plan return ErrClosed, if they need the
// device. A second call of Close does nothing.
func (p *TridiagonalPlan[T]) Close() { p.base.Close() }

// accepts returns a *ShapeError if t does not fit the plan, and ErrClosed if the plan is closed.
func (p *TridiagonalPlan[T]) accepts(t Tridiagonal[T]) error {
	if err := t.Validate(); err != nil {
		return err
	}
	if t.N() != p.base.N {
		return &ShapeError{N: t.N(), Len: len(t.E), Tridiagonal: true, Plan: p.base.N}
	}
	return p.base.Open()
}

// upload copies the tridiagonal matrix t to the device, and returns when the copy is complete.
func (p *TridiagonalPlan[T]) upload(c *plan.Call, t spectrum.Tridiagonal) error {
	return c.Run(func(rec *vk.Recorder) { p.spectrum.Send(rec, c.Arena, t) })
}
