package draw

import (
	"errors"
	"fmt"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Singular draws singular values over their index, on a logarithmic scale. The largest value comes
// first, and all values are divided by the largest. A dashed line shows n·ε, where n is the largest
// order and ε = 2⁻⁵². Because of rounding errors, singular values that should be zero may have this
// size. Values that are exactly zero are left out. The error says that no value is positive.
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
		if _, err := p.line(i, points, names[i]); err != nil {
			return nil, err
		}
		if err := p.dots(i, points, 1.5); err != nil {
			return nil, err
		}
		last, order = max(last, float64(count-1)), max(order, s.order())
	}
	level := float64(order) * 0x1p-52
	line, err := p.line(len(all), plotter.XYs{{X: 0, Y: level}, {X: max(last, 1), Y: level}}, fmt.Sprintf("n·ε, n = %d", order))
	if err != nil {
		return nil, err
	}
	line.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
	pad(&p.plot.X, 0.02, 0.02)
	pad(&p.plot.Y, 0.04, 0.04)
	return p, nil
}
