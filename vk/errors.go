package vk

import (
	"errors"
	"fmt"

	"github.com/vkevd/vkevd/vk/internal/driver"
)

// ErrDeviceLost says that the GPU was reset or removed. errors.Is finds it in the error of a call.
// All memory and kernels of the device are lost, and Close is the only useful call.
var ErrDeviceLost = errors.New("device lost")

// ErrNoDevice says that there is no Vulkan loader, no driver, or no device that can be used.
// errors.Is finds it in the error of Open or List. The error's message says which of the three is
// missing. If it is the loader or the driver, the message also says what to install.
var ErrNoDevice = errors.New("no usable Vulkan device")

// ErrClosed is the error of calls that begin after Device.Close.
var ErrClosed = errors.New("the device is closed")

// Error is a failed Vulkan call, with the operation, kernel and phase in which it failed.
type Error struct {
	Op     string // what the library was doing
	Kernel string // the kernel concerned; "" if there is none, or several
	Phase  string // the phase, or "first to last" where a batch has several; "" if it is not known
	Err    error  // the error of the driver
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

// Is lets errors.Is find ErrDeviceLost in an error of the driver.
func (e *Error) Is(target error) bool {
	var d *driver.Error
	return target == ErrDeviceLost && errors.As(e.Err, &d) && d.Result == driver.DeviceLost
}

// UnsupportedError says which feature or property a device lacks.
type UnsupportedError struct {
	Device     string // its name
	Feature    string // the missing feature or property
	Need, Have string // the value that is needed, and that of the device
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s: %s: needs %s, has %s", e.Device, e.Feature, e.Need, e.Have)
}

// OutOfMemoryError says that device memory cannot be allocated. Sizes are in bytes.
type OutOfMemoryError struct {
	What       string // what the memory was for
	Need, Free uint64 // the size that could not be allocated, and the driver's estimate of the free memory

	// Limit is the largest size that the device allows. It is set only if the memory would have
	// been larger than this limit. If too little memory is free, Limit is 0.
	Limit uint64
}

func (e *OutOfMemoryError) Error() string {
	s := fmt.Sprintf("%s needs %d bytes of device memory", e.What, e.Need)
	if e.Limit != 0 {
		return s + fmt.Sprintf(", the device allows %d", e.Limit)
	}
	return s + fmt.Sprintf(", %d are free", e.Free)
}

// wrap returns err as an *Error with the operation, kernel and phase. It returns nil if err is nil.
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
