package chase

import (
	"bytes"
	"fmt"
	"os"
	"testing"
)

// chaseLog says when each step of a bulge chasing began, and in which workgroup. A sweep's last
// entry is the end of the sweep. Times are values of a counter that all workgroups share.
type chaseLog struct {
	n, b int
	logs [][]logEntry // entries of each sweep

	// For the picture: the number of sweeps that it shows, the name of a step, what its colours
	// mean, the rule for sweeps, and the colour of a step.
	sweeps          int
	unit, key, rule string
	colour          func(sweep, step int) string
}

type logEntry struct{ when, group int }

// read fills the log from the words that the kernel has written. steps(s) is the number of steps of
// sweep s.
func (l *chaseLog) read(raw []uint32, sweeps int, steps func(sweep int) int) {
	for s := range sweeps {
		var entries []logEntry
		for j := range steps(s) + 1 {
			at := 2 * (s*(steps(0)+1) + j)
			entries = append(entries, logEntry{int(raw[at]), int(raw[at+1])})
		}
		l.logs = append(l.logs, entries)
	}
}

// check checks the order of the steps. When a step of a sweep begins, the previous sweep must have
// ended, or it must be `lead` steps ahead. All steps of a sweep must run in one workgroup.
func (l *chaseLog) check(t *testing.T, lead int) {
	t.Helper()
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
}

func (l *chaseLog) draw(t *testing.T, path string, groups int) {
	t.Helper()
	if err := os.WriteFile(path, l.picture(groups), 0o666); err != nil {
		t.Fatal(err)
	}
}

// picture draws the steps of the first sweeps twice as SVG: once by workgroup, and once by their
// place in the matrix.
func (l chaseLog) picture(groups int) []byte {
	const (
		width, left, right, top = 1200, 120, 20, 60
		lane, row, gap          = 26, 12, 90
	)
	shown := l.logs[:min(l.sweeps, len(l.logs))]
	last, steps := 0, len(shown[0])-1
	for _, s := range shown[:len(shown)-groups] { // the last sweeps do not determine the width: the edge of the picture cuts them off
		last = max(last, s[len(s)-1].when)
	}
	x := func(when int) float64 { return left + float64(width-left-right)*float64(min(when, last))/float64(last) }
	lower := top + groups*lane + gap
	height := lower + steps*row + 50
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	text := func(x, y float64, anchor, format string, args ...any) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, fmt.Sprintf(format, args...))
	}
	text(left, 24, "start", "Who does what: n = %d, b = %d, %d workgroups. A box is a %s. %s", l.n, l.b, groups, l.unit, l.key)
	text(left, float64(lower)-gap/2+14, "start", "Where in the matrix: the same boxes, %s below %s. %s", l.unit, l.unit, l.rule)
	for g := range groups {
		text(left-8, float64(top+g*lane+lane/2+5), "end", "workgroup %d", g)
	}
	for j := range steps {
		if j%4 == 0 {
			text(left-8, float64(lower+j*row+row), "end", "%s %d", l.unit, j)
		}
	}
	for s, entries := range shown {
		for j := range len(entries) - 1 {
			from, to := x(entries[j].when), x(entries[j+1].when)
			if to <= from {
				continue
			}
			box := func(y, high int) {
				fmt.Fprintf(&b, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="white" stroke-width="0.5"/>`+"\n", from, y, to-from, high, l.colour(s, j))
			}
			box(top+entries[j].group*lane, lane-4)
			box(lower+j*row, row)
		}
		if at := x(entries[0].when); entries[0].when < last {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d" font-size="11" font-weight="bold">%d</text>`+"\n", at+1, top+entries[0].group*lane+lane/2+2, s)
		}
	}
	text(left, float64(height-14), "start", "→ time, counted in beginnings of %ss", l.unit)
	b.WriteString("</svg>\n")
	return b.Bytes()
}
