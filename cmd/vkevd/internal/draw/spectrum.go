package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A Series is the eigenvalues of one matrix, or a contiguous part of them.
type Series struct {
	Name   string    // for title or legend
	Values []float64 // ascending and finite, at least one
	First  int       // index of Values[0] among all eigenvalues, from 0
	N      int       // order of the matrix; 0 is len(Values), or not known if First > 0

	Squares float64 // of singular values: the sum of squares of all; 0 if Values has all
}

// Order is the number of values if the order of the matrix is not known.
func (s Series) Order() int {
	if s.N == 0 {
		return len(s.Values)
	}
	return s.N
}

func (s Series) whole() bool { return s.First == 0 && len(s.Values) == s.Order() }

// label is the name of the series for a legend. If the series is a part of the spectrum, the label
// also has the range of indices.
func (s Series) label() string {
	switch to := s.First + len(s.Values); {
	case s.whole():
		return fmt.Sprintf("%s, n = %d", s.Name, s.Order())
	case s.N == 0:
		return fmt.Sprintf("%s, %d:%d", s.Name, s.First, to)
	default:
		return fmt.Sprintf("%s, %d:%d of n = %d", s.Name, s.First, to, s.N)
	}
}

// legends returns the names of several series for the legend of a picture. If there is only one
// series, there is no legend, and the name is returned as a part of the title (the result ofTitle).
func legends(all []Series) (names []string, ofTitle string) {
	if len(all) == 1 {
		return []string{""}, " of " + all[0].label()
	}
	for _, s := range all {
		names = append(names, s.label())
	}
	return names, ""
}

// scaled divides the values of all series by one power of ten, so that tick labels stay short. It
// returns copies of the series, and a text for the label of the axis, such as " / 1e300". If the
// labels are short anyway, it returns the series themselves and "".
func scaled(all []Series) ([]Series, string) {
	largest := 0.0
	for _, s := range all {
		for _, x := range s.Values {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || largest >= 1e-3 && largest < 1e5 {
		return all, ""
	}
	e := int(math.Floor(math.Log10(largest)))
	first := e / 2 // 10ᵉ itself may not be a double
	all = slices.Clone(all)
	for i := range all {
		all[i].Values = slices.Clone(all[i].Values)
		for j, x := range all[i].Values {
			all[i].Values[j] = x * math.Pow10(-first) * math.Pow10(first-e)
		}
	}
	return all, " / " + powerOfTen(e)
}

// Spectrum draws eigenvalues over their index, counted from 0. If the series have different orders
// n, Spectrum draws eigenvalues over index / n. If `log` is true, the scale is logarithmic, and all
// values must be positive.
func Spectrum(all []Series, log bool) (*Picture, error) {
	unit := ""
	if !log {
		all, unit = scaled(all)
	}
	names, ofTitle := legends(all)
	p := newPicture("Eigenvalues"+ofTitle, "index of the eigenvalue, from 0", "eigenvalue"+unit)
	if log {
		logarithmic(&p.plot.Y)
	}
	same := true
	for _, s := range all {
		same = same && s.Order() == all[0].Order()
	}
	if !same {
		p.plot.X.Label.Text = "index of the eigenvalue / n"
	} else {
		p.plot.X.Tick.Marker = wholeTicks{}
	}
	for i, s := range all {
		points := thinned(s)
		for k := range points {
			if !same {
				points[k].X /= float64(s.Order())
			}
		}
		p.line(i, points, names[i])
		const few = 120 // up to this number, points can be distinguished
		if len(s.Values) <= few {
			p.dots(i, points, 2)
		}
	}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0.04, 0.04)
	return p, p.err
}

// thinned returns the points (index, value) of a series. If there are more points than a picture
// can show, `thinned` selects some of them, including the first and the last.
func thinned(s Series) plotter.XYs {
	const most = 4000
	n := len(s.Values)
	count := min(n, most)
	points := make(plotter.XYs, count)
	for k := range points {
		j := k
		if count < n {
			j = int(math.Round(float64(k) * float64(n-1) / float64(count-1)))
		}
		points[k].X, points[k].Y = float64(s.First+j), s.Values[j]
	}
	return points
}

// Singular draws singular values over their index, on a logarithmic scale. The largest value comes
// first, and all values of a series are divided by the largest. A dashed line shows n·ε, where n is
// the largest order and ε = 2⁻⁵². Because of rounding errors, singular values that should be zero
// may have this size. Values that are exactly zero are left out. A series without a positive value
// is an error.
func Singular(all []Series) (*Picture, error) {
	names, ofTitle := legends(all)
	p := newPicture("Singular values"+ofTitle, "index of the singular value, from 0", "σ / σ₁")
	logarithmic(&p.plot.Y)
	p.plot.X.Tick.Marker = wholeTicks{}
	last, order := 0.0, 0
	for i, s := range all {
		count := len(s.Values)
		largest := s.Values[count-1]
		if largest <= 0 {
			return nil, errors.New("no singular value is positive")
		}
		var points plotter.XYs
		for _, at := range thinned(Series{Values: s.Values}) {
			if at.Y > 0 {
				points = append(points, plotter.XY{X: float64(count-1) - at.X, Y: at.Y / largest})
			}
		}
		p.line(i, points, names[i])
		p.dots(i, points, 1.5)
		last, order = max(last, float64(count-1)), max(order, s.Order())
	}
	level := float64(order) * 0x1p-52
	line := p.line(len(all), plotter.XYs{{X: 0, Y: level}, {X: max(last, 1), Y: level}}, fmt.Sprintf("n·ε, n = %d", order))
	line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0.04, 0.04)
	return p, p.err
}

// Scree draws which part of the variance each principal component has, largest first, and dashed
// the sum of these parts. Variances are squares of singular values, or eigenvalues. If nothing says how
// many values there are, the label says that the parts are those of the values in the file.
func Scree(all []Series, singular bool) (*Picture, error) {
	names, ofTitle := legends(all)
	p := newPicture("Parts of the variance"+ofTitle, "principal component, from 1", "part of the variance, %")
	p.plot.X.Tick.Marker = wholeTicks{}
	for i, s := range all {
		if s.N == 0 {
			p.plot.Y.Label.Text = "part of the variance of the values in the file, %"
		}
		largest, sum := s.Values[len(s.Values)-1], 0.0
		if largest <= 0 {
			return nil, errors.New("no value is positive")
		}
		var parts, sums plotter.XYs
		for k := range s.Values {
			x := s.Values[len(s.Values)-1-k] / largest
			if singular {
				x *= x
			}
			sum += x
			parts, sums = append(parts, plotter.XY{X: float64(k + 1), Y: x}), append(sums, plotter.XY{X: float64(k + 1), Y: sum})
		}
		if singular && s.Squares > 0 {
			sum = s.Squares / largest / largest
		}
		for k := range parts {
			parts[k].Y *= 100 / sum
			sums[k].Y *= 100 / sum
		}
		p.line(i, parts, names[i])
		p.dots(i, parts, 2)
		p.line(i, sums, "").Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	}
	p.plot.Y.Min = 0
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0, 0.04)
	return p, p.err
}

// Density draws the density of states of each series as a histogram. The area below a curve is the
// part of the spectrum that the series contains, and 1 if the series contains all eigenvalues.
// `bins` is the number of intervals. If `bins` is 0, the number follows from the values.
// `value` is the label of the axis.
func Density(all []Series, bins int, value string) (*Picture, error) {
	names, ofTitle := legends(all)
	all, unit := scaled(all)
	y := "density (area 1)"
	for _, s := range all {
		if len(s.Values) < s.Order() {
			y = "density (whole spectrum: area 1)"
		}
	}
	p := newPicture("Density of states"+ofTitle, value+unit, y)
	for i, s := range all {
		outline := histogram(s.Values, bins)
		for k := range outline {
			outline[k].Y *= float64(len(s.Values)) / float64(s.Order())
		}
		line := p.line(i, outline, names[i])
		if len(all) == 1 {
			line.FillColor = faint(Colour(i))
		}
	}
	p.plot.Y.Min = 0
	if p.err == nil && (math.IsInf(p.plot.Y.Max, 0) || math.IsNaN(p.plot.Y.Max)) {
		return nil, errors.New("the values are too close to each other for a density; plot spectrum draws them")
	}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0, 0.06)
	return p, p.err
}

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
