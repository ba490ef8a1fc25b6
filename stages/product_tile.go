package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Tile is how a product is cut (shaders/glsl/product/tile.glsl): a workgroup owns M×N
// elements of the result, an invocation ThreadM×ThreadN of them, and the inner
// dimension is walked K at a time.
type Tile struct {
	M, N, K          uint32
	ThreadM, ThreadN uint32
	Unroll           uint32 // steps of the inner dimension written out in a row; divides K
	Buffers          uint32 // copies of the tiles in shared memory: 1, 2 to spare a barrier, 0 to read memory (then K is 1)
	Resident         uint32 // workgroups of it that fit a unit at once
}

func (t Tile) String() string {
	return fmt.Sprintf("%d×%d×%d tile of %d×%d", t.M, t.N, t.K, t.ThreadM, t.ThreadN)
}

// threads is the number of invocations of a workgroup.
func (t Tile) threads() uint32 { return t.M / t.ThreadM * (t.N / t.ThreadN) }

// sharedBytes is what a workgroup keeps in shared memory.
func (t Tile) sharedBytes() int {
	const stridePadding, realBytes = 1, 8
	return int(max(t.Buffers, 1)*t.K*(t.M+t.N+2*stridePadding)) * realBytes
}

// fits returns an error if the tile is inconsistent or too large for the device.
func (t Tile) fits(dev *vk.Device) error {
	if min(t.M, t.N, t.K, t.ThreadM, t.ThreadN, t.Unroll) == 0 || t.M%t.ThreadM != 0 || t.N%t.ThreadN != 0 || t.K%t.Unroll != 0 {
		return fmt.Errorf("stages: %v: the parts do not divide the whole", t)
	}
	n := t.threads()
	if t.M*t.K%n != 0 || t.N*t.K%n != 0 || t.Buffers > 0 && (n%t.M*(t.M%n) != 0 || n%t.N*(t.N%n) != 0 || n%t.K != 0) {
		return fmt.Errorf("stages: %v: %d invocations cannot share the loads", t, n)
	}
	if t.Resident < 1 || t.Buffers > 2 {
		return fmt.Errorf("stages: %v: %d resident, %d buffers", t, t.Resident, t.Buffers)
	}
	info := dev.Info()
	if int(n) > info.MaxLocal {
		return &vk.UnsupportedError{Device: info.Name, Feature: "invocations a workgroup", Need: fmt.Sprint(n), Have: fmt.Sprint(info.MaxLocal)}
	}
	if bytes := t.sharedBytes(); bytes > info.SharedBytes {
		return &vk.UnsupportedError{Device: info.Name, Feature: "bytes of shared memory", Need: fmt.Sprint(bytes), Have: fmt.Sprint(info.SharedBytes)}
	}
	return nil
}

// spec is the tile as the kernels' specialisation constants, which all have in common.
func (t Tile) spec() shaders.GemmSpec {
	return shaders.GemmSpec{
		LocalSize: t.threads(), TileM: t.M, TileN: t.N, TileK: t.K,
		ThreadM: t.ThreadM, ThreadN: t.ThreadN, Unroll: t.Unroll, Buffers: t.Buffers,
	}
}

// grid is the workgroups that cover rows×cols, before z.
func (t Tile) grid(rows, cols int) vk.Groups {
	return vk.Folded(vk.Tiles(rows, t.M) * vk.Tiles(cols, t.N))
}
