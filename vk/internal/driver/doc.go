// Package driver is the only package that calls Vulkan. For handles, and for calls with at most one
// structure, it uses the Go binding goki/vulkan. With the build tag vulkango it uses
// vulkan-go/vulkan instead. All other calls go through C functions of this package; the file shim.h
// gives the reasons. Only package vk imports package driver.
//
// Package driver does not check arguments or count references, and locks only what belongs to
// instances. Its callers must follow Vulkan's rules.
//
// Each call that returns a VkResult goes through the function `try` or tryToEnd. Tests can make
// such a call fail (Fault). Each Vulkan object that is created or destroyed is counted (Live).
package driver
