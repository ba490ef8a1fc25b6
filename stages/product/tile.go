package product

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tile says how a product is divided into tiles (see tile.glsl). A workgroup computes M×N elements
// of the result, and an invocation ThreadM×ThreadN of these. The inner dimension is processed in
// slices of length K.
type Tile struct {
	// M and N are the numbers of rows and columns of a workgroup. K is the number of steps of the
	// inner dimension between two loads of the factors into shared memory.
	M, N, K uint32

	// ThreadM and ThreadN are the numbers of rows and columns of an invocation. They divide M and
	// N, those of the whole tile.
	ThreadM, ThreadN uint32

	// Unroll is the number of steps of the inner dimension that are unrolled. It divides K.
	Unroll uint32

	// Buffers is the number of buffers in shared memory. 2 means double buffering, which saves a
	// barrier. 0 means that invocations read memory directly.
	Buffers uint32

	// Resident is the number of workgroups of this tile that a compute unit can hold at a time.
	Resident uint32

	// Packed says that invocations load 16 bytes at a time from shared memory, which then must have
	// a buffer. ThreadM, ThreadN, and the number of invocations divided by K, must be multiples of
	// mostPack. Packed does not change the bits of a result.
	Packed bool `json:",omitempty"`
}

// mostPack is the number of float32 in 16 bytes. 16 bytes hold fewer elements of the other types.
const mostPack = 4

func (t Tile) String() string {
	packed := ""
	if t.Packed {
		packed = "packed "
	}
	return fmt.Sprintf("%s%d×%d×%d tile of %d×%d", packed, t.M, t.N, t.K, t.ThreadM, t.ThreadN)
}

func (t Tile) threads() uint32 { return t.M / t.ThreadM * (t.N / t.ThreadN) }

// Fits returns nil if products of doubles can use the tile on the device. Otherwise the error names
// sizes that contradict each other, or is a *vk.UnsupportedError if a workgroup needs more
// invocations or shared memory than the device has.
func (t Tile) Fits(info vk.Info) error { return fits[float64](t, info) }

func fits[T spirv.Scalar](t Tile, info vk.Info) error {
	if min(t.M, t.N, t.K, t.ThreadM, t.ThreadN, t.Unroll) == 0 ||
		t.M%t.ThreadM != 0 || t.N%t.ThreadN != 0 || t.K%t.Unroll != 0 || t.threads() == 0 { // 0: the number of invocations is a multiple of 2³², which 32 bits cannot hold
		return fmt.Errorf("product: %v: the parts do not divide the whole", t)
	}
	// All invocations of a workgroup must load the same number of elements of each factor.
	n := t.threads()
	if t.M*t.K%n != 0 || t.N*t.K%n != 0 ||
		t.Buffers > 0 && (n%t.M*(t.M%n) != 0 || n%t.N*(t.N%n) != 0 || n%t.K != 0) {
		return fmt.Errorf("product: %v: %d invocations cannot share the loads", t, n)
	}
	if t.Resident < 1 || t.Buffers > 2 {
		return fmt.Errorf("product: %v: %d resident, %d buffers", t, t.Resident, t.Buffers)
	}
	if t.Packed && (t.Buffers == 0 || t.ThreadM%mostPack != 0 || t.ThreadN%mostPack != 0 || n/t.K%mostPack != 0) {
		return fmt.Errorf("product: %v: %d invocations cannot load packs of %d, %d buffers", t, n, mostPack, t.Buffers)
	}
	refuse := func(feature string, need, have int) error {
		return &vk.UnsupportedError{Device: info.Name, Feature: feature, Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
	}
	if int(n) > info.MaxLocal {
		return refuse("invocations in a workgroup", int(n), info.MaxLocal)
	}
	bytes, err := SharedBytes(shaders.Gemm[T], t.Spec())
	if err != nil {
		return err
	}
	if bytes > info.SharedBytes {
		return refuse("bytes of shared memory", bytes, info.SharedBytes)
	}
	return nil
}

// fitsTriangle is `fits` for the tile of the rank-2k update, which has M×N elements. In addition, M
// must be a multiple of N, so that M/N tiles fill a square of M×M elements. Such squares cover the
// lower triangle.
func fitsTriangle[T spirv.Scalar](t Tile, info vk.Info) error {
	if err := fits[T](t, info); err != nil {
		return err
	}
	if t.M%t.N != 0 {
		return fmt.Errorf("product: %v does not divide a square", t)
	}
	return nil
}

// Spec returns the specialization constants of all kernels of products.
func (t Tile) Spec() shaders.GemmSpec {
	packed := spirv.False
	if t.Packed {
		packed = spirv.True
	}
	return shaders.GemmSpec{
		LocalSize: t.threads(), TileM: t.M, TileN: t.N, TileK: t.K,
		ThreadM: t.ThreadM, ThreadN: t.ThreadN, Unroll: t.Unroll, Buffers: t.Buffers, Packed: packed,
	}
}

// Grid covers rows×cols elements. The caller may set the dimension Z of the grid.
func (t Tile) Grid(rows, cols int) vk.Groups {
	return vk.Folded(vk.Tiles(rows, t.M) * vk.Tiles(cols, t.N))
}

// tileKernels builds a kernel for each tile, with the constants that `spec` returns. The error is a
// *vk.UnsupportedError if a tile does not fit the device.
func tileKernels[T spirv.Scalar, S, P any](
	dev *vk.Device, tiles []Tile, module spirv.Module[S, P], spec func(Tile) S,
) (kernels []*vk.Kernel[S, P], err error) {
	for _, tile := range tiles {
		if err := fits[T](tile, dev.Info()); err != nil {
			return nil, err
		}
		k, err := vk.Build(dev, module, spec(tile))
		if err != nil {
			return nil, err
		}
		kernels = append(kernels, k)
	}
	return kernels, nil
}
