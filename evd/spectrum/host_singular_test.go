package spectrum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/lapack/gonum"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/vk"
)

// golubKahan returns the Golub-Kahan form of a random bidiagonal matrix of order n.
func golubKahan(n int) Tridiagonal {
	d, e := suite.Random(n)
	t := Tridiagonal{D: make([]float64, 2*n), E: make([]float64, 2*n-1)}
	for i := range d {
		if t.E[2*i] = d[i]; i < n-1 {
			t.E[2*i+1] = e[i]
		}
	}
	return t
}

// solveDqds finds the values λ[from] … λ[to−1] of t by hostDqds with the given dlasq1.
func solveDqds(ctx context.Context, t Tridiagonal, from, to int, lasq1 func(n int, d, e, work []float64) int) (values []float64, err error) {
	s := NewGolubKahanOnHost(len(t.D), Options{})
	s.Hold(t)
	c := &plan.Call{Ctx: ctx, Profile: vk.NewProfile()}
	err = c.OnHost(s.phase, func(w *plan.HostWork) error {
		values, err = hostDqds(lasq1)(c, s.host, from, to, false, w)
		return err
	})
	return values, err
}

// TestDqds compares the values of dqds with those of bisection: all of them, and parts. It also
// pretends that dqds does not converge. Then the values must be those of bisection.
func TestDqds(t *testing.T) {
	for _, n := range []int{1, 2, 3, 40} {
		m := golubKahan(n)
		fails := func(_ int, d, e, _ []float64) int {
			d[0], e[0] = math.NaN(), math.NaN()
			return 2
		}
		for _, part := range [][2]int{{0, 2 * n}, {n, 2 * n}, {n / 2, n + n/2}} {
			want, err := solveDqds(context.Background(), m, part[0], part[1], fails)
			if err != nil || len(want) != part[1]-part[0] {
				t.Fatalf("n = %d: %d values, %v", n, len(want), err)
			}
			got, err := solveDqds(context.Background(), m, part[0], part[1], gonum.Implementation{}.Dlasq1)
			if err != nil || len(got) != len(want) || !slices.IsSorted(got) {
				t.Fatalf("n = %d: %v, %v", n, got, err)
			}
			for i := range got {
				if !(math.Abs(got[i]-want[i]) < 1e-14*float64(n)) {
					t.Errorf("n = %d, values %v: %g by dqds, %g by bisection", n, part, got[i], want[i])
				}
			}
		}
	}
}

// TestDqdsIsInterruptible ends the context while dqds works. The solve must not wait for dqds.
func TestDqdsIsInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan struct{})
	_, err := solveDqds(ctx, golubKahan(3), 0, 6, func(int, []float64, []float64, []float64) int {
		cancel()
		select {
		case <-done:
		case <-time.After(20 * time.Second): // happens only if the solve waits for dqds
		}
		return 0
	})
	close(done)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestLosesDigits checks that losesDigits counts only tiny values, and only if the device takes
// some element of e as zero.
func TestLosesDigits(t *testing.T) {
	for _, c := range []struct {
		e, values []float64
		want      int
	}{
		{[]float64{1, 0x1p-451}, []float64{0x1p-391, 1}, 1},
		{[]float64{-1, -0x1p-451}, []float64{-0x1p-391, 0, 0x1p-391, 1}, 3},
		{[]float64{1, 0x1p-450}, []float64{0, 1}, 0},
		{[]float64{1, 0x1p-451}, []float64{0x1p-390, 1}, 0},
		{[]float64{1, 0x1p-451}, []float64{0, 0x1p-400}, 2},
		{[]float64{0, 1, 0}, []float64{0}, 0},
		{[]float64{0, 0}, []float64{0}, 0},
		{nil, []float64{0}, 0},
	} {
		if got := losesDigits(c.e, c.values); got != c.want {
			t.Errorf("elements %v, values %v: %d, want %d", c.e, c.values, got, c.want)
		}
	}
}
