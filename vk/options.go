package vk

import (
	"log/slog"
	"time"
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

	// Statistics stores the numbers that the driver's compiler reports for each kernel. The method
	// Device.Statistics returns them.
	Statistics bool

	// DebugShaders checks each memory access of the kernels. The kernels then take many times as
	// long. An access to memory outside of all regions of open arenas has no effect, and the Run
	// then returns an *OutOfRangeError. In this mode regions never share memory, not even regions
	// that InTurn combines, and there are gaps between regions. CacheDir is ignored.
	DebugShaders bool

	// Batch is the time that one batch of commands should take on the device. Run chooses the
	// commands of a batch by their predicted times. A cancelled Run still waits for its batch. The
	// value 0 means 100 ms. Tests set one nanosecond, so that each command is a batch.
	Batch time.Duration

	// MaxBuffer is a limit for the size of one buffer of an Arena, in bytes, in addition to the
	// device's own limit. 0 adds no limit. Tests set a small limit to distribute even a small
	// matrix over many buffers.
	MaxBuffer uint64
}

// withDefaults replaces options that are not set by their defaults.
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
	return o
}
