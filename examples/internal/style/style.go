// Package style, internal to vkevd, runs the examples, and gives their pictures one style: one
// font, margins, and colours that people with colour blindness can distinguish.
package style

import (
	"errors"
	"flag"
	"image/color"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Blue, Orange and Green are three colours of M. Okabe and K. Ito (2008).
var (
	Blue   = color.NRGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}
	Orange = color.NRGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}
	Green  = color.NRGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}
)

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
