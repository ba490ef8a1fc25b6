package evd

import (
	"context"
	"math"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestReflectorsGoInPieces: the columns of a panel have gaps between them in the memory of the
// device, so there were more pieces than events, and a divided solve of order 32768 panicked. Here
// a panel has up to twenty pieces.
func TestReflectorsGoInPieces(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	defer func(bytes int) { reflectorBytes = bytes }(reflectorBytes)
	const n = 61
	a := Sym[float64]{N: n, Ld: n, Data: make([]float64, n*n), Uplo: Lower}
	for i := range a.Data {
		a.Data[i] = float64(i*i%19) - 9
	}
	var devices [3]*vk.Device
	for k := range devices {
		d, err := vk.Open(vk.Options{Device: DeviceName(t)})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		devices[k] = d
	}
	small := tuning.Smallest()
	var want *Result[float64]
	for _, bytes := range []int{1 << 20, 400, 64} {
		reflectorBytes = bytes
		p, err := NewPlan[float64](devices[0], n, Options{Vectors: true, Distribute: true, Devices: devices[1:], Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = res
		}
		for i, x := range res.Vectors.Data {
			if math.Float64bits(x) != math.Float64bits(want.Vectors.Data[i]) {
				t.Fatalf("pieces of %d bytes: other bits", bytes)
			}
		}
		if r, err := p.Check(context.Background(), a, res); err != nil || !(r.Residual < 10 && r.Orthogonality < 10) {
			t.Errorf("pieces of %d bytes: ratios %+v, %v", bytes, r, err)
		}
		p.Close()
	}
}
