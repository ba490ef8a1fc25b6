package stebz

import (
	"testing"

	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// TestBisectionDispatchesAreBounded records bisection of all values on dry devices (devices that
// run nothing). No dispatch may be predicted to take more than 100 ms.
func TestBisectionDispatchesAreBounded(t *testing.T) {
	if PivotFlops*roomtest.PerPivot != 40 {
		t.Error("a pivot takes as long as 40 flops")
	}
	for _, card := range roomtest.SlowCards {
		dev, n, longest := card.Dry(), card.N, roomtest.NewLongest(card)
		s, err := NewBisection(dev, n, BoundedFor(dev.Info(), card.Rate).Bisection)
		if err != nil {
			t.Fatal(err)
		}
		d, e, values, counts := vk.Reserve[float64]("d", n), vk.Reserve[float64]("e", n), vk.Reserve[float64]("values", n), vk.Reserve[uint32]("counts", n)
		ws, err := dev.NewArena(vk.Together(d, e, values, counts, s.Work()))
		if err != nil {
			t.Fatal(err)
		}
		rec := vk.NewRecorder(dev)
		s.recordNarrow(rec, ws, 0, n)
		longest.Seen("bisection without divisions", 1)(nil, rec, nil)
		rec = vk.NewRecorder(dev)
		s.recordPivots(rec, ws, 0, n, values.In(ws))
		s.RecordCounts(rec, ws, d.In(ws), e.In(ws), values.In(ws), counts.In(ws))
		longest.Seen("bisection", roomtest.PerPivot)(nil, rec, nil)
		longest.Check(t, 2)
	}
}

// TestBoundedBisectionHasTheSameBits checks that values do not depend on the number of dispatches
// into which the work is divided. The spectrum has clusters.
func TestBoundedBisectionHasTheSameBits(t *testing.T) {
	const n = 84
	d, e := suite.Glued(n, 1e-9)
	var want []float64
	for _, dispatch := range []float64{1e12, 200, 3e4} {
		tune := SmallestTuning().Bisection
		tune.Dispatch = dispatch
		if dispatch < 1e12 { // with small Lanes, few threads count as enough to keep the device busy
			tune.Lanes, tune.Levels = 4, 1
		}
		got := newBisectionBench(t, n, tune).run(d, e, 0, n)
		if want == nil {
			want = got
		}
		if !stagetest.SameBits(got, want) {
			t.Errorf("%g flops or pivots a dispatch: other bits", dispatch)
		}
	}
}
