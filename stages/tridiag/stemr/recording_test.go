package stemr

import (
	"context"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// hostVectors is an mrrr.Backend that prints the recordings (lists of device commands) of a solve
// and does not execute them. The numerical results come from `host`, the back end in plain Go.
type hostVectors struct {
	run  *mrrrRun
	host *mrrr.Host
}

func (b hostVectors) Root(rep []float64) error {
	b.run.Root(rep)
	return b.host.Root(rep)
}

func (b hostVectors) Count(tasks []mrrr.Task, x []float64) ([]int32, error) {
	b.run.Count(tasks, x)
	return b.host.Count(tasks, x)
}

func (b hostVectors) Bisect(tasks []mrrr.Task, lo, hi []float64, rtol float64) error {
	b.run.Bisect(tasks, lo, hi, rtol)
	return b.host.Bisect(tasks, lo, hi, rtol)
}

func (b hostVectors) Level(l *mrrr.Level) error {
	b.run.Level(l)
	return b.host.Level(l)
}

func (b hostVectors) Sums(lambda []float64) ([]float64, error) {
	b.run.Sums(lambda)
	return b.host.Sums(lambda)
}

func (b hostVectors) Solve(v mrrr.Block, d, e []float64, from, to int) ([]float64, error) {
	b.run.Solve(v, d, e, from, to)
	return b.host.Solve(v, d, e, from, to)
}

func (b hostVectors) SolveAll(d, e []float64, from, to int) ([]float64, error) { return nil, nil }

// TestMRRRRecording compares the recorded commands of MRRR for Wilkinson's matrix with a golden
// file. The larger eigenvalues of this matrix form clusters of two eigenvalues, so there are two
// levels. The test makes all checks of vectors fail, so that the recordings also contain the
// fallback on the host.
func TestMRRRRecording(t *testing.T) {
	const n, from, to = 21, 9, 21
	dev, tune := roomtest.Dry(), SmallestTuning()
	s, err := NewMRRR(dev, n, to-from, nil, tune.MRRR)
	if err != nil {
		t.Fatal(err)
	}
	x := vk.Reserve[float64]("X", n*(to-from))
	ws, err := dev.NewArena(vk.Together(x, s.Work()))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	run := newMRRRRun(context.Background(), ws, s, stages.NewMatrix(x.In(ws), to-from, n, to-from))
	run.execute = func(_ context.Context, rec *vk.Recorder, _ func(vk.Progress)) (*vk.Profile, error) {
		text.WriteString("run\n")
		_, err := rec.WriteTo(&text)
		return vk.NewProfile(), err
	}
	d, e := suite.Glued(n, 0)
	options := mrrr.Options{From: from, To: to, Attempts: 1, Distrust: true}
	if _, counters, err := mrrr.SolveWith(hostVectors{run, mrrr.NewHost(n, to-from)}, d, e,
		options); err != nil || counters.Depth != 2 {
		t.Fatal(counters, err)
	}
	stagetest.Golden(t, "mrrr.golden", text.String())
}
