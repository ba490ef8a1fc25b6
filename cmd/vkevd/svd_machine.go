package main

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/svd"
	"github.com/vkevd/vkevd/vk"
)

// A singularSolver computes singular values. The program uses a *svd.Plan, and tests use a fake.
type singularSolver interface {
	forecast
	Solve(context.Context, evd.Dense[float64]) (*svd.Result[float64], error)
	Check(context.Context, evd.Dense[float64], *svd.Result[float64]) (svd.Ratios, error)
	Close()
}

func (d opened) svd(m, n int, opt svd.Options) (singularSolver, error) {
	p, err := svd.NewPlan[float64](d.Device, m, n, opt)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (vulkan) forecastSVD(info vk.Info, m, n int, opt svd.Options) (
	f forecast, unfit *vk.OutOfMemoryError, err error,
) {
	if f, err = (opened{Device: vk.Dry(info)}).svd(m, n, opt); errors.As(err, &unfit) {
		f, err = opened{Device: vk.Dry(boundless(info))}.svd(m, n, opt)
	}
	return f, unfit, err
}

// boundless returns the description of the same device with unlimited memory.
func boundless(info vk.Info) vk.Info {
	info.Memory, info.Free, info.MaxBuffer, info.MaxAllocation = 0, 0, 0, 0
	return info
}
