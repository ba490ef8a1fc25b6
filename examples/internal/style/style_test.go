package style

import (
	"strings"
	"testing"
)

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.095, 0.21, "−0.05 0 0.05 0.10 0.15 0.20"},
		{-4.4, 4.6, "−4 −2 0 2 4"},
		{0, 3.5, "0 0.5 1.0 1.5 2.0 2.5 3.0 3.5"},
		{120, 980, "200 400 600 800"},
		{2, 2, "2"},
	} {
		var labels []string
		for _, tick := range (ticks{}).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %g to %g: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
