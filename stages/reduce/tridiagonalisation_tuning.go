package reduce

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TridiagonalisationTuning holds the sizes of Tridiagonalisation, and the orders for which it is
// faster than a band reduction with bulge chasing. The columns are reduced one after another, and
// all workgroups exchange values for each column. For small orders, nearly all of the time is the
// latency of these exchanges.
type TridiagonalisationTuning struct {
	// Values and Vectors are the largest orders that are reduced in one stage, for solves without
	// and with vectors. 0 means none.
	Values, Vectors int

	// LocalSize is the number of invocations of a workgroup, a power of two. If the order of the
	// matrix is smaller than LocalSize, a workgroup has fewer invocations.
	LocalSize uint32

	// Groups is the largest number of workgroups. The device must have at least one unit
	// (multiprocessor) for each workgroup.
	Groups int

	// Rows is the smallest number of rows of a workgroup. So small matrices have fewer workgroups.
	Rows int

	// Block is the number of neighbouring rows of A in a group; 0 means 1. The workgroups take the
	// groups in turn. The number of rows of a workgroup is a multiple of Block.
	Block int

	// Kept is the largest number of doubles of A that an invocation keeps in registers. The other
	// elements of A stay in memory.
	Kept int

	// Blocked holds the sizes for matrices that are too large for the registers. LocalSize, Groups,
	// Rows, Block and Kept are for the part of the matrix that is left after the blocks.
	Blocked BlockedTuning

	// Polls is the number of times that a waiting workgroup reads a word before the wait fails.
	Polls uint32
}

// mostLanes is the largest number of neighbouring invocations in the kernel sytrd that share a row.
// They add up their partial sums by subgroup shuffles.
const mostLanes = 32

// Fits returns nil if matrices of T of order n can be reduced in one stage with these sizes on the
// device. The error names the sizes that do not suit n, or is a *vk.UnsupportedError.
func Fits[T spirv.Scalar](t TridiagonalisationTuning, info vk.Info, n int) error {
	if t.Blocked.splits(n) {
		if err := blocksFit[T](t.Blocked, info, n); err != nil {
			return err
		}
		n = t.Blocked.Left
	}
	if t.LocalSize == 0 || t.LocalSize&(t.LocalSize-1) != 0 || t.Groups < 1 || t.Rows < 1 || t.Block < 0 || t.Kept < t.rows(n) {
		return fmt.Errorf("stages: no matrix of order %d can be reduced in one stage with %+v", n, t)
	}
	switch groups := t.groups(n); {
	case !info.Int64Atomics():
		return stages.Refused(info, "64-bit atomic operations on buffers", 1, 0)
	case groups > max(info.Units, 1):
		return stages.Refused(info, "units, one for each workgroup", groups, info.Units)
	}
	spec := sytrdSpec[T](t, n, info.Subgroup)
	if size := int(spec.LocalSize); size > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", size, info.MaxLocal)
	}
	need := stages.SharedOf(shaders.Sytrd[T], spec)
	if need.Err == nil && need.Bytes > info.SharedBytes {
		return stages.Refused(info, "bytes of shared memory", need.Bytes, info.SharedBytes)
	}
	return need.Err
}

// Meeting returns the largest number of workgroups of Tridiagonalisation on the device, each of
// which waits for all others. The result is 0 if no matrix is reduced in one stage.
func (t TridiagonalisationTuning) Meeting(info vk.Info) int {
	if max(t.Values, t.Vectors) == 0 || !info.Int64Atomics() {
		return 0
	}
	groups := t.Groups
	if t.Blocked.Left > 0 {
		groups = max(groups, t.Blocked.Groups)
	}
	return min(groups, max(info.Units, 1))
}

func (t TridiagonalisationTuning) left(n int) int {
	if t.Blocked.splits(n) {
		return t.Blocked.Left
	}
	return n
}

func (t TridiagonalisationTuning) rows(n int) int {
	block := max(t.Block, 1)
	return (max(t.Rows, (n+t.Groups-1)/t.Groups) + block - 1) / block * block
}

func (t TridiagonalisationTuning) groups(n int) int { return (n + t.rows(n) - 1) / t.rows(n) }

// sytrdSpec returns the specialization constants of the kernel sytrd. Its registers hold twice as
// many elements of A for float32 as for doubles, and half as many for complex128.
func sytrdSpec[T spirv.Scalar](t TridiagonalisationTuning, n, subgroup int) shaders.SytrdSpec {
	s := shaders.SytrdDefaults()
	rows := t.rows(n)
	s.Lanes = stages.PowerOfTwo(min(max(subgroup, 1), mostLanes))
	s.LocalSize = max(min(t.LocalSize, stages.PowerOfTwo(n)), stages.PowerOfTwo(rows), s.Lanes)
	chunks := vk.Tiles(n, s.LocalSize)
	kept := t.Kept * 8 / int(spirv.KindOf[T]().Size()) / rows
	s.Rows, s.Chunks, s.Kept = uint32(rows), uint32(chunks), uint32(min(chunks, max(kept, 1)))
	s.Block = uint32(max(t.Block, 1))
	return s
}
