package cli

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// A Line is the text that a terminal shows about the progress.
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
// shortens first the bar, then the words about the expected time, and then the name of the stage.
// If the line is still too long, it leaves out the bar and the expected time.
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
