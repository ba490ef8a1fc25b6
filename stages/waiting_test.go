package stages

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TestNoWorkgroupWaitsWhereItMayNot checks that no stage takes a form in which workgroups wait for
// each other if Waiting does not allow it.
func TestNoWorkgroupWaitsWhereItMayNot(t *testing.T) {
	dev, tune := testDevice(t), SmallestTuning()
	tune.ApplyQ2.Flags, tune.Panel.Groups, tune.Panel.Whole = true, 1, true
	s, err := NewBulgeChasing[float64](dev, ChaseSize{20, 4, true}, Waiting{}, tune.Chase.ChaseTuning)
	if err != nil || s.wave == nil || s.chase != nil {
		t.Errorf("%+v, %v: no waves", s, err)
	}
	q2, err := NewApplyQ2[float64](dev, BackSize{20, 4, 20}, Waiting{}, tune.ApplyQ2)
	if err != nil || q2.teams == nil || q2.waiting != nil {
		t.Errorf("%+v, %v: Q2 waits for flags", q2, err)
	}
	qr, err := NewPanelQR[float64](dev, 4, Waiting{}, tune.Panel)
	if err != nil || qr.column == nil || qr.whole != nil {
		t.Errorf("%+v, %v: panels wait", qr, err)
	}
}

// TestChaseHasTwoInvocationsThatWait checks the sizes of a bulge chasing workgroup: one invocation
// must publish progress and another one must wait, even if a subgroup has only one invocation. It
// also checks that subgroups are full.
func TestChaseHasTwoInvocationsThatWait(t *testing.T) {
	for _, subgroup := range []int{1, 2, 32} {
		for waiters := range 3 {
			spec, err := chaseSpec[float64](chaseShape{
				b: 4, wait: Waiting{Allowed: true}, tune: ChaseTuning{PerThread: 8, WaitSubgroups: waiters},
				info: vk.Info{Subgroup: subgroup, SharedBytes: 1 << 15, MaxLocal: 1 << 10},
			})
			if err != nil || spec.LocalSize < spec.Work+2 || int(spec.LocalSize)%subgroup != 0 {
				t.Errorf("subgroups of %d, %d that wait: %+v, %v", subgroup, waiters, spec, err)
			}
		}
	}
}

// TestSpans checks the function that divides items into dispatches: a dispatch ends at its cost
// limit or at its largest number of items, and every item belongs to a dispatch.
func TestSpans(t *testing.T) {
	cost := func(item int) float64 { return float64(1 + item%3) }
	for _, c := range []struct {
		n, most int
		limit   float64
		want    string
	}{
		{0, 9, 4, "[]"}, {7, 9, 100, "[{0 7 13}]"}, {7, 9, 4, "[{0 3 6} {3 6 6} {6 7 1}]"},
		{5, 2, 100, "[{0 2 3} {2 4 4} {4 5 2}]"}, {3, 1, 0, "[{0 1 1} {1 2 2} {2 3 3}]"}, {2, 0, 9, "[{0 1 1} {1 2 2}]"},
	} {
		if got := fmt.Sprint(spans(c.n, c.most, c.limit, cost)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestSharedMemoryOfKernels checks how much shared memory the kernels of bulge chasing and ApplyQ2
// need for the half-bandwidths 32 and 64. The sizes are those that were measured and documented.
// Devices with less shared memory are refused.
func TestSharedMemoryOfKernels(t *testing.T) {
	info := vk.Info{Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: 1024}
	q2, err := q2Spec[float64](tuningFor("nvidia").ApplyQ2, info, BackSize{1 << 14, 64, 1 << 14}, product.NoTrans)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		have shared
		want int
	}{
		{"chase, two tiles", sharedOf(shaders.Sb2stChase[float64], shaders.Sb2stChaseSpec{B: 32, Lanes: 4, Tiles: 2}), 8*(2*32*36+64) + 16},
		{"chase, one tile", sharedOf(shaders.Sb2stChase[float64], shaders.Sb2stChaseSpec{B: 56, Lanes: 2, Tiles: 1}), 8*(56*66+112) + 16},
		{"teams", sharedOf(shaders.Sb2stTeams[float64], shaders.Sb2stTeamsSpec{B: 64, Lanes: 4, LanesA: 8}), 8*(64*68+192+2) + 16},
		{"Q2, teams", sharedOf(shaders.OrmtrQ2Teams[float64], q2), 8 * (16*69 + 1)},
		{"Q2, flags", sharedOf(shaders.OrmtrQ2Flags[float64], flagsSpec(q2, false)), 8 * (16*69 + 1 + 1)},
		{"panel", sharedOf(shaders.GeqrfPanelColumn[float64], shaders.GeqrfPanelColumnSpec{LocalSize: 256, Columns: 32, Chunk: 128}), 36608},
	} {
		if c.have.err != nil || c.have.bytes != c.want {
			t.Errorf("%s: %d bytes, %v; want %d", c.name, c.have.bytes, c.have.err, c.want)
		}
	}
}
