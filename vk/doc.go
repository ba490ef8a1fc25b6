// Package vk runs typed compute kernels on a Vulkan device. It contains no numerical methods.
//
// The objects of the package, and which object owns which:
//
//	Device    owns the Vulkan device, its queue, staging buffer and pipelines; Close releases all of it
//	Arena     owns device memory for one Layout, in one buffer or several; Close releases it
//	Slice     borrows a range of an Arena, as a Go slice borrows an array
//	Kernel    is a compiled pipeline with its specialisation constants; the Device owns it
//	Recorder  is a list of commands, plain Go values; Device.Run submits it
//	Link      copies from one Device to another; Close releases it, before the devices
//	Exchange  is host memory through which recordings on several devices exchange numbers; Close releases
//	          it, before the devices
//	Event     happens in one recording, and recordings on other devices wait for it
//	Running   is a list of commands that Device.Start has submitted; Await waits for its end
//
// An Arena, a Kernel and a Recorder can also be made on a device without hardware. The function Dry
// makes such a device without a driver, and OpenCompiler makes one that compiles the kernels.
// Recordings on these devices can be printed and compared, but not run.
//
// The parts by file:
//
//	device, open, options, usage    a device: opened, shared by goroutines, closed
//	info, examine, subgroups        the properties of a device, and the choice of a device
//	layout, placement, limits       where regions lie, and which layouts a device refuses
//	arena, chunk, memory, guards    memory for a layout, and tests for writes past its regions
//	pages                           the page table for regions that lie in several buffers
//	slice, transfer, staging        ranges of memory, and copies between host and device
//	link, move, hostview            copies from one device to another
//	exchange, event, broadcast, gather  recordings on several devices that exchange numbers
//	kernel, pipelines, floatmodes   kernels and their compilation
//	recorder, concurrent, staged    a list of commands
//	run, start, batch, encoder, queue, pace, profile    execution of a list in batches, and its time
//	bounds, outofrange, statistics  checks of kernels, and the compiler's statistics
//	probes, cachefile               files with results of experiments, and with compiled kernels
package vk
