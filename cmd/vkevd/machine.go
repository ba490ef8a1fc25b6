package main

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/accuracy"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// A machine is the part of Vulkan and of the library that the commands use. Tests replace it by a
// fake machine that needs neither Vulkan nor a device.
type machine interface {
	list() ([]vk.Info, error)
	// preload loads the drivers, so that `open` takes less time. Commands call it in a goroutine
	// while they read a file.
	preload()
	open(vk.Options) (device, error)
	// forecast makes a plan for a device that need not be present. The result `unfit` is the error
	// that the device would return because it has too little memory. `unfit` is nil if the plan
	// fits, or if the memory of the device is not known.
	forecast(on absent, n int, of kind, opt evd.Options) (f forecast, unfit *vk.OutOfMemoryError, err error)
	// forecastBatch makes a plan for a batch of `count` matrices of order n, of kindDense or
	// kindTridiagonal, on a device that need not be present. `unfit` is the error that the device
	// would return for lack of memory, or nil.
	forecastBatch(info vk.Info, of kind, n, count int, opt batch.Options) (f forecast, unfit *vk.OutOfMemoryError, err error)
	// forecastSVD makes a plan for the singular values of m×n matrices, of kindDense or kindSingle,
	// on a device that need not be present. `unfit` is the error that the device would return for
	// lack of memory, or nil.
	forecastSVD(on absent, of kind, m, n int, opt svd.Options) (f forecast, unfit *vk.OutOfMemoryError, err error)
}

// An absent device need not be present: a plan for it is a forecast. Its rates are those that the
// present device has measured.
type absent struct {
	vk.Info
	products probe.Products // empty if they are not known
	rate     float64        // device.workRate; 0 if it is not known
}

// dry returns the device for plans that run nothing. It has the measured rates, because the stages
// of a plan, and the parts of several devices, depend on them.
func (a absent) dry() *vk.Device {
	dev := vk.Dry(a.Info)
	probe.KeepWorkRate(dev, a.rate)
	if f := a.products.Facts; f.Native > 0 || f.Fault != "" {
		f.Keep(dev)
	}
	return dev
}

// boundless returns the same device with unlimited free memory.
func (a absent) boundless() absent {
	a.Info = boundless(a.Info)
	return a
}

type device interface {
	Info() vk.Info
	plan(n int, opt evd.Options) (solver, error)
	single(n int, opt evd.Options) (denseSolver[float32], error)
	tridiagonal(n int, opt evd.Options) (tridiagonalSolver, error)
	refine(n int, opt evd.Options) (refiner, error)
	mixed(n int, opt evd.Options) (mixedSolver, error)
	svd(of singularShape, opt svd.Options) (singularSolver[float64], error)
	svdSingle(of singularShape, opt svd.Options) (singularSolver[float32], error)
	batch(n, count int, opt batch.Options) (batchSolver[denseMatrix], error)
	tridiagonalBatch(n, count int, opt batch.Options) (batchSolver[tridiagonalMatrix], error)
	bench(context.Context, bench.Options) (benchmark, error)
	probe(context.Context) (probe.Arithmetic, error)
	handsOn() (bool, error)
	residency(ctx context.Context) (probe.Residency, error)
	compileTimes() []vk.Timing
	// rates returns the device's rates of arithmetic. If they are not stored, and `measure` is
	// true, they are measured.
	rates(ctx context.Context, measure bool) (probe.Rates, error)
	// workRate returns the rate by which plans for several devices divide their work, or 0 if it is
	// not known. It is measured unless it is stored.
	workRate(ctx context.Context) (float64, error)
	// with returns a device that uses this device together with further ones, in plans for dense
	// matrices and for batches. Its method Close closes all of them.
	with(others []device) device
	// products tells how the device computes large matrix products. This depends on measured rates.
	// If they are not stored, and `measure` is true, they are measured.
	products(ctx context.Context, measure bool) (probe.Products, error)
	tune(context.Context, tune.Options) (tune.Result, error)
	// accuracy measures errors of singular values, and calls add with each of them.
	accuracy(ctx context.Context, opt accuracy.Options, add func(accuracy.Row) error) error
	Close() error
}

// A forecast is the information that a plan has before it solves: its device memory and its numbers
// of operations.
type forecast interface {
	Memory() []vk.Placed
	Bytes() uint64
	Costs() []evd.StageCost
}

// A denseSolver is a plan for dense matrices of T.
type denseSolver[T evd.Float] interface {
	forecast
	Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
	Check(context.Context, evd.Sym[T], *evd.Result[T]) (evd.Ratios, error)
	Devices() []evd.DeviceShare
	Distributed() bool
	Close()
}

type solver = denseSolver[float64]

// kind is the kind of matrices that a plan is for: dense, tridiagonal, and so on.
type kind int

const (
	kindDense       kind = iota // of double precision
	kindSingle                  // dense, of single precision
	kindTridiagonal             // of double precision
	kindRefined                 // dense, of double precision, with approximate vectors
	kindMixed                   // dense, of double precision, solved in single precision first
)

type tridiagonalSolver interface {
	forecast
	Solve(context.Context, evd.Tridiagonal[float64]) (*evd.Result[float64], error)
	Check(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (evd.Ratios, error)
	Certify(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (float64, error)
	Close()
}

// vulkan implements the interface `machine` with Vulkan and the library, on the computer that runs
// the program.
type vulkan struct{}

func (vulkan) list() ([]vk.Info, error) { return vk.List() }

func (vulkan) preload() { vk.Preload() }

func (vulkan) open(opt vk.Options) (device, error) {
	dev, err := vk.Open(opt)
	if err != nil {
		return nil, err // not dev: an interface with a nil pointer is not nil
	}
	return opened{Device: dev}, nil
}

func (vulkan) forecast(on absent, n int, of kind, opt evd.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	if f, err = dryPlan(on, n, of, opt); errors.As(err, &unfit) {
		others := make([]*vk.Device, len(opt.Devices))
		for k, dev := range opt.Devices {
			rate, _ := probe.WorkRate(context.Background(), dev) // a dry device measures nothing
			others[k] = absent{dev.Info(), probe.ChosenProducts(dev), rate}.boundless().dry()
		}
		if opt.Products == evd.ProductsAuto { // native products need the least memory
			opt.Products = evd.ProductsNative
		}
		asked := opt.Distribute
		opt.Devices, opt.Distribute = others, asked || len(others) > 0
		f, err = dryPlan(on.boundless(), n, of, opt)
		if err != nil && !asked { // the matrix cannot be divided
			opt.Distribute = false
			f, err = dryPlan(on.boundless(), n, of, opt)
		}
	}
	return f, unfit, err
}

func dryPlan(on absent, n int, of kind, opt evd.Options) (forecast, error) {
	dry := opened{Device: on.dry(), others: opt.Devices}
	switch of {
	case kindTridiagonal:
		return dry.tridiagonal(n, opt)
	case kindSingle:
		return dry.single(n, opt)
	case kindRefined:
		return dry.refine(n, opt)
	case kindMixed:
		return dry.mixed(n, opt)
	}
	return dry.plan(n, opt)
}

// opened is an open Vulkan device, with further devices that help it in a solve.
type opened struct {
	*vk.Device
	others []*vk.Device
}

func (d opened) with(others []device) device {
	for _, o := range others {
		d.others = append(d.others, o.(opened).Device)
	}
	return d
}

// Close closes all devices.
func (d opened) Close() error {
	err := d.Device.Close()
	for _, o := range d.others {
		err = errors.Join(err, o.Close())
	}
	return err
}

func (d opened) plan(n int, opt evd.Options) (solver, error) {
	opt.Devices = d.others
	p, err := evd.NewPlan[float64](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) single(n int, opt evd.Options) (denseSolver[float32], error) {
	opt.Devices = d.others
	p, err := evd.NewPlan[float32](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) tridiagonal(n int, opt evd.Options) (tridiagonalSolver, error) {
	opt.Devices = nil
	p, err := evd.NewTridiagonalPlan[float64](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) refine(n int, opt evd.Options) (refiner, error) {
	p, err := evd.NewRefinePlan(d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) mixed(n int, opt evd.Options) (mixedSolver, error) {
	p, err := evd.NewMixedPlan(d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) probe(ctx context.Context) (probe.Arithmetic, error) {
	return probe.Measure(ctx, d.Device)
}

func (d opened) products(ctx context.Context, measure bool) (probe.Products, error) {
	if !measure {
		return probe.ChosenProducts(d.Device), nil
	}
	return probe.ChooseProducts(ctx, d.Device)
}

func (d opened) rates(ctx context.Context, measure bool) (probe.Rates, error) {
	if !measure {
		return probe.KnownRates(d.Device), nil
	}
	return probe.MeasureRates(ctx, d.Device)
}

func (d opened) workRate(ctx context.Context) (float64, error) { return probe.WorkRate(ctx, d.Device) }

func (d opened) compileTimes() []vk.Timing { return d.CompileTimes() }

func (d opened) handsOn() (bool, error) { return probe.MayWait(context.Background(), d.Device) }

func (d opened) residency(ctx context.Context) (probe.Residency, error) {
	return probe.MeasureResidency(ctx, d.Device)
}

func (d opened) tune(ctx context.Context, opt tune.Options) (tune.Result, error) {
	return tune.Search(ctx, d.Device, opt)
}

func (d opened) accuracy(ctx context.Context, opt accuracy.Options, add func(accuracy.Row) error) error {
	return accuracy.Run(ctx, d.Device, opt, add)
}

func (d opened) bench(ctx context.Context, opt bench.Options) (benchmark, error) {
	b, err := bench.New(ctx, d.Device, opt)
	if err != nil {
		return nil, err
	}
	return b, nil
}
