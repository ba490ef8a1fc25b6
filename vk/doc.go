// Package vk runs typed compute kernels on a Vulkan device. It contains no numerical methods.
//
// These are its objects, with their owners:
//
//	Device    owns the Vulkan device, its queue, staging buffer and pipelines; Close releases all of it
//	Arena     owns device memory for one Layout, in one buffer or several; Close releases it
//	Slice     borrows a range of an Arena, as a Go slice borrows an array
//	Kernel    is a compiled pipeline with its specialisation constants; the Device owns it
//	Recorder  is a list of commands, plain Go values; Device.Run submits it
//
// An Arena, a Kernel and a Recorder can also be made on a device of Dry, which has no driver, and
// on a device of OpenCompiler, which compiles the kernels. Such recordings can be printed and
// compared, but not run.
//
// The parts by file:
//
//	device, open, options, usage    a device: opened, shared by goroutines, closed
//	info, examine, subgroups        what is known of a device, and which one is chosen
//	layout, placement, limits       where regions lie, and what a device refuses
//	arena, chunk, memory, guards    memory for a layout, and tests of its borders
//	slice, transfer, staging        ranges of memory, and copies between host and device
//	kernel, pipelines, floatmodes   kernels and how they are compiled
//	recorder, concurrent, staged    a list of commands
//	run, batch, encoder, queue, pace, profile    how a list is run, in batches, and what it took
//	bounds, outofrange, statistics  checks of kernels, and what the compiler says of them
//	probes, cachefile               answers and compiled kernels, kept in files
package vk
