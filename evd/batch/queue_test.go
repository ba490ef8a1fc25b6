package batch

import "testing"

// TestQueueLeavesWorkForAllDevices checks the parts into which a batch is divided. A plan with one
// device must get parts as large as possible. If there are several devices, they must get parts
// even if all matrices would fit into one part.
func TestQueueLeavesWorkForAllDevices(t *testing.T) {
	for _, c := range []struct {
		count, most, devices int
		want                 []int
	}{
		{10, 100, 1, []int{10}}, {10, 4, 1, []int{4, 4, 2}}, {1, 9, 2, []int{1}},
		{8, 100, 2, []int{2, 2, 1, 1, 1, 1}}, {20, 3, 2, []int{3, 3, 3, 3, 2, 2, 1, 1, 1, 1}},
	} {
		q := &queue[float64, float64]{a: make(symmetric[float64, float64], c.count), most: c.most, devices: c.devices}
		for k := 0; ; k++ {
			from, to := q.take()
			if from == to {
				if k != len(c.want) {
					t.Errorf("%+v: %d parts", c, k)
				}
				break
			}
			if k >= len(c.want) || to-from != c.want[k] {
				t.Errorf("%+v: part %d has %d matrices", c, k, to-from)
				break
			}
		}
	}
}

// TestPortionSize checks the largest number of matrices of a part: half of the batch, but not less
// than leastPortion, and not more than the plan has memory for.
func TestPortionSize(t *testing.T) {
	for _, c := range []struct{ count, most, want int }{
		{10, 100, 100}, {1000, 1000, 1000}, {20000, 20000, 16384}, {50000, 50000, 25000}, {50000, 1000, 1000}, {50001, 50001, 25001},
	} {
		if got := portionSize(c.count, c.most); got != c.want {
			t.Errorf("%d matrices, memory for %d: parts of %d, not %d", c.count, c.most, got, c.want)
		}
	}
}

// TestStartedPassesPanics checks that a panic in the goroutine of `started` reaches the goroutine
// that waits for the result. Otherwise it would end the process.
func TestStartedPassesPanics(t *testing.T) {
	if got := started(func() int { return 7 })(); got != 7 {
		t.Errorf("result %d", got)
	}
	defer func() {
		if got := recover(); got != "broken" {
			t.Errorf("panic %v", got)
		}
	}()
	started(func() int { panic("broken") })()
	t.Error("no panic")
}
