package draw

import (
	"bytes"
	"fmt"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// An svgCanvas records the width of each text when the text is placed. If a viewer does not have
// the font, it stretches another font to the recorded width, so that texts do not overlap.
type svgCanvas struct {
	*vgsvg.Canvas
	widths []vg.Length
}

// FillString places a text by its middle. A viewer may ignore the attribute textLength and draw a
// wider or narrower text. Each end of the text then moves by only half of the difference.
func (c *svgCanvas) FillString(f font.Face, at vg.Point, text string) {
	width := f.Width(text)
	c.widths = append(c.widths, width)
	at.X += width / 2
	c.Canvas.FillString(f, at, text)
}

// steady changes SVG text so that all viewers show it in the same way. It adds the recorded widths
// of texts, and a list of fonts. The first font of the list is the one with which the texts were
// placed. The next two fonts have the same widths.
func (c *svgCanvas) steady(drawn []byte) []byte {
	const element = "<text "
	parts := bytes.Split(drawn, []byte(element))
	var b bytes.Buffer
	b.Write(parts[0])
	for i, part := range parts[1:] {
		fmt.Fprintf(&b, `%stext-anchor="middle" textLength="%.4g" lengthAdjust="spacingAndGlyphs" `,
			element, c.widths[i].Points())
		b.Write(part)
	}
	return bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
}
