module github.com/vkevd/vkevd

go 1.24.0

require (
	github.com/goki/vulkan v1.0.8
	github.com/spf13/cobra v1.10.2
	github.com/vulkan-go/vulkan v0.0.0-20221209234627-c0a353ae26c8
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
)
