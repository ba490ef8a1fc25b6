package draw

import (
	"strings"
	"testing"

	"gonum.org/v1/plot"
)

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		labels    string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}, {-3.3, 9.2, "−2 0 2 4 6 8"}, {0, 1083, "0 200 400 600 800 1000"},
		{0.00012, 0.00031, "0.00015 0.00020 0.00025 0.00030"}, {7, 7, "7"}, {-1, 1, "−1.0 −0.5 0.0 0.5 1.0"},
	} {
		var labels []string
		for _, tick := range (roundTicks{}).Ticks(c.low, c.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
			if !(tick.Value >= c.low-1e-9 && tick.Value <= c.high+1e-9) {
				t.Errorf("%g is outside %g to %g", tick.Value, c.low, c.high)
			}
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.labels)
		}
	}
}

// TestWholeTicks checks the ticks of an axis of indices, which must be whole numbers. An earlier
// version labelled the indices of four eigenvalues 0.0, 0.5, 1.0, …
func TestWholeTicks(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"0 1 2 3": {-0.06, 3.06}, "0": {-0.5, 0.5}, "249 250 251": {248.9, 251.1}, "0 20 40 60 80 100": {-2, 104}, "250 260 270 280 290 300": {248, 302},
	} {
		if got := shown((wholeTicks{}).Ticks(ends[0], ends[1])); got != want {
			t.Errorf("from %g to %g: %s, want %s", ends[0], ends[1], got, want)
		}
	}
}

// TestDecades checks logarithmic axes: all labels must lie within the axis, and a short axis has
// more than one label. An earlier version labelled an axis from 0.1 to 3 only with 1e0.
func TestDecades(t *testing.T) {
	for want, ends := range map[string][2]float64{
		"1e0 1e1 1e2": {0.9, 300}, "1e-9 1e-7 1e-5 1e-3 1e-1 1e1 1e3 1e5 1e7 1e9": {1e-9, 2e10}, "1e-5 1e-4": {0.99e-5, 1.01e-4},
		"2 5": {2, 9}, "0.2 0.5 1 2": {0.12, 2.7}, "2e-7 5e-7": {1.5e-7, 9e-7}, "3.0 3.2 3.4 3.6 3.8 4.0": {3, 4},
	} {
		if got := shown((decades{}).Ticks(ends[0], ends[1])); got != want {
			t.Errorf("from %g to %g: %s, want %s", ends[0], ends[1], got, want)
		}
	}
}

func shown(ticks []plot.Tick) string {
	var labels []string
	for _, tick := range ticks {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	return strings.Join(labels, " ")
}
