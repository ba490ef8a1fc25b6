package stemr

import (
	"fmt"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

type Tuning struct {
	Threads  uint32  // invocations of a workgroup; an even number, because two invocations compute a vector
	Lanes    int     // threads that keep the device busy; fewer threads take as much time
	Levels   uint32  // largest number of halvings that a team of threads does at once; 2^Levels ≤ Threads
	Vectors  int     // vectors that are computed at the same time, with n numbers of workspace each; at least 1
	Dispatch float64 // largest number of pivots that one dispatch computes; it limits the time of a dispatch
	Distrust bool    // whether every check counts as failed, so that tests reach the last resort
}

// Fits returns nil if MRRR can run with these sizes on the device. Otherwise the error is a
// *vk.UnsupportedError, or names the sizes, which are out of range or contradict each other.
func (t Tuning) Fits(info vk.Info) error {
	if t.Levels >= 32 || t.Threads < 1<<max(1, t.Levels) || t.Threads%2 != 0 || t.Vectors < 1 {
		return fmt.Errorf("stages: MRRR cannot be tuned by %+v", t)
	}
	if n := int(t.Threads); info.MaxLocal > 0 && n > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", n, info.MaxLocal)
	}
	return nil
}
