package batch_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// BenchmarkSolve measures the time of batches with and without vectors, transfers included. On a
// CPU device it uses batches of a hundredth of the size.
func BenchmarkSolve(b *testing.B) {
	cut := 1
	if stagetest.Info().Type == "cpu" {
		cut = 100
	}
	for _, c := range []struct{ n, count int }{{16, 50000}, {32, 10000}, {64, 5000}, {128, 1000}, {256, 200}, {512, 50}} {
		count := max(1, c.count/cut)
		if c.n > batch.MaxOrder(stagetest.Device(b), batch.Options{}) {
			continue
		}
		a := batch.Stack(c.n, count, stagetest.Normal(c.n, c.n*count, c.n, 1).Data, evd.Lower)
		for _, vectors := range []bool{true, false} {
			b.Run(fmt.Sprintf("%dof%d,vectors=%v", count, c.n, vectors), func(b *testing.B) {
				p := newPlan(b, c.n, count, batch.Options{Vectors: vectors})
				res := solve(b, p, a...)
				onDevice := 0.0
				for b.Loop() {
					profile, err := p.SolveInto(context.Background(), a, res.Spectra)
					if err != nil {
						b.Fatal(err)
					}
					onDevice += profile.Total()
				}
				b.ReportMetric(1e3*onDevice/float64(b.N), "ms-on-device")
			})
		}
	}
}

// TestSpeed compares a batch of small matrices with an evd.Plan that solves one matrix after
// another. The batch must be five times as fast. For order 16 on a CPU device it must only be
// faster, because an evd.Plan solves matrices of this order on the host there, without the driver.
func TestSpeed(t *testing.T) {
	if os.Getenv("VKEVD_SPEED") == "" {
		t.Skip("set VKEVD_SPEED; make test-long does")
	}
	const alone = 5
	for _, c := range []struct {
		n, count int
	}{{16, 500}, {64, 1000}} {
		n, count := c.n, c.count
		a := batch.Stack(n, count, stagetest.Normal(n, n*count, n, 1).Data, evd.Lower)
		many := newPlan(t, n, count, batch.Options{Vectors: true})
		one, err := evd.NewPlan[float64](stagetest.Device(t), n, evd.Options{Vectors: true})
		if err != nil {
			t.Fatal(err)
		}
		defer one.Close()
		single := func() {
			for _, m := range a[:alone] {
				if _, err := one.Solve(context.Background(), m); err != nil {
					t.Fatal(err)
				}
			}
		}
		together := func() { solve(t, many, a...) }
		together() // the first call compiles kernels
		single()
		times := [2]float64{seconds(together) / float64(count), seconds(single) / alone}
		t.Logf("order %d: %.3f ms in a batch, %.3f ms alone: %.1f times", n, 1e3*times[0], 1e3*times[1], times[1]/times[0])
		least := 5.0
		if stagetest.Info().Type == "cpu" && n == 16 {
			least = 1
		}
		if !(times[1] >= least*times[0]) {
			t.Errorf("a matrix of a batch takes %.3f ms, alone %.3f ms", 1e3*times[0], 1e3*times[1])
		}
	}
}

func seconds(work func()) float64 {
	best := 1e9
	for range 3 {
		began := time.Now()
		work()
		best = min(best, time.Since(began).Seconds())
	}
	return best
}

// BenchmarkPairs solves batches of pairs with vectors. Its metrics are the milliseconds of each phase.
func BenchmarkPairs(b *testing.B) {
	b.Run("float64", benchmarkPairs[float64])
	b.Run("complex128", benchmarkPairs[complex128])
}

func benchmarkPairs[T evd.Number](b *testing.B) {
	for _, c := range []struct{ n, count int }{{16, 50000}, {32, 10000}, {64, 5000}, {128, 1000}, {256, 200}, {512, 50}} {
		if stagetest.Info().Type == "cpu" {
			c.count /= 50
		}
		all := make([]pair, c.count)
		for k := range all {
			all[k] = pair{n: c.n, a: held[T](positive[T](c.n, 100), 0), b: held[T](positive[T](c.n, 10), 0)}
			if k > 0 {
				all[k] = all[0]
			}
		}
		x, y := given[T](all)
		b.Run(fmt.Sprintf("%dof%d", c.count, c.n), func(b *testing.B) {
			p := pairPlan[T](b, c.n, c.count, batch.Options{Vectors: true})
			res, err := p.Solve(context.Background(), x, y)
			if err != nil {
				b.Fatal(err)
			}
			phases := map[string]float64{}
			for b.Loop() {
				profile, err := p.SolveInto(context.Background(), x, y, res.Spectra)
				if err != nil {
					b.Fatal(err)
				}
				for _, phase := range profile.Phases {
					phases[strings.ReplaceAll(phase.Name, " ", "-")] += phase.Seconds
				}
			}
			for name, seconds := range phases {
				b.ReportMetric(1e3*seconds/float64(b.N), "ms:"+name)
			}
		})
	}
}
