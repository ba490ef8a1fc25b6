package draw

import (
	"strings"
	"testing"
)

func TestRoundTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		labels    string
	}{
		{0, 1, "0.0 0.2 0.4 0.6 0.8 1.0"}, {-3.3, 9.2, "-2 0 2 4 6 8"}, {0, 1083, "0 200 400 600 800 1000"},
		{0.00012, 0.00031, "0.00015 0.00020 0.00025 0.00030"}, {7, 7, "7"}, {-1, 1, "-1.0 -0.5 0.0 0.5 1.0"},
	} {
		var labels []string
		for _, tick := range (roundTicks{}).Ticks(c.low, c.high) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
			if tick.Value < c.low-1e-9 || tick.Value > c.high+1e-9 {
				t.Errorf("%g is outside %g to %g", tick.Value, c.low, c.high)
			}
		}
		if got := strings.Join(labels, " "); got != c.labels {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.labels)
		}
	}
}
