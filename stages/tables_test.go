package stages

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Tuning holds the sizes of all stages, for tests. The tables are those of package tuning. This
// test package cannot import package tuning, because package tuning imports package stages;
// therefore tables_link_test.go sets the tables.
type Tuning struct {
	Band, Block   int
	Products      product.Tuning
	Panel         PanelTuning
	Sytrd         TridiagonalisationTuning
	Chase         ChaseTable
	ApplyQ2       ApplyQ2Tuning
	Bisection     BisectionTuning
	DivideConquer DivideConquerTuning
	MRRR          MRRRTuning
}

// ChaseTable is the part of a tuning table for the bulge chasing.
type ChaseTable struct {
	ChaseTuning
	Wavefront, WideFence bool
}

var (
	TuningFor      func(vk.Info) Tuning
	BoundedFor     func(info vk.Info, rate float64) Tuning // of a device with the given rate of FP64, in flops per second
	SmallestTuning func() Tuning
)

// tuningFor returns the tuning table for a family of devices. The device has large limits, so that
// all sizes fit.
func tuningFor(family string) Tuning {
	return TuningFor(vk.Info{Family: family, SharedBytes: 64 << 10, MaxLocal: 1024, Subgroup: 32})
}

func chaseTuning(family string) ChaseTable                  { return tuningFor(family).Chase }
func bisectionTuning(family string) BisectionTuning         { return tuningFor(family).Bisection }
func divideConquerTuning(family string) DivideConquerTuning { return tuningFor(family).DivideConquer }
func mrrrTuning(family string) MRRRTuning                   { return tuningFor(family).MRRR }
func smallestChase() ChaseTable                             { return SmallestTuning().Chase }
func smallestBisection() BisectionTuning                    { return SmallestTuning().Bisection }

// waiting returns how workgroups may wait for each other on a device if the tuning table is c.
func (c ChaseTable) waiting(t testing.TB, dev *vk.Device) Waiting {
	t.Helper()
	w := Waiting{WideFence: c.WideFence || !dev.Info().FenceChains()}
	if c.Wavefront {
		return w
	}
	var err error
	if w.Allowed, err = machine.Of(dev).MayWait(context.Background()); err != nil {
		t.Fatal(err)
	}
	return w
}
