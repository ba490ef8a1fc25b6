package draw

import (
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Box summarizes the errors of one precision, at one order N and one half-bandwidth B: the
// smallest error, the quartiles, and the largest error. All are in units of Ulp, the distance from
// 1 to the next number of the precision.
type Box struct {
	N, B                              int
	Precision                         string
	Ulp                               float64
	Least, Lower, Median, Upper, Most float64
}

// Accuracy draws one box for each order, precision and half-bandwidth, on a logarithmic scale. Each
// precision has a colour. The boxes of one order stand side by side, grouped by precision. In a
// group the half-bandwidth grows from left to right. If there are several half-bandwidths, each box
// has a label with its own. Boxes whose smallest error is 0 are left out. If no box is left, the
// result is an error. All errors must be below 1e300.
func Accuracy(title string, boxes []Box) (*Picture, error) {
	p := newPicture(title, "n, order of the matrix", "‖σ̂ − σ‖ / (ε·‖σ‖)")
	logarithmic(&p.plot.Y)
	var orders, bands []int
	var names []string // of the precisions, for the legend
	for _, b := range boxes {
		orders, bands = append(orders, b.N), append(bands, b.B)
		if name := b.name(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(orders)
	slices.Sort(bands)
	orders, bands = slices.Compact(orders), slices.Compact(bands)

	// Neighbouring orders have the distance 1 on the x axis. The boxes of an order fill most of
	// this.
	const occupied, widest, usable = 0.8, 1.2, 15.0 // the last two in centimetres
	slots := len(bands) * len(names)
	pitch := occupied / float64(slots)
	width := vg.Centimeter * vg.Length(min(widest, 0.7*usable*pitch/float64(len(orders))))
	all := &boxPlot{width: width}
	for _, b := range boxes {
		const tiny = 1e-300 // a logarithmic scale has no place for 0
		if b.Least < tiny {
			continue
		}
		series := slices.Index(names, b.name())
		slot := series*len(bands) + slices.Index(bands, b.B)
		x := float64(slices.Index(orders, b.N)) + pitch*(float64(slot)-float64(slots-1)/2)
		all.boxes = append(all.boxes, placedBox{b, x, Colour(series)})
	}
	if len(all.boxes) == 0 {
		return nil, errors.New("all errors are 0")
	}
	p.plot.Add(all)
	for i, name := range names {
		p.legend.add(name, sample{Colour(i)})
	}
	if len(bands) > 1 {
		p.plot.X.Label.Text += "; above the boxes: superdiagonals of the band"
		var at plotter.XYs
		var labels []string
		for _, b := range all.boxes {
			at = append(at, plotter.XY{X: b.x, Y: b.Most})
			labels = append(labels, fmt.Sprint(b.B))
		}
		p.texts(at, labels, vg.Points(-7), vg.Points(4))
	}
	var ticks plot.ConstantTicks
	for i, n := range orders {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(n)})
	}
	p.plot.X.Tick.Marker = ticks
	p.plot.X.Min, p.plot.X.Max = -0.5, float64(len(orders))-0.5
	pad(&p.plot.Y, 0.04, 0.06)
	return p, p.err
}

func (b Box) name() string { return fmt.Sprintf("%s, ε = %.2g", b.Precision, b.Ulp) }

type placedBox struct {
	Box
	x      float64
	colour color.Color
}

// A boxPlot draws boxes with whiskers. gonum's plotter.BoxPlot takes all values of a box, and has
// fences and outliers.
type boxPlot struct {
	boxes []placedBox
	width vg.Length
}

func (b *boxPlot) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, box := range b.boxes {
		x, left, right := toX(box.x), toX(box.x)-b.width/2, toX(box.x)+b.width/2
		line := draw.LineStyle{Color: box.colour, Width: vg.Points(1.2)}
		lower, upper, median := toY(box.Lower), toY(box.Upper), toY(box.Median)
		corners := []vg.Point{{X: left, Y: lower}, {X: right, Y: lower}, {X: right, Y: upper}, {X: left, Y: upper}}
		c.FillPolygon(faint(box.colour), corners)
		c.StrokeLines(line, append(corners, corners[0]))
		for _, end := range []struct{ from, to float64 }{{box.Lower, box.Least}, {box.Upper, box.Most}} {
			c.StrokeLine2(line, x, toY(end.from), x, toY(end.to))
			c.StrokeLine2(line, x-b.width/4, toY(end.to), x+b.width/4, toY(end.to))
		}
		line.Width = vg.Points(2.4)
		c.StrokeLine2(line, left, median, right, median)
	}
}

// DataRange returns the range of the boxes, and some space below and above. Without this space the
// range of a single error would be empty.
func (b *boxPlot) DataRange() (xmin, xmax, ymin, ymax float64) {
	first := b.boxes[0]
	xmin, xmax, ymin, ymax = first.x, first.x, first.Least, first.Most
	for _, box := range b.boxes {
		xmin, xmax = min(xmin, box.x), max(xmax, box.x)
		ymin, ymax = min(ymin, box.Least), max(ymax, box.Most)
	}
	return xmin, xmax, ymin / 2, ymax * 2
}

type sample struct{ colour color.Color }

func (s sample) Thumbnail(c *draw.Canvas) {
	corners := []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}}
	c.FillPolygon(faint(s.colour), corners)
	c.StrokeLines(draw.LineStyle{Color: s.colour, Width: vg.Points(1.2)}, append(corners, corners[0]))
}
