package panel

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tuning is the set of sizes of QR and TFactor. Many workgroups factor a panel. They process one
// column after another, and add up their partial sums after each column. Above a certain number of
// workgroups, more of them increase the latency of a column.
type Tuning struct {
	// LocalSize is the number of invocations of a workgroup, a power of two. For complex128 it is
	// half as large. If a panel has more columns, a workgroup has at least one invocation for each
	// column.
	LocalSize uint32

	// TileBytes is the shared memory, in bytes, for the rows that a workgroup processes at a time
	// (a chunk). The kernel needs some more bytes.
	TileBytes int

	// ShortTileBytes is TileBytes in a reduction to an upper band, for matrices of at most
	// ShortRows rows. Then more workgroups share a panel, each with fewer rows.
	ShortTileBytes int `json:",omitempty"`
	ShortRows      int `json:",omitempty"`

	// Groups is the largest number of workgroups that factor one panel.
	Groups int

	// Whole says that one dispatch factors all columns, and that its workgroups wait for each
	// other, on devices with 64-bit atomic operations and a compute unit for each workgroup.
	// Otherwise each column is a dispatch.
	Whole bool

	// Polls is the number of times that a waiting workgroup reads a memory word before the wait
	// fails. It is used only with Whole.
	Polls uint32

	// Factor is the number of columns of T that one workgroup computes alone. It is at most
	// LocalSize. For complex128 it is half as large.
	Factor uint32

	// Merge is the number of reflectors that ApplyQ1, ApplyPanels and TallQR apply in one product.
	Merge int
}

// narrowPanel is a number of columns. A panel with fewer columns needs no more shared memory than
// one with so many.
const narrowPanel = 16

// Fits returns nil if the device can factor panels of doubles of every width with these sizes.
// Otherwise the error names the sizes, or is a *vk.UnsupportedError.
func (t Tuning) Fits(info vk.Info) error {
	for b := narrowPanel; b <= MaxPanel; b *= 2 {
		if err := panelFits[float64](t, info, b); err != nil {
			return err
		}
	}
	return nil
}

// ForRows returns the sizes for panels of matrices with m rows, in a reduction to an upper band.
func (t Tuning) ForRows(m int) Tuning {
	if m <= t.ShortRows {
		t.TileBytes = t.ShortTileBytes
	}
	return t
}

func panelFits[T spirv.Scalar](t Tuning, info vk.Info, b int) error {
	if t.LocalSize == 0 || t.LocalSize&(t.LocalSize-1) != 0 || t.Groups < 1 || t.Factor < 1 || t.Factor > t.LocalSize {
		return fmt.Errorf("stages: no panels can be tuned by %+v", t)
	}
	spec := panelSpec[T](t, b)
	refuse := func(feature string, need, have int) error {
		return &vk.UnsupportedError{Device: info.Name, Feature: feature, Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
	}
	if n := int(spec.LocalSize); n > info.MaxLocal {
		return refuse("invocations in a workgroup", n, info.MaxLocal)
	}
	// The device must have enough shared memory for the kernel that needs the most.
	declared := []stages.Shared{
		stages.SharedOf(shaders.GeqrfPanelColumn[T], spec),
		stages.SharedOf(shaders.Larft[T], factorSpec[T](t)),
	}
	if t.Whole {
		declared = append(declared, stages.SharedOf(shaders.GeqrfPanelWhole[T], wholeSpec(spec)))
	}
	need, err := stages.MostShared(declared...)
	if err != nil {
		return err
	}
	if need > info.SharedBytes {
		return refuse("bytes of shared memory", need, info.SharedBytes)
	}
	return nil
}

// inShared returns how many numbers of T fit into the shared memory for `count` numbers of eight
// bytes, at most `count`.
func inShared[T spirv.Scalar](count uint32) uint32 {
	return max(1, min(count, 8*count/uint32(spirv.KindOf[T]().Size())))
}

func factorSpec[T spirv.Scalar](t Tuning) shaders.LarftSpec {
	return shaders.LarftSpec{LocalSize: inShared[T](t.LocalSize), Block: inShared[T](t.Factor)}
}

func panelSpec[T spirv.Scalar](t Tuning, b int) shaders.GeqrfPanelColumnSpec {
	threads := max(inShared[T](t.LocalSize), stages.PowerOfTwo(b)) // each column needs an invocation
	size := int(spirv.KindOf[T]().Size())
	// A chunk of rows is stored in shared memory by columns, and each column is padded by one
	// element. The number of rows in a chunk is a power of two.
	rows := t.TileBytes/(size*b) - 1
	chunk := min(threads, 1<<(bits.Len(uint(max(rows, 1)))-1))
	return shaders.GeqrfPanelColumnSpec{LocalSize: threads, Columns: uint32(b), Chunk: chunk}
}

func wholeSpec(s shaders.GeqrfPanelColumnSpec) shaders.GeqrfPanelWholeSpec {
	whole := shaders.GeqrfPanelWholeDefaults()
	whole.LocalSize, whole.Columns, whole.Chunk = s.LocalSize, s.Columns, s.Chunk
	return whole
}

// Meeting returns the number of workgroups of a panel if each of them waits for all others. It
// returns 0 if each column is a dispatch.
func (t Tuning) Meeting(info vk.Info) int {
	if !t.together(info) {
		return 0
	}
	return t.Groups
}

// together reports whether one dispatch factors a panel: Whole is true, and the device has 64-bit
// atomic operations and a compute unit for each workgroup. Another program may use some of the
// compute units. So Meet also tests whether all workgroups are resident at the same time.
func (t Tuning) together(info vk.Info) bool {
	return t.Whole && t.Groups <= max(info.Units, 1) && info.Int64Atomics()
}
