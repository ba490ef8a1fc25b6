package bench

import (
	"context"
	"time"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// batchStages are the names of the stages that solve many matrices at once.
var batchStages = []string{"batch", "batch-values"}

// stackOf is the host's memory of a batch: the random matrices, and the memory of the results.
type stackOf struct {
	n, count int
	a        []evd.Sym[float64]
	results  map[bool]*batch.Result // with vectors (true) and without, after the first solve of each
}

// batch measures Plan.SolveInto of package evd/batch for s.count matrices of order s.n. The device
// time is the sum of the phases. The wall time begins with the matrices in host memory and ends
// with the results in host memory. The host writes to the memory of the results before the run, so
// that the wall time has no page faults. The plan is made before the run and not timed.
func (b *Bench) batch(s sizes, t tuning.Tuning, vectors bool) *load {
	opt := batch.Options{Vectors: vectors, Tuning: &t}
	if most := batch.MaxOrder(b.dev, opt); s.n > most {
		panic(refused{&evd.ShapeError{N: s.n, Max: most}})
	}
	n, count := float64(s.n), float64(s.count)
	moved := n*n + n // the matrix and its values
	if vectors {
		moved += n * n
	}
	return &load{
		row:    Row{Count: s.count},
		flops:  count * batchs.BatchFlops(s.n, vectors),
		bytes:  realBytes * count * moved,
		layout: vk.Together(),
		run: func(ctx context.Context, _ *vk.Arena) (sample, error) {
			plan, err := batch.NewPlan(b.dev, s.n, s.count, opt)
			if err != nil {
				return sample{}, err
			}
			defer plan.Close()
			if b.stack == nil || b.stack.n != s.n || b.stack.count != s.count {
				b.stack = nil // the host need not hold both
				b.stack = newStack(s.n, s.count)
			}
			if b.stack.results[vectors] == nil {
				if b.stack.results[vectors], err = plan.Solve(ctx, b.stack.a); err != nil {
					return sample{}, err
				}
			}
			out := b.stack.results[vectors].Spectra
			began := time.Now()
			profile, err := plan.SolveInto(ctx, b.stack.a, out)
			if err != nil {
				return sample{}, err
			}
			wall := time.Since(began).Seconds()
			for _, spectrum := range out {
				if spectrum.Err != nil {
					return sample{}, spectrum.Err
				}
			}
			return sample{profile.Total(), wall, profile}, nil
		},
	}
}

// newStack returns random symmetric matrices of order n, uniform in [−1, 1). The number of matrices
// is `count`.
func newStack(n, count int) *stackOf {
	data := make([]float64, count*n*n)
	fill(n, count, func(k int) []float64 { return data[k*n*n : (k+1)*n*n] })
	return &stackOf{n, count, batch.Stack(n, count, data, evd.Lower), map[bool]*batch.Result{}}
}

// usualCounts are the numbers of matrices for some orders. docs/benchmarks.md has their times.
var usualCounts = map[int]int{8: 100000, 16: 50000, 32: 10000, 64: 5000, 128: 1000, 256: 200, 512: 50}

// usualCount is the number of matrices of order n that is measured if Options.Counts is empty. For
// orders that usualCounts does not list, the matrices have about 2²⁴ elements together. A device
// that computes on the CPU gets a hundredth.
func usualCount(n int, info vk.Info) int {
	count, listed := usualCounts[n]
	if !listed {
		count = min(1<<24/(n*n), usualCounts[8])
	}
	if info.Type == "cpu" {
		count /= 100
	}
	return max(1, count)
}
