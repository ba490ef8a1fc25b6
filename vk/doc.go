// Package vk runs typed compute kernels on a Vulkan device. It knows no
// mathematics.
//
// Who owns what:
//
//	Device    owns the Vulkan device, its queue, staging memory, pipelines; Close releases all of it
//	Arena     owns one block of device memory, laid out by a Layout; Close releases it
//	Slice     borrows a range of an Arena, as a Go slice borrows an array
//	Kernel    is a compiled pipeline with its specialisation constants; the Device owns it
//	Recorder  is a list of commands, plain Go values; Device.Run submits it
//
// A Recorder, an Arena and a Kernel can also be made on a Dry device, which has
// no driver behind it: recordings are then printed and compared, not run.
package vk
