package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/vk"
)

// PanelTuning is what is measured for the panel factorisation. Its columns come one
// after the other, in a dispatch each or (Whole) all in one: small pieces of
// work on many workgroups, but not so many that adding their results up counts.
type PanelTuning struct {
	LocalSize uint32 // invocations a workgroup, a power of two
	TileBytes int    // shared memory for the rows that a workgroup looks at together
	Groups    int    // workgroups at most
	Whole     bool   // all columns in one dispatch, where that many workgroups are sure to run at the same time
	Polls     uint32 // of it, looks at what has not arrived before waiting is given up
	Factor    uint32 // columns of T that one workgroup makes by itself, LocalSize at most
	Merge     int    // reflectors that are applied to the eigenvectors together
}

// fits returns an error if the table is missing or too much for the device.
func (t PanelTuning) fits(dev *vk.Device, columns int) error {
	if t.LocalSize == 0 || t.LocalSize&(t.LocalSize-1) != 0 || t.Groups < 1 || t.Factor < 1 || t.Factor > t.LocalSize {
		return fmt.Errorf("stages: no panels can be tuned by %+v", t)
	}
	info := dev.Info()
	if n := int(t.localSize(columns)); n > info.MaxLocal {
		return &vk.UnsupportedError{Device: info.Name, Feature: "invocations a workgroup", Need: fmt.Sprint(n), Have: fmt.Sprint(info.MaxLocal)}
	}
	rows, block := int(t.chunk(columns)), int(t.Factor)
	tile := 8 * (columns*(rows+1) + 2*int(t.localSize(columns)) + 3*columns + rows + 1)
	if n := max(tile, 8*block*(2*(block+1)+1)); n > info.SharedBytes {
		return &vk.UnsupportedError{Device: info.Name, Feature: "bytes of shared memory", Need: fmt.Sprint(n), Have: fmt.Sprint(info.SharedBytes)}
	}
	return nil
}

// together says whether a panel's workgroups may wait for each other: each must have
// a unit of the device to itself, of which there is one at least.
func (t PanelTuning) together(info vk.Info) bool {
	return t.Whole && t.Groups <= max(info.Units, 1) && info.Int64Atomics()
}

// smallestPanel makes small panels take every path: several chunks a workgroup,
// several workgroups, factors T that are grown. It is for tests.
var smallestPanel = PanelTuning{LocalSize: 8, TileBytes: 8 * 3 * 5, Groups: 3, Factor: 2, Merge: 16}

// panelTuning is the table of a device family. A tile and three doubles for each
// invocation must fit a workgroup's shared memory, and so must two blocks of
// Factor×Factor. The last one must run anywhere: 16 KiB, 128 invocations.
func panelTuning(family string) PanelTuning {
	switch family {
	case "nvidia":
		return PanelTuning{LocalSize: 512, TileBytes: 33 << 10, Groups: 128, Whole: true, Polls: 1 << 22, Factor: 32, Merge: 512}
	case "amd":
		return PanelTuning{LocalSize: 256, TileBytes: 33 << 10, Groups: 96, Factor: 32, Merge: 512}
	case "intel", "apple":
		return PanelTuning{LocalSize: 128, TileBytes: 17 << 10, Groups: 32, Factor: 32, Merge: 256}
	case "cpu":
		return PanelTuning{LocalSize: 64, TileBytes: 17 << 10, Groups: 8, Factor: 16, Merge: 64}
	}
	return PanelTuning{LocalSize: 128, TileBytes: 9 << 10, Groups: 64, Factor: 16, Merge: 256}
}

// localSize is LocalSize, or what it takes to have an invocation a column.
func (t PanelTuning) localSize(columns int) uint32 { return max(t.LocalSize, powerOfTwo(columns)) }

// chunk is the number of rows of a tile: a power of two, LocalSize at most.
func (t PanelTuning) chunk(columns int) uint32 {
	rows := t.TileBytes/(8*columns) - 1 // the tile's columns are padded by an element
	return min(t.localSize(columns), 1<<(bits.Len(uint(max(rows, 1)))-1))
}

// powerOfTwo is the least power of two that is at least n, for n ≥ 1.
func powerOfTwo(n int) uint32 { return 1 << bits.Len(uint(max(n, 1)-1)) }
