package batch

import (
	"context"
	"fmt"
	"math"

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

	// Select is the part of the spectrum that is wanted of each matrix, an evd.Index. The zero
	// value asks for all of it. With vectors, the method finds all vectors, and a part takes almost
	// the same time. Without vectors, only the selected values are computed.
	Select evd.Selection

	// Progress is called after each part of a batch, one call at a time. Solve waits for the call.
	// Progress must not call a method of the plan, which would wait for ever.
	Progress func(evd.Progress)

	// Tuning replaces the sizes of the device's tuning table. nil takes the table.
	Tuning *tuning.Tuning
}

// Plan holds everything that solves of matrices up to one order need: pipelines and memory. It is
// prepared once. The caller closes the plan before the device.
type Plan struct {
	base  spectrum.Base
	opt   Options
	count int // largest number of matrices of a part

	batch *stages.Batch // nil for order 0

	a, values vk.Region[float64]
	v         vk.Region[float64] // empty if the vectors take the place of the matrices
}

// MostOrder returns the largest order of a plan on the device.
func MostOrder(dev *vk.Device, opt Options) int { return opt.sizes(dev).Order() }

// sizes returns the part of the tuning for batches.
func (opt Options) sizes(dev *vk.Device) stages.BatchTuning {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	return t.Batch.For(dev.Info())
}

// maxRows is the most rows of all matrices of a part together. Kernels count them in 32 bits.
const maxRows = math.MaxInt32

// check returns an *evd.OptionError for the first option that has no meaning for order n.
func (opt Options) check(n, count int) error {
	if _, _, known := spectrum.Range(opt.Select, n); !known {
		return spectrum.BadOption("Select", "an interval has another number of eigenvalues in each matrix")
	}
	if count < 1 {
		return spectrum.BadOption("count", "must be at least 1")
	}
	if n > 0 && count > maxRows/n {
		return spectrum.BadOption("count", fmt.Sprintf("must be at most %d for order %d", maxRows/n, n))
	}
	return spectrum.CheckSelection(opt.Select, n)
}

// NewPlan prepares a plan for matrices of order n or less, count of which are on the device at a
// time. A batch may have any number of matrices, and is solved in parts of count matrices.
//
// The device memory in bytes is the sum of these, times count:
//
//	8·n² + 8·n + 68   always
//	40·n              beyond the orders of shared memory
//	8·n²              with vectors, beyond the orders of shared memory
//	8·n·m             with vectors, if Select is m eigenvalues
//
// The largest order in shared memory is 16 on GPUs of NVIDIA, 32 on CPUs and 56 on other devices; it
// is less if the device has too little shared memory. No more than 2³¹−1 rows, count·n, are allowed.
//
// The error is an *evd.ShapeError for an order that is negative or above MostOrder, an
// *evd.OptionError, a *vk.UnsupportedError if the device lacks something, a *vk.OutOfMemoryError,
// or vk.ErrClosed for a closed device.
//
// On a vk.Dry device the plan is a forecast: Bytes and Memory work, and Solve does not.
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
	// The caller's context is not known here. The rate is measured once per device and kept.
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

// whole reports whether the whole spectrum of each matrix is wanted.
func (p *Plan) whole() bool { return p.opt.Select == evd.Selection{} }

// Bytes returns the size of the device memory that the plan has allocated.
func (p *Plan) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *Plan) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid. Methods
// of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *Plan) Close() { p.base.Close() }
