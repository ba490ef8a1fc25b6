// Package driver is the only package that calls Vulkan. It uses a Go binding for handles and for
// calls with one structure: the binding goki/vulkan, or vulkan-go/vulkan with the build tag
// vulkango. All other calls go through C functions of this package; the file shim.h gives the
// reasons. Only package vk imports package driver.
//
// Package driver does not check arguments, count references or lock. Its callers must follow
// Vulkan's rules.
//
// Each call that returns a VkResult goes through the function `try`. Tests can make such a call
// fail (Fault). Each Vulkan object that is created or destroyed is counted (Live).
package driver
