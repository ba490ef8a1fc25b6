// Package team, internal to vkevd, computes the spectrum of one symmetric matrix on several
// devices. Either the first device reduces the matrix, and the others help with the vectors
// (helped.go), or all devices divide the matrix (divided.go). A team of one device has no helpers:
// its solves are those of package dense.
package team

import (
	"context"
	"errors"

	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Team is the devices of a plan with the plan's memory on them. The embedded Base is that of the
// first device.
type Team struct {
	plan.Base

	// Others are the further devices. `split` says which part of the vectors and of a divided
	// matrix each device has, the first device included. If there are no others, `split` is nil.
	Others []*Other
	split  Shares

	// exchange is the memory of the host through which the devices exchange numbers if the matrix
	// is divided. It has at least exchangeBytes bytes. If the matrix is not divided, exchange is
	// nil, and exchangeBytes is 0. On vk.Dry devices exchange is nil, too.
	exchange      *vk.Exchange
	exchangeBytes int
}

// Other is one of the further devices of a team: its memory, and a link that copies from the first
// device to this one. There is no link on a vk.Dry device, and none if the plan's stages need no
// link.
type Other struct {
	plan.Base
	link *vk.Link
}

// Join adds devices to the team. The parts of all devices are in proportion to `parts`, or to the
// measured rates of FP64 arithmetic if `parts` is empty.
func (t *Team) Join(devices []*vk.Device, parts []float64) (err error) {
	if len(parts) > 0 {
		t.split = SharesOf(parts)
	} else if t.split, err = NewShares(append([]*vk.Device{t.Dev}, devices...)); err != nil {
		return err
	}
	for _, dev := range devices {
		t.Others = append(t.Others, &Other{Base: plan.Base{Dev: dev, N: t.N}})
	}
	return nil
}

func (t *Team) devices() []*vk.Device {
	all := []*vk.Device{t.Dev}
	for _, o := range t.Others {
		all = append(all, o.Dev)
	}
	return all
}

// Share returns the fraction of the vectors that device k computes.
func (t *Team) Share(k int) float64 {
	if len(t.Others) == 0 {
		return 1
	}
	return t.split.parts()[k]
}

// OnFirst adds the first device to an error that happened on this device, if the team has several
// devices. It returns the error unchanged if the error already names a device, or if it is not
// about a device.
func (t *Team) OnFirst(err error) error {
	if len(t.Others) == 0 {
		return err
	}
	if errors.As(err, new(*vk.Error)) || errors.As(err, new(*vk.OutOfMemoryError)) ||
		errors.As(err, new(*vk.UnsupportedError)) || errors.Is(err, vk.ErrClosed) {
		return plan.OnDevice(t.Dev, err)
	}
	return err
}

// Stages are the stages of a solve on all devices of a team.
type Stages[T spirv.Scalar] interface {
	Memory

	// Leader returns the stages of the first device for the tridiagonal problem.
	Leader() *dense.Lead[T]

	// Costs returns a forecast of the operations of each phase, in the order of the solve.
	Costs() []plan.StageCost

	// Begin begins a solve with the call c on the first device. The caller must call Solve.End.
	Begin(t *Team, c *plan.Call) Solve[T]
}

// Memory is the memory that stages need: the layout on each device, whether the first device sends
// vectors or reflectors to the others through links, and the bytes of the exchange.
type Memory interface {
	Layouts() []*vk.Layout
	linked() bool
	exchanged(t *Team) int
}

// Solve is a solve in flight: of an undivided matrix on one device or with helpers, or of a divided
// one.
type Solve[T spirv.Scalar] interface {
	// Reduce reduces A to the tridiagonal matrix T, which stays on the first device. It returns the
	// host's copy, and the scale σ. It may call the function `meanwhile` before the devices
	// compute. The caller then calls Reduced.
	Reduce(a dense.Triangle[T], meanwhile func()) (host spectrum.Tridiagonal, sigma float64, err error)
	Reduced()

	// Downloads says how the vectors are copied to the host, as dense.Solve.Downloads.
	Downloads(into func(m int) vk.Columns[T]) []spectrum.Vectors[T]

	// ColumnSums measures eigenpairs, as dense.Solve.ColumnSums.
	ColumnSums(a dense.Triangle[T], values []float64, z dense.Stored[T]) (sums [2][]float64, sigma float64, err error)

	// Cause returns the error that made the solve end. `err` may be a consequence of this error.
	Cause(err error) error
	End()
}

// New makes the stages of a solve on all devices.
func New[T spirv.Scalar](t *Team, cfg dense.Config) (Stages[T], error) {
	if cfg.Distribute {
		return newDivided[T](t, cfg)
	}
	return newUndivided[T](t, cfg)
}

// onOthers calls `do` for each further device, with the number of the device and the largest number
// of its vectors. Kernels are compiled in parallel.
func (t *Team) onOthers(cfg dense.Config, do func(dev *vk.Device, device, most int) error) error {
	for k, o := range t.Others {
		most := t.split.most(k+1, cfg.Capacity(t.N))
		if err := o.Dev.Compile(func() error { return do(o.Dev, k+1, most) }); err != nil {
			return plan.OnDevice(o.Dev, err)
		}
	}
	return nil
}

// configOf returns the options for stages on the device `dev`. `lead` has the stages of the first
// device, `first`. All devices apply the same reflectors, so they use the same half-bandwidth. A
// tuning in the options is that of the first device. It is used only if both devices have the same
// name.
func configOf[T spirv.Scalar](first, dev *vk.Device, lead *dense.Lead[T]) dense.Config {
	cfg := lead.Config
	if dev.Info().Name != first.Info().Name {
		cfg.Tuning = nil
	}
	cfg.Band, cfg.Block = lead.Tune.Band, lead.Tune.Block
	if len(lead.Products.Emulated) == 0 {
		cfg.Products = emulation.Native
	}
	return cfg
}

// lay returns the layouts of all devices, for stages that use the same memory at different times,
// and sets t.exchangeBytes.
func (t *Team) lay(stages []Memory) (layouts []*vk.Layout) {
	layouts = stages[0].Layouts()
	for _, s := range stages[1:] {
		for k, l := range s.Layouts() {
			layouts[k] = vk.InTurn(layouts[k], l)
		}
	}
	t.exchangeBytes = 0
	for _, s := range stages {
		t.exchangeBytes = max(t.exchangeBytes, s.exchanged(t))
	}
	return layouts
}

// Allocate allocates memory for stages that use it at different times. If the stages need links, it
// also opens one from the first device to each further one. After an error the caller calls Close.
func (t *Team) Allocate(stages ...Memory) error {
	layouts, linked := t.lay(stages), false
	for _, s := range stages {
		linked = linked || s.linked()
	}
	t.Layout = layouts[0]
	for k, o := range t.Others {
		o.Layout = layouts[k+1]
	}
	if err := t.Base.Allocate(); err != nil {
		return t.OnFirst(err)
	}
	for _, o := range t.Others {
		if err := o.Allocate(); err != nil {
			return plan.OnDevice(o.Dev, err)
		}
		if o.Dev.IsDry() || !linked {
			continue
		}
		link, err := vk.NewLink(t.Dev, o.Dev)
		if err != nil {
			return err
		}
		o.link = link
	}
	return t.allocateExchange()
}

// Replace frees the memory of all devices, and allocates memory for other stages. The caller must
// have the lock.
func (t *Team) Replace(stages ...Memory) error {
	layouts := t.lay(stages)
	err := t.OnFirst(t.Base.Replace(layouts[0]))
	for k, o := range t.Others {
		if e := plan.OnDevice(o.Dev, o.Replace(layouts[k+1])); err == nil {
			err = e
		}
	}
	if err == nil {
		err = t.allocateExchange()
	}
	return err
}

// allocateExchange makes the exchange, unless the team has one that is large enough.
func (t *Team) allocateExchange() (err error) {
	if t.exchangeBytes == 0 || t.Dev.IsDry() || t.exchange != nil && t.exchange.Bytes() >= t.exchangeBytes {
		return nil
	}
	if t.exchange != nil {
		t.exchange.Close()
		t.exchange = nil // the next call tries again if there is too little memory
	}
	t.exchange, err = vk.NewExchange(t.devices(), t.exchangeBytes)
	return err
}

// Open returns ErrClosed if the team is closed and N is not 0. If an earlier attempt to replace the
// memory of a device or the exchange has failed, Open tries again to allocate it.
func (t *Team) Open() error {
	if err := t.OnFirst(t.Base.Open()); err != nil {
		return err
	}
	for _, o := range t.Others {
		if err := o.Open(); err != nil {
			return plan.OnDevice(o.Dev, err)
		}
	}
	return t.allocateExchange()
}

// Close waits for the call in flight, and frees the memory of all devices. A second call does
// nothing.
func (t *Team) Close() {
	t.Base.Close()
	if t.exchange != nil {
		t.exchange.Close()
	}
	for _, o := range t.Others {
		if o.link != nil {
			o.link.Close()
		}
		o.Base.Close()
	}
}

// crew is the devices of a team during a solve. There is one goroutine per device.
type crew struct {
	*Team

	// calls are the calls on all devices, that of the first device first.
	calls []*plan.Call

	// outer is the context of the whole solve. ctx is derived from it and is the context on all
	// devices. ctx also ends after the first error on a device.
	outer, ctx context.Context
	cancel     context.CancelFunc
}

// newCrew begins a solve on all devices. The caller must call the method End.
func (t *Team) newCrew(first *plan.Call) crew {
	g := crew{Team: t, calls: []*plan.Call{first}, outer: first.Ctx}
	g.ctx, g.cancel = context.WithCancel(first.Ctx)
	first.Ctx = g.ctx
	for _, o := range t.Others {
		g.calls = append(g.calls, o.Begin(g.ctx, nil))
	}
	return g
}

// End cancels the context of the devices, and adds the times of the other devices to the profile of
// the first one. It sets the context of the first device's call back to the context of the solve.
func (g *crew) End() {
	g.cancel()
	g.calls[0].Ctx = g.outer
	for _, c := range g.calls[1:] {
		g.calls[0].Join(c, plan.Suffix(c.Dev))
	}
}

// The method `each` calls the function `do` for all devices at the same time, and waits until all
// calls have returned. The first error cancels the context g.ctx. The other devices then return
// context.Canceled. `each` returns the first error that is not context.Canceled, if there is one.
func (g *crew) each(do func(k int, c *plan.Call) error) error {
	errs := plan.Parallel(len(g.calls), g.cancel, func(k int) error { return do(k, g.calls[k]) })
	k, err := plan.First(errs)
	if k == 0 {
		return err // the plan names the first device
	}
	return plan.OnDevice(g.calls[k].Dev, err)
}

// gathered is the method `each` for recordings that wait for each other.
func (g *crew) gathered(do func(k int, c *plan.Call) error) error {
	release, err := vk.Gather(g.ctx, g.devices())
	if err != nil {
		return err
	}
	defer release()
	return g.each(do)
}

// fetch transforms the vectors of all devices back by the function `back`, and copies the results
// to the host memory that the function `wait` returns. All devices together have m vectors. No
// device writes to this memory before all devices have transformed their parts without an error,
// because the memory may be that of the input matrix, which a second attempt would need.
func fetch[T spirv.Scalar](g *crew, m int, rowMajor bool, wait func() vk.Columns[T], back func() ([]product.Matrix[T], error)) error {
	q, err := back()
	if err != nil {
		return err
	}
	z := dense.Stored[T]{Columns: wait(), Transposed: rowMajor}
	return g.each(func(k int, c *plan.Call) error {
		part := z.Part(g.split.Of(k, m)).Columns
		return plan.During(stages.PhaseTranspose, vk.Download(c.Ctx, c.Dev, part, q[k].At))
	})
}
