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
	// written. If it is nil, the messages are discarded.
	Logger *slog.Logger

	// CacheDir is the folder for compiled kernels and for answers of ProbeOnce. If it is "",
	// nothing is stored.
	CacheDir string

	// Kernels asks Run to time each kernel, with a timestamp after each command. Otherwise Run
	// times only phases.
	Kernels bool

	// Statistics keeps the numbers that the driver's compiler gives for each kernel, for
	// Device.Statistics.
	Statistics bool

	// DebugShaders checks each memory access of the kernels, which then take many times as long. A
	// Run whose kernels access memory outside of all regions of open arenas ends with an
	// *OutOfRangeError, and such accesses have no effect. In this mode regions never share memory,
	// not even those that InTurn combines, and there are gaps between them. CacheDir is ignored.
	DebugShaders bool

	// Batch is the time that the device should be busy with one batch of commands, as far as the
	// time can be predicted. Cancelling waits for one batch. 0 means 100 ms. With one nanosecond
	// each command is a batch, which serves tests.
	Batch time.Duration

	// MaxBuffer is a limit of the size of one buffer of an Arena, in bytes, in addition to the
	// device's own limit. 0 adds no limit. With small buffers tests distribute even a small matrix
	// over many of them.
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
		o.CacheDir = "" // its kernels have the names of others, and its answers another speed
	}
	return o
}
