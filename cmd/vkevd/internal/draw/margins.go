package draw

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// These are widths of empty space at the edges of a picture. The right margin is wider, because the
// last label of the x axis extends past the end of the axis.
const (
	margin      = vg.Length(8)
	rightMargin = vg.Length(20)
)

// replaced is the relative width that a text gains if a viewer draws it in another font. A viewer
// usually replaces Liberation Sans by DejaVu Sans, which is up to a fifth wider.
const replaced = 0.2

// leftMargin leaves space for labels of the y axis that a viewer draws in a wider font.
func (p *Picture) leftMargin() vg.Length { return margin + p.labelGrowth() }

// labelGrowth is the length by which each end of a label of the y axis moves if a viewer draws the
// label in a wider font. svgCanvas fixes the middle of a label.
func (p *Picture) labelGrowth() vg.Length {
	label := p.plot.Y.Tick.Label
	face := font.DefaultCache.Lookup(label.Font, label.Font.Size)
	longest := vg.Length(0)
	for _, t := range p.plot.Y.Tick.Marker.Ticks(p.plot.Y.Min, p.plot.Y.Max) {
		longest = max(longest, face.Width(t.Label))
	}
	return replaced / 2 * longest
}

// folded divides the title into lines that are not wider than the given width. A word that is wider
// is shortened.
func folded(title string, style draw.TextStyle, width vg.Length) string {
	var lines []string
	for _, paragraph := range strings.Split(title, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			word = shortened(word, style, width)
			if longer := line + " " + word; line == "" {
				line = word
			} else if (1+replaced)*style.Width(longer) > width {
				lines = append(lines, line)
				line = word
			} else {
				line = longer
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// shortened returns the text, or its beginning and its end if the text is wider than the given width.
func shortened(text string, style draw.TextStyle, width vg.Length) string {
	letters := []rune(text)
	for left := len(letters) - 1; (1+replaced)*style.Width(text) > width && left > 2; left-- {
		text = string(letters[:(left+1)/2]) + "…" + string(letters[len(letters)-left/2:])
	}
	return text
}

// pad moves both ends of an axis outwards, so that no curve runs along the edge of the plot. `low`
// and `high` are the distances, relative to the length of the axis.
func pad(axis *plot.Axis, low, high float64) {
	if _, log := axis.Scale.(plot.LogScale); log {
		ratio := axis.Max / axis.Min
		if from, to := axis.Min*math.Pow(ratio, -low), axis.Max*math.Pow(ratio, high); from > 0 && to < maxLength {
			axis.Min, axis.Max = from, to
		}
		return
	}
	length := axis.Max - axis.Min
	if length+length*(low+high) > maxLength { // the padded ends would not be finite
		return
	}
	axis.Min, axis.Max = axis.Min-low*length, axis.Max+high*length
}

const maxLength = 1e300

// draw draws the parts of a picture from top to bottom: title, legend and plot.
func (p *Picture) draw(all draw.Canvas) {
	all.SetColor(p.plot.BackgroundColor)
	all.Fill(all.Rectangle.Path())
	c := draw.Crop(all, p.leftMargin(), -rightMargin, margin, -margin)
	strip := c // the legend's part of the canvas, below the title
	// gonum leaves too much space above a logarithmic axis that has a label, so the label is drawn here.
	label := p.plot.Y.Label.TextStyle
	descent := label.FontExtents().Descent
	labelAt := c.Min.X + label.Height(p.yLabel) - descent
	if p.yLabel != "" {
		c.Min.X = labelAt + 2*descent + p.plot.Y.Label.Padding
	}
	title := p.plot.Title
	p.plot.Title.Text = folded(title.Text, title.TextStyle, c.Size().X)
	if title.Text == "" {
		p.plot.Title.Text = " " // gonum leaves no padding below a title that is not there
	}
	strip.Max.Y -= title.TextStyle.Rectangle(p.plot.Title.Text).Size().Y + title.Padding
	p.plot.Title.Padding += p.legend.height(strip.Size().X)
	p.plot.Draw(c) // first: it fills the background
	data := p.plot.DataCanvas(c)
	label.Rotation += math.Pi / 2
	all.FillText(label, vg.Point{X: labelAt, Y: data.Center().Y}, p.yLabel)
	p.legend.draw(strip, data.Min.X)
	p.plot.Title = title
}
