package stages

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestNoTuningHasTooManyGroups checks stages whose tuning asks for more workgroups in a dispatch
// than every device accepts. The stages must use the largest number that is allowed, and must fold
// grids that grow with n into several dimensions. (The recorder panics for larger grids.)
func TestNoTuningHasTooManyGroups(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry", Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: 1024})
	for _, groups := range []int{vk.MaxGroups() + 1, math.MaxInt32} {
		tune := tuningFor("nvidia")
		tune.Chase.Groups, tune.ApplyQ2.Workgroups, tune.Panel.Groups = groups, groups, groups
		most := 5 * vk.MaxGroups()
		t.Run("chase", func(t *testing.T) {
			tune := tune
			tune.Band, tune.Chase.Dispatch = 2, math.Inf(1)
			s, err := NewBulgeChasing[float64](d, ChaseSize{most, tune.Band, false}, tune.Chase.waiting(t, d), tune.Chase.ChaseTuning)
			recordsDry(t, d, err, s.Work, []int{4 * most, most, most - 1}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, x[0], Tridiagonal[float64]{x[1], x[2]}, Reflectors[float64]{x[2], x[2]})
			})
		})
		t.Run("reading T", func(t *testing.T) {
			tune := tune
			tune.Band = 1
			n := 256*vk.MaxGroups() + 1
			s, err := NewBulgeChasing[float64](d, ChaseSize{n, tune.Band, false}, tune.Chase.waiting(t, d), tune.Chase.ChaseTuning)
			recordsDry(t, d, err, s.Work, []int{2 * n, n, n - 1}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, x[0], Tridiagonal[float64]{x[1], x[2]}, Reflectors[float64]{x[2], x[2]})
			})
		})
		t.Run("Q2", func(t *testing.T) {
			const n = 100
			m := 128 * (vk.MaxGroups() + 2)
			s, err := NewApplyQ2[float64](d, BackSize{n, tune.Band, m}, tune.Chase.waiting(t, d), tune.ApplyQ2)
			v, tau := ReflectorLen(n, tune.Band)
			recordsDry(t, d, err, s.Work, []int{v, tau, m * n}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, Reflectors[float64]{x[0], x[1]}, NewMatrix(x[2], m, n, m))
			})
		})
		t.Run("panels", func(t *testing.T) {
			const b = 32
			m := 128 * (vk.MaxGroups() + 1)
			s, err := NewPanelQR[float64](d, b, tune.Chase.waiting(t, d), tune.Panel)
			recordsDry(t, d, err, s.Work, []int{m * b, b * b, b}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, NewMatrix(x[0], m, b, m), NewMatrix(x[1], b, b, b), x[2])
			})
		})
	}
}

// recordsDry records a stage on a device that is not real, with slices of the given lengths. It
// fails the test if err, the error of the stage's constructor, is not nil.
func recordsDry(t *testing.T, d *vk.Device, err error, work func() *vk.Layout, lengths []int, record func(*vk.Recorder, *vk.Arena, []vk.Slice[float64])) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var regions []vk.Region[float64]
	layouts := []vk.Space{work()}
	for _, n := range lengths {
		regions = append(regions, vk.Reserve[float64]("x", n))
		layouts = append(layouts, regions[len(regions)-1])
	}
	ws, err := d.NewArena(vk.Together(layouts...))
	if err != nil {
		t.Fatal(err)
	}
	var slices []vk.Slice[float64]
	for _, r := range regions {
		slices = append(slices, r.In(ws))
	}
	rec := vk.NewRecorder(d)
	record(rec, ws, slices)
	if rec.Len() == 0 {
		t.Error("nothing was recorded")
	}
}
