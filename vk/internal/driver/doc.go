// Package driver is the only package that calls Vulkan. It uses a Go binding for handles and for
// calls with one structure: goki's, or vulkan-go's with the build tag vulkango. All other calls go
// through C functions of this package, for reasons that shim.h gives. Only package vk imports it.
//
// The package does not check arguments, count references or lock. Its callers must follow Vulkan's
// rules.
//
// Each call that returns a VkResult passes through try, so that tests can make it fail (Fault).
// Each object that is created or destroyed is counted (Live).
package driver
