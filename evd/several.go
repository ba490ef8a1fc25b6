package evd

import (
	"errors"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/vk"
)

// other is one of the further devices of a plan, which compute a part of the vectors, and with
// Options.Distribute have a part of the matrix. It has this device's memory, and a link that copies
// from the first device to this one. A vk.Dry device has no link, and neither has a plan without
// vectors.
type other struct {
	base plan.Base
	link *vk.Link
}

// close frees the device memory and the link of one of the further devices. No call of the plan may
// be in flight.
func (o *other) close() {
	if o.link != nil {
		o.link.Close()
	}
	o.base.Close()
}

// addDevices adds the devices of Options.Devices to the plan, if vectors are wanted or the matrix
// is distributed. Otherwise, and for the orders 0 and 1, the plan uses only its first device.
func (p *Plan[T]) addDevices(opt Options) (err error) {
	if !opt.Vectors && !opt.Distribute || len(opt.Devices) == 0 || p.base.N <= 1 {
		return nil
	}
	all := append([]*vk.Device{p.base.Dev}, opt.Devices...)
	if len(opt.Shares) > 0 {
		p.split = sharesOf(opt.Shares)
	} else if p.split, err = newShares(all); err != nil {
		return err
	}
	for _, dev := range opt.Devices {
		p.others = append(p.others, &other{base: plan.Base{Dev: dev, N: p.base.N}})
	}
	return nil
}

// onFirst adds the first device to an error that happened on this device, if the plan has several
// devices. It returns the error unchanged if the error already names a device, or if it is not
// about a device.
func (p *Plan[T]) onFirst(err error) error {
	if len(p.others) == 0 {
		return err
	}
	if errors.As(err, new(*vk.Error)) || errors.As(err, new(*vk.OutOfMemoryError)) ||
		errors.As(err, new(*vk.UnsupportedError)) || errors.Is(err, vk.ErrClosed) {
		return plan.OnDevice(p.base.Dev, err)
	}
	return err
}

// newPath makes the stages of a solve on the first device, and the stages of the further devices:
// for the back transformation, and for their part of a distributed matrix. Stages and the layout of
// their memory are together called a path.
func (p *Plan[T]) newPath(opt Options) (*path[T], error) {
	by, err := newPath[T](p.base.Dev, p.base.N, opt, p.split)
	if err != nil {
		return nil, err
	}
	for k, o := range p.others {
		part := part{p.split, k + 1, p.split.most(k+1, opt.capacity(p.base.N))}
		err := o.base.Dev.Compile(func() error {
			back, err := newBackPath(p.base.Dev, o.base.Dev, by, part)
			by.back = append(by.back, back)
			return err
		})
		if err != nil {
			return nil, plan.OnDevice(o.base.Dev, err)
		}
	}
	return by, nil
}

// layouts returns the layout of the memory of the first device and of each further device, for
// solves by the stages in `by`. With Options.Verify the plan has a second set of stages, which
// share this memory.
func (p *Plan[T]) layouts(by *path[T]) (first *vk.Layout, others []*vk.Layout) {
	first = by.layout
	for _, back := range by.back {
		others = append(others, back.layout)
	}
	if p.safe == nil {
		return first, others
	}
	for k, back := range p.safe.back {
		others[k] = vk.InTurn(others[k], back.layout)
	}
	return vk.InTurn(first, p.safe.layout), others
}

// allocate allocates memory on all devices of the plan. It also opens a link from the first device
// to each further one. After an error the caller calls Close.
func (p *Plan[T]) allocate() error {
	if err := p.base.Allocate(); err != nil {
		return p.onFirst(err)
	}
	for _, o := range p.others {
		if err := o.base.Allocate(); err != nil {
			return plan.OnDevice(o.base.Dev, err)
		}
		if o.base.Dev.IsDry() || !p.linked() {
			continue
		}
		link, err := vk.NewLink(p.base.Dev, o.base.Dev)
		if err != nil {
			return err
		}
		o.link = link
	}
	return p.allocateExchange()
}

// allocateExchange makes the memory of the host through which the devices exchange numbers, if the
// matrix is distributed. If the plan has it already, it must be large enough for the plan's stages.
func (p *Plan[T]) allocateExchange() (err error) {
	if !p.opt.Distribute || p.base.Dev.IsDry() {
		return nil
	}
	all := []*vk.Device{p.base.Dev}
	for _, o := range p.others {
		all = append(all, o.base.Dev)
	}
	bytes := p.path.Now.places(len(all)).bytes
	if p.safe != nil {
		bytes = max(bytes, p.safe.places(len(all)).bytes)
	}
	if p.opt.Vectors {
		bytes = max(bytes, broadcastPieces*p.piece())
	}
	if p.exchange != nil && p.exchange.Bytes() >= bytes {
		return nil
	}
	if p.exchange != nil {
		p.exchange.Close()
		p.exchange = nil // the next call tries again if there is too little memory
	}
	p.exchange, err = vk.NewExchange(all, bytes)
	return err
}

// The vectors of a plan that distributes the matrix, and the reflectors for them, go from one
// device to all others in pieces (vk.Broadcast). The exchange has room for broadcastPieces of them,
// of at most largestPiece bytes.
const (
	broadcastPieces = 8
	largestPiece    = 16 << 20
)

// piece returns the size of a piece in bytes. Small matrices have smaller pieces.
func (p *Plan[T]) piece() int { return min(largestPiece, max(1<<16, 4*p.base.N*p.base.N)) }

// linked tells whether the plan needs links from the first device to the others: if the reflectors,
// or all vectors of the tridiagonal matrix, are on the first device.
func (p *Plan[T]) linked() bool {
	return p.opt.Vectors && !(p.opt.Distribute && p.safe == nil && p.path.Now.steps.spectrum.Shared())
}

// parties returns the parts of the devices in a broadcast between them. Only one broadcast at a
// time may be in progress.
func (p *Plan[T]) parties() (all []*vk.Party) {
	b := vk.NewBroadcast(p.exchange, 0, broadcastPieces*p.piece(), p.piece(), 1+len(p.others))
	for k := range 1 + len(p.others) {
		all = append(all, b.Party(k))
	}
	return all
}

// open returns ErrClosed if the plan is closed. If an earlier attempt to replace the memory of a
// device has failed, `open` tries again to allocate memory on this device.
func (p *Plan[T]) open() error {
	if err := p.onFirst(p.base.Open()); err != nil {
		return err
	}
	for _, o := range p.others {
		if err := o.base.Open(); err != nil {
			return plan.OnDevice(o.base.Dev, err)
		}
	}
	return p.allocateExchange()
}

// DeviceShare describes what one device contributes to a plan: its part of the vectors and its
// memory.
type DeviceShare struct {
	// Device is the device.
	Device *vk.Device

	// Part is the part of the vectors that the device computes. It is a fraction between 0 and 1.
	// With Options.Distribute it is also the device's part of the matrix, up to a block of columns.
	Part float64

	// Bytes is the size of the memory that the plan has allocated on the device, in bytes. Memory
	// lists the regions of this memory.
	Bytes  uint64
	Memory []vk.Placed
}

// Devices lists the devices that the plan uses: first the device of NewPlan, then those of
// Options.Devices. Without vectors and Options.Distribute the plan uses only the first device.
func (p *Plan[T]) Devices() []DeviceShare {
	all := []DeviceShare{{p.base.Dev, 1, p.Bytes(), p.Memory()}}
	before := 0.0
	for k, o := range p.others {
		all[k].Part, before = p.split[k]-before, p.split[k]
		all = append(all, DeviceShare{o.base.Dev, 1 - before, o.base.Bytes(), o.base.Memory()})
	}
	return all
}
