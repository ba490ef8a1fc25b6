package stages_test

import (
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/stages"
)

// TestSpans checks the function that divides items into dispatches: a dispatch ends at its cost
// limit or at its largest number of items, and every item belongs to a dispatch.
func TestSpans(t *testing.T) {
	cost := func(item int) float64 { return float64(1 + item%3) }
	for _, c := range []struct {
		n, most int
		limit   float64
		want    string
	}{
		{0, 9, 4, "[]"}, {7, 9, 100, "[{0 7 13}]"}, {7, 9, 4, "[{0 3 6} {3 6 6} {6 7 1}]"},
		{5, 2, 100, "[{0 2 3} {2 4 4} {4 5 2}]"}, {3, 1, 0, "[{0 1 1} {1 2 2} {2 3 3}]"}, {2, 0, 9, "[{0 1 1} {1 2 2}]"},
	} {
		if got := fmt.Sprint(stages.Spans(c.n, c.most, c.limit, cost)); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}
