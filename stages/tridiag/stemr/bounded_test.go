package stemr

import (
	"context"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// TestMRRRDispatchesAreBounded records MRRR on dry devices (devices that run nothing). No dispatch
// may be predicted to take more than 100 ms. The level of the tree is more expensive than that of
// any matrix: each eigenvalue counts as single, and also belongs to a cluster of two.
func TestMRRRDispatchesAreBounded(t *testing.T) {
	for _, card := range roomtest.SlowCards {
		dev, n, longest := card.Dry(), card.N, roomtest.NewLongest(card)
		s, err := NewMRRR(dev, n, n, nil, BoundedFor(dev.Info(), card.Rate).MRRR)
		if err != nil {
			t.Fatal(err)
		}
		x := vk.Reserve[float64]("X", n*n)
		ws, err := dev.NewArena(vk.Together(x, s.Work()))
		if err != nil {
			t.Fatal(err)
		}
		r := newMRRRRun(context.Background(), ws, s, stages.NewMatrix(x.In(ws), n, n, n))
		r.execute = longest.Seen("MRRR", roomtest.PerPivot)
		level := clusteredLevel(n)
		tasks, numbers := level.Members, make([]float64, n)
		r.Bisect(tasks, numbers, numbers, 1e-15)
		r.Level(level)
		if _, err := r.Count(tasks, numbers); err != nil {
			t.Fatal(err)
		}
		r.execute = longest.Seen("sums of MRRR", 1)
		r.Sums(numbers)
		longest.Check(t, 2)
	}
}

// clusteredLevel returns a level of MRRR's representation tree with n single eigenvalues, and with
// the largest number of clusters that a matrix of order n can have.
func clusteredLevel(n int) *mrrr.Level {
	numbers := func(n int) []float64 { return make([]float64, n) }
	l := &mrrr.Level{
		Column: make([]int32, n), Lo: numbers(n), Hi: numbers(n), Gap: numbers(n), Lambda: numbers(n), Residual: numbers(n),
		Child: make([]int32, n/2), Shifts: numbers(n / 2 * mrrr.Candidates), Chosen: make([]int32, n/2), Growth: numbers(n / 2),
		Of: make([]int32, n), MemberLo: numbers(n), MemberHi: numbers(n), RTol: 1e-15,
	}
	for i := range n {
		task := mrrr.Task{Hi: int32(n), Slot: mrrr.RootSlot, Index: int32(i)}
		l.Vectors, l.Members = append(l.Vectors, task), append(l.Members, task)
		if i%2 == 0 && len(l.Clusters) < n/2 {
			l.Clusters = append(l.Clusters, task)
		}
	}
	return l
}

// TestBoundedMRRRHasTheSameBits checks that values and vectors do not depend on the number of
// dispatches into which the work is divided. The spectrum has clusters.
func TestBoundedMRRRHasTheSameBits(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	const n = 84
	d, e := suite.Glued(n, 1e-9)
	var want [][]float64
	for _, dispatch := range []float64{1e12, 200, 3e4} {
		tune := SmallestTuning()
		tune.MRRR.Dispatch = dispatch
		if dispatch < 1e12 { // with small Lanes, few threads count as enough to keep the device busy
			tune.MRRR.Lanes, tune.MRRR.Levels = 4, 1
		}
		values, z, _ := solveMRRR(t, tune, d, e, 0, n, false)
		got := [][]float64{values, z}
		if want == nil {
			want = got
		}
		for i := range got {
			if !stagetest.SameBits(got[i], want[i]) {
				t.Errorf("%g pivots a dispatch: result %d has other bits", dispatch, i)
			}
		}
	}
}
