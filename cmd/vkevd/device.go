package main

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// deviceFlag adds the flag --device to a command. The returned function gives the device that the
// user has named, or "" for the best device.
func deviceFlag(cmd *cobra.Command, s *session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

// devicesFlag adds the flag --device to a command that can use several devices. The returned
// function gives the text that the user has given: names of devices with commas between them,
// "all", or "" for the best device.
func devicesFlag(cmd *cobra.Command, s *session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices;\n"+
		"several with commas, the fastest first, or all\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

// deviceFlagOf adds the flag --device to a command. `usage` describes the flag in the command's
// help.
func deviceFlagOf(cmd *cobra.Command, s *session, usage string) func() string {
	word := cmd.Flags().String("device", "", usage)
	names := func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		infos, _ := s.machine.list()
		for _, i := range infos {
			names = append(names, i.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RegisterFlagCompletionFunc("device", names)
	return func() string {
		if !cmd.Flags().Changed("device") {
			fromEnv, _ := s.lookup("VKEVD_DEVICE")
			return fromEnv
		}
		return *word
	}
}

// debugShadersFlag adds the flag --debug-shaders to all commands. It belongs to the root command
// because it applies to every kernel that any command runs.
func debugShadersFlag(root *cobra.Command, s *session) {
	root.PersistentFlags().BoolVar(&s.debugShaders, "debug-shaders", false,
		"check every memory access of the kernels, many times slower")
}

// open opens a device. It adds three settings to opt: the folder for compiled kernels, the value of
// --debug-shaders, and a logger that writes the driver's warnings to log.
func (s *session) open(opt vk.Options, log io.Writer) (device, error) {
	opt.CacheDir, opt.DebugShaders, opt.Logger = s.pipelineCache(), s.debugShaders, slog.New(warnings{w: log})
	return s.machine.open(opt)
}

// A deviceError says that a device could not be opened.
type deviceError struct{ error }

func (e *deviceError) Unwrap() error { return e.error }

// prepare opens a device and makes a plan on it. The driver may need to compile kernels for the
// plan, and a compilation cannot be interrupted. If ctx ends, prepare therefore returns without
// waiting, and the device stays open.
func prepare[P any](
	ctx context.Context, s *session, word string, log io.Writer, plan func(device) (P, error),
) (device, P, error) {
	return prepareOn(ctx, func() (device, error) { return s.open(vk.Options{Device: word}, log) }, plan)
}

// prepareOn opens devices with the function `open` and makes a plan with the function `plan`, as prepare
// does.
func prepareOn[P any](ctx context.Context, open func() (device, error), plan func(device) (P, error)) (device, P, error) {
	var none P
	dev, err := open()
	if err != nil {
		return nil, none, &deviceError{err}
	}
	p, err := unlessDone(ctx, func() (P, error) { return plan(dev) })
	if err != nil {
		if ctx.Err() == nil {
			dev.Close()
		}
		return nil, none, err
	}
	return dev, p, nil
}

// vectorsPlan returns a function that makes a plan for all eigenvalues and eigenvectors of order n.
func vectorsPlan(n int) func(device) (solver, error) {
	return func(dev device) (solver, error) {
		return planOf[solver](dev, task{n: n, evd: evd.Options{Vectors: true}})
	}
}
