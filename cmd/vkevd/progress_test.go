package main

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/evd"
)

// TestProgressOnATerminal checks that the progress line has the stage, the bar, the percentage, the
// elapsed time and the expected time.
func TestProgressOnATerminal(t *testing.T) {
	var b bytes.Buffer
	p := cli.NewProgress(&b, cli.Redrawn, nil)
	now := p.Began.Add(125 * time.Second)
	p.Clock = func() time.Time { return now }
	p.Of([]evd.StageCost{{Stage: "back transformation 1", Flops: 3}, {Stage: "back transformation 2", Flops: 1}}, []float64{3, 1})
	update := func(done float64, later time.Duration) {
		now = now.Add(later)
		p.Update(evd.Progress{Stage: "back transformation 1", Done: done, Total: 4})
	}
	p.Stage("reading A.mtx")
	update(0, 0)
	update(1, 40*time.Millisecond) // too soon to be drawn
	update(1, 9960*time.Millisecond)
	update(3, 20*time.Second)
	update(4, time.Hour)
	p.End()
	p.End()
	want := strings.Join([]string{
		"",
		"reading A.mtx                                          2:05",
		"back transformation 1    [                    ]   0%   2:05",
		"back transformation 1    [#####               ]  25%   2:15 of about 2:45",
		"back transformation 1    [###############     ]  75%   2:35 of about 2:45",
		"back transformation 1    [####################] 100% 1:02:35 of about 1:02:35",
		"",
	}, cli.ClearLine)
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
}

// TestProgressTicks checks the elapsed time in the progress line. It must advance while a file is
// read, and must stop when the line is removed.
func TestProgressTicks(t *testing.T) {
	var b lockedBuffer
	p := cli.NewProgress(&b, cli.Redrawn, nil)
	p.Stage("reading A.mtx")
	for began := time.Now(); strings.Count(b.String(), "0:01") == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("nothing but %q", b.String())
		}
	}
	p.End()
	after := b.String()
	time.Sleep(cli.TickEvery + 200*time.Millisecond)
	if b.String() != after {
		t.Errorf("%q was drawn after the end", b.String()[len(after):])
	}
}

type lockedBuffer struct {
	lock sync.Mutex
	b    bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.b.String()
}

// TestTimeShare checks the percentage in the progress line. It must depend on the predicted times
// of the stages, not on their numbers of operations.
func TestTimeShare(t *testing.T) {
	costs := []evd.StageCost{{Stage: "bulge chasing", Flops: 1}, {Stage: "back transformation 1", Flops: 46}}
	for done, want := range map[float64]float64{0: 0, 0.5: 0.25, 1: 0.5, 24: 0.75, 47: 1, 48: 1} {
		if got := cli.TimeShare(costs, []float64{3, 3}, evd.Progress{Done: done, Total: 47}); got != want {
			t.Errorf("%g of 47 operations are %g of the time, want %g", done, got, want)
		}
	}
	if got := cli.TimeShare(nil, nil, evd.Progress{Done: 1, Total: 4}); got != 0.25 {
		t.Errorf("without costs %g", got)
	}
}

func TestProgressKeepsToTheLine(t *testing.T) {
	var b bytes.Buffer
	p := cli.NewProgress(&b, cli.Redrawn, nil)
	p.Stage("reading " + strings.Repeat("ä", 200))
	p.Update(evd.Progress{Stage: strings.Repeat("é", 100), Done: 1, Total: 1})
	p.End()
	for _, line := range strings.Split(b.String(), cli.ClearLine) {
		if n := len([]rune(line)); n > 79 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestProgressElsewhere(t *testing.T) {
	var b bytes.Buffer
	p := cli.NewProgress(&b, cli.Listed, nil)
	p.Stage("reading A.mtx")
	for done := range 4 {
		p.Update(evd.Progress{Stage: "band reduction", Done: float64(done), Total: 4})
	}
	p.Update(evd.Progress{Stage: "scale"}) // no total known
	p.End()
	if want := "reading A.mtx\nband reduction\nscale\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestRedrawnLineIsGoneBeforeText checks that the program clears the progress line before it prints
// the summary or an error.
func TestRedrawnLineIsGoneBeforeText(t *testing.T) {
	s := newFixture(t)
	s.file("A.mtx", twoByTwo)
	s.file("B.mtx", "")
	s.terminal = true
	for _, file := range []string{"A.mtx", "B.mtx"} {
		_, stderr, _ := s.run("solve", file)
		_, text, _ := strings.Cut(stderr, "\n")
		last := strings.LastIndex(stderr, cli.ClearLine)
		if after := stderr[last+len(cli.ClearLine):]; !strings.HasPrefix(after, "matrix ") && !strings.HasPrefix(after, "vkevd: ") {
			t.Errorf("%s: %q follows the last redrawn line", file, after)
		}
		if strings.Contains(text, "\x1b") {
			t.Errorf("%s: control codes within the text: %q", file, text)
		}
	}
	if _, stderr, _ := s.run("solve", "--quiet", "A.mtx"); stderr != "" {
		t.Errorf("--quiet said %q", stderr)
	}
}

// TestProgressFitsTheTerminal checks narrow terminals. In an earlier version each redraw began a
// new line if the terminal had less than 72 columns.
func TestProgressFitsTheTerminal(t *testing.T) {
	for columns := 2; columns < 130; columns++ {
		for _, l := range []cli.Line{
			{Stage: "reading " + strings.Repeat("ä", 100), Elapsed: time.Hour},
			{Stage: "back transformation 1", Measured: true, Done: 0.25, Elapsed: 135 * time.Second},
			{Stage: "back transformation 1", Measured: true, Done: 0.25, Elapsed: 135 * time.Second, Expected: 540 * time.Second},
			{Stage: "tridiagonal solve", Measured: true, Done: 1, Elapsed: 11 * time.Hour, Expected: 12 * time.Hour},
		} {
			text := l.Fitted(columns - 1)
			if n := len([]rune(text)); n >= columns {
				t.Errorf("%d columns: %d characters: %s", columns, n, text)
			}
			if columns >= 40 && l.Measured && (!strings.Contains(text, "%") || !strings.Contains(text, cli.Minutes(l.Elapsed))) {
				t.Errorf("%d columns: %s", columns, text)
			}
		}
	}
	l := cli.Line{Stage: "back transformation 1", Measured: true, Done: 0.5, Elapsed: 135 * time.Second, Expected: 270 * time.Second}
	for columns, want := range map[int]string{
		80: "back transformation 1    [##########          ]  50%   2:15 of about 4:30",
		60: "back transformation 1    [#####     ]  50%   2:15 / 4:30",
		40: "back transf… [##   ]  50%   2:15 / 4:30",
	} {
		if got := l.Fitted(columns - 1); got != want {
			t.Errorf("%d columns: %q, want %q", columns, got, want)
		}
	}
}

// TestProgressAsksForTheWidth checks that every redraw reads the width of the terminal, because the
// user may resize the window.
func TestProgressAsksForTheWidth(t *testing.T) {
	var b bytes.Buffer
	width := 40
	p := cli.NewProgress(&b, cli.Redrawn, func() int { return width })
	p.Stage(strings.Repeat("x", 100))
	width = 0 // not known: 80
	p.Stage(strings.Repeat("y", 100))
	p.End()
	lines := strings.Split(b.String(), cli.ClearLine)
	if len([]rune(lines[1])) != 39 || len([]rune(lines[2])) != 59 {
		t.Errorf("%q", lines)
	}
}
