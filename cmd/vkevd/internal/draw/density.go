package draw

import (
	"errors"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
)

// Density draws the density of states of each series as a histogram. The area below a curve is the
// part of the spectrum that the series contains, and 1 if the series contains all eigenvalues.
// `bins` is the number of intervals. If `bins` is 0, the number follows from the values.
func Density(all []Series, bins int) (*Picture, error) {
	names, ofTitle := legends(all)
	all, unit := scaled(all)
	y := "density (area 1)"
	for _, s := range all {
		if len(s.Values) < s.order() {
			y = "density (whole spectrum: area 1)"
		}
	}
	p := newPicture("Density of states"+ofTitle, "eigenvalue"+unit, y)
	for i, s := range all {
		outline := histogram(s.Values, bins)
		for k := range outline {
			outline[k].Y *= float64(len(s.Values)) / float64(s.order())
		}
		line, err := p.line(i, outline, names[i])
		if err != nil {
			return nil, err
		}
		if len(all) == 1 {
			line.FillColor = faint(Colour(i))
		}
	}
	p.plot.Y.Min = 0
	if math.IsInf(p.plot.Y.Max, 0) || math.IsNaN(p.plot.Y.Max) {
		return nil, errors.New("the eigenvalues are too close to each other for a density")
	}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0, 0.06)
	return p, nil
}

// faint returns a colour that is mostly transparent, so that lines and grid below it remain
// visible.
func faint(c color.Color) color.Color {
	const opacity = 0x40
	r, g, b, _ := c.RGBA()
	return color.NRGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), opacity}
}

// histogram is the outline of a histogram of area 1. `values` are in ascending order.
//
// With `bins` = 0 the rule of Freedman and Diaconis (1981) gives the width of an interval: twice
// the interquartile range divided by the cube root of n. The function `histogram` uses half of this
// width, because spectra have edges.
func histogram(values []float64, bins int) plotter.XYs {
	n := len(values)
	low, high := values[0], values[n-1]
	span := high - low
	const same = 0x1p-40 // relative distance to which rounding may spread a multiple eigenvalue
	if span <= same*math.Max(math.Abs(low), math.Abs(high)) {
		half := math.Max(math.Abs(low), 1) / 2
		low, span = low-half, 2*half
	}
	if bins == 0 {
		const fewest, most = 10, 250
		width := (values[3*(n-1)/4] - values[(n-1)/4]) / math.Cbrt(float64(n))
		bins = most
		if width > 0 {
			bins = int(min(max(span/width, fewest), most))
		}
	}
	counts := make([]int, bins)
	for _, x := range values {
		counts[min(max(int(float64(bins)*((x-low)/span)), 0), bins-1)]++
	}
	width := span / float64(bins)
	outline := plotter.XYs{{X: low}}
	for i, c := range counts {
		h := float64(c) / (float64(n) * width)
		from := low + float64(i)*width
		outline = append(outline, plotter.XY{X: from, Y: h}, plotter.XY{X: from + width, Y: h})
	}
	return append(outline, plotter.XY{X: low + span})
}
