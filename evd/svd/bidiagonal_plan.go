package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// BidiagonalPlan computes the singular value decomposition of upper bidiagonal matrices C of one
// order:
//
//	C = U·Σ·Vᵀ
//
// The plan computes in double precision for both number types T. For float32 the vectors are
// rounded once. The memory grows with n² only if vectors are wanted, to about 38·n² bytes.
// Goroutines that share a plan wait for each other. The caller closes the plan before the device.
type BidiagonalPlan[T evd.Float] struct{ problem[T] }

// NewBidiagonalPlan prepares for bidiagonal matrices of order n. The errors are those of NewPlan.
// On a vk.Dry device the plan is a forecast, as NewPlan describes. Thin and Full mean the same for
// a square matrix. Options.Band and Options.Block must be 0, Options.Verify must be false, and
// Options.Storage must not have fewer digits than T, because they are for dense matrices.
func NewBidiagonalPlan[T evd.Float](dev *vk.Device, n int, opt Options) (*BidiagonalPlan[T], error) {
	if err := checkSizes(n); err != nil {
		return nil, err
	}
	if err := opt.check(n); err != nil {
		return nil, err
	}
	if opt.Band > 0 || opt.Block > 0 {
		return nil, plan.BadOption("Band, Block", "a bidiagonal matrix needs no reduction")
	}
	if opt.Verify {
		return nil, plan.BadOption("Verify", "has no meaning for a bidiagonal matrix; Check measures a result")
	}
	if fewerDigits[T](opt) {
		return nil, plan.BadOption("Storage", "a bidiagonal matrix needs no reduction")
	}
	if err := needsDoubles[T](dev); err != nil {
		return nil, err
	}
	p := &BidiagonalPlan[T]{}
	p.begin(dev, n, n, opt, opt)
	p.shape = shape{rows: n, cols: n, bidiagonal: true, part: opt.part(), wants: [2]Vectors{left: opt.U, right: opt.V}}
	if p.k = spectrum.Capacity(p.part, n); n == 0 {
		return p, nil
	}
	if p.tune = tuning.For[T](dev.Info()); opt.Tuning != nil {
		p.tune = *opt.Tuning
	}
	p.newPath = func(t tuning.Tuning) (*path[T], error) { return newPath[T](dev, p.shape, choice{}, opt, t) }
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p, nil
}
