package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/vk"
)

// DivideConquerTuning is the set of sizes of divide and conquer that are measured for each device.
type DivideConquerTuning struct {
	Leaf    int    // largest order of a block that QL iteration solves, in one workgroup; at least 1
	Lanes   uint32 // invocations that share a root or a leaf: a power of two, at least 4
	Threads uint32 // invocations of the other workgroups: a power of two
	Panels  int    // number of panels of the last merge's S, one of which is in memory at a time; at least 1
	Columns int    // smallest width of a panel, or n if n is smaller; it makes panels fewer than Panels
	Grouped int    // largest order of a half for which one dispatch computes all products of a level
}

// Fits returns nil if divide and conquer can have these sizes on the device. Its error says what
// the sizes lack, or is a *vk.UnsupportedError.
func (t DivideConquerTuning) Fits(info vk.Info) error {
	if t.Leaf < 1 || t.Lanes < 4 || t.Threads < 1 || t.Panels < 1 {
		return fmt.Errorf("stages: divide and conquer cannot be tuned by %+v", t)
	}
	if n := int(max(t.Threads, t.Lanes)); n > info.MaxLocal {
		return refused(info, "invocations in a workgroup", n, info.MaxLocal)
	}
	return nil
}

// levels returns how often a matrix of order n is halved.
func (t DivideConquerTuning) levels(n int) int {
	count := 0
	for ; n > t.Leaf; n = (n + 1) / 2 {
		count++
	}
	return count
}

// mostMerges returns the largest number of merges of one level: each merge is larger than a leaf.
func (t DivideConquerTuning) mostMerges(n int) int { return n/(t.Leaf+1) + 1 }
