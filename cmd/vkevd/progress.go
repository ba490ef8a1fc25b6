package main

import (
	"fmt"
	"io"
	"time"

	"github.com/vkevd/vkevd/evd"
)

// redrawEvery keeps a terminal from flickering.
const redrawEvery = 100 * time.Millisecond

// progress says what is going on: on a terminal in one line that is redrawn, elsewhere
// in a line for every stage.
type progress struct {
	w      io.Writer
	redraw bool
	began  time.Time
	now    string // stage
	drawn  time.Time
}

func newProgress(w io.Writer, redraw bool) *progress {
	return &progress{w: w, redraw: redraw, began: time.Now()}
}

// stage begins one whose length is not known. The name may hold one of a file.
func (p *progress) stage(name string) { p.show(printable(name), "") }

// update is for evd.Options.Progress.
func (p *progress) update(at evd.Progress) {
	percent := ""
	if at.Total > 0 {
		percent = fmt.Sprintf("%3.0f%%", 100*at.Done/at.Total)
	}
	p.show(at.Stage, percent)
}

func (p *progress) show(stage, percent string) {
	fresh := stage != p.now
	p.now = stage
	switch {
	case !p.redraw && fresh:
		fmt.Fprintln(p.w, stage)
	case p.redraw && (fresh || time.Since(p.drawn) >= redrawEvery):
		p.drawn = time.Now()
		seconds := int(time.Since(p.began).Seconds())
		fmt.Fprintf(p.w, "%s%-28s %4s  %d:%02d", clearLine, stage, percent, seconds/60, seconds%60)
	}
}

// end makes room for other text.
func (p *progress) end() {
	if p.redraw && p.now != "" {
		fmt.Fprint(p.w, clearLine)
	}
	p.now = ""
}

// clearLine is understood by every terminal since the VT100.
const clearLine = "\r\x1b[K"
