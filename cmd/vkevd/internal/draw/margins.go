package draw

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Empty space at the edges. At the right, the last label of the x axis reaches past the axis.
const (
	margin      = vg.Length(8)
	rightMargin = vg.Length(20)
)

// leftMargin leaves space for labels of the y axis that a viewer draws in a wider font.
// DejaVu Sans, the usual substitute, is up to a fifth wider than Liberation Sans. A label keeps
// its middle (svgCanvas), so that half of the difference goes to the left.
func (p *Picture) leftMargin() vg.Length {
	const wider = 0.2 / 2
	label := p.plot.Y.Tick.Label
	face := font.DefaultCache.Lookup(label.Font, label.Font.Size)
	longest := vg.Length(0)
	for _, t := range p.plot.Y.Tick.Marker.Ticks(p.plot.Y.Min, p.plot.Y.Max) {
		longest = max(longest, face.Width(t.Label))
	}
	return margin + wider*longest
}

// pad moves both ends of an axis outwards by a part of its length, so that no curve runs along
// the edge of the plot.
func pad(axis *plot.Axis, low, high float64) {
	length := axis.Max - axis.Min
	if length+length*(low+high) > maxLength { // the padded ends would not be finite
		return
	}
	axis.Min, axis.Max = axis.Min-low*length, axis.Max+high*length
}

const maxLength = 1e300

// draw lays out title, legend and plot from the top down.
func (p *Picture) draw(all draw.Canvas) {
	c := draw.Crop(all, p.leftMargin(), -rightMargin, margin, -margin)
	all.SetColor(p.plot.BackgroundColor)
	all.Fill(all.Rectangle.Path())
	title := p.plot.Title
	inside := c
	if title.Text != "" {
		inside.Max.Y -= title.TextStyle.Rectangle(title.Text).Size().Y + title.Padding
	}
	if height := p.legend.height(c.Size().X); height > 0 {
		p.plot.Title.Padding += height
		if title.Text == "" { // gonum leaves no padding below a title that is not there
			p.plot.Title.Text = " "
		}
		p.legend.draw(inside)
	}
	p.plot.Draw(c)
	p.plot.Title = title
}
