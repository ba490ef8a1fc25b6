package vk_test

import (
	"context"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestUploadInFlight uses the staging buffer and the device again directly after an upload, whose
// copies may still be in flight: for a recording that sends and receives numbers, for another
// upload, and for a download. The staging buffer must keep the numbers of the upload until the
// device has copied them.
func TestUploadInFlight(t *testing.T) {
	d := open(t, vk.Options{})
	ctx := context.Background()
	const n, few = 1 << 23, 1 << 20 // 32 MiB, the whole staging buffer, and 4 MiB
	large, small := vk.Reserve[uint32]("large", n), vk.Reserve[uint32]("small", few)
	counting := func(n int, from uint32) []uint32 {
		v := make([]uint32, n)
		for i := range v {
			v[i] = from + uint32(i)
		}
		return v
	}
	for round := range uint32(3) {
		ws, err := d.NewArena(vk.Together(large, small))
		if err != nil {
			t.Fatal(err)
		}
		all, some := counting(n, round*n), counting(few, 1<<30+round)
		up := func(region vk.Region[uint32], v []uint32) {
			t.Helper()
			if err := vk.Upload(ctx, d, region.In(ws), vk.Vector(v)); err != nil {
				t.Fatal(err)
			}
		}
		up(large, all)
		rec, got := vk.NewRecorder(d), make([]uint32, few)
		vk.Send(rec, small.In(ws), some)
		vk.Receive(rec, got, small.In(ws))
		if _, err := d.Run(ctx, rec, nil); err != nil || !slices.Equal(got, some) {
			t.Fatalf("%v, or wrong numbers received", err)
		}
		found := make([]uint32, n)
		down := func() {
			t.Helper()
			if err := vk.Download(ctx, d, vk.Vector(found), large.In(ws)); err != nil || !slices.Equal(found, all) {
				t.Fatalf("%v, or wrong numbers on the device", err)
			}
		}
		down()
		slices.Reverse(all)
		up(large, all)
		up(small, some)
		down()
		ws.Close()
	}
}
