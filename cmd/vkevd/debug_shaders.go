package main

import (
	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/vk"
)

// debugShadersFlag gives all commands --debug-shaders, the one flag that is about every kernel that runs.
func (s *session) debugShadersFlag(root *cobra.Command) {
	root.PersistentFlags().BoolVar(&s.debugShaders, "debug-shaders", false, "check every memory access of the kernels, many times slower")
}

// openAs opens a device with the options, and with that flag.
func (s *session) openAs(opt vk.Options) (device, error) {
	opt.DebugShaders = s.debugShaders
	return s.machine.open(opt)
}
