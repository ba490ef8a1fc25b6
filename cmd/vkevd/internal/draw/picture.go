// Package draw makes the pictures of vkevd plot. Its functions take values and return pictures.
//
// The package reads no files and does not depend on commands. The caller must pass names and titles
// as the text to show, without control characters.
package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

var Formats = []string{".png", ".svg"}

type Picture struct {
	plot          *plot.Plot
	legend        legend
	yLabel        string  // the label of the y axis, which gonum does not draw: see the method draw
	width, height float64 // centimetres, without the legend
	rows          bool    // the height follows from the rows of the picture, and must not be smaller
	chosen        size    // by the caller, in centimetres, including the legend; 0 is not chosen
	err           error   // of gonum about the first data that it refuses
}

type size struct{ width, height float64 }

// full is the smallest size of a picture, in centimetres, whose texts have their full size. The height
// excludes the legend. Texts and lines of a smaller picture are reduced with it. Otherwise labels would
// cover each other.
var full = size{12, 6.5}

// colours is a list of colours that people with any common form of colour blindness can distinguish
// (Okabe and Ito, 2008).
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff},
	color.RGBA{0x30, 0x30, 0x30, 0xff},
}

// Colour is the colour of curve or bar i, counted from 0. If i exceeds the length of the list, the
// list starts again.
func Colour(i int) color.Color { return colours[i%len(colours)] }

// variant is the typeface of all texts: Liberation Sans. Its widths are those of Arial.
const variant = "Sans"

func newPicture(title, x, y string) *Picture {
	p := plot.New()
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = variant
	}
	p.Title.Text, p.X.Label.Text = title, x
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = vg.Points(8), vg.Points(4), vg.Points(4)
	p.Title.TextStyle.Font.Size = vg.Points(13)
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font} {
		f.Size = vg.Points(12)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	p.Add(grid)
	style := p.Legend.TextStyle
	style.Font.Size = vg.Points(10)
	const width, height = 18, 11
	return &Picture{plot: p, legend: legend{style: style}, yLabel: y, width: width, height: height}
}

func (p *Picture) SetTitle(text string) { p.plot.Title.Text = text }

// Resize takes centimetres. 0 keeps the default size, which depends on the content.
func (p *Picture) Resize(width, height float64) {
	p.chosen = size{width, height}
}

const dotsPerInch = 150

// layout returns the size for which the picture is laid out, in points, and the number by which the
// picture is then multiplied. This number is 1, or less for a picture smaller than `full`.
func (p *Picture) layout() (width, height vg.Length, scale float64) {
	of := func(chosen, usual float64) float64 {
		if chosen > 0 {
			return chosen
		}
		return usual
	}
	wide, least := of(p.chosen.width, p.width), full.height
	if p.rows {
		least = p.height
	}
	dots := math.Floor(dotsPerInch * min(1, wide/full.width))
	for ; ; dots-- { // a smaller scale makes the layout wider, and its legend lower
		scale = dots / dotsPerInch // a whole number of dots
		width = vg.Length(wide/scale) * vg.Centimeter
		legend := p.legend.height(width - p.leftMargin() - rightMargin)
		if p.chosen.height == 0 {
			return width, vg.Length(p.height)*vg.Centimeter + legend, scale
		}
		height = vg.Length(p.chosen.height/scale) * vg.Centimeter
		if height >= vg.Length(least)*vg.Centimeter+legend {
			return width, height, scale
		}
	}
}

// All values on the axis must be positive.
func logarithmic(axis *plot.Axis) { axis.Scale, axis.Tick.Marker = plot.LogScale{}, decades{} }

// line adds curve i, counted from 0. `name` appears in the legend, unless it is "".
func (p *Picture) line(i int, points plotter.XYs, name string) *plotter.Line {
	l, err := plotter.NewLine(points)
	if p.refused(err) {
		return &plotter.Line{}
	}
	l.Color, l.Width = Colour(i), vg.Points(1.5)
	p.plot.Add(l)
	p.legend.add(name, l)
	return l
}

func (p *Picture) dots(i int, points plotter.XYs, radius float64) {
	s, err := plotter.NewScatter(points)
	if p.refused(err) {
		return
	}
	s.GlyphStyle = draw.GlyphStyle{Color: Colour(i), Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}
	p.plot.Add(s)
}

// refused tells whether err is an error, and keeps the first one.
func (p *Picture) refused(err error) bool {
	p.err = cmp.Or(p.err, err)
	return err != nil
}

// texts adds labels to the picture. Label k is near the point at[k]; `x` and `y` are its distances
// from this point.
func (p *Picture) texts(at plotter.XYs, labels []string, x, y vg.Length) {
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: labels})
	if p.refused(err) {
		return
	}
	l.Offset = vg.Point{X: x, Y: y}
	for i := range l.TextStyle {
		l.TextStyle[i].Font.Variant, l.TextStyle[i].Font.Size = variant, vg.Points(9)
	}
	p.plot.Add(following{l})
}

func (p *Picture) Write(w io.Writer, format string) error {
	width, height, scale := p.layout()
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case ".png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(int(math.Round(scale*dotsPerInch))))}
	case ".svg":
		canvas = &svgCanvas{Canvas: vgsvg.New(width, height), width: width, height: height, scale: scale}
	default:
		panic(fmt.Sprintf("a picture in %q", format))
	}
	p.draw(draw.New(canvas))
	var drawn bytes.Buffer
	if _, err := canvas.WriteTo(&drawn); err != nil {
		return err
	}
	text := drawn.Bytes()
	if c, ok := canvas.(*svgCanvas); ok {
		text = c.steady(text)
	}
	_, err := w.Write(text)
	return err
}

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
