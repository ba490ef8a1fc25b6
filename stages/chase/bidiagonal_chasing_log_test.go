package chase

import (
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// TestBidiagonalChasingLog checks the log of a bulge chasing to bidiagonal form. When half-step h
// of a sweep begins, half-step h + 1 + bidiagonalLead of the previous sweep must have begun, or the
// previous sweep must have ended. All half-steps of a sweep must run in one workgroup. With
// VKEVD_PICTURE=FILE.svg the test instead draws the run of a larger matrix.
func TestBidiagonalChasingLog(t *testing.T) {
	n, b, groups, tune := 40, 3, 4, SmallestTuning().Chase.Tuning
	path := os.Getenv("VKEVD_PICTURE")
	if path != "" {
		n, b, groups, tune = 384, 32, 6, tuningFor(stagetest.Device(t).Info().Family).Chase.Tuning
	}
	l := logBidiagonalChase(t, n, b, groups, tune)
	l.check(t, 1+bidiagonalLead)
	if path != "" {
		l.draw(t, path, groups)
	}
}

// logBidiagonalChase runs a bulge chasing to bidiagonal form in one dispatch, with a kernel that
// logs when each half-step begins. A half-step applies one reflector.
func logBidiagonalChase(t *testing.T, n, b, groups int, tune Tuning) *chaseLog {
	t.Helper()
	c := newBidiagonalBench(t, n, b, true, bidiagonalForm{waits: true, groups: groups}, tune)
	s, dev := c.stage, c.dev
	kernel, err := vk.Build(dev, shaders.Tb2bdLog[float64](), shaders.Tb2bdLogSpec(s.chase.Spec))
	if err != nil {
		t.Fatal(err)
	}
	log := vk.Reserve[uint32]("log", 2*s.Sweeps()*(s.halfSteps(0)+1))
	counter := vk.Reserve[uint32]("counter", 1)
	ws := stagetest.Arena(t, dev, vk.Together(log, counter))
	stagetest.Put(t, dev, c.band.In(c.ws), stagetest.UpperBand(n, b))
	left, right := c.reflectors()
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, log.In(ws), 0)
	vk.Fill(rec, counter.In(ws), 0)
	s.flags.Clear(rec, c.ws)
	kernel.Dispatch(rec, vk.Grid(groups), shaders.Tb2bdLogPush[float64]{
		Band: c.band.In(c.ws).Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(),
		N: uint32(n), First: 0, Last: uint32(s.Sweeps()), Polls: tune.Polls,
		Info: s.flags.Info(c.ws).Addr(), Ticket: s.flags.Ticket(c.ws, 0).Addr(), Flags: s.flags.First(c.ws),
		AbortWord: s.abort, Counter: counter.In(ws).Addr(), Log: log.In(ws).Addr(),
	})
	stagetest.Run(t, dev, rec)
	if info := stagetest.Get(t, dev, s.Info(c.ws)); info[0] != 0 {
		t.Fatalf("INFO = %d", info[0])
	}
	l := &chaseLog{
		n: n, b: b, sweeps: 18, unit: "half-step",
		key:  "Blue: on columns, from the right; orange: on rows, from the left; a number: a sweep begins.",
		rule: "Each sweep follows the one before it at a distance of four half-steps.",
		colour: func(sweep, half int) string {
			return fmt.Sprintf("hsl(%d 65%% %d%%)", []int{212, 28}[half%2], []int{58, 68, 78}[sweep%3])
		},
	}
	l.read(stagetest.Get(t, dev, log.In(ws)), s.Sweeps(), s.halfSteps)
	return l
}
