// Package vk runs typed compute kernels on a Vulkan device. It contains no numerical methods.
//
// A user of package evd needs Open, Options, List, Device.Info, Device.Close and the errors:
//
//	dev, err := vk.Open(vk.Options{Device: "H200"}) // a part of the name, or a number; "" for the best
//	if errors.Is(err, vk.ErrNoDevice) {
//		// no driver, or no device that can be used: err says why
//	}
//	defer dev.Close()
//	fmt.Println(dev.Info().Name)
//
// The error of a device that lacks a feature is an *UnsupportedError, of memory an
// *OutOfMemoryError, and of another call of Vulkan an *Error. If errors.Is(err, ErrDeviceLost), the
// device must be opened again. Several goroutines may use a Device; it runs one recording at a time.
//
// All other names are for the authors of kernels. The objects, and which object owns which:
//
//	Device    owns the Vulkan device, its queue, staging buffer and pipelines; Close releases all
//	Arena     owns device memory for one Layout, in one buffer or several; Close releases it
//	Slice     borrows a range of an Arena, as a Go slice borrows an array
//	Kernel    is a compiled pipeline with its specialization constants; the Device owns it
//	Recorder  is a list of commands, plain Go values; Device.Run submits it
//	Link      copies from one Device to another; Close releases it, before the devices
//	Exchange  is host memory through which recordings on several devices exchange numbers; Close
//	          releases it, before the devices
//	Event     is signalled by one recording; recordings on other devices wait for it
//	Running   is a list of commands that Device.Start has submitted; Await waits for its end
//
// An Arena, a Kernel and a Recorder can also be made on a device without hardware. The function Dry
// makes such a device without a driver, and OpenCompiler makes one that compiles the kernels.
// Recordings on these devices can be printed and compared, but not run.
package vk
