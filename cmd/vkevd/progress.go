package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages"
)

const (
	redrawEvery = 100 * time.Millisecond // or a terminal would flicker
	tickEvery   = time.Second            // so that the clock goes on while nothing is heard of the work
)

// progress says what is going on: on a terminal in one line that is redrawn, with a bar,
// the time so far and the time expected in all; elsewhere in a line for every stage.
type progress struct {
	w      io.Writer
	redraw bool
	clock  func() time.Time
	began  time.Time

	lock  sync.Mutex // the ticker draws too
	now   string     // stage
	share *share     // of the work that is measured, nil outside it
	drawn time.Time
	stop  chan struct{} // ends the ticker, nil while there is none
	costs []evd.StageCost
}

// share is how much of a work is done, and since when.
type share struct {
	done  float64 // 0 to 1
	since time.Time
}

func newProgress(w io.Writer, redraw bool) *progress {
	return &progress{w: w, redraw: redraw, clock: time.Now, began: time.Now()}
}

// stage begins one whose length is not known. The name may hold one of a file.
func (p *progress) stage(name string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.share = nil
	p.show(printable(name))
}

// of says of what stages the work consists that update tells about.
func (p *progress) of(costs []evd.StageCost) { p.costs = costs }

// update is for evd.Options.Progress.
func (p *progress) update(at evd.Progress) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.share == nil {
		p.share = &share{since: p.clock()}
	}
	p.share.done = max(p.share.done, timeShare(p.costs, at))
	p.show(at.Stage)
}

// slowness is the time that an operation of a stage takes, by that of the fastest stage:
// measured at n = 8192 on an H200 (docs/benchmarks.md). It need not be right to be better
// than counting all operations as equal.
var slowness = map[string]float64{
	stages.PhaseBandReduction: 2, stages.PhaseBulgeChasing: 46, stages.PhaseTridiagonal: 1.2, stages.PhaseApplyQ2: 1.3,
}

// timeShare estimates which part of the whole time has passed.
func timeShare(costs []evd.StageCost, at evd.Progress) float64 {
	done, total, before := 0.0, 0.0, 0.0
	for _, c := range costs {
		slow := max(slowness[c.Stage], 1)
		done += slow * min(max(at.Done-before, 0), c.Flops)
		total += slow * c.Flops
		before += c.Flops
	}
	switch {
	case total > 0:
		return done / total
	case at.Total > 0: // nobody said of what it consists
		return min(at.Done/at.Total, 1)
	}
	return 0
}

// show tells of a stage. The lock is held.
func (p *progress) show(stage string) {
	fresh := stage != p.now
	p.now = stage
	switch {
	case !p.redraw && fresh:
		fmt.Fprintln(p.w, stage)
	case p.redraw && (fresh || p.clock().Sub(p.drawn) >= redrawEvery):
		p.draw()
		p.tick()
	}
}

// draw draws the line, no wider than any terminal.
func (p *progress) draw() {
	p.drawn = p.clock()
	elapsed := p.drawn.Sub(p.began)
	if p.share == nil {
		fmt.Fprintf(p.w, "%s%s %6s", clearLine, padded(p.now, 52), minutes(elapsed))
		return
	}
	const width = 20
	full := strings.Repeat("#", int(width*p.share.done))
	fmt.Fprintf(p.w, "%s%s [%-*s] %3.0f%% %6s%s", clearLine, padded(p.now, 24), width, full, 100*p.share.done, minutes(elapsed), p.expected(elapsed))
}

// expected is the whole time at the present pace, once there is one.
func (p *progress) expected(elapsed time.Duration) string {
	const (
		enough  = 0.02
		settled = time.Second
	)
	working := p.drawn.Sub(p.share.since)
	if p.share.done < enough || working < settled {
		return ""
	}
	left := time.Duration(float64(working) * (1/p.share.done - 1))
	return " of about " + minutes(elapsed+left)
}

// padded has exactly so many characters.
func padded(text string, width int) string {
	if n := utf8.RuneCountInString(text); n <= width {
		return text + strings.Repeat(" ", width-n)
	}
	return string([]rune(text)[:width-1]) + "…"
}

func minutes(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// above is a writer of lines that appear above the redrawn one.
func (p *progress) above() io.Writer { return aboveProgress{p} }

type aboveProgress struct{ *progress }

func (a aboveProgress) Write(line []byte) (int, error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.redraw && a.now != "" {
		fmt.Fprint(a.w, clearLine)
		defer a.draw()
	}
	return a.w.Write(line)
}

// tick draws now and then until end.
func (p *progress) tick() {
	if p.stop != nil {
		return
	}
	stop := make(chan struct{})
	p.stop = stop
	go func() {
		t := time.NewTicker(tickEvery)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			p.lock.Lock()
			if p.stop == stop && p.clock().Sub(p.drawn) >= redrawEvery {
				p.draw()
			}
			p.lock.Unlock()
		}
	}()
}

// end makes room for other text.
func (p *progress) end() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.redraw && p.now != "" {
		fmt.Fprint(p.w, clearLine)
	}
	p.now, p.share = "", nil
}

// finish is end for good: work that was left behind draws no more.
func (p *progress) finish() {
	p.end()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.w = io.Discard
}

// clearLine is understood by every terminal since the VT100.
const clearLine = "\r\x1b[K"
