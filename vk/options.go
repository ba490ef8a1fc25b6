package vk

import (
	"log/slog"
	"time"
)

// Options say which device to open, and how. The zero value opens the best device.
type Options struct {
	// Device chooses a device by its index, or by a part of its name, or by its type or driver. ""
	// takes the best one.
	Device string

	// Validate turns on Khronos' validation layer. Its messages go to Logger.
	Validate bool

	// Logger receives messages of the validation layer, and warnings about files that cannot be
	// written. nil discards them.
	Logger *slog.Logger

	// CacheDir is the folder for compiled kernels and for answers of ProbeOnce. "" keeps none.
	CacheDir string

	// Kernels asks Run to time each kernel, with a timestamp after each command. Otherwise it times
	// phases only.
	Kernels bool

	// Statistics keeps what the driver's compiler says of each kernel, for Device.Statistics.
	Statistics bool

	// DebugShaders checks each memory access of the kernels, which then take many times as long. A
	// Run whose kernels access memory outside of all regions of open arenas ends with an
	// *OutOfRangeError, and those accesses have no effect. Regions never share memory then, not
	// even those that are combined by InTurn, and have gaps between them. CacheDir is ignored.
	DebugShaders bool

	// Batch is the time that the device should be busy with one batch of commands, as far as that
	// can be forecast. Cancelling waits for one batch. 0 takes 100 ms; one nanosecond makes each
	// command per batch, for tests.
	Batch time.Duration

	// MaxBuffer is a limit of the size of one buffer of an Arena, in bytes, in addition to the
	// device's own limit. 0 adds none. With small buffers tests see a small matrix in many of them.
	MaxBuffer uint64
}

// withDefaults fills in what is not set.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Batch <= 0 {
		o.Batch = batchTarget
	}
	if o.DebugShaders {
		o.CacheDir = "" // its kernels have the names of others, and its answers another speed
	}
	return o
}
