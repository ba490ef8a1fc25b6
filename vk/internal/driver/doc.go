// Package driver is the only package that calls Vulkan. It uses a Go binding for handles and for
// calls with one structure: the binding goki/vulkan, or vulkan-go/vulkan with the build tag
// vulkango. All other calls go through C functions of this package; shim.h gives the reasons. Only
// package vk imports package driver.
//
// The package does not check arguments, count references or lock. Its callers must follow Vulkan's
// rules.
//
// Each call that returns a VkResult goes through the function `try`, so that tests can make the
// call fail (Fault). Each object that is created or destroyed is counted (Live).
package driver
