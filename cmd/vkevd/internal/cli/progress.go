package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/vkevd/vkevd/evd"
)

const (
	redrawEvery = 100 * time.Millisecond // shorter intervals would make a terminal flicker
	TickEvery   = time.Second            // interval of redraws without progress, so that the clock advances
)

type manner int

const (
	hidden  manner = iota // not at all
	Listed                // by a line for each stage
	Redrawn               // by one line that is redrawn: bar, elapsed time and expected time
)

// Progress shows on standard error how far a command has come.
type Progress struct {
	w       io.Writer
	how     manner
	columns func() int // of the terminal, 0 if not known; may be nil
	Clock   func() time.Time
	Began   time.Time

	lock  sync.Mutex // the ticker draws, too
	now   string     // stage
	share *share     // of the measured work; nil while no measured work runs
	drawn time.Time
	stop  chan struct{} // ends the ticker; nil while no ticker runs
	costs []evd.StageCost
	times []float64 // forecast seconds of costs
}

// share is the part of a solve that is done.
type share struct {
	done  float64 // 0 to 1
	since time.Time
}

func NewProgress(w io.Writer, how manner, columns func() int) *Progress {
	return &Progress{w: w, how: how, columns: columns, Clock: time.Now, Began: time.Now()}
}

// Stage shows that a step of unknown duration begins. Its name may contain the name of a file.
func (p *Progress) Stage(name string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.share = nil
	p.show(Printable(name))
}

// Of says that Update will report a solve whose stages have the given costs. `times` are the
// seconds that the stages are expected to take.
func (p *Progress) Of(costs []evd.StageCost, times []float64) { p.costs, p.times = costs, times }

// Update receives the progress of a solve and shows it. It is the value of evd.Options.Progress.
func (p *Progress) Update(at evd.Progress) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.share == nil {
		p.share = &share{since: p.Clock()}
	}
	p.share.done = max(p.share.done, TimeShare(p.costs, p.times, at))
	p.show(at.Stage)
}

// TimeShare estimates the part of the whole time that has passed, from 0 to 1. `seconds` are the
// forecast times of the stages.
func TimeShare(costs []evd.StageCost, seconds []float64, at evd.Progress) float64 {
	done, total, before := 0.0, 0.0, 0.0
	for i, c := range costs {
		if c.Flops > 0 {
			done += seconds[i] * min(max((at.Done-before)/c.Flops, 0), 1)
		}
		total += seconds[i]
		before += c.Flops
	}
	switch {
	case total > 0:
		return min(done/total, 1)
	case at.Total > 0: // the stages are not known
		return min(at.Done/at.Total, 1)
	}
	return 0
}

// show shows the name of a stage: on a line of its own, or in the progress line. The caller of
// `show`, and of `draw`, must hold p.lock.
func (p *Progress) show(stage string) {
	fresh := stage != p.now
	p.now = stage
	switch {
	case p.how == Listed && fresh:
		fmt.Fprintln(p.w, stage)
	case p.how == Redrawn && (fresh || p.Clock().Sub(p.drawn) >= redrawEvery):
		p.draw()
		p.tick()
	}
}

func (p *Progress) draw() {
	p.drawn = p.Clock()
	elapsed := p.drawn.Sub(p.Began)
	l := Line{Stage: p.now, Elapsed: elapsed}
	if p.share != nil {
		l.Measured, l.Done, l.Expected = true, p.share.done, p.expected(elapsed)
	}
	fmt.Fprint(p.w, ClearLine+l.Fitted(p.width()))
}

// width is the number of characters that fit into the line. The last column of the terminal stays
// empty, because some terminals start a new line after a character in the last column.
func (p *Progress) width() int {
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

// expected returns an estimate of the whole time that the work will take, from its speed so far. It
// returns 0 while too little work is done for an estimate.
func (p *Progress) expected(elapsed time.Duration) time.Duration {
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

// Above returns a writer for remarks to the user. On a terminal they appear above the progress
// line. They are printed even if the progress is not shown.
func (p *Progress) Above() io.Writer { return aboveProgress{p} }

type aboveProgress struct{ *Progress }

func (a aboveProgress) Write(line []byte) (int, error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.how == Redrawn && a.now != "" {
		fmt.Fprint(a.w, ClearLine)
		defer a.draw()
	}
	return a.w.Write(line)
}

// tick draws the progress line again at regular intervals, until the method `End` is called.
func (p *Progress) tick() {
	if p.stop != nil {
		return
	}
	stop := make(chan struct{})
	p.stop = stop
	go func() {
		t := time.NewTicker(TickEvery)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			p.lock.Lock()
			if p.stop == stop && p.Clock().Sub(p.drawn) >= redrawEvery {
				p.draw()
			}
			p.lock.Unlock()
		}
	}()
}

func (p *Progress) End() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.stop != nil {
		close(p.stop)
		p.stop = nil
	}
	if p.how == Redrawn && p.now != "" {
		fmt.Fprint(p.w, ClearLine)
	}
	p.now, p.share = "", nil
}

// finish removes the progress line. Later progress is not shown: after an interruption, work may
// still run in the background.
func (p *Progress) finish() {
	p.End()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.w = io.Discard
}

// ClearLine is the sequence that clears a line on every terminal since the VT100.
const ClearLine = "\r\x1b[K"

type Line struct {
	Stage    string
	Elapsed  time.Duration
	Measured bool          // done and expected are known
	Done     float64       // 0 to 1
	Expected time.Duration // whole time; 0 if not known
}

// These are widths of the progress line's parts, in characters: the default width and the smallest
// width of the stage's name, and those of the bar.
const (
	stageWidth, leastStage = 24, 12
	barWidth, leastBar     = 20, 5
	plainStage             = 52 // of a stage without a bar
)

// Fitted returns the progress line with at most `width` characters. To make the line shorter, it
// first shortens the bar, then the words about the expected time, then the name of the stage, and
// then the bar again. If the line is still too long, it leaves out the bar. If that is not enough,
// it also leaves out the expected time.
func (l Line) Fitted(width int) string {
	if !l.Measured {
		clock := fmt.Sprintf(" %6s", Minutes(l.Elapsed))
		return cut(padded(l.Stage, max(min(plainStage, width-len(clock)), 1))+clock, width)
	}
	tail := fmt.Sprintf(" %3.0f%% %6s", 100*l.Done, Minutes(l.Elapsed))
	expected, short := "", ""
	if l.Expected > 0 {
		expected, short = " of about "+Minutes(l.Expected), " / "+Minutes(l.Expected)
	}
	stage, bar := stageWidth, barWidth
	excess := func() int {
		n := stage + len(tail) + len(expected) - width
		if bar > 0 {
			n += len(" []") + bar
		}
		return n
	}
	shrink := func(size *int, least int) {
		if e := excess(); e > 0 {
			*size = max(*size-e, least)
		}
	}
	shrink(&bar, barWidth/2)
	if excess() > 0 {
		expected = short
	}
	shrink(&stage, leastStage)
	shrink(&bar, leastBar)
	if excess() > 0 {
		bar = 0
	}
	if excess() > 0 {
		expected = ""
	}
	text := padded(l.Stage, stage)
	if bar > 0 {
		text += fmt.Sprintf(" [%-*s]", bar, strings.Repeat("#", int(float64(bar)*l.Done)))
	}
	return cut(text+tail+expected, width)
}

func padded(text string, width int) string {
	if n := utf8.RuneCountInString(text); n <= width {
		return text + strings.Repeat(" ", width-n)
	}
	return string([]rune(text)[:width-1]) + "…"
}

func cut(text string, width int) string {
	runes := []rune(text)
	return string(runes[:max(min(len(runes), width), 0)])
}

func Minutes(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
