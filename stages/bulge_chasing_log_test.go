package stages

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// chaseLog says when each step of a bulge chasing began, and in which workgroup. A sweep's last
// entry is the end of the sweep. Times are values of a counter that all workgroups share.
type chaseLog struct {
	n, b int
	logs [][]logEntry // by sweep
}

type logEntry struct{ when, group int }

// logChase runs a bulge chasing in one dispatch, with a kernel that logs when each step begins.
func logChase(t testing.TB, n, b, groups int, tune ChaseTable) chaseLog {
	t.Helper()
	dev := testDevice(t)
	c := newChaseBench(t, n, b, true, tune)
	dispatch := logKernel(t, dev, c.stage)
	entries := c.stage.sweeps() * (c.stage.steps(0) + 1)
	words := vk.Reserve[uint32]("INFO, ticket, counter, flags", 3+c.stage.sweeps()*int(c.stage.flags.Stride()))
	log := vk.Reserve[uint32]("log", 2*entries)
	ws := arena(t, dev, vk.Together(words, log))
	w := words.In(ws)
	put(t, dev, c.band, randomBand(n, b))
	rec := vk.NewRecorder(dev)
	vk.Fill(rec, w, 0)
	vk.Fill(rec, log.In(ws), 0)
	dispatch(rec, shaders.Sb2stLogPush[float64]{
		Band: c.band.Addr(), V: c.v.Addr(), Tau: c.tau.Addr(), N: uint32(n), First: 0, Last: uint32(c.stage.sweeps()), Polls: tune.Polls,
		Info: w.Addr(), Ticket: w.From(1).Addr(), Counter: w.From(2).Addr(), Flags: w.From(3).Addr(), AbortWord: c.stage.abort, Log: log.In(ws).Addr(),
	}, groups)
	run(t, dev, rec)
	if info := get(t, dev, w.Sub(0, 1)); info[0] != 0 {
		t.Fatalf("INFO = %d", info[0])
	}
	raw := get(t, dev, log.In(ws))
	l := chaseLog{n: n, b: b}
	for s := range c.stage.sweeps() {
		var steps []logEntry
		for j := range c.stage.steps(s) + 1 {
			at := 2 * (s*(c.stage.steps(0)+1) + j)
			steps = append(steps, logEntry{int(raw[at]), int(raw[at+1])})
		}
		l.logs = append(l.logs, steps)
	}
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
	teams := smallestChase()
	smallTeams(&teams)
	t.Run("one team", func(t *testing.T) { testChaseLog(t, smallestChase(), 1+chaseLead) })
	t.Run("teams", func(t *testing.T) { testChaseLog(t, teams, chaseLead) }) // written down in the middle of a step
}

func testChaseLog(t *testing.T, tune ChaseTable, lead int) {
	n, b, groups := 40, 3, 4
	path := os.Getenv("VKEVD_PICTURE")
	if path != "" {
		n, b, groups, tune = 512, 32, 6, chaseTuning(testDevice(t).Info().Family)
	}
	l := logChase(t, n, b, groups, tune)
	for s, steps := range l.logs {
		for j, e := range steps {
			if e.group != steps[0].group || j > 0 && e.when <= steps[j-1].when {
				t.Errorf("sweep %d: step %d at %+v, the one before at %+v", s, j, e, steps[j-1])
			}
			if s == 0 || j == len(steps)-1 {
				continue
			}
			before := l.logs[s-1]
			if need := before[min(j+lead, len(before)-1)]; e.when < need.when {
				t.Errorf("step (%d, %d) began at %d, before (%d, %d) at %d", s, j, e.when, s-1, j+lead, need.when)
			}
		}
	}
	if path != "" {
		if err := os.WriteFile(path, l.picture(t.Name(), groups), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// picture draws the steps of the first sweeps twice as SVG: once by workgroup, and once by their
// place in the matrix.
func (l chaseLog) picture(name string, groups int) []byte {
	const (
		width, left, right, top = 1200, 120, 20, 60
		lane, row, gap          = 26, 12, 90
		sweeps                  = 34
	)
	shown := l.logs[:min(sweeps, len(l.logs))]
	last, steps := 0, len(shown[0])-1
	for _, s := range shown[:len(shown)-groups] { // later ones are cut off at the edge
		last = max(last, s[len(s)-1].when)
	}
	x := func(when int) float64 { return left + float64(width-left-right)*float64(min(when, last))/float64(last) }
	colour := func(sweep int) string { return fmt.Sprintf("hsl(%d 65%% %d%%)", sweep*137%360, 45+10*(sweep%3)) }
	lower := top + groups*lane + gap
	height := lower + steps*row + 50
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	text := func(x, y float64, anchor, format string, args ...any) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, fmt.Sprintf(format, args...))
	}
	text(left, 24, "start", "Who does what: n = %d, b = %d, %d workgroups. A box is a step; a colour is a sweep, numbered where it begins.", l.n, l.b, groups)
	text(left, float64(lower)-gap/2+14, "start", "Where in the matrix: the same boxes, step below step. Each sweep runs down the band, three steps behind the one before it.")
	for g := range groups {
		text(left-8, float64(top+g*lane+lane/2+5), "end", "workgroup %d", g)
	}
	for j := range steps {
		if j%4 == 0 {
			text(left-8, float64(lower+j*row+row), "end", "step %d", j)
		}
	}
	for s, entries := range shown {
		for j := range len(entries) - 1 {
			from, to := x(entries[j].when), x(entries[j+1].when)
			if to <= from {
				continue
			}
			box := func(y, high int) {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="white" stroke-width="0.5"/>`+"\n", from, y, to-from, high, colour(s))
			}
			box(top+entries[j].group*lane, lane-4)
			box(lower+j*row, row)
		}
		if at := x(entries[0].when); entries[0].when < last {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" font-size="11" font-weight="bold">%d</text>`+"\n", at+1, top+entries[0].group*lane+lane/2+2, s)
		}
	}
	text(left, float64(height-14), "start", "→ time, counted in beginnings of steps")
	b.WriteString("</svg>\n")
	return b.Bytes()
}
