// Package vk runs typed compute kernels on a Vulkan device. It contains no numerical methods.
//
// The objects of the package, and which object owns which:
//
//	Device    owns the Vulkan device, its queue, staging buffer and pipelines; Close releases all
//	Arena     owns device memory for one Layout, in one buffer or several; Close releases it
//	Slice     borrows a range of an Arena, as a Go slice borrows an array
//	Kernel    is a compiled pipeline with its specialisation constants; the Device owns it
//	Recorder  is a list of commands, plain Go values; Device.Run submits it
//	Link      copies from one Device to another; Close releases it, before the devices
//	Exchange  is host memory through which recordings on several devices exchange numbers; Close
//	          releases it, before the devices
//	Event     happens in one recording, and recordings on other devices wait for it
//	Running   is a list of commands that Device.Start has submitted; Await waits for its end
//
// An Arena, a Kernel and a Recorder can also be made on a device without hardware. The function Dry
// makes such a device without a driver, and OpenCompiler makes one that compiles the kernels.
// Recordings on these devices can be printed and compared, but not run.
//
// The name of a file begins with its theme:
//
//	device_  a device: chosen, opened, shared, closed; files of what is known about it
//	memory_  layouts, and memory for them in one buffer or in several
//	kernel_  kernels: their compilation, their checks and the compiler's statistics
//	record_  a list of commands
//	run_     the execution of a list in batches, and its time
//	copy_    copies between host and device, and from one device to another
//	team_    recordings on several devices that exchange numbers
package vk
