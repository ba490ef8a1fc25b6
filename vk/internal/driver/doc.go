// Package driver is the only room that speaks to Vulkan: handles and single-struct calls through a
// binding (goki's, or with the tag vulkango vulkan-go's), everything else through C of our own
// (shim.h says why). Package vk makes of it what the others use.
package driver
