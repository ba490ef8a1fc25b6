package stebz

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type Tuning struct {
	Threads  uint32  // invocations of a workgroup; at least 2^Levels − 1
	Tile     uint32  // rows of T in shared memory at a time, 16 bytes each; a multiple of 8
	Fused    bool    // use fma, because it is as fast as a product here; the results are the same either way
	Lanes    int     // threads that keep the device busy; fewer threads take as much time
	Levels   uint32  // largest number of halvings that a team of threads does at once; below 32
	Few      int     `json:",omitempty"` // at most this many eigenvalues have the largest teams, even if these have more than Lanes threads
	Dispatch float64 // largest number of pivots that one dispatch computes; it limits the time of a dispatch
}

// Fits returns nil if the bisection can run with these sizes on the device. Otherwise the error is
// a *vk.UnsupportedError, or names the sizes, which are out of range or contradict each other.
func (t Tuning) Fits(info vk.Info) error {
	const scaled = 8 // rows after which stebz_narrow scales the minors
	if t.Tile == 0 || t.Tile%scaled != 0 || t.Levels >= 32 || t.Threads < 1<<max(1, t.Levels)-1 {
		return fmt.Errorf("stages: no bisection can be tuned by %+v", t)
	}
	if n := int(t.Threads); info.MaxLocal > 0 && n > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", n, info.MaxLocal)
	}
	levels := max(1, t.Levels)
	bytes, err := stages.MostShared(
		stages.SharedOf(shaders.StebzGrid, t.gridSpec()), stages.SharedOf(shaders.StebzNarrow, t.narrowSpec(levels)),
		stages.SharedOf(shaders.StebzBisect, t.bisectSpec(levels)), stages.SharedOf(shaders.StebzCount, t.countSpec()))
	if err != nil {
		return err
	}
	if bytes > info.SharedBytes {
		return stages.Refused(info, "bytes of shared memory", bytes, info.SharedBytes)
	}
	return nil
}

func (t Tuning) gridSpec() shaders.StebzGridSpec {
	return shaders.StebzGridSpec{LocalSize: t.Threads, Tile: t.Tile, Fused: spirv.BoolOf(t.Fused)}
}

func (t Tuning) narrowSpec(levels uint32) shaders.StebzNarrowSpec {
	return shaders.StebzNarrowSpec{LocalSize: t.Threads, Tile: t.Tile, Fused: spirv.BoolOf(t.Fused), Levels: levels}
}

func (t Tuning) bisectSpec(levels uint32) shaders.StebzBisectSpec {
	return shaders.StebzBisectSpec{LocalSize: t.Threads, Tile: t.Tile, Levels: levels}
}

func (t Tuning) countSpec() shaders.StebzCountSpec {
	return shaders.StebzCountSpec{LocalSize: t.Threads, Tile: t.Tile}
}
