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
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

var Formats = []string{".png", ".svg", ".pdf"}

type Picture struct {
	plot          *plot.Plot
	legend        legend
	yLabel        string  // the label of the y axis, which gonum does not draw: see the method draw
	width, height float64 // centimetres, without the legend
	rows          bool    // the picture has rows, which determine its least height
	chosen        size    // size that the caller has set, in centimetres, with the legend; 0: not set
	err           error   // the first error of gonum, about data that it refuses
}

type size struct{ width, height float64 }

// full is the smallest size of a picture, in centimetres, whose texts have their full size. The
// height excludes the legend. In a smaller picture texts and lines are reduced, too. Otherwise
// labels would cover each other.
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

// Resize sets the width and the height of the picture, in centimetres. A size of 0 stands for the
// default size, which depends on the content.
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
		scale = dots / dotsPerInch // `dots` is a whole number of dots per inch
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

// logarithmic gives the axis a logarithmic scale. All values on the axis must be positive.
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

// refused tells whether err is not nil. The picture keeps the first such error.
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
	case ".pdf":
		page := vgpdf.New(vg.Length(scale)*width, vg.Length(scale)*height)
		page.Scale(scale, scale)
		canvas = page
	default:
		panic(fmt.Sprintf("a picture in %q", format))
	}
	p.draw(draw.NewCanvas(canvas, width, height))
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

// shortened returns the text, or its beginning and its end if the text is wider than the given
// width.
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
	// gonum leaves too much space above a logarithmic axis that has a label, so the label is drawn
	// here.
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

// rows distributes the entries of a legend over rows. A row has at most the given width. A name
// that is wider is shortened.
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

// An svgCanvas records the place of each text when the text is drawn. A viewer without the font
// stretches or shrinks another font to the recorded width, so that texts do not overlap.
type svgCanvas struct {
	*vgsvg.Canvas
	width, height vg.Length // of what is drawn
	scale         float64   // the size of the picture divided by this size
	places        []textPlace
	start         bool // FillString places texts by their start
}

type textPlace struct {
	anchor string // "middle" or "start"
	width  vg.Length
}

// FillString places a text by its middle. A viewer may ignore the attribute textLength and draw a
// wider or narrower text. Each end of the text then moves by only half of the difference. A text
// that follows a line or a bar is placed by its start instead (see fromStart).
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	place := textPlace{"middle", f.Width(text)}
	if c.start {
		place.anchor = "start"
	} else {
		at.X += place.width / 2
	}
	c.places = append(c.places, place)
	c.Canvas.FillString(f, at, text)
}

// fromStart calls `fill`, which draws texts on the canvas. In an SVG file the starts of these texts
// have fixed places, so that a text in a wider font does not cover what stands to the left of it.
func fromStart(c draw.Canvas, fill func()) {
	inner := c.Canvas
	for { // a canvas that gonum has cropped contains another one
		cropped, ok := inner.(draw.Canvas)
		if !ok {
			break
		}
		inner = cropped.Canvas
	}
	if s, ok := inner.(*svgCanvas); ok {
		s.start = true
		defer func() { s.start = false }()
	}
	fill()
}

// following is a set of texts that follow points. Their starts have fixed places.
type following struct{ *plotter.Labels }

func (l following) Plot(c draw.Canvas, p *plot.Plot) { fromStart(c, func() { l.Labels.Plot(c, p) }) }

// steady changes SVG text so that all viewers show it in the same way, and gives the picture its
// size. To each text it adds the anchor and the width that FillString has stored in c.places. It
// replaces the font by a list of fonts. The first font of the list is the one with which the texts
// were placed. The next two fonts have the same widths.
func (c *svgCanvas) steady(drawn []byte) []byte {
	const element = "<text "
	parts := bytes.Split(drawn, []byte(element))
	var b bytes.Buffer
	b.Write(parts[0])
	for i, part := range parts[1:] {
		fmt.Fprintf(&b, `%stext-anchor="%s" textLength="%.4g" lengthAdjust="spacingAndGlyphs" `,
			element, c.places[i].anchor, c.places[i].width.Points())
		b.Write(part)
	}
	size := func(scale float64) []byte {
		return fmt.Appendf(nil, `<svg width="%.5gpt" height="%.5gpt"`, scale*c.width.Points(), scale*c.height.Points())
	}
	sized := bytes.Replace(b.Bytes(), size(1), size(c.scale), 1)
	return bytes.ReplaceAll(sized, []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}
