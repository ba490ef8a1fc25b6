package draw

import (
	"math"

	"gonum.org/v1/plot/plotter"
)

// Spectrum draws eigenvalues over their index, counted from 0. If the series have different orders
// n, it draws eigenvalues over index / n. If `log` is true, the scale is logarithmic, and all
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
		same = same && s.order() == all[0].order()
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
				points[k].X /= float64(s.order())
			}
		}
		if _, err := p.line(i, points, names[i]); err != nil {
			return nil, err
		}
		const few = 120 // up to this number, points can be distinguished
		if len(s.Values) <= few {
			if err := p.dots(i, points, 2); err != nil {
				return nil, err
			}
		}
	}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0.04, 0.04)
	return p, nil
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
