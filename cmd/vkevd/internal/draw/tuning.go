package draw

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Sizes are two sizes of the band reduction: the half-bandwidth B and the rank K of its updates.
type Sizes struct{ B, K int }

// Tuning draws the time in seconds of a band reduction over the rank K of its updates. There is one
// curve for each half-bandwidth B, and the fastest point is marked. The map `seconds` must not be
// empty.
func Tuning(title string, seconds map[Sizes]float64) (*Picture, error) {
	p := newPicture(title, "k, rank of an update", "seconds")
	p.plot.X.Scale = plot.LogScale{}
	var bs, ks []int
	best, slowest := Sizes{}, 0.0
	for at, t := range seconds {
		bs, ks = append(bs, at.B), append(ks, at.K)
		slowest = math.Max(slowest, t)
		old, seen := seconds[best]
		if !seen || t < old || t == old && (at.B < best.B || at.B == best.B && at.K < best.K) {
			best = at
		}
	}
	slices.Sort(bs)
	slices.Sort(ks)
	ks = slices.Compact(ks)
	p.plot.X.Tick.Marker = ticksAt(ks)
	for i, b := range slices.Compact(bs) {
		var line plotter.XYs
		for _, k := range ks {
			if t, found := seconds[Sizes{b, k}]; found {
				line = append(line, plotter.XY{X: float64(k), Y: t})
			}
		}
		if _, err := p.line(i, line, fmt.Sprintf("b = %d", b)); err != nil {
			return nil, err
		}
		if err := p.dots(i, line, 3); err != nil {
			return nil, err
		}
	}
	p.plot.Y.Min, p.plot.Y.Max = 0, max(slowest*1.1, math.SmallestNonzeroFloat64)
	p.plot.X.Min, p.plot.X.Max = float64(ks[0])/1.3, float64(ks[len(ks)-1])*1.3
	label := fmt.Sprintf("%.4g s at b = %d, k = %d", seconds[best], best.B, best.K)
	x := vg.Points(-20)
	if best.K == ks[len(ks)-1] { // the text would leave the picture at the right
		x = vg.Points(-100)
	}
	at := plotter.XYs{{X: float64(best.K), Y: seconds[best]}}
	return p, p.texts(at, []string{label}, x, vg.Points(-14))
}
