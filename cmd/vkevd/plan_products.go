package main

import (
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/probe"
)

func emulates(f machine.Planned) bool {
	p, ok := f.(interface{ Emulated() bool })
	return ok && p.Emulated()
}

// chosenProducts returns how the plan f computes large matrix products, and why, with the measured
// rates of the target. The library has chosen the products, as it does for a solve. If the target's
// rates speak for emulated products and f has native ones, then emulated ones do not fit the memory.
func (j *planJob) chosenProducts(on target, f machine.Planned, opt evd.Options) (probe.Products, error) {
	chosen := on.Products
	if emulates(f) {
		if !chosen.Emulated { // some solves take emulated products even if they are a little faster
			chosen = chosen.Large()
		}
		return chosen, nil
	}
	if !j.choosesProducts() || !chosen.Large().Emulated {
		return chosen, nil
	}
	ample, _, err := j.Forecast(on.Boundless(), opt)
	if err != nil {
		return chosen, err
	}
	if emulates(ample) {
		chosen.Emulated, chosen.Why = false, "emulated products are faster, but need more memory than is free"
	}
	return chosen, nil
}

// choosesProducts tells whether the solve chooses between native and emulated products by measured
// rates. Plans for single precision and for tridiagonal matrices have only native products.
func (j *planJob) choosesProducts() bool {
	kind := j.kind()
	return j.Order() >= evd.AutoOrder && j.options.chosen() == evd.ProductsAuto && j.batch == 0 &&
		kind != machine.KindSingle && kind != machine.KindTridiagonal
}
