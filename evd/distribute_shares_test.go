package evd

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// accurate fails the test if the vectors of `res` have errors that are too large for the matrix a.
func accurate(t *testing.T, name string, a Sym[float64], res *Result[float64]) {
	t.Helper()
	n, z := a.N, res.Vectors
	whole := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			whole[i+j*n], whole[j+i*n] = a.Data[i+j*a.Ld], a.Data[i+j*a.Ld]
		}
	}
	residual := ratio.Residual(n, z.Cols, whole, n, res.Values, z.Data, z.Ld)
	if o := ratio.Orthogonality(n, z.Cols, z.Data, z.Ld); !(math.Max(residual, o) < 10) {
		t.Errorf("%s: residual %g, orthogonality %g", name, residual, o)
	}
}

// TestDistributedUnequally divides matrices unequally among three devices, so that some have few
// columns, or none.
func TestDistributedUnequally(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	d := []*vk.Device{verifyDevice(t), verifyDevice(t), verifyDevice(t)}
	for _, rates := range [][]float64{{1, 5, 2}, {100, 1, 1}, {1, 1, 50}} {
		for _, n := range []int{7, 50, 77} {
			a := randomSym(n)
			p := planOf(t, d[0], n, Options{Vectors: true, Distribute: true, Tuning: waitingTuning(), Devices: d[1:], Shares: rates})
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			accurate(t, "unequal", a, res)
			if got, want := p.Devices()[1].Part, rates[1]/(rates[0]+rates[1]+rates[2]); !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("rates %v: the second device has %g, want %g", rates, got, want)
			}
			again, err := p.Solve(context.Background(), a)
			if err != nil || !sameBits(again, res) {
				t.Errorf("n = %d, rates %v: the second solve has other bits, %v", n, rates, err)
			}
		}
	}
}

// TestDistributedSurvivesAWaitThatFails makes a wait in a panel fail on the second of two devices
// of a distributed plan. Solve must solve again without such waits, and name the stage.
func TestDistributedSurvivesAWaitThatFails(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the kernels of other tests")
	const n = 33
	for _, phase := range waitingPhases {
		if phase == stages.PhaseBulgeChasing {
			continue // only the first device chases bulges
		}
		d := []*vk.Device{openIn(t, t.TempDir()), openIn(t, t.TempDir())}
		a := randomSym(n)
		p := planOf(t, d[0], n, Options{Vectors: true, Distribute: true, Tuning: waitingTuning(), Devices: d[1:]})
		p.team.Others[0].BeforeInfo = func(rec *vk.Recorder, at string, word vk.Slice[uint32]) {
			if at == phase {
				vk.Fill(rec, word, 3)
			}
		}
		res, err := p.Solve(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if res.Retried == nil || res.Retried.Stage != phase || res.Retried.Info != 3 {
			t.Errorf("%s: retried after %v", phase, res.Retried)
		}
		accurate(t, phase, a, res)
		if again, err := p.Solve(context.Background(), a); err != nil || again.Retried != nil || !sameBits(again, res) {
			t.Errorf("%s, the next solve: %v", phase, err)
		}
	}
}

// TestDistributedEmulatedProducts solves with emulated products on both devices. If the second
// device refuses the matrix, the plan must solve again with native products.
func TestDistributedEmulatedProducts(t *testing.T) {
	when.Skip(t, when.Quick, "several devices")
	const n = 50
	d := []*vk.Device{openIn(t, t.TempDir()), openIn(t, t.TempDir())}
	tune, a := tuning.Smallest(), randomSym(n)
	opt := Options{Vectors: true, Distribute: true, Tuning: &tune, Products: ProductsNative, Devices: d[1:]}
	want, err := planOf(t, d[0], n, opt).Solve(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	opt.Products = ProductsEmulated
	p := planOf(t, d[0], n, opt)
	res, err := p.Solve(context.Background(), a)
	if err != nil || res.Retried != nil || sameBits(res, want) {
		t.Fatalf("%v, retried %v; the bits are those of native products: %v", err, res.Retried, sameBits(res, want))
	}
	accurate(t, "emulated", a, res)
	p.team.Others[0].BeforeInfo = func(rec *vk.Recorder, phase string, word vk.Slice[uint32]) {
		if phase == stages.PhaseEmulated {
			vk.Fill(rec, word, 3)
		}
	}
	res, err = p.Solve(context.Background(), a)
	if err != nil || res.Retried == nil || res.Retried.Stage != stages.PhaseEmulated || !sameBits(res, want) {
		t.Errorf("refused: %v, retried %v", err, res.Retried)
	}
}

// TestDistributeRefusesADeviceWithoutRoomForPanels checks plans for several devices, one of which
// has too little shared memory for panels of the first device's half-bandwidth. The error must name
// this device.
func TestDistributeRefusesADeviceWithoutRoomForPanels(t *testing.T) {
	large := verifyDevice(t).Info()
	small := large
	small.Name, small.SharedBytes = "a small device", 1<<10
	for _, vectors := range []bool{false, true} {
		opt := Options{Vectors: vectors, Distribute: true, Devices: []*vk.Device{vk.Dry(small)}, Shares: []float64{1, 1}}
		p, err := NewPlan[float64](vk.Dry(large), 300, opt)
		if p != nil || err == nil || !strings.Contains(err.Error(), small.Name) {
			t.Errorf("vectors %v: %v", vectors, err)
		}
	}
}
