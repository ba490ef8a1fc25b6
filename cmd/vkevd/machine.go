package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/bench"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// A machine is what the commands ask of Vulkan and of the library. Tests put one in
// its place that needs neither.
type machine interface {
	list() ([]vk.Info, error)
	open(vk.Options) (device, error)
	forecast(info vk.Info, n int, tridiagonal bool, opt evd.Options) (forecast, error)
}

type device interface {
	Info() vk.Info
	plan(n int, opt evd.Options) (solver, error)
	tridiagonal(n int, opt evd.Options) (tridiagonalSolver, error)
	bench(context.Context, bench.Options) (benchmark, error)
	probe(context.Context) (probe.Arithmetic, error)
	handsOn() (bool, error)
	tune(context.Context, tune.Options) (tune.Result, error)
	Close() error
}

// A forecast is what a plan knows before it has solved anything.
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
