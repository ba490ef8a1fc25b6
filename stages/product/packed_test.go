package product

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// packedTiles are small tiles whose shared memory is loaded 16 bytes (a pack) at a time. They have
// one or two buffers. Some of them load several elements of a column in one batch, and some have an
// odd number of packs in a column.
var packedTiles = []Tile{
	{M: 16, N: 16, K: 4, ThreadM: 4, ThreadN: 4, Unroll: 4, Buffers: 1, Resident: 1},
	{M: 32, N: 16, K: 4, ThreadM: 8, ThreadN: 4, Unroll: 1, Buffers: 2, Resident: 1},
	{M: 32, N: 4, K: 2, ThreadM: 4, ThreadN: 4, Unroll: 1, Buffers: 2, Resident: 1},
}

// largePackedTiles have the sizes of three tiles of the table for float32 on GPUs of NVIDIA. A CPU
// driver needs a minute or more to compile products with such a tile.
var largePackedTiles = []Tile{
	{M: 128, N: 128, K: 8, ThreadM: 8, ThreadN: 16, Unroll: 8, Buffers: 1, Resident: 1},
	{M: 128, N: 64, K: 16, ThreadM: 8, ThreadN: 8, Unroll: 16, Buffers: 1, Resident: 3},
	{M: 64, N: 32, K: 16, ThreadM: 8, ThreadN: 4, Unroll: 16, Buffers: 1, Resident: 7},
}

// TestPackedTilesHaveTheSameBits checks that a packed tile gives the bits of the same tile with
// single loads, for all products, for shapes with and without whole tiles, and for float32 and
// float64.
func TestPackedTilesHaveTheSameBits(t *testing.T) {
	when.Skip(t, when.Quick, "products in other tiles")
	tiles := packedTiles
	if stagetest.Device(t).Info().Type != "cpu" {
		tiles = append(slices.Clone(tiles), largePackedTiles...)
	}
	for i, tile := range tiles {
		t.Run(fmt.Sprintf("%v, %d buffers", tile, tile.Buffers), func(t *testing.T) {
			t.Run("float32", func(t *testing.T) {
				if i%2 == 0 {
					when.Long(t, "the next tile, and this one with float64")
				}
				samePackedBits[float32](t, tile)
			})
			t.Run("float64", func(t *testing.T) {
				if i%2 == 1 {
					when.Long(t, "the next tile, and this one with float32")
				}
				samePackedBits[float64](t, tile)
			})
		})
	}
}

func samePackedBits[T spirv.Real](t *testing.T, tile Tile) {
	sameBits := func(x, y T) bool { return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) }
	single := productsOf[T](t, tile)
	tile.Packed = true
	for i, packed := range productsOf[T](t, tile) {
		if !slices.EqualFunc(packed.of, single[i].of, sameBits) {
			t.Errorf("%s: other bits", packed.what)
		}
	}
}

// A computed is the result of a product, with its padding, and the name of the product.
type computed[T spirv.Real] struct {
	what string
	of   []T
}

// productsOf returns the results of products that are computed with the given tile.
func productsOf[T spirv.Real](t *testing.T, tile Tile) (all []computed[T]) {
	d := stagetest.Device(t)
	ops, err := New[T](d, Tuning{Tiles: []Tile{tile}, Syr2k: tile, Units: 8})
	if err != nil {
		t.Fatal(err)
	}
	// The matrices are n×n, where n is no multiple of the tile's sizes. Narrow factors and results
	// are blocks of these matrices.
	n := int(max(tile.M, tile.N))*5/4 + 1
	ld := n + 3
	x, y, z := vk.Reserve[T]("x", n*ld), vk.Reserve[T]("y", n*ld), vk.Reserve[T]("z", n*ld)
	ws := stagetest.Arena(t, d, vk.Together(x, y, z, ops.Work()))
	upload := func(r vk.Region[T], seed uint64) Matrix[T] {
		sample, data := stagetest.Normal(n, n, ld, seed), make([]T, n*ld)
		for i, v := range sample.Data {
			data[i] = T(v)
		}
		stagetest.Put(t, d, r.In(ws), data)
		return NewMatrix(r.In(ws), n, n, ld)
	}
	a, b := upload(x, 1), upload(y, 2)
	do := func(what string, record func(rec *vk.Recorder, c Matrix[T])) {
		rec, c := vk.NewRecorder(d), upload(z, 3)
		record(rec, c)
		stagetest.Run(t, d, rec)
		all = append(all, computed[T]{what, stagetest.Get(t, d, z.In(ws))})
	}
	for _, opA := range []Op{NoTrans, Trans} {
		for _, opB := range []Op{NoTrans, Trans} {
			do(fmt.Sprintf("gemm, Aᵀ %v, Bᵀ %v", opA, opB), func(rec *vk.Recorder, c Matrix[T]) {
				ops.GemmUnsplit(rec, ws, opA, opB, 2, a, b, -1, c)
			})
		}
	}
	for _, k := range []int{1, int(tile.K), n} {
		do(fmt.Sprintf("syr2k of rank %d", k), func(rec *vk.Recorder, c Matrix[T]) {
			ops.Syr2k(rec, ws, a.Block(0, 0, n, k), b.Block(0, 0, n, k), c)
		})
	}
	// The number of pieces of the inner dimension is given, because the model of costs may choose
	// another one for a packed tile.
	for _, pieces := range []int{1, 3} {
		x := ops.tiledSymm.split(0, n, pieces)
		do(fmt.Sprintf("symm in %d pieces", pieces), func(rec *vk.Recorder, c Matrix[T]) {
			ops.tiledSymm.record(rec, ws, a, b.Block(0, 0, n, 5), c.Block(0, 0, n, 5), x)
		})
	}
	return all
}
