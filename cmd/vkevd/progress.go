package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages"
)

const (
	redrawEvery = 100 * time.Millisecond // more often, a terminal would flicker
	tickEvery   = time.Second            // without news of the work, so that the clock goes on
)

// progress shows the progress of a command. On a terminal it redraws one line with a bar, the
// elapsed time and the expected time. If the output is not a terminal, it prints a line for each
// stage.
type progress struct {
	w       io.Writer
	redraw  bool
	columns func() int // of the terminal, 0 if not known; may be nil
	clock   func() time.Time
	began   time.Time

	lock  sync.Mutex // the ticker draws, too
	now   string     // stage
	share *share     // of the measured work; nil outside it
	drawn time.Time
	stop  chan struct{} // ends the ticker; nil while there is none
	costs []evd.StageCost
	slow  slowness
}

// share is the part of the work that is done.
type share struct {
	done  float64 // 0 to 1
	since time.Time
}

func newProgress(w io.Writer, redraw bool, columns func() int) *progress {
	return &progress{w: w, redraw: redraw, columns: columns, clock: time.Now, began: time.Now()}
}

// feedback returns where a command prints what it does, and the progress that is shown there. With
// quiet both are silent.
func (s *session) feedback(quiet bool) (io.Writer, *progress) {
	if quiet {
		return io.Discard, newProgress(io.Discard, false, s.columns)
	}
	return s.stderr, newProgress(s.stderr, s.terminal, s.columns)
}

// stage begins a stage of unknown length. The name may contain the name of a file.
func (p *progress) stage(name string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.share = nil
	p.show(printable(name))
}

// of sets the stages of the work whose progress update will report, and the type of the device.
func (p *progress) of(costs []evd.StageCost, device string) {
	p.costs, p.slow = costs, slownessOn(device)
}

// update is the function for evd.Options.Progress.
func (p *progress) update(at evd.Progress) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.share == nil {
		p.share = &share{since: p.clock()}
	}
	p.share.done = max(p.share.done, timeShare(p.costs, p.slow, at))
	p.show(at.Stage)
}

// A slowness is the time of one operation for each stage, relative to the fastest stage. It is 1
// for stages that are not listed. Even a rough estimate is better than counting all operations as
// equal.
type slowness map[string]float64

var (
	// The values of gpuSlowness were measured at n = 8192 on an H200 (docs/benchmarks.md).
	gpuSlowness = slowness{
		stages.PhaseBandReduction: 2, stages.PhaseBulgeChasing: 46, stages.PhaseTridiagonal: 1.2, stages.PhaseApplyQ2: 1.3,
	}
	// The values of cpuSlowness were measured at n = 1200 with lavapipe on two cores.
	cpuSlowness = slowness{
		stages.PhaseBandReduction: 1.5, stages.PhaseBulgeChasing: 9, stages.PhaseTridiagonal: 1.4, stages.PhaseBisection: 9,
		stages.PhaseApplyQ2: 9,
	}
)

// slownessOn returns the slowness of the stages on devices of the given type, which is that of
// vk.Info.
func slownessOn(device string) slowness {
	if device == "cpu" {
		return cpuSlowness
	}
	return gpuSlowness
}

// timeShare estimates the part of the whole time that has passed, from 0 to 1.
func timeShare(costs []evd.StageCost, slow slowness, at evd.Progress) float64 {
	done, total, before := 0.0, 0.0, 0.0
	for _, c := range costs {
		weight := max(slow[c.Stage], 1)
		done += weight * min(max(at.Done-before, 0), c.Flops)
		total += weight * c.Flops
		before += c.Flops
	}
	switch {
	case total > 0:
		return done / total
	case at.Total > 0: // the stages are not known
		return min(at.Done/at.Total, 1)
	}
	return 0
}

// show reports that a stage runs. The caller must have the lock.
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

// draw redraws the line on the terminal.
func (p *progress) draw() {
	p.drawn = p.clock()
	elapsed := p.drawn.Sub(p.began)
	l := line{stage: p.now, elapsed: elapsed}
	if p.share != nil {
		l.measured, l.done, l.expected = true, p.share.done, p.expected(elapsed)
	}
	fmt.Fprint(p.w, clearLine+l.fitted(p.width()))
}

// width is the number of characters that fit into the line. The last column stays empty, because
// some terminals start a new line after it.
func (p *progress) width() int {
	const usual = 80
	columns := 0
	if p.columns != nil {
		columns = p.columns()
	}
	if columns <= 0 {
		columns = usual
	}
	return columns - 1
}

// expected is the whole time, estimated from the speed so far. It is 0 while it is too early for an
// estimate.
func (p *progress) expected(elapsed time.Duration) time.Duration {
	const (
		enough  = 0.02
		settled = time.Second
	)
	working := p.drawn.Sub(p.share.since)
	if p.share.done < enough || working < settled {
		return 0
	}
	return elapsed + time.Duration(float64(working)*(1/p.share.done-1))
}

// above returns a writer whose lines appear above the redrawn line.
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

// tick redraws the line every tickEvery, until end is called.
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

// end removes the progress line from the terminal, so that other text can take its place.
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

// finish does the same as end. It also silences work that still runs after an interruption.
func (p *progress) finish() {
	p.end()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.w = io.Discard
}

// clearLine is the sequence that clears a line on every terminal since the VT100.
const clearLine = "\r\x1b[K"
