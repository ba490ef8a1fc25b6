package batch

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Options say what to compute. The zero value computes all eigenvalues and no vectors.
type Options struct {
	// Vectors asks for eigenvectors.
	Vectors bool

	// Select is the part of the spectrum that is wanted of each matrix, an evd.Index; the zero value
	// is all of it. The method finds all vectors, so that a part takes hardly less time. Without
	// vectors, only the selected values are computed.
	Select evd.Selection

	// Progress is called after each part of a batch, one call at a time. Solve waits for the call. A
	// method of the plan would wait for ever.
	Progress func(evd.Progress)

	// Tuning overrides the device's sizes; nil takes the table's.
	Tuning *tuning.Tuning
}

// Plan is all that matrices up to one order need, prepared once: pipelines and memory. The caller
// closes the plan, before the device.
type Plan struct {
	base  spectrum.Base
	opt   Options
	count int // matrices of a part

	batch *stages.Batch // nil for order 0

	a, values vk.Region[float64]
	v         vk.Region[float64] // empty if the vectors take the place of the matrices
}

// MostOrder is the largest order of a plan on the device.
func MostOrder(dev *vk.Device, opt Options) int { return opt.sizes(dev).Order() }

// sizes is the tuning's part for batches.
func (opt Options) sizes(dev *vk.Device) stages.BatchTuning {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	return t.Batch.For(dev.Info())
}

// check returns an *evd.OptionError for the first option that has no meaning for order n.
func (opt Options) check(n, count int) error {
	if _, _, known := spectrum.Range(opt.Select, n); !known {
		return spectrum.BadOption("Select", "an interval has another number of eigenvalues in each matrix")
	}
	if count < 1 {
		return spectrum.BadOption("count", "must be at least 1")
	}
	return spectrum.CheckSelection(opt.Select, n)
}

// NewPlan prepares for matrices of order n or less, count of which are on the device at a time. A
// batch may have any number of matrices: it is solved in parts of count.
//
// The device memory is 8·count·n² bytes, twice as much with vectors beyond order 64 or so.
//
// Errors: *evd.ShapeError for an order that is negative or above MostOrder, *evd.OptionError,
// *vk.UnsupportedError for what the device lacks, *vk.OutOfMemoryError, vk.ErrClosed for a closed
// device.
//
// On a vk.Dry device the plan is a forecast: Bytes and Memory work, Solve does not.
func NewPlan(dev *vk.Device, n, count int, opt Options) (*Plan, error) {
	if n < 0 {
		return nil, &evd.ShapeError{N: n}
	}
	if most := MostOrder(dev, opt); n > most {
		return nil, &evd.ShapeError{N: n, Most: most}
	}
	if err := opt.check(n, count); err != nil {
		return nil, err
	}
	p := &Plan{base: spectrum.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt, count: count}
	if n == 0 {
		return p, nil
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// prepare makes the stage and lays out the memory.
func (p *Plan) prepare() error {
	dev, n := p.base.Dev, p.base.N
	// The caller's context is not known here. The rate is found once and kept.
	rate, err := machine.Of(dev).Float64Rate(context.Background())
	if err != nil {
		return err
	}
	t := tuning.Tuning{Batch: p.opt.sizes(dev)}.Bounded(rate).Batch
	p.batch, err = stages.NewBatch(dev, stages.BatchSize{N: n, Count: p.count, Vectors: p.opt.Vectors}, t)
	if err != nil {
		return err
	}
	p.a = vk.Reserve[float64]("A, vectors", p.count*n*n)
	p.values = vk.Reserve[float64]("values", p.count*n)
	apart := 0
	if from, to, _ := spectrum.Range(p.opt.Select, n); p.opt.Vectors && !p.whole() {
		apart = p.count * n * (to - from)
	}
	p.v = vk.Reserve[float64]("selected vectors", apart)
	p.base.Layout = vk.Together(p.a, p.values, p.v, p.batch.Work())
	return nil
}

// whole tells whether all of each spectrum is wanted.
func (p *Plan) whole() bool { return p.opt.Select == evd.Selection{} }

// Bytes is the device memory that the plan has allocated.
func (p *Plan) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of that memory.
func (p *Plan) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid. Methods
// of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *Plan) Close() { p.base.Close() }
