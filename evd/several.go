package evd

import (
	"errors"

	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// other is another device of a plan, which computes a part of the vectors: its memory, and a link
// from the first device. On a vk.Dry device there is no link.
type other struct {
	base spectrum.Base
	link *vk.Link
}

// close frees the memory and the link. No call may be in flight.
func (o *other) close() {
	if o.link != nil {
		o.link.Close()
	}
	o.base.Close()
}

// addDevices takes the devices of the options into the plan, if there are vectors to divide.
func (p *Plan[T]) addDevices(opt Options) (err error) {
	if !opt.Vectors || len(opt.Devices) == 0 || p.base.N <= 1 {
		return nil
	}
	all := append([]*vk.Device{p.base.Dev}, opt.Devices...)
	if p.split, err = newShares(all); err != nil {
		return err
	}
	for _, dev := range opt.Devices {
		p.others = append(p.others, &other{base: spectrum.Base{Dev: dev, N: p.base.N}})
	}
	return nil
}

// onFirst says that an error happened on the first device, if there are others and the error does
// not name a device. An error that is not about a device stays as it is.
func (p *Plan[T]) onFirst(err error) error {
	if len(p.others) == 0 {
		return err
	}
	if errors.As(err, new(*vk.Error)) || errors.As(err, new(*vk.OutOfMemoryError)) ||
		errors.As(err, new(*vk.UnsupportedError)) || errors.Is(err, vk.ErrClosed) {
		return spectrum.OnDevice(p.base.Dev, err)
	}
	return err
}

// newPath makes a path, with the paths of the other devices.
func (p *Plan[T]) newPath(opt Options) (*path[T], error) {
	by, err := newPath[T](p.base.Dev, p.base.N, opt)
	if err != nil {
		return nil, err
	}
	for k, o := range p.others {
		most := p.split.most(k+1, opt.capacity(p.base.N))
		err := o.base.Dev.Compile(func() error {
			back, err := newBackPath(o.base.Dev, by, most)
			by.back = append(by.back, back)
			return err
		})
		if err != nil {
			return nil, spectrum.OnDevice(o.base.Dev, err)
		}
	}
	return by, nil
}

// layouts returns the layout of the first device and those of the others, if the plan is on the path
// by. The safe path shares their memory.
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

// allocate allocates the memory on all devices, and opens the links. After an error the caller calls
// Close.
func (p *Plan[T]) allocate() error {
	if err := p.base.Allocate(); err != nil {
		return p.onFirst(err)
	}
	for _, o := range p.others {
		if err := o.base.Allocate(); err != nil {
			return spectrum.OnDevice(o.base.Dev, err)
		}
		if o.base.Dev.IsDry() {
			continue
		}
		link, err := vk.NewLink(p.base.Dev, o.base.Dev)
		if err != nil {
			return err
		}
		o.link = link
	}
	return nil
}

// open returns ErrClosed if the plan is closed. It allocates memory on those devices where an
// attempt to replace it failed.
func (p *Plan[T]) open() error {
	if err := p.onFirst(p.base.Open()); err != nil {
		return err
	}
	for _, o := range p.others {
		if err := o.base.Open(); err != nil {
			return spectrum.OnDevice(o.base.Dev, err)
		}
	}
	return nil
}

// DeviceShare is the part of a plan that is on one device.
type DeviceShare struct {
	// Device is the device.
	Device *vk.Device

	// Part is the part of the vectors that the device computes, between 0 and 1.
	Part float64

	// Bytes is the device memory that the plan has allocated there, and Memory lists its regions.
	Bytes  uint64
	Memory []vk.Placed
}

// Devices lists the devices of the plan: that of NewPlan, and those of Options.Devices if the plan
// uses them.
func (p *Plan[T]) Devices() []DeviceShare {
	all := []DeviceShare{{p.base.Dev, 1, p.Bytes(), p.Memory()}}
	before := 0.0
	for k, o := range p.others {
		all[k].Part, before = p.split[k]-before, p.split[k]
		all = append(all, DeviceShare{o.base.Dev, 1 - before, o.base.Bytes(), o.base.Memory()})
	}
	return all
}
