package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A picture is a plot and its size in centimetres.
type picture struct {
	*plot.Plot
	width, height float64
}

// colours can be told apart by nearly all eyes, on paper too (Okabe and Ito, 2008).
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff}, color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff}, color.RGBA{0xe6, 0x9f, 0x00, 0xff}, color.RGBA{0x56, 0xb4, 0xe9, 0xff}, color.RGBA{0x30, 0x30, 0x30, 0xff},
}

func colour(i int) color.Color { return colours[i%len(colours)] }

// newPicture is an empty one with a grid.
func newPicture(title, x, y string) *picture {
	p := plot.New()
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = "Sans"
	}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.Padding, p.X.Label.Padding, p.Y.Label.Padding = vg.Points(8), vg.Points(4), vg.Points(4)
	p.Title.TextStyle.Font.Size = vg.Points(13)
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font} {
		f.Size = vg.Points(12)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = roundTicks{}, roundTicks{}
	p.Legend.TextStyle.Font.Size = vg.Points(10)
	p.Legend.Padding = vg.Points(2)
	p.Legend.Top = true
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{0xdd}, color.Gray{0xdd}
	p.Add(grid)
	const width, height = 18, 11
	return &picture{p, width, height}
}

// logarithmic is for an axis along which all is positive.
func (p *picture) logarithmic(axis *plot.Axis) {
	axis.Scale, axis.Tick.Marker = plot.LogScale{}, decades{}
}

// line adds a line; its name stands in the legend if there is one.
func (p *picture) line(i int, points plotter.XYs, name string) (*plotter.Line, error) {
	l, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	l.Color, l.Width = colour(i), vg.Points(1.5)
	p.Add(l)
	if name != "" {
		p.Legend.Add(name, l)
	}
	return l, nil
}

// dots adds points.
func (p *picture) dots(i int, points plotter.XYs, radius float64) error {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: colour(i), Radius: vg.Points(radius), Shape: draw.CircleGlyph{}}
	p.Add(s)
	return nil
}

// texts adds labels, moved by some points of the printer.
func (p *picture) texts(at plotter.XYs, labels []string, x, y vg.Length) error {
	l, err := plotter.NewLabels(plotter.XYLabels{XYs: at, Labels: labels})
	if err != nil {
		return err
	}
	l.Offset = vg.Point{X: x, Y: y}
	for i := range l.TextStyle {
		l.TextStyle[i].Font.Variant, l.TextStyle[i].Font.Size = "Sans", vg.Points(9)
	}
	p.Add(l)
	return nil
}

// write draws the picture in one of formats.
func (p *picture) write(w io.Writer, format string) error {
	const dotsPerInch = 150
	width, height := vg.Length(p.width)*vg.Centimeter, vg.Length(p.height)*vg.Centimeter
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	switch format {
	case ".png":
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))}
	case ".svg":
		canvas = &svgCanvas{Canvas: vgsvg.New(width, height)}
	default:
		panic(fmt.Sprintf("a picture in %q", format))
	}
	const margin = 4 // points: ticks at the very ends have labels that stand out
	all := draw.New(canvas)
	p.Draw(draw.Crop(all, margin, -4*margin, margin, -margin))
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
