package bench

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/svd"
	batchs "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/vk"
)

// The measurements in this file are whole solves. Each run needs a plan, which is made before the
// run and not timed. The plan is closed after the run, because the device may have memory for only
// one plan at a time. The device time is the sum of the phases. The wall time also includes the
// transfers of the matrix and of the vectors.

type plan interface {
	Costs() []evd.StageCost
	Band() int
	Block() int
	Close()
}

// `whole` measures a solve with a plan that `open` makes for each run.
func whole[P plan](l *load, open func(*vk.Device) (P, error), solve func(context.Context, P) (sample, error)) {
	// A plan for a dry device is only a forecast. It allocates no memory.
	forecast := must(open(vk.Dry(l.dev.Info())))
	for _, c := range forecast.Costs() {
		l.flops += c.Flops
	}
	l.row.B, l.row.K = forecast.Band(), forecast.Block()
	l.run = func(ctx context.Context, _ *vk.Arena) (sample, error) {
		plan, err := open(l.dev)
		if err != nil {
			return sample{}, err
		}
		defer plan.Close()
		return solve(ctx, plan)
	}
}

func solver(opt evd.Options) func(*load) {
	return func(l *load) {
		if l.row.Complex = l.opt.Complex; l.row.Complex {
			denseSolver[complex128](l, opt)
		} else {
			denseSolver[float64](l, opt)
		}
	}
}

func denseSolver[T float64 | complex128](l *load, opt evd.Options) {
	opt.Tuning = &l.tune
	l.numbers = float64(l.n) * float64(l.n) * float64(unsafe.Sizeof(*new(T))) / 8
	open := func(dev *vk.Device) (*evd.Plan[T], error) { return evd.NewPlan[T](dev, l.n, opt) }
	whole(l, open, func(ctx context.Context, plan *evd.Plan[T]) (sample, error) {
		a := symmetric[T](l)
		return clocked(func() (*vk.Profile, error) {
			res, err := plan.Solve(ctx, a)
			if err != nil {
				return nil, err
			}
			l.computed(plan.Emulated())
			return res.Profile, nil
		})
	})
}

func symmetric[T float64 | complex128](l *load) evd.Sym[T] {
	a, made := l.host.symmetric.(evd.Sym[T])
	if !made || a.N != l.n {
		l.host.general, l.host.symmetric = nil, nil // the host may not hold both
		a = evd.NewSym(l.n, uniform[T](l.n, func(j int) int { return j }), evd.Lower)
		l.host.symmetric = a
	}
	return a
}

// computed adds to the row how products of complex matrices were computed.
func (l *load) computed(emulated bool) {
	if l.row.Complex {
		l.row.Products = map[bool]string{false: "native", true: "emulated"}[emulated]
	}
}

func pairSolver(opt pencil.Options) func(*load) {
	return func(l *load) {
		if l.row.Complex = l.opt.Complex; l.row.Complex {
			densePairs[complex128](l, opt)
		} else {
			densePairs[float64](l, opt)
		}
	}
}

// densePairs measures Plan.SolvePair of package evd/pencil. B = A + 4·n·I is positive definite.
func densePairs[T float64 | complex128](l *load, opt pencil.Options) {
	opt.Tuning = &l.tune
	l.numbers = 2 * float64(l.n) * float64(l.n) * float64(unsafe.Sizeof(*new(T))) / 8
	open := func(dev *vk.Device) (*pencil.Plan[T], error) { return pencil.NewPlan[T](dev, l.n, opt) }
	whole(l, open, func(ctx context.Context, plan *pencil.Plan[T]) (sample, error) {
		a := symmetric[T](l)
		b := evd.NewSym(l.n, slices.Clone(a.Data), evd.Lower)
		var shift T
		for range l.n {
			shift += 4
		}
		for j := range l.n {
			b.Data[j+j*l.n] += shift
		}
		return clocked(func() (*vk.Profile, error) {
			res, err := plan.SolvePair(ctx, a, b)
			if err != nil {
				return nil, err
			}
			l.computed(plan.Emulated())
			return res.Profile, nil
		})
	})
}

func singularSolver(opt svd.Options) func(*load) {
	return func(l *load) {
		if l.row.Complex = l.opt.Complex; l.row.Complex {
			singularValues[complex128](l, opt)
		} else {
			singularValues[float64](l, opt)
		}
	}
}

func singularValues[T float64 | complex128](l *load, opt svd.Options) {
	l.numbers = float64(l.n) * float64(l.n) * float64(unsafe.Sizeof(*new(T))) / 8
	if opt.U != svd.None {
		l.numbers *= 3
	}
	open := func(dev *vk.Device) (*svd.Plan[T], error) { return singularPlan[T](l, dev, opt) }
	whole(l, open, func(ctx context.Context, plan *svd.Plan[T]) (sample, error) {
		a, made := l.host.general.(evd.Dense[T])
		if !made || a.Rows != l.n {
			l.host.general, l.host.symmetric = nil, nil // the host may not hold both
			a = evd.Dense[T]{Rows: l.n, Cols: l.n, Ld: l.n, Data: uniform[T](l.n, func(int) int { return 0 })}
			l.host.general = a
		}
		return clocked(func() (*vk.Profile, error) {
			res, err := plan.Solve(ctx, a)
			if err != nil {
				return nil, err
			}
			l.computed(plan.Emulated())
			return res.Profile, nil
		})
	})
}

func singularPlan[T float64 | complex128](l *load, dev *vk.Device, opt svd.Options) (*svd.Plan[T], error) {
	opt.Tuning = &l.tune
	if len(l.opt.Bands) > 0 { // otherwise the tuning has the half-bandwidth
		opt.Band = l.b
	}
	if len(l.opt.Blocks) > 0 {
		opt.Block = l.k
	}
	return svd.NewPlan[T](dev, l.n, l.n, opt)
}

// batchSolver measures Plan.SolveInto of package evd/batch for l.count matrices of order l.n. The
// wall time begins with the matrices and ends with the results in host memory. The host writes to
// the memory of the results before the run, so that the wall time has no page faults.
func batchSolver(vectors bool) func(*load) {
	return func(l *load) {
		l.row.Single, l.row.Complex = l.opt.Single, l.opt.Complex
		switch {
		case l.opt.Single && l.opt.Complex:
			batches[complex64, float32](l, vectors)
		case l.opt.Complex:
			batches[complex128, float64](l, vectors)
		case l.opt.Single:
			batches[float32, float32](l, vectors)
		default:
			batches[float64, float64](l, vectors)
		}
	}
}

// R is the type of real numbers that belongs to T.
func batches[T batch.Number, R evd.Float](l *load, vectors bool) {
	opt := batch.Options{Vectors: vectors, Tuning: &l.tune}
	if most := batch.MaxOrderOf[T](l.dev, opt); l.n > most {
		panic(refused{&evd.ShapeError{N: l.n, Max: most}})
	}
	n, count, double := float64(l.n), float64(l.count), float64(unsafe.Sizeof(*new(T)))/8
	l.counts(count*batchs.BatchFlops[T](l.n, vectors), count*(n*n*double+n)) // the matrices and their values
	if vectors {
		l.numbers += count * n * n * double
	}
	l.run = func(ctx context.Context, _ *vk.Arena) (sample, error) {
		plan, err := batch.NewPlan[T](l.dev, l.n, l.count, opt)
		if err != nil {
			return sample{}, err
		}
		defer plan.Close()
		all, made := l.host.stack.(*stack[T])
		if !made || all.n != l.n || all.count != l.count {
			l.host.stack = nil // the host need not hold both
			all = newStack[T, R](l.n, l.count)
			l.host.stack = all
		}
		if all.results[vectors] == nil {
			if all.results[vectors], err = plan.Solve(ctx, all.a); err != nil {
				return sample{}, err
			}
		}
		out := all.results[vectors].Spectra
		taken, err := clocked(func() (*vk.Profile, error) { return plan.SolveInto(ctx, all.a, out) })
		for _, spectrum := range out {
			if err == nil {
				err = spectrum.Err
			}
		}
		return taken, err
	}
}

func clocked(solve func() (*vk.Profile, error)) (sample, error) {
	began := time.Now()
	profile, err := solve()
	wall := time.Since(began).Seconds()
	if err != nil {
		return sample{}, err
	}
	return sample{profile.Total(), wall, profile}, nil
}

// hostMemory has the host's inputs of whole solves, for all solves of the same sizes.
type hostMemory struct {
	symmetric any // an evd.Sym of doubles or of complex128, or nil
	general   any // an evd.Dense of doubles or of complex128, or nil
	stack     any // a *stack, or nil
}

// stack is the host's memory of a batch: random matrices, and the memory of the results with
// vectors (true) and without, after the first solve of each.
type stack[T batch.Number] struct {
	n, count int
	a        []evd.Sym[T]
	results  map[bool]*batch.Result[T]
}

// newStack makes a stack whose real numbers, or parts of complex ones, are of type R.
func newStack[T batch.Number, R evd.Float](n, count int) *stack[T] {
	data := make([]T, count*n*n)
	parts := int(unsafe.Sizeof(*new(T)) / unsafe.Sizeof(R(0)))
	numbers := unsafe.Slice((*R)(unsafe.Pointer(unsafe.SliceData(data))), parts*len(data))
	fill(n, count, func(k int) []R { return numbers[parts*k*n*n : parts*(k+1)*n*n] })
	return &stack[T]{n, count, batch.Stack(n, count, data, evd.Lower), map[bool]*batch.Result[T]{}}
}

// uniform returns a column-major matrix of order n. In column j, the elements from row first(j) on
// are random, uniform in [−1, 1), and the elements above are zero. Both parts of complex elements
// are random.
func uniform[T float64 | complex128](n int, first func(j int) int) []T {
	a := make([]T, n*n)
	parts := int(unsafe.Sizeof(*new(T))) / 8
	numbers := unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(a))), parts*len(a))
	fill(n, n, func(j int) []float64 { return numbers[parts*(first(j)+j*n) : parts*(j+1)*n] })
	return a
}

// fill writes random numbers, uniform in [−1, 1), to the slices part(0), …, part(count−1). It uses
// all cores. The numbers in a slice depend only on n and on the number of the slice, not on the
// number of cores.
func fill[T evd.Float](n, count int, part func(k int) []T) {
	workers := runtime.GOMAXPROCS(0)
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for k := w; k < count; k += workers {
				random := rand.New(rand.NewPCG(uint64(n), uint64(k)))
				numbers := part(k)
				for i := range numbers {
					numbers[i] = T(2*random.Float64() - 1)
				}
			}
		})
	}
	all.Wait()
}

// usualCounts[n] is the number of matrices of order n in a measured batch. docs/benchmarks.md has
// times of batches of these sizes.
var usualCounts = map[int]int{8: 100000, 16: 50000, 32: 10000, 64: 5000, 128: 1000, 256: 200, 512: 50}

// usualCount is the number of matrices of order n in a measured batch if Options.Counts is empty.
// For orders that usualCounts does not list, the matrices have about 2²⁴ elements together, but are
// not more than those of order 8. A device that computes on the CPU gets a hundredth, and at least
// one matrix.
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
