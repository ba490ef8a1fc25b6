package bench

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// For whole solves a plan is made for each run, which is not timed, because the device can hold the
// memory of only one plan at a time.

// newValues measures a whole solve without vectors.
func newValues(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.solver(s, evd.Options{Tuning: &t})
}

// newVectors measures a whole solve with vectors.
func newVectors(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.solver(s, evd.Options{Tuning: &t, Vectors: true})
}

// newEmulatedValues measures a whole solve without vectors, with emulated products.
func newEmulatedValues(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.solver(s, evd.Options{Tuning: &t, Products: evd.ProductsEmulated})
}

// newEmulatedVectors measures a whole solve with vectors, with emulated products.
func newEmulatedVectors(b *Bench, s sizes, t tuning.Tuning) (*load, error) {
	return b.solver(s, evd.Options{Tuning: &t, Vectors: true, Products: evd.ProductsEmulated})
}

// solver measures Solve. seconds is the sum of the phases. The wall time also has the transfers of
// the matrix and of the vectors.
func (b *Bench) solver(s sizes, opt evd.Options) (*load, error) {
	// The plan for a dry device is only a forecast. It holds no memory while other measurements
	// run.
	forecast, err := evd.NewPlan[float64](vk.Dry(b.dev.Info()), s.n, opt)
	if err != nil {
		return nil, err
	}
	flops := 0.0
	for _, c := range forecast.Costs() {
		flops += c.Flops
	}
	n := float64(s.n)
	return &load{
		row:    Row{B: forecast.Band(), K: s.k},
		flops:  flops,
		bytes:  realBytes * n * n,
		layout: vk.Together(),
		run: func(ctx context.Context, _ *vk.Arena) (sample, error) {
			plan, err := evd.NewPlan[float64](b.dev, s.n, opt)
			if err != nil {
				return sample{}, err
			}
			defer plan.Close()
			if b.matrix.N != s.n {
				b.dense = evd.Dense[float64]{} // the host may not hold both
				b.matrix = symmetric(s.n)
			}
			began := time.Now()
			res, err := plan.Solve(ctx, b.matrix)
			if err != nil {
				return sample{}, err
			}
			return sample{res.Profile.Total(), time.Since(began).Seconds(), res.Profile}, nil
		},
	}, nil
}

// symmetric returns a random symmetric matrix of order n, uniform in [−1, 1), of which only the
// lower triangle is set.
func symmetric(n int) evd.Sym[float64] {
	return evd.Sym[float64]{N: n, Ld: n, Data: uniform(n, func(j int) int { return j })}
}

// uniform returns a matrix of order n. From row first(j) on, the numbers of column j are random,
// uniform in [−1, 1). The others are zero.
func uniform(n int, first func(j int) int) []float64 {
	a := make([]float64, n*n)
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for w := range workers {
		all.Add(1)
		go func() {
			defer all.Done()
			for j := w; j < n; j += workers {
				random := rand.New(rand.NewPCG(uint64(n), uint64(j)))
				for i := first(j); i < n; i++ {
					a[i+j*n] = 2*random.Float64() - 1
				}
			}
		}()
	}
	all.Wait()
	return a
}
