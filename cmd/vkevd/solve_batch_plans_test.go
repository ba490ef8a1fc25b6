package main

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/vk"
)

// TestBatchesAtOnceFit checks the memory of a plan for as many matrices as are on the device at the
// same time. This memory is at most six times BatchBytes. This holds for small orders, too, where
// the matrices themselves are the smaller part of the memory.
func TestBatchesAtOnceFit(t *testing.T) {
	dev := vk.Dry(vk.Info{Memory: 1 << 40, Free: 1 << 40, Family: "nvidia", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, n := range []int{0, 1, 2, 3, 8, 16, 40, 128, 300} {
		count, opt := machine.AtOnce(math.MaxInt, n, false), batch.Options{Vectors: true}
		dense, err := batch.NewPlan[float64](dev, n, count, opt)
		if err != nil {
			t.Fatal(err)
		}
		tridiagonal, err := batch.NewTridiagonalPlan[float64](dev, n, count, opt)
		if err != nil {
			t.Fatal(err)
		}
		hermitian, err := batch.NewPlan[complex128](dev, n, machine.AtOnce(math.MaxInt, n, true), opt)
		if err != nil {
			t.Fatal(err)
		}
		for what, bytes := range map[string]uint64{"dense": dense.Bytes(), "tridiagonal": tridiagonal.Bytes(), "Hermitian": hermitian.Bytes()} {
			if bytes > 6*machine.BatchBytes {
				t.Errorf("%d %s matrices of order %d need %.1f GiB", count, what, n, float64(bytes)/(1<<30))
			}
		}
	}
}
