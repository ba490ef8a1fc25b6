package main

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas remembers how wide its texts were when the picture was laid out. Who looks at
// it may not have the font: what they have instead shall fill the same room, or it covers its neighbours.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString puts the text where it was to be, by its middle: where a viewer does not know
// textLength, half of the difference goes to either side.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	width := f.Width(text)
	c.widths = append(c.widths, width)
	at.X += width / 2
	c.Canvas.FillString(f, at, text)
}

// steady adds the widths to what was drawn, and fonts: the first is the one measured with,
// the next are of its widths.
func (c *svgCanvas) steady(drawn []byte) []byte {
	const element = "<text "
	parts := bytes.Split(drawn, []byte(element))
	var b bytes.Buffer
	b.Write(parts[0])
	for i, part := range parts[1:] {
		fmt.Fprintf(&b, `%stext-anchor="middle" textLength="%.4g" lengthAdjust="spacingAndGlyphs" `, element, c.widths[i].Points())
		b.Write(part)
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}
