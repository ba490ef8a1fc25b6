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

// The measurements in this file are whole solves. Each run needs a plan, which is made before the
// run and not timed. The plan is closed after the run, because the device may have memory for only
// one plan at a time.

// solver measures Plan.Solve with the options opt. The device time is the sum of the phases. The
// wall time also includes the transfers of the matrix and of the vectors.
func solver(opt evd.Options) maker {
	return func(b *Bench, s sizes, t tuning.Tuning) *load {
		opt := opt
		opt.Tuning = &t
		return b.solver(s, opt)
	}
}

func (b *Bench) solver(s sizes, opt evd.Options) *load {
	// A plan for a dry device is only a forecast. It allocates no memory, which other measurements
	// may need.
	forecast := must(evd.NewPlan[float64](vk.Dry(b.dev.Info()), s.n, opt))
	flops := 0.0
	for _, c := range forecast.Costs() {
		flops += c.Flops
	}
	n := float64(s.n)
	return &load{
		row:    Row{B: forecast.Band(), K: forecast.Block()},
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
	}
}

// symmetric returns a random symmetric matrix of order n, uniform in [−1, 1). Only its lower
// triangle is set.
func symmetric(n int) evd.Sym[float64] {
	return evd.Sym[float64]{N: n, Ld: n, Data: uniform(n, func(j int) int { return j })}
}

// uniform returns a column-major matrix of order n. In column j, the elements from row first(j) on
// are random, uniform in [−1, 1), and the elements above are zero.
func uniform(n int, first func(j int) int) []float64 {
	a := make([]float64, n*n)
	fill(n, n, func(j int) []float64 { return a[first(j)+j*n : (j+1)*n] })
	return a
}

// fill writes random numbers, uniform in [−1, 1), to the slices part(0), …, part(count−1). It uses
// all cores. The numbers in a slice depend only on n and on the number of the slice, not on the
// number of cores.
func fill(n, count int, part func(k int) []float64) {
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for k := w; k < count; k += workers {
				random := rand.New(rand.NewPCG(uint64(n), uint64(k)))
				numbers := part(k)
				for i := range numbers {
					numbers[i] = 2*random.Float64() - 1
				}
			}
		})
	}
	all.Wait()
}
