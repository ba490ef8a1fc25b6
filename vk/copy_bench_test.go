package vk_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// BenchmarkTransfer measures copies of several sizes between host and device:
//
//	go test ./vk -run XXX -bench Transfer
func BenchmarkTransfer(b *testing.B) {
	d, err := vk.Open(vk.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	ctx := context.Background()
	for _, mib := range []float64{0.5, 2, 8, 32, 128, 512} {
		elements := int(mib * (1 << 17))
		region, host := vk.Reserve[float64]("a", elements), make([]float64, elements)
		ws, err := d.NewArena(vk.Together(region))
		if err != nil {
			b.Fatal(err)
		}
		defer ws.Close()
		end := region.In(ws).Sub(elements-1, 1)
		for _, way := range []string{"up", "down"} {
			b.Run(fmt.Sprintf("%s/%gMiB", way, mib), func(b *testing.B) {
				b.SetBytes(int64(8 * elements))
				for b.Loop() {
					if way == "up" {
						err = vk.Upload(ctx, d, region.In(ws), vk.Vector(host))
					} else {
						err = vk.Download(ctx, d, vk.Vector(host), region.In(ws))
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				// Uploads may still be in flight. This download follows them.
				if err := vk.Download(ctx, d, vk.Vector(host[:1]), end); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}
