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

// progress reports what is going on. On a terminal it redraws one line with a bar, the elapsed
// and the expected time; elsewhere it prints a line for each stage.
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

// share is how much of the work is done.
type share struct {
	done  float64 // 0 to 1
	since time.Time
}

func newProgress(w io.Writer, redraw bool, columns func() int) *progress {
	return &progress{w: w, redraw: redraw, columns: columns, clock: time.Now, began: time.Now()}
}

// stage begins a stage of unknown length. The name may contain the name of a file.
func (p *progress) stage(name string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.share = nil
	p.show(printable(name))
}

// of sets the stages that the work reported to update consists of, and the type of the device.
func (p *progress) of(costs []evd.StageCost, device string) {
	p.costs, p.slow = costs, slownessOn(device)
}

// update is for evd.Options.Progress.
func (p *progress) update(at evd.Progress) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.share == nil {
		p.share = &share{since: p.clock()}
	}
	p.share.done = max(p.share.done, timeShare(p.costs, p.slow, at))
	p.show(at.Stage)
}

// A slowness is the time of an operation by stage, relative to the fastest stage; 1 for stages that
// are not listed. Even if it is rough, it is better than counting all operations as equal.
type slowness map[string]float64

var (
	// Measured at n = 8192 on an H200 (docs/benchmarks.md).
	gpuSlowness = slowness{
		stages.PhaseBandReduction: 2, stages.PhaseBulgeChasing: 46, stages.PhaseTridiagonal: 1.2, stages.PhaseApplyQ2: 1.3,
	}
	// Measured at n = 1200 with lavapipe on two cores.
	cpuSlowness = slowness{
		stages.PhaseBandReduction: 1.5, stages.PhaseBulgeChasing: 9, stages.PhaseTridiagonal: 1.4, stages.PhaseBisection: 9,
		stages.PhaseApplyQ2: 9,
	}
)

// slownessOn is the slowness on devices of a type, as in vk.Info.
func slownessOn(device string) slowness {
	if device == "cpu" {
		return cpuSlowness
	}
	return gpuSlowness
}

// timeShare estimates the share of the whole time that has passed, 0 to 1.
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

// show reports a stage. The lock is held.
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

// draw redraws the line.
func (p *progress) draw() {
	p.drawn = p.clock()
	elapsed := p.drawn.Sub(p.began)
	l := line{stage: p.now, elapsed: elapsed}
	if p.share != nil {
		l.measured, l.done, l.expected = true, p.share.done, p.expected(elapsed)
	}
	fmt.Fprint(p.w, clearLine+l.fitted(p.width()))
}

// width is the number of characters that fit. The last column stays empty, because some terminals
// wrap after it.
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

// expected is the whole time at the present pace, 0 while it is too early to tell.
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

// tick redraws every tickEvery until end.
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

// end clears the line for other text.
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

// finish is end, and silences work that still runs after an interruption.
func (p *progress) finish() {
	p.end()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.w = io.Discard
}

// clearLine works on every terminal since the VT100.
const clearLine = "\r\x1b[K"
