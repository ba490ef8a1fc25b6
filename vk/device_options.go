package vk

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/vkevd/vkevd/internal/environ"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// Options say which device to open, and how. The zero value opens the best device.
type Options struct {
	// Device chooses a device by its index, a part of its name, its type or its driver. "" chooses
	// the best device.
	Device string

	// Validate turns on Khronos' validation layer. Its messages go to Logger.
	Validate bool

	// Logger receives messages of the validation layer, and warnings about files that cannot be
	// written. If it is nil, the messages are discarded.
	Logger *slog.Logger

	// CacheDir is the folder for compiled kernels and for the results of ProbeOnce. If CacheDir is
	// "", nothing is stored.
	CacheDir string

	// Kernels says that Run measures the time of each kernel, with a timestamp after each command.
	// If Kernels is false, Run measures only the times of phases.
	Kernels bool

	// Statistics stores the numbers that the driver's compiler reports for each kernel, for
	// Device.Statistics.
	Statistics bool

	// DebugShaders checks each memory access of the kernels. The kernels then take many times as
	// long. An access to memory outside of all regions of open arenas has no effect, and the Run
	// then returns an *OutOfRangeError. In this mode regions never share memory, not even regions
	// that InTurn combines, and there are gaps between regions. CacheDir is ignored.
	DebugShaders bool

	// Single says that the program computes only in single precision. Without it, a device without
	// double precision is the last choice, unless Device names it.
	Single bool

	// Without lists features by Vulkan's names. The device is treated as if it lacked these
	// features, so that a test runs on it as on a smaller device. Build refuses kernels that need
	// such a feature. The environment variable VKEVD_WITHOUT, with commas between the names, adds
	// features for all devices that the process opens or lists. If any feature is listed in Without
	// or in VKEVD_WITHOUT, CacheDir is ignored.
	Without []string

	// Batch is the time that one batch of commands should take on the device. Run chooses the
	// commands of a batch by their predicted times. A cancelled Run still waits for its batch. The
	// value 0 means 100 ms. Tests set one nanosecond, so that each command is a batch.
	Batch time.Duration

	// MaxBuffer is a limit for the size of one buffer of an Arena, in bytes, in addition to the
	// device's own limit. 0 adds no limit. Tests distribute even a small matrix over many buffers.
	MaxBuffer uint64
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Batch <= 0 {
		o.Batch = batchTarget
	}
	if o.DebugShaders {
		o.CacheDir = "" // checked kernels have the names of kernels without checks, and probes measure another speed
	}
	o.Without = append(hiddenByEnvironment(), o.Without...)
	if len(o.Without) > 0 {
		o.CacheDir = "" // what is found out about the device is not true of the whole device
	}
	return o
}

const withoutVariable = "VKEVD_WITHOUT"

func hiddenByEnvironment() []string {
	return strings.FieldsFunc(environ.Get(withoutVariable), func(r rune) bool { return r == ',' || r == ' ' })
}

func hidden(names []string) (set driver.Features, err error) {
	for _, name := range names {
		f, known := driver.FeatureNamed(name)
		if !known {
			return set, fmt.Errorf("vk: %q in Options.Without or %s is not the name of a feature that is used", name, withoutVariable)
		}
		set[f] = true
	}
	return set, nil
}
