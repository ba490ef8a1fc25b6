package svd

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// BandOptions are the options of a BandPlan. The zero value computes all singular values.
type BandOptions struct {
	// Largest is the number of singular values to compute: the largest ones. 0 means all. Select
	// selects other values, as in Options.
	Largest int
	Select  evd.Selection

	// Tile is the largest number of superdiagonals that one pass removes from a wide band. 0 means
	// the value of the device's tuning table. Tuning.Chase sets the size of a workgroup (PerThread)
	// and the largest number of workgroups (Groups).
	Tile int

	// Storage is the format in which the device stores the band. The zero value is Double, which
	// means Single if the number type of the plan is float32. Single and Half need less memory and
	// have larger errors, as the documentation of Storage says. Solve scales the band by a power of
	// two, so that no entry is too large for the format.
	Storage Storage

	// Certify makes Solve measure the errors of the computed values, and store them in
	// Result.Certificate. Certificate.Norm is then in units of the rounding error of Storage; for
	// Single and Half it is not divided by n.
	Certify bool

	// Progress is called repeatedly during a solve, one call at a time, from another goroutine.
	// Solve waits for the last call before it returns. nil means no calls.
	Progress func(evd.Progress)

	// Tuning has the sizes with which kernels run. nil means the tuning table of the device.
	Tuning *tuning.Tuning
}

func (o BandOptions) check(n int) error {
	switch {
	case o.Tile < 0:
		return plan.BadOption("Tile", "must not be negative")
	case o.Storage < Double || o.Storage > Half:
		return plan.BadOption("Storage", "must be Double, Single or Half")
	}
	return o.dense().check(n)
}

func (o BandOptions) dense() Options {
	return Options{Largest: o.Largest, Select: o.Select, Storage: o.Storage, Certify: o.Certify}
}

// BandPlan computes the singular values, without vectors, of upper band matrices B:
//
//	B = Q·C·Pᵀ     C is upper bidiagonal, Q and P are orthogonal
//
// A wide band first becomes narrower, in several passes over the band. B is never stored as a dense
// matrix, so the memory is proportional to the number of elements of the band. Goroutines that
// share a plan wait for each other. The caller closes the plan before the device.
type BandPlan[T evd.Float] struct {
	replaceable[*bandPath]
	b   int // number of superdiagonals of the caller's bands
	opt BandOptions
}

type bandPath struct {
	reduction bandReduction
	values    *spectrum.Stage
	layout    *vk.Layout
}

func (p *bandPath) memory() *vk.Layout { return p.layout }

// NewBandPlan prepares for upper bands of order n with b superdiagonals. The number b may be 0, or
// larger than n. The plan allocates at most about 8·n·(4·b + 200) bytes of device memory, and less
// if opt.Storage is Single or Half. The errors are those of NewPlan. A *vk.UnsupportedError also
// means that the device has too little shared memory for opt.Tile, or cannot store numbers of
// opt.Storage. On a vk.Dry device the plan is a forecast, as NewPlan describes.
func NewBandPlan[T evd.Float](dev *vk.Device, n, b int, opt BandOptions) (*BandPlan[T], error) {
	if err := checkSizes(n, b); err != nil {
		return nil, err
	}
	if err := opt.check(n); err != nil {
		return nil, err
	}
	if dense := opt.dense(); fewerDigits[T](dense) && dense.Select.ByValue() {
		return nil, noInterval(opt.Storage)
	}
	if !precision.IsDouble[T]() && opt.Storage == Double {
		opt.Storage = Single // numbers of float32 gain nothing from more digits
	}
	p := &BandPlan[T]{b: b, opt: opt}
	p.base = &plan.Base{Dev: dev, N: n, Layout: vk.Together()}
	p.tune = tuning.On(dev.Info())
	if opt.Tuning != nil {
		p.tune = *opt.Tuning
	}
	if opt.Tile > 0 {
		p.tune.Narrow.Tile = opt.Tile
	}
	if err := opt.Storage.supported(dev.Info()); err != nil {
		return nil, err
	}
	if n == 0 {
		return p, nil
	}
	p.newPath = func(t tuning.Tuning) (*bandPath, error) { return newBandPath(dev, n, b, opt, t) }
	if err := p.prepare(); err != nil {
		return nil, err
	}
	return p, nil
}

func newBandPath(dev *vk.Device, n, b int, opt BandOptions, t tuning.Tuning) (*bandPath, error) {
	t, err := bounded[float64](dev, t)
	if err != nil {
		return nil, err
	}
	wait, err := t.NeverMeeting().Waiting(context.Background(), machine.Of(dev))
	if err != nil {
		return nil, err
	}
	p := &bandPath{}
	if p.reduction, err = newBandReduction(dev, opt.Storage, t.NarrowSize(n, b), wait, t); err != nil {
		return nil, err
	}
	// Bisection uses no products.
	if p.values, err = newGolubKahan(dev, n, opt.dense().part(), opt.Certify, nil, t); err != nil {
		return nil, err
	}
	p.layout = vk.Together(append(p.values.Always(), vk.InTurn(p.reduction.memory(), p.values.Work()))...)
	return p, nil
}

// Costs forecasts the operations of each phase, in the order of the solve. It is nil for order 0.
func (p *BandPlan[T]) Costs() []evd.StageCost {
	if p.base.N == 0 {
		return nil
	}
	path := p.path.Current()
	return append(path.reduction.costs(), path.values.Cost())
}

// Passes returns the number of superdiagonals before each pass that narrows the band, and after the
// last of these passes. After them, bulge chasing makes the narrow band bidiagonal. Passes returns
// nil for order 0.
func (p *BandPlan[T]) Passes() []int {
	if p.base.N == 0 {
		return nil
	}
	return p.path.Current().reduction.size().Passes()
}
