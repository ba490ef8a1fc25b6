package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
)

// CheckDevices checks the option Devices of a plan, the further devices `others`. No entry may be
// nil. No device may be in the list twice, and the plan's first device may not be in it. Either all
// devices are vk.Dry devices, or none is. If one of these rules is broken, the error is an
// *OptionError. If there are further devices, all devices must compute in double precision. If one
// does not, the error is a *vk.DeviceError, which wraps a *vk.UnsupportedError.
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
	if len(others) == 0 {
		return nil
	}
	for _, dev := range append([]*vk.Device{first}, others...) {
		if err := dev.Info().NeedFloat64("it cannot share a solve with other devices"); err != nil {
			return OnDevice(dev, err)
		}
	}
	return nil
}

// Suffix is the end of the names of a device's phases in the profile of a solve on several devices.
// The number is vk.Info.Index, as in the text of a *vk.DeviceError.
func Suffix(dev *vk.Device) string { return fmt.Sprintf(", device %d", dev.Info().Index) }

// OnDevice says on which device of several an error happened: it returns a *vk.DeviceError. An
// error that names a device stays as it is. So does the end of a context, because it is no error of
// a device. If err is nil, OnDevice returns nil.
func OnDevice(dev *vk.Device, err error) error {
	if err == nil || errors.As(err, new(*vk.DeviceError)) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &vk.DeviceError{Device: dev, Err: err}
}

// Shared describes the devices that solve the tridiagonal problem of one call together, and their
// parts of the vectors. The plan makes a new Shared for each call.
type Shared struct {
	// Devices are the devices of the call, the first one included. In the field X of each further
	// device only the memory is set. The solve sets the shape, and the field X of the first device.
	Devices []stedc.ConquerDevice

	// Part returns which of m vectors device k computes: `from` ≤ i < `to`.
	Part func(k, m int) (from, to int)

	// The function Each calls `do` with the number of each device, 0, 1, …, at the same time, and
	// returns the first error.
	Each func(do func(k int) error) error

	// Vectors is the number of all vectors. The solve sets it.
	Vectors int
}
