package vk_test

import (
	"context"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestTransferParts copies matrices of several shapes and leading dimensions to the device and
// back. Together the matrices are larger than the staging buffer, so that a matrix is divided
// between two copies.
func TestTransferParts(t *testing.T) {
	when.Pick(t, when.GPUAV)
	d := open(t, vk.Options{})
	ctx := context.Background()
	var up, down []vk.Columns[uint32]
	next := uint32(0)
	for k := range 300 {
		c := vk.Columns[uint32]{Rows: k % 7 * 61, Cols: 100, Ld: k%7*61 + k%3}
		if k == 150 {
			c = vk.Columns[uint32]{Rows: 3000, Cols: 1500, Ld: 3000}
		}
		c.Data = make([]uint32, c.Ld*c.Cols)
		for i := range c.Data {
			next++
			c.Data[i] = next
		}
		up = append(up, c)
		c.Data = make([]uint32, len(c.Data))
		down = append(down, c)
	}
	total := 0
	for _, c := range up {
		total += c.Rows * c.Cols
	}
	region := vk.Reserve[uint32]("parts", total)
	ws, err := d.NewArena(vk.Together(region))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if err := vk.UploadParts(ctx, d, region.In(ws), up); err != nil {
		t.Fatal(err)
	}
	if err := vk.DownloadParts(ctx, d, down, region.In(ws)); err != nil {
		t.Fatal(err)
	}
	all := make([]uint32, total)
	if err := vk.Download(ctx, d, vk.Vector(all), region.In(ws)); err != nil {
		t.Fatal(err)
	}
	at := 0
	for k, c := range up {
		for j := range c.Cols {
			want := c.Data[j*c.Ld : j*c.Ld+c.Rows]
			if !slices.Equal(want, all[at:at+c.Rows]) {
				t.Fatalf("part %d, column %d: wrong on the device", k, j)
			}
			if !slices.Equal(want, down[k].Data[j*c.Ld:j*c.Ld+c.Rows]) {
				t.Fatalf("part %d, column %d: came back changed", k, j)
			}
			if padding := down[k].Data[j*c.Ld+c.Rows : (j+1)*c.Ld]; slices.ContainsFunc(padding, func(x uint32) bool { return x != 0 }) {
				t.Fatalf("part %d, column %d: padding was written", k, j)
			}
			at += c.Rows
		}
	}
}
