package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// An environment is what the program sees of the world besides files. Tests make their own.
type environment struct {
	lookup    func(variable string) (string, bool)
	cacheDir  func() (string, error) // the user's, for all programs
	configDir func() (string, error) // the user's settings, for all programs
	system    func() string          // os-release(5), "" where there is none
	terminal  bool                   // standard error is one that lines can be redrawn on
	machine   machine
}

// ours is the process's own.
func ours() environment {
	return environment{os.LookupEnv, os.UserCacheDir, os.UserConfigDir, osRelease, isTerminal(os.Stderr), vulkan{}}
}

func osRelease() string {
	for _, file := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(file); err == nil {
			return string(text)
		}
	}
	return ""
}

// isTerminal does without a system call of its own: what is taken for a
// terminal and is none, such as the null device, comes to no harm.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// deviceFlag gives a command --device. The function tells what was asked for, "" for the best.
func (s *session) deviceFlag(cmd *cobra.Command) func() string {
	word := cmd.Flags().String("device", "", "`NAME` of the device, a part of it, or its number in vkevd devices\n(default $VKEVD_DEVICE, or else the best)")
	cmd.RegisterFlagCompletionFunc("device", func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		infos, _ := s.machine.list()
		for _, i := range infos {
			names = append(names, i.Name)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return func() string {
		if !cmd.Flags().Changed("device") {
			fromEnv, _ := s.lookup("VKEVD_DEVICE")
			return fromEnv
		}
		return *word
	}
}

// open opens a device; warnings of the driver go to the log.
func (s *session) open(word string, log io.Writer) (device, error) {
	return s.openAs(vk.Options{Device: word, CacheDir: s.pipelineCache(), Logger: slog.New(plain(log))})
}

// prepare opens a device and makes a plan on it. The driver may take its time to compile
// the kernels: if ctx ends meanwhile, it is left behind.
func (s *session) prepare(ctx context.Context, word string, log io.Writer, n int, opt evd.Options) (device, solver, error) {
	return prepareWith(ctx, s, word, log, func(dev device) (solver, error) { return dev.plan(n, opt) })
}

// prepareWith is prepare for any plan.
func prepareWith[P any](ctx context.Context, s *session, word string, log io.Writer, plan func(device) (P, error)) (device, P, error) {
	var none P
	dev, err := s.open(word, log)
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

// pipelineCache is the folder for compiled kernels: VKEVD_CACHE, which may be
// empty to keep none, or else our place in the user's cache.
func (s *session) pipelineCache() string {
	if dir, ok := s.lookup("VKEVD_CACHE"); ok {
		return dir
	}
	dir, err := s.cacheDir()
	if err != nil {
		return "" // no home, no cache: kernels are compiled every time
	}
	return filepath.Join(dir, "vkevd")
}

// plain logs without the time: the lines stand among others that have none.
func plain(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey && len(groups) == 0 {
			return slog.Attr{}
		}
		return a
	}})
}
