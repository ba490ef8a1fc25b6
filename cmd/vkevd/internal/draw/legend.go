package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A legend is placed between the title and the plot, where it covers no curve. Its entries fill
// rows from left to right.
type legend struct {
	style   draw.TextStyle
	entries []entry
}

type entry struct {
	name   string
	sample plot.Thumbnailer
}

const (
	sampleWidth  = vg.Length(20)
	sampleGap    = vg.Length(5)  // between a sample and its name
	entryGap     = vg.Length(16) // between two entries
	rowPitch     = vg.Length(15)
	legendMargin = vg.Length(6) // below the last row
)

func (l *legend) add(name string, sample plot.Thumbnailer) {
	if name != "" {
		l.entries = append(l.entries, entry{name, sample})
	}
}

// entryWidth is the width of a sample and its name, in the font of a viewer that replaces ours.
func (l *legend) entryWidth(e entry) vg.Length {
	return sampleWidth + sampleGap + (1+replaced)*l.style.Width(e.name)
}

// rows distributes the entries of a legend over rows. A row has at most the given width. A name that
// is wider is shortened.
func (l *legend) rows(width vg.Length) (rows [][]entry) {
	var used vg.Length
	for _, e := range l.entries {
		e.name = shortened(e.name, l.style, width-sampleWidth-sampleGap)
		w := l.entryWidth(e)
		if len(rows) == 0 || used+entryGap+w > width {
			rows, used = append(rows, nil), -entryGap
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += entryGap + w
	}
	return rows
}

func (l *legend) height(width vg.Length) vg.Length {
	if len(l.entries) == 0 {
		return 0
	}
	return vg.Length(len(l.rows(width)))*rowPitch + legendMargin
}

// draw draws the legend at the top of the canvas. The rows begin at the position `left` if all rows
// fit there, otherwise further to the left.
func (l *legend) draw(c draw.Canvas, left vg.Length) {
	rows := l.rows(c.Size().X)
	left = min(left, c.Max.X-l.widest(rows))
	style := l.style
	style.YAlign = draw.YCenter
	const lift = 1.2 // points: the middle of a font lies below the middle of its letters
	y := c.Max.Y - rowPitch/2
	for _, row := range rows {
		x := max(left, c.Min.X)
		for _, e := range row {
			const half = sampleWidth / 4 // of a sample's height
			sample := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
				Min: vg.Point{X: x, Y: y - half}, Max: vg.Point{X: x + sampleWidth, Y: y + half},
			}}
			e.sample.Thumbnail(&sample)
			fromStart(c, func() { c.FillText(style, vg.Point{X: x + sampleWidth + sampleGap, Y: y + lift}, e.name) })
			x += l.entryWidth(e) + entryGap
		}
		y -= rowPitch
	}
}

func (l *legend) widest(rows [][]entry) (most vg.Length) {
	for _, row := range rows {
		width := -entryGap
		for _, e := range row {
			width += entryGap + l.entryWidth(e)
		}
		most = max(most, width)
	}
	return most
}
