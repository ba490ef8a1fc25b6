package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// DeviceFlag returns a function that gives the device that the user has named, or "" for the best
// device.
func DeviceFlag(cmd *cobra.Command, s *Session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

// DevicesFlag is DeviceFlag for several devices: names with commas between them, "all", or "".
func DevicesFlag(cmd *cobra.Command, s *Session) func() string {
	return deviceFlagOf(cmd, s, "`NAME` of the device, a part of the name, or its number in vkevd devices;\n"+
		"several with commas, the fastest first, or all\n"+
		"(default $VKEVD_DEVICE, or else the best)")
}

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

func DebugShadersFlag(root *cobra.Command, s *Session) {
	root.PersistentFlags().BoolVar(&s.DebugShaders, "debug-shaders", false,
		"check every memory access of the kernels, many times slower")
}

func (s *Session) Open(opt vk.Options, log io.Writer) (machine.Device, error) {
	opt.CacheDir, opt.DebugShaders, opt.Logger = s.PipelineCache(), s.DebugShaders, slog.New(warnings{w: log})
	return s.Machine.Open(opt)
}

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

func VectorsPlan[T evd.Number](n int) func(machine.Device) (machine.DenseSolver[T], error) {
	return func(dev machine.Device) (machine.DenseSolver[T], error) {
		return machine.PlanOf[machine.DenseSolver[T]](dev, machine.Task{Kind: machine.KindOf[T](), N: n, Evd: evd.Options{Vectors: true}})
	}
}

const allDevices = "all"

func severalDevices(word string) bool { return word == allDevices || len(DeviceWords(word)) > 1 }

// DeviceWords splits a list of devices at its commas, except those in parentheses, which belong to
// a name such as "llvmpipe (LLVM 15.0.6, 256 bits)". It leaves empty words out. If no word is left,
// it returns the list itself as one word. The word "" means the best device.
func DeviceWords(list string) []string {
	depth := 0
	words := strings.FieldsFunc(list, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return c == ',' && depth <= 0
	})
	if len(words) == 0 {
		return []string{list}
	}
	return words
}

// OpenAll opens the devices that opt.Device names: one device, several with commas between them, or
// all. The first one does the steps of a solve that cannot be divided among devices.
func (s *Session) OpenAll(opt vk.Options, log io.Writer) (machine.Device, error) {
	words, err := s.Devices(opt.Device)
	if err != nil {
		return nil, err
	}
	var all []machine.Device
	for _, w := range words {
		opt.Device = w
		dev, err := s.Open(opt, log)
		if err != nil {
			for _, d := range all {
				d.Close()
			}
			return nil, err
		}
		all = append(all, dev)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return all[0].With(all[1:]), nil
}

func (s *Session) Devices(word string) ([]string, error) {
	if word != allDevices {
		return DeviceWords(word), nil
	}
	infos, err := s.Machine.List()
	if err != nil {
		return nil, err
	}
	return Usable(infos), nil
}

// kinds lists the types of devices, which are values of vk.Info.Type. The type that is usually
// fastest comes first. Other types count as virtual.
var kinds = []string{"discrete", "integrated", "virtual", "cpu"}

// Usable lists the devices that can share a solve, as words for --device, in the order of byType. A
// device without double precision cannot share a solve: if there is no other device, the list has
// only one of them. If no device can be used, the list has one empty word: an attempt to open the
// best device then gives the reason.
func Usable(infos []vk.Info) []string {
	single := func(i vk.Info) bool { return !i.Float64() }
	if words := byType(slices.DeleteFunc(slices.Clone(infos), single)); len(words) > 0 {
		return words
	}
	if words := byType(infos); len(words) > 0 {
		return words[:1]
	}
	return []string{""}
}

// byType lists the numbers of the devices that can be used, in the order of the devices' types, the
// fastest first. CPUs are left out if any other device can be used.
func byType(infos []vk.Info) (words []string) {
	for _, kind := range kinds {
		if kind == "cpu" && len(words) > 0 {
			break
		}
		for _, i := range infos {
			known := slices.Contains(kinds, i.Type)
			if i.Problem == "" && (i.Type == kind || !known && kind == "virtual") {
				words = append(words, strconv.Itoa(i.Index))
			}
		}
	}
	return words
}

// SingleOnly says what a device without double precision can do.
const SingleOnly = "it solves for eigenvalues and singular values in single precision (--precision f32)"

// A warnings prints what the library logs, as lines for people: "warning: what: detail". It prints
// no time, because the other lines on standard error have none.
type warnings struct {
	w     io.Writer
	attrs []slog.Attr
}

func (l warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

func (l warnings) Handle(_ context.Context, r slog.Record) error {
	line := strings.ToLower(r.Level.String()) + ": " + r.Message
	if r.Level == slog.LevelWarn {
		line = "warning: " + r.Message
	}
	add := func(a slog.Attr) bool {
		if a.Key == "error" {
			line += fmt.Sprintf(": %v", a.Value)
		} else {
			line += fmt.Sprintf(" (%s: %v)", a.Key, a.Value)
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	_, err := fmt.Fprintln(l.w, Printable(strings.ReplaceAll(line, "\n", "; ")))
	return err
}

func (l warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{l.w, append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)}
}

func (l warnings) WithGroup(string) slog.Handler { return l }
