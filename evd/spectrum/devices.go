package spectrum

import (
	"context"
	"errors"
	"slices"

	"github.com/vkevd/vkevd/vk"
)

// CheckDevices returns an *OptionError for the option Devices of a plan: the devices besides the
// first one. Each of them must be a device, must not be in the list twice, and must be dry if and
// only if the first one is.
func CheckDevices(first *vk.Device, others []*vk.Device) error {
	for k, dev := range others {
		switch {
		case dev == nil:
			return BadOption("Devices", "there is a nil device")
		case dev.IsDry() != first.IsDry():
			return BadOption("Devices", "some devices are dry, and others are not")
		case dev == first || slices.Contains(others[:k], dev):
			return BadOption("Devices", "a device is twice in the list, or is the plan's first one")
		}
	}
	return nil
}

// OnDevice says on which device of several an error happened: it returns a *vk.DeviceError. An error
// that names a device stays as it is. So does the end of a context, because it is no error of a
// device. If err is nil, OnDevice returns nil.
func OnDevice(dev *vk.Device, err error) error {
	if err == nil || errors.As(err, new(*vk.DeviceError)) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &vk.DeviceError{Device: dev, Err: err}
}
