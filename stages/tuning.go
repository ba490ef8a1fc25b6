package stages

import "github.com/vkevd/vkevd/vk"

// Tuning is every size that is measured rather than derived, for one device.
type Tuning struct {
	Band, Block   int // half-bandwidth b and update rank k of the band reduction
	Products      ProductTuning
	Panel         PanelTuning
	Chase         ChaseTuning
	ApplyQ2       ApplyQ2Tuning
	Bisection     BisectionTuning
	DivideConquer DivideConquerTuning
}

// TuningFor is the table for the device's family, or the nearest one there is.
func TuningFor(info vk.Info) Tuning {
	t, ok := tunings[info.Family]
	if !ok {
		t = tunings["other"]
	}
	t.Panel = panelTuning(info.Family)
	t.Chase = chaseTuning(info.Family)
	t.Bisection = bisectionTuning(info.Family)
	t.DivideConquer = divideConquerTuning(info.Family)
	return t
}
