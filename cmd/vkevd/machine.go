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
	batchs "github.com/vkevd/vkevd/stages/batch"
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
	forecast(on absent, t task) (p planned, unfit *vk.OutOfMemoryError, err error)
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
	// plan makes the plan that a task describes.
	plan(t task) (planned, error)
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

// A planned is a plan of the library for any kind of matrices, before it solves: its device memory and
// its numbers of operations.
type planned interface {
	Memory() []vk.Placed
	Bytes() uint64
	Costs() []evd.StageCost
	Close()
}

// A task says what a plan is for. Only the sizes and the options of its kind count.
type task struct {
	kind  kind
	n     int           // order of eigenvalue problems
	count int           // number of matrices of a batch
	shape singularShape // of a matrix for singular values
	evd   evd.Options
	svd   svd.Options
	batch batch.Options
}

// planOf makes the plan that a task describes, for a task whose plans are of the type P.
func planOf[P any](dev device, t task) (P, error) {
	p, err := dev.plan(t)
	if err != nil {
		var none P
		return none, err
	}
	return p.(P), nil
}

// A denseSolver is a plan for dense matrices of T.
type denseSolver[T evd.Float] interface {
	planned
	Solve(context.Context, evd.Sym[T]) (*evd.Result[T], error)
	Check(context.Context, evd.Sym[T], *evd.Result[T]) (evd.Ratios, error)
	Devices() []evd.DeviceShare
	Distributed() bool
}

type solver = denseSolver[float64]

// kind is the kind of matrices that a plan is for. Without another word they are for eigenvalues.
type kind int

const (
	kindDense            kind = iota // of double precision
	kindSingle                       // dense, of single precision
	kindTridiagonal                  // of double precision
	kindRefined                      // dense, of double precision, with approximate vectors
	kindMixed                        // dense, of double precision, solved in single precision first
	kindSingular                     // for singular values, of double precision
	kindSingularSingle               // for singular values, of single precision
	kindBatch                        // many dense matrices
	kindTridiagonalBatch             // many tridiagonal matrices
)

type tridiagonalSolver interface {
	planned
	Solve(context.Context, evd.Tridiagonal[float64]) (*evd.Result[float64], error)
	Check(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (evd.Ratios, error)
	Certify(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (float64, error)
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

func (vulkan) forecast(on absent, t task) (p planned, unfit *vk.OutOfMemoryError, err error) {
	if p, err = on.plan(t); !errors.As(err, &unfit) {
		return p, nil, err
	}
	// The plan for a device without limits of memory tells how much it needs.
	others := make([]*vk.Device, len(t.evd.Devices))
	for k, dev := range t.evd.Devices {
		rate, _ := probe.WorkRate(context.Background(), dev) // a dry device measures nothing
		others[k] = absent{dev.Info(), probe.ChosenProducts(dev), rate}.boundless().dry()
	}
	for _, products := range []*evd.Products{&t.evd.Products, &t.svd.Products} {
		if *products == evd.ProductsAuto { // native products need the least memory
			*products = evd.ProductsNative
		}
	}
	asked := t.evd.Distribute
	t.evd.Devices, t.evd.Distribute = others, asked || len(others) > 0
	p, err = on.boundless().plan(t)
	if err != nil && !asked { // the matrix cannot be divided
		t.evd.Distribute = false
		p, err = on.boundless().plan(t)
	}
	return p, unfit, err
}

// plan makes a plan for the device, which runs nothing.
func (a absent) plan(t task) (planned, error) {
	return opened{Device: a.dry(), others: t.evd.Devices}.plan(t)
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

// made returns a plan that the library has made. With an error there is none: an interface with a nil
// pointer is not nil.
func made[P planned](p P, err error) (planned, error) {
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) plan(t task) (planned, error) {
	t.evd.Devices, t.batch.Devices = d.others, d.others
	switch t.kind {
	case kindSingle:
		return made(evd.NewPlan[float32](d.Device, t.n, t.evd))
	case kindTridiagonal:
		t.evd.Devices = nil
		return made(evd.NewTridiagonalPlan[float64](d.Device, t.n, t.evd))
	case kindRefined:
		return made(evd.NewRefinePlan(d.Device, t.n, t.evd))
	case kindMixed:
		return made(evd.NewMixedPlan(d.Device, t.n, t.evd))
	case kindSingular:
		return singularPlan[float64](d.Device, t.shape, t.svd)
	case kindSingularSingle:
		return singularPlan[float32](d.Device, t.shape, t.svd)
	case kindBatch:
		p, err := batch.NewPlan(d.Device, t.n, atOnce(t.count, t.n), t.batch)
		return made(batchOf[denseMatrix]{p, float64(t.count) * batchs.BatchFlops(t.n, t.batch.Vectors)}, err)
	case kindTridiagonalBatch:
		p, err := batch.NewTridiagonalPlan(d.Device, t.n, atOnce(t.count, t.n), t.batch)
		return made(batchOf[tridiagonalMatrix]{p, float64(t.count) * batchs.TridiagonalBatchFlops(t.n, t.batch.Vectors)}, err)
	}
	return made(evd.NewPlan[float64](d.Device, t.n, t.evd))
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
