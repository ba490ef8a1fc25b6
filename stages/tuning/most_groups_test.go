package tuning_test

import (
	"math"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// TestNoTuningHasTooManyGroups checks stages whose tuning asks for more workgroups in a dispatch
// than every device accepts. The stages must use the largest number that is allowed, and must fold
// grids that grow with n into several dimensions. (The recorder panics for larger grids.)
func TestNoTuningHasTooManyGroups(t *testing.T) {
	d := vk.Dry(vk.Info{Name: "dry", Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: 1024})
	for _, groups := range []int{vk.MaxGroups() + 1, math.MaxInt32} {
		tune := tuning.On(roomtest.Family("nvidia"))
		tune.Chase.Groups, tune.ApplyQ2.Workgroups, tune.Panel.Groups = groups, groups, groups
		most := 5 * vk.MaxGroups()
		t.Run("chase", func(t *testing.T) {
			tune := tune
			tune.Band, tune.Chase.Dispatch = 2, math.Inf(1)
			s, err := chase.NewBulgeChasing[float64](d, chase.Size{N: most, B: tune.Band, Vectors: false}, waiting(t, d, tune), tune.Chase)
			recordsDry(t, d, err, s.Work, []int{4 * most, most, most - 1}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, x[0], stages.Tridiagonal[float64]{D: x[1], E: x[2]}, stages.Reflectors[float64]{V: x[2], Tau: x[2]})
			})
		})
		t.Run("reading T", func(t *testing.T) {
			tune := tune
			tune.Band = 1
			n := 256*vk.MaxGroups() + 1
			s, err := chase.NewBulgeChasing[float64](d, chase.Size{N: n, B: tune.Band, Vectors: false}, waiting(t, d, tune), tune.Chase)
			recordsDry(t, d, err, s.Work, []int{2 * n, n, n - 1}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, x[0], stages.Tridiagonal[float64]{D: x[1], E: x[2]}, stages.Reflectors[float64]{V: x[2], Tau: x[2]})
			})
		})
		t.Run("Q2", func(t *testing.T) {
			const n = 100
			m := 128 * (vk.MaxGroups() + 2)
			s, err := back.NewApplyQ2[float64](d, back.Size{N: n, B: tune.Band, M: m}, waiting(t, d, tune), tune.ApplyQ2)
			v, tau := stages.ReflectorLen(n, tune.Band)
			recordsDry(t, d, err, s.Work, []int{v, tau, m * n}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, stages.Reflectors[float64]{V: x[0], Tau: x[1]}, stages.NewMatrix(x[2], m, n, m))
			})
		})
		t.Run("panels", func(t *testing.T) {
			const b = 32
			m := 128 * (vk.MaxGroups() + 1)
			s, err := panel.NewQR[float64](d, b, waiting(t, d, tune), tune.Panel)
			recordsDry(t, d, err, s.Work, []int{m * b, b * b, b}, func(rec *vk.Recorder, ws *vk.Arena, x []vk.Slice[float64]) {
				s.Record(rec, ws, stages.NewMatrix(x[0], m, b, m), stages.NewMatrix(x[1], b, b, b), x[2])
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
