package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// The input of the tridiagonal stages is a random matrix on the host, the same in each run. If the
// host does a part of a stage, the stage itself uploads the matrix.

// gaussian returns a random tridiagonal matrix whose spectrum is distributed as that of a dense
// symmetric matrix with normal entries: d_i has a normal distribution with variance 2, and e_i has
// a χ distribution with n−1−i degrees of freedom. Divide and conquer deflates only few values of
// such a matrix, as for most dense matrices.
//
// Source: I. Dumitriu and A. Edelman, J. Math. Phys. 43 (2002).
func gaussian(n int) (d, e []float64) {
	source := rand.NewPCG(uint64(n), 0)
	normal := rand.New(source)
	d, e = make([]float64, n), make([]float64, max(n-1, 0))
	for i := range d {
		d[i] = math.Sqrt2 * normal.NormFloat64()
	}
	for i := range e {
		e[i] = math.Sqrt(distuv.ChiSquared{K: float64(n - 1 - i), Src: source}.Rand())
	}
	return d, e
}

// newStebz prepares the measurement of bisection for all eigenvalues (LAPACK's dstebz). The upload
// of d and e is not timed.
func newStebz(b *Bench, s sizes, t tuning.Tuning) *load {
	bisection := must(stebz.NewBisection(b.dev, s.n, t.Bisection))
	hostD, hostE := gaussian(s.n)
	d, e, values := vk.Reserve[float64]("d", s.n), vk.Reserve[float64]("e", s.n), vk.Reserve[float64]("values", s.n)
	const vectors = 3 // two are read, one is written
	return &load{
		flops:  bisection.Flops(),
		bytes:  realBytes * vectors * float64(s.n),
		layout: vk.Together(d, e, values, bisection.Work()),
		run: func(ctx context.Context, ws *vk.Arena) (sample, error) {
			if err := vk.Upload(ctx, b.dev, d.In(ws), vk.Vector(hostD)); err != nil {
				return sample{}, err
			}
			if err := vk.Upload(ctx, b.dev, e.In(ws), vk.Vector(hostE)); err != nil {
				return sample{}, err
			}
			return timed(ctx, b.dev, func(rec *vk.Recorder) {
				bisection.Record(rec, ws, d.In(ws), e.In(ws), values.In(ws))
			})
		},
		result: values,
	}
}

// newStedc prepares the measurement of divide and conquer for all eigenvalues and vectors (LAPACK's
// dstedc). The time includes the host's part. The counted operations are those without deflation,
// and the counted bytes are the vectors once.
func newStedc(b *Bench, s sizes, t tuning.Tuning) *load {
	ops := b.products(t)
	divide := must(stedc.NewDivideConquer(b.dev, s.n, ops, t.Products, t.DivideConquer))
	d, e := gaussian(s.n)
	rx, x := packed("X", s.n, s.n)
	n := float64(s.n)
	return &load{
		flops:  divide.Flops(),
		bytes:  realBytes * n * n,
		layout: vk.Together(rx, divide.Work(), ops.Work()),
		run: func(ctx context.Context, ws *vk.Arena) (sample, error) {
			began := time.Now()
			_, profile, err := divide.Solve(ctx, ws, d, e, x(ws))
			return sample{profile.Total(), time.Since(began).Seconds(), profile}, err
		},
		result: rx,
	}
}

// newStedcValues prepares the measurement of divide and conquer for all eigenvalues, without
// vectors.
func newStedcValues(b *Bench, s sizes, t tuning.Tuning) *load {
	divide := must(stedc.NewDivideConquerValues(b.dev, s.n, t.DivideConquer))
	d, e := gaussian(s.n)
	values := vk.Reserve[float64]("values", s.n)
	const vectors = 3 // two are read, one is written
	return &load{
		flops:  divide.Flops(),
		bytes:  realBytes * vectors * float64(s.n),
		layout: vk.Together(values, divide.Work()),
		run: func(ctx context.Context, ws *vk.Arena) (sample, error) {
			began := time.Now()
			found, profile, err := divide.Solve(ctx, ws, d, e)
			taken := sample{profile.Total(), time.Since(began).Seconds(), profile}
			if err != nil {
				return taken, err
			}
			return taken, vk.Upload(ctx, b.dev, values.In(ws), vk.Vector(found))
		},
		result: values,
	}
}

// newStemr prepares the measurement of MRRR, the method of relatively robust representations, for
// the m smallest eigenpairs (LAPACK's dstemr). The time includes the host's part. It is an error if
// divide and conquer had to compute some vectors, because the time would then include divide and
// conquer.
func newStemr(b *Bench, s sizes, t tuning.Tuning) *load {
	mrrr := must(stemr.NewMRRR(b.dev, s.n, s.m, nil, t.MRRR))
	d, e := gaussian(s.n)
	rx, x := packed("X", s.m, s.n)
	return &load{
		row:    Row{M: s.m},
		flops:  mrrr.Flops(),
		bytes:  realBytes * float64(s.m) * float64(s.n),
		layout: vk.Together(rx, mrrr.Work()),
		run: func(ctx context.Context, ws *vk.Arena) (sample, error) {
			began := time.Now()
			_, counters, profile, err := mrrr.Solve(ctx, ws, d, e, 0, s.m, x(ws))
			if err == nil && counters.Fallback > 0 {
				err = fmt.Errorf("divide and conquer found the vectors: %+v", counters)
			}
			return sample{profile.Total(), time.Since(began).Seconds(), profile}, err
		},
		result: rx,
	}
}
