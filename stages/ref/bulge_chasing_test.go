package ref

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
)

// randomBand returns a random compact band. The elements below the band, the space for the bulge,
// are zero.
func randomBand(n, b int) []float64 {
	g := gauss((b+1)*n, uint64(b))
	band := make([]float64, n*2*b)
	for c := range n {
		for i := range min(b+1, n-c) {
			band[i+c*2*b] = g[i+c*(b+1)]
		}
	}
	return band
}

func TestBulgeChasing(t *testing.T) {
	orthogonal := worst{name: "‖I − Q2ᵀ·Q2‖"}
	similar := worst{name: "‖B − Q2·T·Q2ᵀ‖"}
	eachShape(func(n, b, k int) {
		if k != b {
			return
		}
		band := randomBand(n, b)
		before := bandToFull(t, n, b, band)
		d, e, v, tau := BulgeChasing(n, b, band)
		bandToFull(t, n, b, band) // the room for the bulge is zero again
		if len(d) != n || len(e) != max(0, n-1) || len(tau) != Sweeps(n)*Steps(n, b) || len(v) != max(0, n*(n-1)/2-1) {
			t.Fatalf("n=%d b=%d: lengths %d %d %d %d", n, b, len(d), len(e), len(v), len(tau))
		}
		for s := range Sweeps(n) {
			for j := range Steps(n, b) {
				r := s + 1 + j*b
				if r >= n {
					if tau[s*Steps(n, b)+j] != 0 {
						t.Errorf("n=%d b=%d: τ(%d, %d) of no step is used", n, b, s, j)
					}
				} else if v[VOffset(n, s)+r-(s+1)] != 1 {
					t.Errorf("n=%d b=%d: v(%d, %d)[0] is not 1", n, b, s, j)
				}
			}
		}
		q := eye(n, n)
		ApplyQ2(n, b, v, tau, n, q, n)
		orthogonal.see(t, ratio.Orthogonality(n, n, q, n), "n=%d b=%d", n, b)
		similar.see(t, similarity(n, before, q, tridiagonalToFull(d, e)), "n=%d b=%d", n, b)
	})
	orthogonal.report(t)
	similar.report(t)
}

// runOrder runs the steps of a bulge chasing in some order. A sweep that has finished j steps may
// do its next step when the previous sweep has finished more than j + `ahead` steps, or all its
// steps. The function `choose` selects one of the sweeps that may continue.
func runOrder(c *chase[float64], ahead int, choose func(ready []int) int) {
	sweeps := Sweeps(c.n)
	done := make([]int, sweeps)
	for {
		var ready []int
		for s := range sweeps {
			j := done[s]
			if j < c.steps(s) && (s == 0 || done[s-1] >= min(j+ahead+1, c.steps(s-1))) {
				ready = append(ready, s)
			}
		}
		if len(ready) == 0 {
			return
		}
		s := choose(ready)
		c.chaseStep(s, done[s])
		done[s]++
	}
}

func sameBits(x, y *chase[float64]) bool {
	return slices.Equal(x.band, y.band) && slices.Equal(x.v, y.v) && slices.Equal(x.tau, y.tau)
}

// TestDependenceRule checks the rule of bulge chasing that step j of sweep s+1 runs after step j+2
// of sweep s. It runs the steps in the earliest order and in random orders that the rule allows.
// The bits must be those of one sweep after another. In at least one case, the bits must differ if
// a sweep may begin one step earlier.
func TestDependenceRule(t *testing.T) {
	eager := func(ready []int) int { return ready[len(ready)-1] }
	wrong := 0
	for n := 0; n <= 40; n++ {
		for _, b := range []int{1, 2, 3, 4, 5, 8} {
			sequential := newChase(n, b, randomBand(n, b))
			runOrder(sequential, n, func(ready []int) int { return ready[0] })
			d, e, v, tau := BulgeChasing(n, b, randomBand(n, b))
			dw, ew, vw, tauw := BulgeChasingWaves(n, b, randomBand(n, b))
			if !slices.Equal(v, sequential.v) || !slices.Equal(tau, sequential.tau) {
				t.Errorf("n=%d b=%d: the test's sequential order is another", n, b)
			}
			if !slices.Equal(d, dw) || !slices.Equal(e, ew) || !slices.Equal(v, vw) || !slices.Equal(tau, tauw) {
				t.Errorf("n=%d b=%d: waves give other bits", n, b)
			}

			r := rand.New(rand.NewPCG(uint64(n), uint64(b)))
			random := func(ready []int) int { return ready[r.IntN(len(ready))] }
			for name, choose := range map[string]func([]int) int{"eager": eager, "random": random} {
				c := newChase(n, b, randomBand(n, b))
				runOrder(c, 2, choose)
				if !sameBits(c, sequential) {
					t.Errorf("n=%d b=%d: the %s order gives other bits", n, b, name)
				}
			}
			early := newChase(n, b, randomBand(n, b))
			runOrder(early, 1, eager)
			if !sameBits(early, sequential) {
				wrong++
			}
		}
	}
	if wrong == 0 {
		t.Error("one step earlier never showed: this test sees nothing")
	}
	t.Logf("one step too early is wrong in %d of %d cases", wrong, 41*6)
}

// window reports whether step j of sweep s reads or writes element (row, col) of the band, as the
// comment of the method chaseStep says.
func window(n, b, s, j, row, col int) bool {
	r := s + 1 + j*b
	left := max(s, r-b)
	return r <= row && row < r+b && left <= col && col <= row ||
		r+b <= row && row < min(r+2*b, n) && r <= col && col < r+b
}

// TestStepStaysInItsWindow checks that a step of the bulge chasing reads and writes only the
// elements for which the function `window` returns true. It fills all other elements with NaN
// before the step.
func TestStepStaysInItsWindow(t *testing.T) {
	for _, n := range []int{3, 9, 17} {
		for _, b := range []int{1, 2, 3, 5} {
			want := newChase(n, b, randomBand(n, b))
			for s := range Sweeps(n) {
				for j := range want.steps(s) {
					got := newChase(n, b, slices.Clone(want.band))
					each := func(f func(i int, inside bool)) {
						for c := range n {
							for i := range 2 * b {
								f(i+c*2*b, window(n, b, s, j, c+i, c))
							}
						}
					}
					each(func(i int, inside bool) {
						if !inside {
							got.band[i] = math.NaN()
						}
					})
					want.chaseStep(s, j)
					got.chaseStep(s, j)
					each(func(i int, inside bool) {
						if inside != (got.band[i] == want.band[i]) || !inside && !math.IsNaN(got.band[i]) {
							t.Fatalf("n=%d b=%d step (%d, %d): element %d, inside: %v, is %g, want %g",
								n, b, s, j, i, inside, got.band[i], want.band[i])
						}
					})
				}
			}
		}
	}
}

// TestUnorderedStepsAreDisjoint proves the dependence rule for small n by trying all pairs of
// steps. The rule is that step j of sweep s+1, written (s+1, j), runs after step (s, j+2). The
// window of a step is the set of elements that it reads or writes. If i > j + 2g, the rule does not
// order steps (s, i) and (s+g, j), and then no element may be in the windows of both steps. If i =
// j + 2g, some pair of steps must have a common element.
func TestUnorderedStepsAreDisjoint(t *testing.T) {
	overlap := func(n, b, s1, j1, s2, j2 int) string {
		for col := range n {
			for row := col; row < min(col+2*b, n); row++ {
				if window(n, b, s1, j1, row, col) && window(n, b, s2, j2, row, col) {
					return fmt.Sprintf("(%d, %d)", row, col)
				}
			}
		}
		return ""
	}
	for _, n := range []int{8, 19, 22} {
		for _, b := range []int{1, 2, 3, 4} {
			tight := false
			for s := range Sweeps(n) {
				for g := 1; s+g < Sweeps(n); g++ {
					for j := range stepsOf(n, b, s+g) {
						for i := j + 2*g; i < stepsOf(n, b, s); i++ {
							at := overlap(n, b, s, i, s+g, j)
							if i == j+2*g {
								tight = tight || at != ""
							} else if at != "" {
								t.Fatalf("n=%d b=%d: steps (%d, %d) and (%d, %d) share %s", n, b, s, i, s+g, j, at)
							}
						}
					}
				}
			}
			if !tight && stepsOf(n, b, 1) > 2 {
				t.Errorf("n=%d b=%d: the rule asks for more than the windows do", n, b)
			}
		}
	}
}
