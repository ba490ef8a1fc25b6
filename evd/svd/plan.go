package svd

import (
	"sync"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// Plan holds everything that solves of matrices of one shape need: pipelines, stages and memory. It
// is prepared once. A plan solves one matrix at a time, and goroutines that share it wait for each
// other. The caller closes the plan before the device.
type Plan[T evd.Float] struct {
	base spectrum.Base
	m, n int // rows and columns of the caller's matrices
	opt  Options
	shape
	tune tuning.Tuning

	// path does the solves. It is nil for matrices without entries. A call that holds the plan's
	// lock may replace it. Methods that do not hold the lock get it from the method current.
	*path

	// replacing is a lock for reading and replacing path.
	replacing sync.Mutex
}

// NewPlan prepares for m×n matrices on the device: it compiles kernels, which may take seconds when a
// driver sees them first, and allocates Bytes of device memory: about 9 bytes for each entry of A, or
// 17 if m ≠ n, as A may have to be transposed then. With all vectors of an n×n matrix it is
// about 38·n² bytes for large n. The workspace of panels adds up to about 100 MB, which counts for
// small n: in all 81·n² bytes for n = 1024 and 43·n² for n = 4096 on a device of NVIDIA. For a matrix without entries
// these are the bytes of the identity that Full asks for.
//
// The error is an *evd.ShapeError for a shape that no matrix can have, an *evd.OptionError for the
// first option that is not possible, a *vk.UnsupportedError if the device lacks something, a
// *vk.OutOfMemoryError, or vk.ErrClosed for a closed device. On a vk.Dry device the plan is a
// forecast: Bytes, Memory and Costs work, and Solve does not.
func NewPlan[T evd.Float](dev *vk.Device, m, n int, opt Options) (*Plan[T], error) {
	const most = product.MostLd - 1
	for _, order := range []int{m, n} {
		if order < 0 || order > most {
			return nil, &evd.ShapeError{N: order, Most: most}
		}
	}
	if err := opt.check(min(m, n)); err != nil {
		return nil, err
	}
	p := &Plan[T]{m: m, n: n, opt: opt}
	p.base = spectrum.Base{Dev: dev, N: min(m, n), Layout: vk.Together()}
	var err error
	if p.tune, err = opt.sizes(dev.Info(), p.base.N); err != nil {
		return nil, err
	}
	if p.shape = newShape(m, n, opt, p.tune); p.cols == 0 {
		return p.withoutEntries()
	}
	if p.path, err = p.compile(p.tune); err != nil {
		return nil, err
	}
	p.base.Layout = p.layout
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// withoutEntries finishes the plan for matrices without entries. With Full the vectors of one side
// are an identity of m² or n² elements. It must fit the device, like those of a matrix that has
// entries.
func (p *Plan[T]) withoutEntries() (*Plan[T], error) {
	identity := 0
	if p.opt.U == Full {
		identity = p.m * p.m
	}
	if p.opt.V == Full {
		identity = max(identity, p.n*p.n)
	}
	if identity == 0 {
		return p, nil
	}
	p.base.Layout = vk.Together(vk.Reserve[float64]("identity", identity))
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// compile makes a path with the sizes t.
func (p *Plan[T]) compile(t tuning.Tuning) (made *path, err error) {
	err = p.base.Dev.Compile(func() error {
		made, err = newPath(p.base.Dev, p.shape, p.opt.Certify, t)
		return err
	})
	return made, err
}

// avoidWaiting replaces the plan's path by one on which no workgroup waits for another, for this
// solve and all later ones. It also records for the device that a wait failed. The caller must hold
// the plan's lock. The memory of the old path is freed before that of the new path is allocated.
// The errors are those of NewPlan.
func (p *Plan[T]) avoidWaiting() error {
	machine.Of(p.base.Dev).WaitFailed()
	t := p.tune
	t.Chase.Wavefront = true
	next, err := p.compile(t)
	if err != nil {
		return err
	}
	p.replacing.Lock()
	p.path = next
	p.replacing.Unlock()
	return p.base.Replace(next.layout)
}

// current returns the plan's path to callers that do not hold the plan's lock.
func (p *Plan[T]) current() *path {
	p.replacing.Lock()
	defer p.replacing.Unlock()
	return p.path
}

// Band returns the number of superdiagonals of the intermediate band.
func (p *Plan[T]) Band() int { return p.tune.Band }

// Block returns the number of columns between two updates of the whole trailing matrix.
func (p *Plan[T]) Block() int { return p.tune.Block }

// Costs returns a forecast of the floating-point operations, by phase and in the order of the
// solve. It is nil for matrices without entries.
func (p *Plan[T]) Costs() []evd.StageCost {
	if p.cols == 0 {
		return nil
	}
	return p.current().costs(p.shape, p.opt.U != None && p.opt.V != None)
}

// Bytes returns the size of the device memory that the plan has allocated.
func (p *Plan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory. Regions that are never in use at the same
// time may share bytes.
func (p *Plan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Solve returns evd.ErrClosed
// afterwards.
func (p *Plan[T]) Close() { p.base.Close() }
