module github.com/vkevd/vkevd

go 1.24.0

require (
	github.com/goki/vulkan v1.0.8 // indirect
	github.com/vulkan-go/vulkan v0.0.0-20221209234627-c0a353ae26c8 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)
