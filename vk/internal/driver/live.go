package driver

import "sync/atomic"

// live counts the Vulkan objects that exist.
var live atomic.Int64

// Live is the number of Vulkan objects created and not yet destroyed: zero
// after everything was closed. Tests hold it to that.
func Live() int64 { return live.Load() }

func created(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

func destroyed() { live.Add(-1) }
