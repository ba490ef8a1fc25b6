package main

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// A machine is the part of Vulkan and of the library that the commands use. Tests replace it by one
// that needs neither.
type machine interface {
	list() ([]vk.Info, error)
	open(vk.Options) (device, error)
	// forecast makes a plan for a device that need not be present. unfit says that the device would
	// refuse the plan for lack of memory. It is nil if the device would not refuse it, or if its
	// memory is not known.
	forecast(info vk.Info, n int, tridiagonal bool, opt evd.Options) (f forecast, unfit *vk.OutOfMemoryError, err error)
	// forecastSVD is forecast for the singular values of m×n matrices.
	forecastSVD(info vk.Info, m, n int, opt svd.Options) (f forecast, unfit *vk.OutOfMemoryError, err error)
}

type device interface {
	Info() vk.Info
	plan(n int, opt evd.Options) (solver, error)
	tridiagonal(n int, opt evd.Options) (tridiagonalSolver, error)
	svd(m, n int, opt svd.Options) (singularSolver, error)
	batch(n, count int, opt batch.Options) (batchSolver, error)
	bench(context.Context, bench.Options) (benchmark, error)
	probe(context.Context) (probe.Arithmetic, error)
	handsOn() (bool, error)
	tune(context.Context, tune.Options) (tune.Result, error)
	Close() error
}

// A forecast is the information that a plan has before it solves: device memory and operations.
type forecast interface {
	Memory() []vk.Placed
	Bytes() uint64
	Costs() []evd.StageCost
}

type solver interface {
	forecast
	Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
	Check(context.Context, evd.Sym[float64], *evd.Result[float64]) (evd.Ratios, error)
	Close()
}

type tridiagonalSolver interface {
	forecast
	Solve(context.Context, evd.Tridiagonal[float64]) (*evd.Result[float64], error)
	Check(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (evd.Ratios, error)
	Certify(context.Context, evd.Tridiagonal[float64], *evd.Result[float64]) (float64, error)
	Close()
}

// vulkan implements machine with Vulkan and the library, on the computer that runs the program.
type vulkan struct{}

func (vulkan) list() ([]vk.Info, error) { return vk.List() }

func (vulkan) open(opt vk.Options) (device, error) {
	dev, err := vk.Open(opt)
	if err != nil {
		return nil, err // not dev: an interface with a nil pointer is not nil
	}
	return opened{dev}, nil
}

func (vulkan) forecast(info vk.Info, n int, tridiagonal bool, opt evd.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	if f, err = dryPlan(info, n, tridiagonal, opt); errors.As(err, &unfit) {
		f, err = dryPlan(boundless(info), n, tridiagonal, opt)
	}
	return f, unfit, err
}

func dryPlan(info vk.Info, n int, tridiagonal bool, opt evd.Options) (forecast, error) {
	if tridiagonal {
		return opened{vk.Dry(info)}.tridiagonal(n, opt)
	}
	return opened{vk.Dry(info)}.plan(n, opt)
}

type opened struct{ *vk.Device }

func (d opened) plan(n int, opt evd.Options) (solver, error) {
	p, err := evd.NewPlan[float64](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) tridiagonal(n int, opt evd.Options) (tridiagonalSolver, error) {
	p, err := evd.NewTridiagonalPlan[float64](d.Device, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (d opened) probe(ctx context.Context) (probe.Arithmetic, error) {
	return probe.Measure(ctx, d.Device)
}

func (d opened) handsOn() (bool, error) { return probe.MayWait(context.Background(), d.Device) }

func (d opened) tune(ctx context.Context, opt tune.Options) (tune.Result, error) {
	return tune.Search(ctx, d.Device, opt)
}

func (d opened) bench(ctx context.Context, opt bench.Options) (benchmark, error) {
	b, err := bench.New(ctx, d.Device, opt)
	if err != nil {
		return nil, err
	}
	return b, nil
}
