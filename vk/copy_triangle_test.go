package vk_test

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestUploadTriangle uploads triangles of matrices of several shapes. The elements of the triangle
// must arrive. The matrices have from one element to more elements than the staging buffer, so that
// columns are divided between copies.
func TestUploadTriangle(t *testing.T) {
	d := open(t, vk.Options{})
	ctx := context.Background()
	for _, shape := range []struct{ rows, cols, ld int }{{1, 1, 1}, {2, 2, 5}, {67, 67, 67}, {100, 40, 101}, {40, 100, 40}, {3100, 3100, 3107}} {
		src := vk.Columns[uint32]{Rows: shape.rows, Cols: shape.cols, Ld: shape.ld, Data: make([]uint32, shape.ld*shape.cols)}
		for i := range src.Data {
			src.Data[i] = uint32(i + 1)
		}
		region := vk.Reserve[uint32]("triangle", shape.rows*shape.cols)
		ws, err := d.NewArena(vk.Together(region))
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		for _, upper := range []bool{false, true} {
			found := make([]uint32, shape.rows*shape.cols)
			if err := vk.Upload(ctx, d, region.In(ws), vk.Vector(found)); err != nil {
				t.Fatal(err)
			}
			if err := vk.UploadTriangle(ctx, d, region.In(ws), src, upper); err != nil {
				t.Fatal(err)
			}
			if err := vk.Download(ctx, d, vk.Vector(found), region.In(ws)); err != nil {
				t.Fatal(err)
			}
			for j := range shape.cols {
				for i := range shape.rows {
					if (i <= j && upper || i >= j && !upper) && found[i+j*shape.rows] != src.Data[i+j*src.Ld] {
						t.Fatalf("%+v, upper %v: element (%d, %d) is %d", shape, upper, i, j, found[i+j*shape.rows])
					}
				}
			}
		}
	}
}
