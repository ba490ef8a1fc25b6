package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/internal/environ"
)

// An Environment is the data that the program reads from its process, except files. Tests use
// environments of their own.
type Environment struct {
	Lookup    func(variable string) (string, bool)
	CacheDir  func() (string, error) // the user's folder for caches of all programs
	ConfigDir func() (string, error) // the user's folder for settings of all programs
	System    func() string          // content of os-release(5), "" where there is none
	HasNVIDIA func() bool            // the kernel has NVIDIA's driver
	Terminal  bool                   // standard error is a terminal that can redraw a line
	Dumb      bool                   // it is a terminal that cannot
	columns   func() int             // width of that terminal, 0 if not known
	Machine   machine.Machine
	// again runs this program in a process of its own, whose environment has some variables more,
	// each in the form NAME=VALUE. It returns standard output.
	Again func(ctx context.Context, variables []string, args ...string) ([]byte, error)
}

// ProcessEnvironment returns the environment of the process that runs the program. Most tests use
// made-up environments instead.
func ProcessEnvironment() Environment {
	terminal, dumb := IsTerminal(os.Stderr), environ.Get("TERM") == "dumb"
	return Environment{environ.Lookup, environ.UserCacheDir, environ.UserConfigDir, osRelease, hasNVIDIA, terminal && !dumb, terminal && dumb,
		func() int { return columns(os.Stderr) }, machine.Vulkan{}, RunAgain}
}

// RunAgain is environment.again of the real process. If the program fails, the error has its last
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

// IsTerminal tells whether f is a terminal that can redraw a line. It also returns true for other
// character devices, such as the null device, which does no harm.
func IsTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// PipelineCache is the folder for compiled kernels. It is the value of VKEVD_CACHE, or, if this
// variable is not set, the folder vkevd in the user's cache folder. It is "" if VKEVD_CACHE is
// empty or the user has no home folder. Kernels are then not stored.
func (e Environment) PipelineCache() string { return e.folder("VKEVD_CACHE", e.CacheDir) }

// ConfigFolder is the folder for settings. It is the value of VKEVD_CONFIG, or, if this variable is
// not set, the folder vkevd in the user's folder for settings. It is "" if VKEVD_CONFIG is empty or
// the user has no home folder. Settings are then neither read nor stored.
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
