package evd_test

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
)

// TestCrossover prints the times of tridiagonal solves on the device and by QR iteration on the
// host, for the orders in VKEVD_CROSSOVER (for example "16,32,64"). The largest orders for QR
// iteration in the tuning tables come from such times.
func TestCrossover(t *testing.T) {
	list := os.Getenv("VKEVD_CROSSOVER")
	if list == "" {
		t.Skip("VKEVD_CROSSOVER names no orders")
	}
	d := device(t, vk.Options{})
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		m := evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n)}
		for i := range n {
			m.D[i], m.E[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		for _, c := range []struct {
			vectors bool
			solver  evd.Solver
		}{{false, evd.Bisection}, {false, evd.DivideConquer}, {false, evd.QR}, {true, evd.DivideConquer}, {true, evd.QR}} {
			p := tridiagonalPlan(t, d, n, evd.Options{Vectors: c.vectors, Solver: c.solver})
			best := time.Hour
			for range 7 {
				began := time.Now()
				if _, err := p.Solve(context.Background(), m); err != nil {
					t.Fatal(err)
				}
				best = min(best, time.Since(began))
			}
			t.Logf("n = %4d, vectors %-5v  %-10v %10.3f ms", n, c.vectors, c.solver, 1e3*best.Seconds())
		}
	}
}
