package emulated

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/roomtest/tables"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// BenchmarkProducts compares native and emulated products C − A·Bᵀ of real and of complex matrices,
// with the sizes of the device's tuning table. On a GPU, native complex products use the tile that
// the tables of NVIDIA have for them.
func BenchmarkProducts(b *testing.B) {
	b.Run("real", benchmarkProducts[float64])
	b.Run("complex", benchmarkProducts[complex128])
}

func benchmarkProducts[T Double](b *testing.B) {
	dev, sizes := stagetest.Device(b), []int{4096, 8192}
	if stagetest.Info().Type == "cpu" {
		sizes = []int{256}
	}
	u, err := FindUnits(context.Background(), dev)
	if err != nil {
		b.Fatal(err)
	}
	tune := tables.On[struct{ Products product.Tuning }](dev.Info()).Products
	if isComplex[T]() && dev.Info().Type != "cpu" {
		tune.Syr2k = product.Tile{M: 64, N: 64, K: 8, ThreadM: 4, ThreadN: 8, Unroll: 8, Buffers: 1, Resident: 2}
		tune.Tiles = []product.Tile{tune.Syr2k}
	}
	for _, n := range sizes {
		for _, k := range []int{n / 16, n / 8} {
			b.Run(fmt.Sprintf("n = %d, k = %d", n, k), func(b *testing.B) {
				for range b.N {
					native, emulated, err := race[T](context.Background(), dev, tune, u, n, k)
					if err != nil {
						b.Fatal(err)
					}
					flops := 2 * float64(schemeOf[T]().doubles*schemeOf[T]().doubles) * float64(n) * float64(n) * float64(k)
					b.ReportMetric(flops/native/1e12, "native-TFLOP/s")
					b.ReportMetric(flops/emulated/1e12, "emulated-TFLOP/s")
				}
			})
		}
	}
}
