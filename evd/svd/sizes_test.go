package svd

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
)

// reflected is a dense n×n matrix with known singular values 1, (n−1)/n, … 1/n:
// (I − 2·u·uᵀ)·Σ·(I − 2·v·vᵀ).
func reflected(n int) (a evd.Dense[float64], values []float64) {
	r := rand.New(rand.NewPCG(uint64(n), 3))
	unit := func() []float64 {
		x := make([]float64, n)
		var sum float64
		for i := range x {
			x[i] = r.NormFloat64()
			sum += x[i] * x[i]
		}
		for i := range x {
			x[i] /= math.Sqrt(sum)
		}
		return x
	}
	u, v := unit(), unit()
	values = make([]float64, n)
	var inner float64 // uᵀ·Σ·v
	for i := range values {
		values[i] = float64(n-i) / float64(n)
		inner += u[i] * values[i] * v[i]
	}
	a = evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			x := 4*inner*u[i]*v[j] - 2*values[i]*v[i]*v[j] - 2*u[i]*u[j]*values[j]
			if i == j {
				x += values[i]
			}
			a.Data[i+j*n] = x
		}
	}
	return a, values
}

// TestSizes solves the orders in VKEVD_SIZES, 1024,4096 say, twice each, and prints the second one's
// times by phase and on the clock.
func TestSizes(t *testing.T) {
	list := os.Getenv("VKEVD_SIZES")
	if list == "" {
		list = "64"
	}
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		a, want := reflected(n)
		p, err := NewPlan[float64](testDevice(t), n, n, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for round := range 2 {
			began := time.Now()
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatal(err)
			}
			clock := time.Since(began)
			worst := 0.0
			for i := range want {
				worst = max(worst, math.Abs(res.Values[i]-want[i])/(float64(n)*0x1p-52*want[0]))
			}
			if !(worst < 10) {
				t.Errorf("n = %d: a value is %.3g·n·ε·σ₁ off", n, worst)
			}
			if round == 1 {
				t.Logf("n = %d: %.1f ms in stages, %v on the clock, %d MB, values within %.3g·n·ε·σ₁", n, 1e3*res.Profile.Total(), clock.Round(100*time.Microsecond), p.Bytes()>>20, worst)
				for _, phase := range res.Profile.Phases {
					t.Logf("  %-24s %9.2f ms", phase.Name, 1e3*phase.Seconds)
				}
			}
		}
		p.Close()
	}
}
