package chase

import (
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// logChase runs a bulge chasing in one dispatch, with a kernel that logs when each step begins.
func logChase(t testing.TB, n, b, groups int, tune ChaseTable) chaseLog {
	t.Helper()
	dev := stagetest.Device(t)
	c := newChaseBench(t, n, b, true, tune)
	dispatch := logKernel(t, dev, c.stage)
	entries := c.stage.Sweeps() * (c.stage.steps(0) + 1)
	words := vk.Reserve[uint32]("INFO, ticket, counter, flags", 3+c.stage.Sweeps()*int(c.stage.flags.Stride()))
	log := vk.Reserve[uint32]("log", 2*entries)
	ws := stagetest.Arena(t, dev, vk.Together(words, log))
	w := words.In(ws)
	stagetest.Put(t, dev, c.band, stagetest.RandomBand(n, b))
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, w, 0)
	vk.Fill(rec, log.In(ws), 0)
	dispatch(rec, shaders.Sb2stLogPush[float64]{
		Band: c.band.Addr(), V: c.v.Addr(), Tau: c.tau.Addr(), N: uint32(n), First: 0, Last: uint32(c.stage.Sweeps()), Polls: tune.Polls,
		Info: w.Addr(), Ticket: w.From(1).Addr(), Counter: w.From(2).Addr(), Flags: w.From(3).Addr(), AbortWord: c.stage.abort, Log: log.In(ws).Addr(),
	}, groups)
	stagetest.Run(t, dev, rec)
	if info := stagetest.Get(t, dev, w.Sub(0, 1)); info[0] != 0 {
		t.Fatalf("INFO = %d", info[0])
	}
	raw := stagetest.Get(t, dev, log.In(ws))
	l := chaseLog{
		n: n, b: b, sweeps: 34, unit: "step", key: "A colour is a sweep, numbered where it begins.",
		rule:   "Each sweep runs down the band, three steps behind the one before it.",
		colour: func(sweep, _ int) string { return fmt.Sprintf("hsl(%d 65%% %d%%)", sweep*137%360, 60+7*(sweep%3)) },
	}
	l.read(raw, c.stage.Sweeps(), c.stage.steps)
	return l
}

// logKernel returns the variant of the stage's bulge chasing kernel that logs when each step
// begins.
func logKernel(t testing.TB, dev *vk.Device, s *BulgeChasing[float64]) func(*vk.Recorder, shaders.Sb2stLogPush[float64], int) {
	t.Helper()
	if s.teams != nil {
		kernel, err := vk.Build(dev, shaders.Sb2stTeamsLog[float64](), shaders.Sb2stTeamsLogSpec(s.teams.Spec))
		if err != nil {
			t.Fatal(err)
		}
		return func(rec *vk.Recorder, push shaders.Sb2stLogPush[float64], groups int) {
			kernel.Dispatch(rec, vk.Grid(groups), shaders.Sb2stTeamsLogPush[float64](push))
		}
	}
	kernel, err := vk.Build(dev, shaders.Sb2stLog[float64](), shaders.Sb2stLogSpec(s.chase.Spec))
	if err != nil {
		t.Fatal(err)
	}
	return func(rec *vk.Recorder, push shaders.Sb2stLogPush[float64], groups int) {
		kernel.Dispatch(rec, vk.Grid(groups), push)
	}
}

// TestChaseLog checks the log of a bulge chasing. When a step of a sweep begins, the previous sweep
// must have ended, or it must be 1+chaseLead steps ahead. If several teams of invocations share the
// work of a step, chaseLead steps are enough. All steps of a sweep must run in one workgroup. With
// VKEVD_PICTURE=FILE.svg the test instead draws the run of a larger matrix.
func TestChaseLog(t *testing.T) {
	teams := SmallestTuning().Chase
	smallTeams(&teams)
	t.Run("one team", func(t *testing.T) { testChaseLog(t, SmallestTuning().Chase, 1+chaseLead) })
	t.Run("teams", func(t *testing.T) { testChaseLog(t, teams, chaseLead) }) // a sweep writes its log entry in the middle of a step
}

func testChaseLog(t *testing.T, tune ChaseTable, lead int) {
	n, b, groups := 40, 3, 4
	path := os.Getenv("VKEVD_PICTURE")
	if path != "" {
		n, b, groups, tune = 512, 32, 6, tuningFor(stagetest.Device(t).Info().Family).Chase
		tune.Wavefront = false // the log is of workgroups that wait
	}
	l := logChase(t, n, b, groups, tune)
	l.check(t, lead)
	if path != "" {
		l.draw(t, path, groups)
	}
}
