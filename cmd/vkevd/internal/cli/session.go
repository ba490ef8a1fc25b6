// Package cli has what all commands of vkevd share: the session with its streams and environment,
// flags and their rules, help and manual pages, messages and exit statuses, progress, outputs, and
// JSON.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/internal/environ"
)

type Session struct {
	Environment
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	DebugShaders   bool
}

// Usage is an error about wrong arguments or flags of a command. It names the command's --help.
func Usage(cmd *cobra.Command, format string, args ...any) error {
	return fmt.Errorf(format+"; see %s --help", append(args, cmd.CommandPath())...)
}

func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return Usage(cmd, "%s takes one FILE, not %d", cmd.Name(), len(args))
	}
	return nil
}

// OneMatrix checks that the command solve has one argument, as OneFile does. If there are two, the
// user may want to solve a generalized problem, and the error names the flag for that.
func OneMatrix(cmd *cobra.Command, args []string) error {
	if len(args) == 2 {
		return Usage(cmd, "solve takes one FILE, not 2; %s", generalized)
	}
	return OneFile(cmd, args)
}

func NoArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return Usage(cmd, "%s takes no argument, not %q", cmd.Name(), args[0])
	}
	return nil
}

// An Environment is the data that the program reads from its process, except files. Tests use
// environments of their own.
type Environment struct {
	Lookup    func(variable string) (string, bool)
	CacheDir  func() (string, error) // the user's folder for caches of all programs
	ConfigDir func() (string, error) // the user's folder for settings of all programs
	System    func() string          // content of os-release(5), "" where there is none
	HasNVIDIA func() bool            // the operating system's kernel has NVIDIA's driver
	Terminal  bool                   // standard error is a terminal that can redraw a line
	Dumb      bool                   // it is a terminal that cannot
	columns   func() int             // width of that terminal, 0 if not known
	Machine   machine.Machine
	// Again runs this program in a new process and returns its standard output. The process gets
	// additional environment variables, each in the form NAME=VALUE.
	Again func(ctx context.Context, variables []string, args ...string) ([]byte, error)
}

func ProcessEnvironment() Environment {
	terminal, dumb := IsTerminal(os.Stderr), environ.Get("TERM") == "dumb"
	return Environment{environ.Lookup, environ.UserCacheDir, environ.UserConfigDir, osRelease, hasNVIDIA, terminal && !dumb, terminal && dumb,
		func() int { return columns(os.Stderr) }, machine.Vulkan{}, RunAgain}
}

// RunAgain is Environment.Again for the real process. If the program fails, the error has its last
// line on standard error.
func RunAgain(ctx context.Context, variables []string, args ...string) ([]byte, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), variables...)
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		text := strings.TrimSpace(string(failed.Stderr))
		return nil, fmt.Errorf("%v: %s", err, text[strings.LastIndex(text, "\n")+1:])
	}
	return out, err
}

func osRelease() string {
	for _, file := range []string{"/etc/os-release", "/usr/lib/os-release"} {
		if text, err := os.ReadFile(file); err == nil {
			return string(text)
		}
	}
	return ""
}

func hasNVIDIA() bool {
	_, err := os.Stat("/proc/driver/nvidia/version")
	return err == nil
}

// IsTerminal tells whether f is a terminal. It is also true for other character devices, such as
// the null device, which does no harm.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// PipelineCache is the folder for compiled kernels. It is "", which stores none, if VKEVD_CACHE is
// set but empty, or if there is no home folder.
func (e Environment) PipelineCache() string { return e.folder("VKEVD_CACHE", e.CacheDir) }

// ConfigFolder is the folder for settings. It is "" if VKEVD_CONFIG is set but empty, or if there
// is no home folder.
func (e Environment) ConfigFolder() string { return e.folder("VKEVD_CONFIG", e.ConfigDir) }

func (e Environment) folder(variable string, usual func() (string, error)) string {
	if dir, ok := e.Lookup(variable); ok {
		return dir
	}
	dir, err := usual()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "vkevd")
}

// A Verbosity says what a command prints to standard error besides errors.
type Verbosity struct{ Quiet, verbose bool }

func (v *Verbosity) Flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&v.Quiet, "quiet", false, "print only errors to standard error")
	f.BoolVar(&v.verbose, "verbose", false, "print progress and a summary even if standard error is no terminal")
}

// Feedback returns two things: where a command prints its summary, and an object that shows
// progress. On a terminal, summary and progress are shown. If standard error is not a terminal,
// they are shown only with --verbose. With --quiet they are never shown. Remarks that every user
// must see, such as changes of the matrix, go to the writer `Above` of the progress; they are
// printed in all cases except --quiet.
func (s *Session) Feedback(v Verbosity) (summary io.Writer, show *Progress) {
	switch {
	case v.Quiet:
		return io.Discard, NewProgress(io.Discard, hidden, nil)
	case s.Terminal:
		return s.Stderr, NewProgress(s.Stderr, Redrawn, s.columns)
	case v.verbose || s.Dumb:
		return s.Stderr, NewProgress(s.Stderr, Listed, nil)
	}
	return io.Discard, NewProgress(s.Stderr, hidden, nil)
}
