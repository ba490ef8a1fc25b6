package chase

import (
	"fmt"
	"math"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// closedForm is the time of bulge chasing, in steps that run one after another, by the closed form
// of Wang and others (PPoPP 2025, §3.3): 3n−2, plus a sum over the sweeps that must wait because
// only `room` sweeps are in flight at a time.
func closedForm(n, b, room float64) float64 {
	total := 3*n - 2
	for i := 1.0; i <= (n+3*b)/room-3*b; i++ {
		total += (n+room)/b - 3*room + 3 - room/b*i
	}
	return total
}

// TestChaseModel compares ModelChase with the closed form of Wang and others, in cases where the
// approximations of the closed form are good. If only one sweep is in flight, the total must be at
// least the number of steps of all sweeps, and for narrow bands at most 9·b steps more.
func TestChaseModel(t *testing.T) {
	for _, c := range []struct{ n, b, room int }{{65536, 32, 1}, {65536, 32, 4}, {65536, 32, 32}, {65536, 32, 128}, {65536, 32, 500}, {32768, 64, 16}, {4096, 8, 64}} {
		m := ModelChase(c.n, c.b, 3, c.room)
		got, want := float64(m.Path+m.Stalls), closedForm(float64(c.n), float64(c.b), float64(c.room))
		if !(math.Abs(got-want) <= 0.02*want) {
			t.Errorf("n=%d b=%d, %d sweeps: %g steps, the paper's formula says %g", c.n, c.b, c.room, got, want)
		}
	}
	for _, n := range []int{0, 1, 2, 3, 4, 17, 100} {
		for _, b := range []int{1, 2, 5, 200} {
			all := 0
			for s := range n - 2 {
				if b > 1 {
					all += (n - 1 - s + b - 1) / b
				}
			}
			if m := ModelChase(n, b, 3, 1); b > 1 && m.Path+m.Stalls < all || b < n/4 && b > 1 && m.Path+m.Stalls > all+3*b*3 {
				t.Errorf("n=%d b=%d: one sweep at a time takes %+v, there are %d steps", n, b, m, all)
			}
			if m := ModelChase(n, b, 3, 0); m.Stalls != 0 {
				t.Errorf("n=%d b=%d: stalls with room for all: %+v", n, b, m)
			}
		}
	}
}

func ExampleModelChase() {
	m := ModelChase(32768, 32, 3, 264)
	fmt.Println(m.Path, m.Stalls)
	// Output: 98296 3389
}

// TestChaseForecasts checks that the model agrees within 20 % with times that were measured on an
// NVIDIA H200 (driver 580.159, 2026-11-22).
func TestChaseForecasts(t *testing.T) {
	h200 := vk.Info{Name: "NVIDIA H200", Family: "nvidia", Units: 132, Subgroup: 32, SharedBytes: 48 << 10, MaxLocal: 1024}
	for _, c := range []struct {
		n, b    int
		seconds float64
	}{{8192, 32, 39.1e-3}, {32768, 32, 190.7e-3}, {32768, 64, 339e-3}} {
		s, err := NewBulgeChasing[float64](vk.Dry(h200), Size{c.n, c.b, true}, TuningFor(h200).Chase.Waiting(t, vk.Dry(h200)), TuningFor(h200).Chase.Tuning)
		if err != nil {
			t.Fatal(err)
		}
		m := s.Model()
		t.Logf("n=%d b=%d: %+v, measured %g s, a step %.3g µs", c.n, c.b, m, c.seconds, 1e6*c.seconds/float64(m.Path+m.Stalls))
		if !(math.Abs(m.Seconds-c.seconds) <= 0.2*c.seconds) {
			t.Errorf("n=%d b=%d: %g s, measured %g s", c.n, c.b, m.Seconds, c.seconds)
		}
	}
}
