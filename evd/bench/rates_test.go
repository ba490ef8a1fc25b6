package bench

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// TestPeakDotComputes checks that the kernel for the rate of packed dot products really computes
// these products. It compares the kernel's sums with the same computation in Go.
func TestPeakDotComputes(t *testing.T) {
	d := device(t)
	if !d.Info().IntegerDotProducts() {
		t.Skip("no packed dot products")
	}
	spec := shaders.PeakDotSpec{LocalSize: 8, Chains: 3, Steps: 2}
	kernel, err := vk.Build(d, shaders.PeakDot(), spec)
	if err != nil {
		t.Fatal(err)
	}
	const groups, rounds = 2, 5
	sums := vk.Reserve[int32]("sums", groups*int(spec.LocalSize))
	ws, err := d.NewArena(vk.Together(sums))
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	rec := vk.NewRecorder(d)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.PeakDotPush{Sums: sums.In(ws).Addr(), Rounds: rounds})
	ctx := context.Background()
	if _, err := d.Run(ctx, rec, nil); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, groups*spec.LocalSize)
	if err := vk.Download(ctx, d, vk.Vector(got), sums.In(ws)); err != nil {
		t.Fatal(err)
	}
	for at := range got {
		want, w := int32(0), int32(at)*0x27d4eb3|0x01010101
		for c := range int32(spec.Chains) {
			x := int32(at)*0x9e3779b + c*0x85ebca7
			for range rounds * spec.Steps {
				x += dot(x, w)
			}
			want += x
		}
		if got[at] != want {
			t.Errorf("invocation %d: %d, want %d", at, got[at], want)
		}
	}
}

// dot is the sum of the products of the signed bytes of x and y.
func dot(x, y int32) (sum int32) {
	for shift := 0; shift < 32; shift += 8 {
		sum += int32(int8(x>>shift)) * int32(int8(y>>shift))
	}
	return sum
}

// The rates of single precision and of products of bytes must be measured only if the options ask
// for the stage "peaks". TestRatesOfPeaks checks this, and that every rate except copying has a
// number of operations.
func TestRatesOfPeaks(t *testing.T) {
	b := newBench(t, Options{Stages: []string{peaksName}, Repeat: 1})
	for i, want := range []string{"peak fma", "peak copy", "peak fp32", "peak dot8"} {
		if r := b.Peaks()[i]; r.Stage != want || !(r.Min > 0) || (r.GFlops > 0) == (want == "peak copy") {
			t.Errorf("%+v, want %s", r, want)
		}
	}
	if info := b.dev.Info(); len(info.ByteMatrices) > 0 != (len(b.Peaks()) == 5) {
		t.Errorf("%d peaks with matrix units %v", len(b.Peaks()), info.ByteMatrices)
	}
	if other := newBench(t, Options{Stages: []string{"gemm"}, Orders: []int{8}, Repeat: 1}); len(other.Peaks()) != 2 {
		t.Errorf("%d peaks before stages, want 2", len(other.Peaks()))
	}
}
