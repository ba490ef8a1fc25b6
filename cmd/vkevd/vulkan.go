package main

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
	"github.com/vkevd/vkevd/evd/tune"
	"github.com/vkevd/vkevd/vk"
)

// vulkan is the machine the program runs on.
type vulkan struct{}

func (vulkan) list() ([]vk.Info, error) { return vk.List() }

func (vulkan) open(opt vk.Options) (device, error) {
	dev, err := vk.Open(opt)
	if err != nil {
		return nil, err // not dev: a nil pointer would be a device
	}
	return opened{dev}, nil
}

func (vulkan) forecast(info vk.Info, n int, tridiagonal bool, opt evd.Options) (forecast, error) {
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

func (d opened) handsOn() (bool, error) { return probe.HandsOn(d.Device) }

func (d opened) tune(ctx context.Context, opt tune.Options) (tune.Result, error) {
	return tune.Search(ctx, d.Device, opt)
}
