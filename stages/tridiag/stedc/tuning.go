package stedc

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

type Tuning struct {
	Leaf    int    // largest order of a block that QL iteration solves, in one workgroup; at least 1
	Lanes   uint32 // invocations that share a root or a leaf: a power of two, at least 4
	Threads uint32 // invocations of the other workgroups: a power of two
	Deflate uint32 // invocations that deflate a merge: a power of two
	Panels  int    // number of panels of the last merge's S, one of which is in memory at a time; at least 1
	Columns int    // smallest width of a panel, or n if n is smaller; so there may be fewer panels than Panels
	Grouped int    // largest order of a half for which one dispatch computes all products of a level

	// Dispatch is the largest cost of one dispatch in flops, or 0 for no limit. A dispatch
	// processes at least its kernel's smallest portion, such as one column of each merge of a
	// level. The matrix products have their own limit, product.Tuning.Dispatch.
	Dispatch float64
}

func (t Tuning) atOnce(flops float64) int {
	if t.Dispatch <= 0 {
		return math.MaxInt
	}
	return int(max(1, min(t.Dispatch/flops, math.MaxInt32)))
}

// Fits returns nil if divide and conquer can run with these sizes on the device. Otherwise the
// error is a *vk.UnsupportedError, or names the sizes, of which one is too small.
func (t Tuning) Fits(info vk.Info) error {
	if t.Leaf < 1 || t.Lanes < 4 || t.Threads < 1 || t.Deflate < 1 || t.Panels < 1 {
		return fmt.Errorf("stages: divide and conquer cannot be tuned by %+v", t)
	}
	if n := int(max(t.Threads, t.Lanes, t.Deflate)); n > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", n, info.MaxLocal)
	}
	return nil
}

// levels returns the number of levels of merges. The matrix is halved until its parts have at most
// Leaf rows, and each level undoes one halving.
func (t Tuning) levels(n int) int {
	count := 0
	for ; n > t.Leaf; n = (n + 1) / 2 {
		count++
	}
	return count
}

// mostMerges returns how many records of merges a level needs at most. Each merge makes a block
// with more rows than a leaf. One more record is for the last merge (see sharedDevice.lower).
func (t Tuning) mostMerges(n int) int { return n/(t.Leaf+1) + 1 }
