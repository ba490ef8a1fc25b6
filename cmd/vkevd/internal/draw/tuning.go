package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes are two sizes of the band reduction: the half-bandwidth B and the rank K of its updates.
type Sizes struct{ B, K int }

// Tuning draws the time in seconds of a band reduction over the rank K of its updates. There is one
// curve for each half-bandwidth B, and the fastest point is marked. The map `seconds` must not be
// empty.
func Tuning(title string, seconds map[Sizes]float64) (*Picture, error) {
	p := newPicture(title, "k, rank of an update", "seconds")
	p.plot.X.Scale = plot.LogScale{}
	var bs, ks []int
	best, slowest := Sizes{}, 0.0
	for at, t := range seconds {
		bs, ks = append(bs, at.B), append(ks, at.K)
		slowest = math.Max(slowest, t)
		old, seen := seconds[best]
		if !seen || t < old || t == old && (at.B < best.B || at.B == best.B && at.K < best.K) {
			best = at
		}
	}
	slices.Sort(bs)
	slices.Sort(ks)
	ks = slices.Compact(ks)
	p.plot.X.Tick.Marker = ticksAt(ks)
	for i, b := range slices.Compact(bs) {
		var line plotter.XYs
		for _, k := range ks {
			if t, found := seconds[Sizes{b, k}]; found {
				line = append(line, plotter.XY{X: float64(k), Y: t})
			}
		}
		p.line(i, line, fmt.Sprintf("b = %d", b))
		p.dots(i, line, 3)
	}
	p.plot.Y.Min, p.plot.Y.Max = 0, max(slowest*1.1, math.SmallestNonzeroFloat64)
	p.plot.X.Min, p.plot.X.Max = float64(ks[0])/1.3, float64(ks[len(ks)-1])*1.3
	label := fmt.Sprintf("%.4g s at b = %d, k = %d", seconds[best], best.B, best.K)
	x := vg.Points(-20)
	if best.K == ks[len(ks)-1] { // the text would leave the picture at the right
		x = vg.Points(-100)
	}
	at := plotter.XYs{{X: float64(best.K), Y: seconds[best]}}
	p.texts(at, []string{label}, x, vg.Points(-14))
	return p, p.err
}

// An Axis is one axis of a picture in parallel coordinates: the name of a size, and the values that
// were tried, from the bottom to the top.
type Axis struct {
	Name   string
	Values []string
}

// A Variant is a combination of sizes and its time. At[i] is the index of its value on axis i.
type Variant struct {
	At      []int
	Seconds float64
}

// Parallel draws variants in parallel coordinates (Ringoot et al. draw tunings so): one vertical
// axis for each size, and a last one for the time. Each variant is a line through its values. Dark
// lines are fast. The fastest line is drawn last, in colour. There must be at least one variant and
// one axis.
func Parallel(title string, axes []Axis, variants []Variant) *Picture {
	p := newPicture(title, "", "")
	p.plot.HideAxes()
	all := slices.Clone(variants)
	slices.SortStableFunc(all, func(a, b Variant) int { // slow ones first, so that fast ones lie above them
		return cmp.Compare(b.Seconds, a.Seconds)
	})
	lines := &parallelLines{axes: axes, variants: all}
	p.plot.Add(lines)
	best := all[len(all)-1]
	p.legend.add(fmt.Sprintf("fastest: %.4g s", best.Seconds), stroke{bestColour, bestWidth})
	if len(all) > 1 {
		p.legend.add(fmt.Sprintf("next: %.4g s", all[len(all)-2].Seconds), stroke{shade(0), usualWidth})
		p.legend.add(fmt.Sprintf("slowest: %.4g s", all[0].Seconds), stroke{shade(1), usualWidth})
	}
	p.plot.X.Min, p.plot.X.Max = -0.12, float64(len(axes))+0.3
	p.plot.Y.Min, p.plot.Y.Max = -0.16, 1.08
	return p
}

var bestColour = Colour(0)

const bestWidth, usualWidth = vg.Length(2.4), vg.Length(1)

// shade is the colour of a variant. t is 0 for the second fastest variant and 1 for the slowest
// one.
func shade(t float64) color.Color {
	const dark, light = 0x50, 0xd8
	return color.Gray{uint8(dark + t*(light-dark))}
}

// parallelLines draws a picture in parallel coordinates: an axis for each size that was varied, and
// a line for each set of sizes. Axis i stands at x = i, from y = 0 to y = 1. The last axis, at x =
// len(axes), is that of the times.
type parallelLines struct {
	axes     []Axis
	variants []Variant // the slowest first
}

// height returns the place of value k of `count` values on an axis, from 0 to 1.
func height(k, count int) float64 {
	if count < 2 {
		return 0.5
	}
	return float64(k) / float64(count-1)
}

func (l *parallelLines) ends() (slowest, fastest float64) {
	return l.variants[0].Seconds, l.variants[len(l.variants)-1].Seconds
}

func (l *parallelLines) time(seconds float64) float64 {
	slowest, fastest := l.ends()
	if slowest == fastest {
		return 0
	}
	return (seconds - fastest) / (slowest - fastest)
}

func (l *parallelLines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: toX(x), Y: toY(y)} }
	for i, v := range l.variants {
		var line []vg.Point
		for axis, k := range v.At {
			line = append(line, at(float64(axis), height(k, len(l.axes[axis].Values))))
		}
		line = append(line, at(float64(len(l.axes)), l.time(v.Seconds)))
		style := draw.LineStyle{Color: shade(l.time(v.Seconds)), Width: usualWidth}
		if i == len(l.variants)-1 {
			style = draw.LineStyle{Color: bestColour, Width: bestWidth}
		}
		c.StrokeLines(style, line)
	}
	text := l.text(p)
	black := draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}
	axis := func(x float64, called string) {
		c.StrokeLines(black, []vg.Point{at(x, 0), at(x, 1)})
		name := text
		name.XAlign, name.YAlign = draw.XCenter, draw.YTop
		from := at(x, 0)
		c.FillText(name, vg.Point{X: from.X, Y: from.Y - vg.Points(8)}, called)
	}
	for i, a := range l.axes {
		axis(float64(i), a.Name)
		for k, value := range a.Values {
			l.label(c, text, at(float64(i), height(k, len(a.Values))), value)
		}
	}
	last := float64(len(l.axes))
	axis(last, timeAxis)
	for _, t := range l.ratios() {
		l.label(c, text, at(last, t.Value), t.Label)
	}
}

const timeAxis = "time / best"

func (l *parallelLines) text(p *plot.Plot) draw.TextStyle {
	text := p.Legend.TextStyle
	text.Font.Size = vg.Points(9)
	return text
}

// GlyphBoxes returns the places of the names of axes, so that the plot leaves space for them.
func (l *parallelLines) GlyphBoxes(p *plot.Plot) (boxes []plot.GlyphBox) {
	text := l.text(p)
	for i, axis := range append(slices.Clone(l.axes), Axis{Name: timeAxis}) {
		half := text.Width(axis.Name) * (1 + replaced) / 2
		boxes = append(boxes, plot.GlyphBox{
			X: p.X.Norm(float64(i)), Y: p.Y.Norm(0),
			Rectangle: vg.Rectangle{Min: vg.Point{X: -half}, Max: vg.Point{X: half}},
		})
	}
	return boxes
}

// ratios returns ticks for the axis of the times: the place on the axis, and the ratio of a time to
// the fastest one.
func (l *parallelLines) ratios() []plot.Tick {
	slowest, fastest := l.ends()
	if slowest == fastest || fastest <= 0 {
		return []plot.Tick{{Label: "1"}}
	}
	var ticks []plot.Tick
	for _, t := range (roundTicks{}).Ticks(1, slowest/fastest) {
		if t.IsMinor() {
			continue
		}
		t.Value = (t.Value - 1) / (slowest/fastest - 1)
		ticks = append(ticks, t)
	}
	const near = 0.05
	if len(ticks) == 0 || ticks[0].Value > near {
		ticks = append(ticks, plot.Tick{Label: "1"})
	}
	return ticks
}

// label writes a value at a tick of an axis, at the right, on a white ground.
func (l *parallelLines) label(c draw.Canvas, text draw.TextStyle, at vg.Point, value string) {
	const tick, gap = vg.Length(3), vg.Length(5)
	c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}, at.X-tick, at.Y, at.X+tick, at.Y)
	text.YAlign = draw.YCenter
	width, half := text.Width(value)*(1+replaced), text.Height(value)/2+1
	left, right := at.X+gap-1, at.X+gap+width+1
	c.FillPolygon(color.NRGBA{0xff, 0xff, 0xff, 0xd8}, []vg.Point{
		{X: left, Y: at.Y - half}, {X: right, Y: at.Y - half}, {X: right, Y: at.Y + half}, {X: left, Y: at.Y + half},
	})
	const lift = 1.2 // points: the middle of a font lies below the middle of its letters
	c.FillText(text, vg.Point{X: at.X + gap, Y: at.Y + lift}, value)
}

type stroke struct {
	colour color.Color
	width  vg.Length
}

func (s stroke) Thumbnail(c *draw.Canvas) {
	y := (c.Min.Y + c.Max.Y) / 2
	c.StrokeLine2(draw.LineStyle{Color: s.colour, Width: s.width}, c.Min.X, y, c.Max.X, y)
}
