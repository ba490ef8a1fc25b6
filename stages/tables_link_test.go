package stages_test

import (
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

func init() {
	sizes := func(t tuning.Tuning) stages.Tuning {
		return stages.Tuning{
			Band: t.Band, Block: t.Block, Products: t.Products, Panel: t.Panel, Sytrd: t.Sytrd,
			Chase:   stages.ChaseTable{ChaseTuning: t.Chase.ChaseTuning, Wavefront: t.Chase.Wavefront, WideFence: t.Chase.WideFence},
			ApplyQ2: t.ApplyQ2, Bisection: t.Bisection, DivideConquer: t.DivideConquer, MRRR: t.MRRR,
		}
	}
	stages.TuningFor = func(info vk.Info) stages.Tuning { return sizes(tuning.On(info)) }
	stages.BoundedFor = func(info vk.Info, rate float64) stages.Tuning { return sizes(tuning.On(info).Bounded(rate)) }
	stages.SmallestTuning = func() stages.Tuning { return sizes(tuning.Smallest()) }
}
