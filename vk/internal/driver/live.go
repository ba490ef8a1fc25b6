package driver

import "sync/atomic"

// live is the number of Vulkan objects that exist.
var live atomic.Int64

// Live is the number of Vulkan objects that were created and not yet destroyed. Tests check that
// the number is 0 after everything was closed.
func Live() int64 { return live.Load() }

// created counts the object that a call has made if the call was successful, that is if err is nil.
// It returns err.
func created(err error) error {
	if err == nil {
		live.Add(1)
	}
	return err
}

// destroyed counts an object that a call has destroyed.
func destroyed() { live.Add(-1) }
