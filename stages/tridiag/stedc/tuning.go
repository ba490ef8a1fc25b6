package stedc

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Tuning is the set of sizes of divide and conquer that are measured for each device.
type Tuning struct {
	Leaf    int    // largest order of a block that QL iteration solves, in one workgroup; at least 1
	Lanes   uint32 // invocations that share a root or a leaf: a power of two, at least 4
	Threads uint32 // invocations of the other workgroups: a power of two
	Deflate uint32 // invocations that deflate a merge: a power of two
	Panels  int    // number of panels of the last merge's S, one of which is in memory at a time; at least 1
	Columns int    // smallest width of a panel, or n if n is smaller; it makes panels fewer than Panels
	Grouped int    // largest order of a half for which one dispatch computes all products of a level

	// Dispatch is the largest cost of one dispatch in flops, or 0 if the cost is not limited. A
	// dispatch processes at least one column of each merge, even if this costs more. The matrix
	// products have their own limit, product.Tuning.Dispatch.
	Dispatch float64
}

// atOnce returns how many items of the given cost in flops one dispatch may have, at least one.
func (t Tuning) atOnce(flops float64) int {
	if t.Dispatch <= 0 {
		return math.MaxInt
	}
	return int(max(1, min(t.Dispatch/flops, math.MaxInt32)))
}

// Fits returns nil if divide and conquer can run with these sizes on the device. Otherwise it
// returns an error that prints sizes which are too small or contradict each other, or a
// *vk.UnsupportedError.
func (t Tuning) Fits(info vk.Info) error {
	if t.Leaf < 1 || t.Lanes < 4 || t.Threads < 1 || t.Deflate < 1 || t.Panels < 1 {
		return fmt.Errorf("stages: divide and conquer cannot be tuned by %+v", t)
	}
	if n := int(max(t.Threads, t.Lanes, t.Deflate)); n > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", n, info.MaxLocal)
	}
	return nil
}

// levels returns the number of levels of merges for a matrix of order n. The matrix is halved until
// its parts have at most Leaf rows, and each level of merges undoes one halving.
func (t Tuning) levels(n int) int {
	count := 0
	for ; n > t.Leaf; n = (n + 1) / 2 {
		count++
	}
	return count
}

// mostMerges returns the largest number of merges of one level. A merge joins two blocks to one
// that has more rows than a leaf, the largest block that is solved directly. This limits the number
// of merges.
func (t Tuning) mostMerges(n int) int { return n/(t.Leaf+1) + 1 }
