// Package style, internal to vkevd, runs the examples, and gives their pictures one style: one font,
// margins, round ticks, and colours that people with colour blindness can distinguish.
package style

import (
	"errors"
	"flag"
	"image/color"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Blue, Orange and Green are three colours of M. Okabe and K. Ito (2008).
var (
	Blue   = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	Orange = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	Green  = color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
)

// Faint returns a transparent form of the colour c.
func Faint(c color.NRGBA) color.NRGBA {
	c.A = 0x50
	return c
}

// Main runs an example, which writes its results to w and draws a picture. The flag -o names the
// picture, by default `picture`.
func Main(picture string, run func(w io.Writer, picture string) error) {
	out := flag.String("o", picture, "picture to draw, .svg or .png")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		log.Fatal(err)
	}
}

// New returns an empty picture with a title and the names of both axes.
func New(title, x, y string) *plot.Plot {
	p := plot.New()
	for _, f := range []*font.Font{
		&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font,
	} {
		f.Variant = "Sans"
	}
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	p.Title.TextStyle.Font.Size = vg.Points(13)
	p.Title.Padding = vg.Points(8)
	p.X.Label.Padding, p.Y.Label.Padding = vg.Points(4), vg.Points(4)
	p.Legend.Padding = vg.Points(2)
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks{}, ticks{}
	return p
}

// Widen moves the ends of axes outwards, so that points and curves do not touch the frame.
func Widen(axes ...*plot.Axis) {
	for _, a := range axes {
		space := 0.05 * (a.Max - a.Min)
		a.Min -= space
		a.Max += space
	}
}

// Save draws a picture with a margin on all sides and writes it to a file. The format follows from
// the ending of the file's name, .svg or .png.
func Save(p *plot.Plot, width, height vg.Length, file string) error {
	const margin = 10 // points
	format := strings.TrimPrefix(filepath.Ext(file), ".")
	c, err := draw.NewFormattedCanvas(width, height, format)
	if err != nil {
		return err
	}
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin, -margin))
	return Write(file, func(f *os.File) error {
		_, err := c.WriteTo(f)
		return err
	})
}

// Write makes a file with the contents that the function `fill` writes.
func Write(name string, fill func(f *os.File) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// Scatter draws points as discs of the given radius, and names them in the legend.
func Scatter(p *plot.Plot, name string, c color.Color, radius vg.Length, points plotter.XYs) error {
	s, err := plotter.NewScatter(points)
	if err != nil {
		return err
	}
	s.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
	p.Add(s)
	p.Legend.Add(name, s)
	return nil
}

// ticks places four to nine ticks with labels on an axis, at multiples of 1, 2 or 5 times a power
// of ten.
type ticks struct{}

func (ticks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	power := math.Floor(math.Log10((high - low) / 4))
	digits := max(0, int(-power))
	unit := math.Pow(10, power)
	step := unit
	for _, m := range []float64{2, 5} {
		if (high-low)/(m*unit) >= 4 {
			step = m * unit
		}
	}
	var all []plot.Tick
	for k := math.Ceil(low / step); k*step <= high; k++ {
		label := strconv.FormatFloat(k*step, 'f', digits, 64)
		if k == 0 {
			label = "0"
		}
		all = append(all, plot.Tick{Value: k * step, Label: strings.Replace(label, "-", "−", 1)})
	}
	return all
}
