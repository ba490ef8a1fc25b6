package draw

import (
	"math"
	"testing"

	"gonum.org/v1/plot/plotter"
)

func TestHistogram(t *testing.T) {
	for _, bins := range []int{0, 1, 7} {
		outline := histogram([]float64{-2, -1, -1, 0, 0.5, 5}, bins)
		if first, last := outline[0], outline[len(outline)-1]; first != (plotter.XY{X: -2}) || last != (plotter.XY{X: 5}) {
			t.Errorf("%d bins: from %v to %v", bins, first, last)
		}
		area := 0.0
		for i := 1; i < len(outline); i++ {
			area += (outline[i].X - outline[i-1].X) * outline[i].Y
		}
		if !(math.Abs(area-1) <= 1e-12) || bins > 0 && len(outline) != 2*bins+2 {
			t.Errorf("%d bins: area %g in %v", bins, area, outline)
		}
	}
	got := histogram([]float64{0, 1, 1, 4}, 2) // [0, 2) has three, [2, 4] one
	if got[1].Y != 3./8 || got[3].Y != 1./8 {
		t.Errorf("got %v", got)
	}
}
