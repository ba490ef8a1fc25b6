package vk

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// ErrDeviceLost is what errors.Is finds when the GPU was reset or removed under us.
var ErrDeviceLost = errors.New("device lost")

// ErrNoDevice is what errors.Is finds when there is no Vulkan loader, no driver or no
// device that can do the work; the message says which, and what to install.
var ErrNoDevice = errors.New("no usable Vulkan device")

// ErrClosed is what a Device that was closed answers with.
var ErrClosed = errors.New("the device is closed")

// Error is a Vulkan call that failed, with where we were.
type Error struct {
	Op     string // what we were doing
	Kernel string // the kernel concerned, if it is one
	Phase  string // the phase, or "first to last" where a batch spans several, if it is known
	Err    error  // the driver's answer
}

func (e *Error) Error() string {
	s := "vulkan: " + e.Op
	if e.Kernel != "" {
		s += " of kernel " + e.Kernel
	}
	if e.Phase != "" {
		s += " in phase " + e.Phase
	}
	return s + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrDeviceLost) work.
func (e *Error) Is(target error) bool {
	var d *driver.Error
	return target == ErrDeviceLost && errors.As(e.Err, &d) && d.Result == driver.DeviceLost
}

// UnsupportedError says that the device lacks something.
type UnsupportedError struct {
	Device              string
	Feature, Need, Have string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s: needs %s, has %s", e.Device, e.Feature, e.Need, e.Have)
}

// OutOfMemoryError says that something does not fit. Sizes are in bytes; Free
// is the driver's estimate. Limit, where it is not 0, is what stood in the way although enough
// was free: the device gives no more than that in one piece.
type OutOfMemoryError struct {
	What              string
	Need, Free, Limit uint64
}

func (e *OutOfMemoryError) Error() string {
	if e.Limit != 0 {
		return fmt.Sprintf("%s needs %d bytes of device memory in one piece, the device allows %d", e.What, e.Need, e.Limit)
	}
	return fmt.Sprintf("%s needs %d bytes of device memory, %d are free", e.What, e.Need, e.Free)
}

func wrap(op, kernel, phase string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{op, kernel, phase, err}
}

func outOfMemory(err error) bool {
	var d *driver.Error
	return errors.As(err, &d) && d.Result == driver.OutOfMemory
}
