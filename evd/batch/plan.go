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

// Options say what a plan for batches of matrices computes. The zero value computes all eigenvalues
// and no vectors.
type Options struct {
	// Vectors says whether eigenvectors are wanted.
	Vectors bool

	// Select is the wanted part of the spectrum of each matrix, an evd.Index. The zero value means
	// the whole spectrum. With vectors, a part takes almost as much time as the whole, because the
	// method computes all vectors. Without vectors, only the selected values are computed.
	Select evd.Selection

	// Devices are further devices. A batch is divided into parts, and each device solves the next
	// part when it is free. The speeds of the devices determine which device solves a matrix.
	// Devices of different kinds may give results with different last bits. If there are several
	// devices, an error of one of them is a *vk.DeviceError.
	Devices []*vk.Device

	// Progress is called after each part of a batch. Calls do not overlap, and Solve waits until
	// each call has returned. Progress must not call a method of the plan, because such a call
	// would never return.
	Progress func(evd.Progress)

	// Tuning has the sizes with which kernels run. nil means the tuning table of the device.
	Tuning *tuning.Tuning
}

// Plan holds the pipelines and the memory for matrices up to one order. NewPlan prepares them once.
// The caller closes the plan before the device.
type Plan struct {
	base  spectrum.Base
	opt   Options
	count int // largest number of matrices of a part

	// others are the plans for the same matrices on the further devices (Options.Devices).
	others []*Plan

	batch *stages.Batch // nil for order 0

	a, values vk.Region[float64]
	v         vk.Region[float64] // empty if the vectors take the place of the matrices
}

// MostOrder returns the largest order of matrices for which a plan can be made on the device.
func MostOrder(dev *vk.Device, opt Options) int { return opt.tuning(dev).Batch.Order() }

// tuning returns Options.Tuning, or else the tuning table of the device. Its sizes for batches fit
// the device.
func (opt Options) tuning(dev *vk.Device) tuning.Tuning {
	t := tuning.On(dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	t.Batch = t.Batch.For(dev.Info())
	return t
}

// A batch is solved in parts. maxRows is the largest allowed number of rows of all matrices of one
// part together, because kernels count these rows in 32 bits.
const maxRows = math.MaxInt32

// check returns an *evd.OptionError for the first option that is not possible, for a plan of order
// n with `count` matrices on the device.
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

// NewPlan prepares a plan for matrices of order n or less. The plan solves a batch of any number of
// matrices in parts. A part has at most `count` matrices, which are on the device at the same time.
//
// The device memory is `count` times the sum of these numbers of bytes:
//
//	8·n² + 8·n + 68   always
//	40·n              if n is too large for shared memory
//	8·n²              if n is too large for shared memory, with vectors
//	12·n² + 250·n     if divide and conquer solves T, with vectors
//	8·n·m             if Select is m eigenvalues, with vectors
//
// The largest order in shared memory is 16 on NVIDIA GPUs, 32 on CPUs and 56 on other devices. It
// is smaller on a device with little shared memory. The number of rows, count·n, must be at most
// 2³¹−1.
//
// The error is an *evd.ShapeError for an order that is negative or above MostOrder, an
// *evd.OptionError, a *vk.UnsupportedError if the device lacks a feature, a *vk.OutOfMemoryError,
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
	if err := spectrum.CheckDevices(dev, opt.Devices); err != nil {
		return nil, err
	}
	if err := dev.Info().NeedFloat64("batches need it; solve the matrices one by one in float32 there"); err != nil {
		return nil, err
	}
	p, err := newPlan(dev, n, count, opt)
	if err != nil && len(opt.Devices) > 0 {
		err = spectrum.OnDevice(dev, err)
	}
	if err != nil {
		return nil, err
	}
	for _, other := range opt.Devices {
		alone := opt
		alone.Devices, alone.Progress = nil, nil
		q, err := NewPlan(other, n, count, alone)
		if err != nil {
			p.Close()
			return nil, spectrum.OnDevice(other, err)
		}
		p.others = append(p.others, q)
	}
	return p, nil
}

// newPlan makes the part of a plan for one device. The arguments must have been checked.
func newPlan(dev *vk.Device, n, count int, opt Options) (*Plan, error) {
	p := &Plan{base: spectrum.Base{Dev: dev, N: n, Layout: vk.Together()}, opt: opt, count: count}
	if n == 0 {
		return p, nil
	}
	if err := dev.Compile(p.prepare); err != nil {
		return nil, err
	}
	return p, p.base.Allocate()
}

// prepare builds the kernels of the plan and lays out its device memory.
func (p *Plan) prepare() error {
	dev, n := p.base.Dev, p.base.N
	// The device's rate is measured once and stored. If the measurement used the context of a
	// caller, it could end early for all later callers.
	rate, err := machine.Of(dev).Float64Rate(context.Background())
	if err != nil {
		return err
	}
	t := p.opt.tuning(dev).Bounded(rate)
	size := stages.BatchSize{N: n, Count: p.count, Vectors: p.opt.Vectors}
	p.batch, err = stages.NewBatch(dev, size, t.Batch, t.DivideConquer, t.Products)
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

// Bytes returns the number of bytes of device memory that the plan has allocated on one device. It
// is the same for each of the plan's devices.
func (p *Plan) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory, which are the same on each of its devices.
func (p *Plan) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the call in flight and frees the plan's device memory. Results stay valid. Methods
// of a closed plan return evd.ErrClosed. A plan may be closed twice.
func (p *Plan) Close() {
	p.base.Close()
	for _, q := range p.others {
		q.Close()
	}
}
