package driver

import "sync/atomic"

var live atomic.Int64

// Live is the number of Vulkan objects that were created and not yet destroyed. Tests check that
// the number is 0 after everything was closed.
func Live() int64 { return live.Load() }

// created counts the object that a call has made if err is nil, and returns err.
func created(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

func destroyed() { live.Add(-1) }
