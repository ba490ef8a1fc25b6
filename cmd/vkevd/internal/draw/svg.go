package draw

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas records the place of each text when the text is drawn. If a viewer does not have
// the font, it stretches or shrinks another font to the recorded width, so that texts do not overlap.
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
// size. It adds the recorded places
// of texts, and a list of fonts. The first font of the list is the one with which the texts were
// placed. The next two fonts have the same widths.
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
