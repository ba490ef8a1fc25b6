package cli

import (
	"context"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// DeviceFlag adds the flag --device to a command. The returned function gives the device that the
// user has named, or "" for the best device.
func DeviceFlag(cmd *cobra.Command, s *Session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

// DevicesFlag adds the flag --device to a command that can use several devices. The returned
// function gives the text that the user has given: names of devices with commas between them,
// "all", or "" for the best device.
func DevicesFlag(cmd *cobra.Command, s *Session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices;\n"+
		"several with commas, the fastest first, or all\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

// deviceFlagOf adds the flag --device to a command. `usage` describes the flag in the command's
// help.
func deviceFlagOf(cmd *cobra.Command, s *Session, usage string) func() string {
	word := cmd.Flags().String("device", "", usage)
	names := func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		infos, _ := s.Machine.List()
		for _, i := range infos {
			names = append(names, i.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	cmd.RegisterFlagCompletionFunc("device", names)
	return func() string {
		if !cmd.Flags().Changed("device") {
			fromEnv, _ := s.Lookup("VKEVD_DEVICE")
			return fromEnv
		}
		return *word
	}
}

// DebugShadersFlag adds the flag --debug-shaders to all commands. It belongs to the root command
// because it applies to every kernel that any command runs.
func DebugShadersFlag(root *cobra.Command, s *Session) {
	root.PersistentFlags().BoolVar(&s.DebugShaders, "debug-shaders", false,
		"check every memory access of the kernels, many times slower")
}

// Open opens a device. It adds three settings to opt: the folder for compiled kernels, the value of
// --debug-shaders, and a logger that writes the driver's warnings to log.
func (s *Session) Open(opt vk.Options, log io.Writer) (machine.Device, error) {
	opt.CacheDir, opt.DebugShaders, opt.Logger = s.PipelineCache(), s.DebugShaders, slog.New(warnings{w: log})
	return s.Machine.Open(opt)
}

// A DeviceError says that a device could not be opened.
type DeviceError struct{ error }

func (e *DeviceError) Unwrap() error { return e.error }

// Prepare opens a device and makes a plan on it. The driver may need to compile kernels for the
// plan, and a compilation cannot be interrupted. If ctx ends, Prepare therefore returns without
// waiting, and the device stays open.
func Prepare[P any](
	ctx context.Context, s *Session, word string, log io.Writer, plan func(machine.Device) (P, error),
) (machine.Device, P, error) {
	return PrepareOn(ctx, func() (machine.Device, error) { return s.Open(vk.Options{Device: word}, log) }, plan)
}

// PrepareOn opens devices with the function `open` and makes a plan with the function `plan`, as Prepare
// does.
func PrepareOn[P any](ctx context.Context, open func() (machine.Device, error), plan func(machine.Device) (P, error)) (machine.Device, P, error) {
	var none P
	dev, err := open()
	if err != nil {
		return nil, none, &DeviceError{err}
	}
	p, err := UnlessDone(ctx, func() (P, error) { return plan(dev) })
	if err != nil {
		if ctx.Err() == nil {
			dev.Close()
		}
		return nil, none, err
	}
	return dev, p, nil
}

func VectorsPlan(n int) func(machine.Device) (machine.Solver, error) {
	return func(dev machine.Device) (machine.Solver, error) {
		return machine.PlanOf[machine.Solver](dev, machine.Task{N: n, Evd: evd.Options{Vectors: true}})
	}
}
