package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/stages/tridiag/stemr"
	"github.com/vkevd/vkevd/vk"
)

// The input of these stages is a random matrix on the host, the same in each run. If the host does
// a part of a stage, the stage itself uploads the matrix, and the time includes the host's part.

// gaussian returns a random tridiagonal matrix whose spectrum is distributed as that of a dense
// symmetric matrix with normal entries: d_i has a normal distribution with variance 2, and e_i has
// a χ distribution with n−1−i degrees of freedom. Divide and conquer deflates only few values of
// such a matrix, as for most dense matrices.
//
// Source: I. Dumitriu and A. Edelman, J. Math. Phys. 43 (2002).
func gaussian(n int) (d, e []float64) {
	source := rand.NewPCG(uint64(n), 0)
	normal := rand.New(source)
	d = make([]float64, n)
	for i := range d {
		d[i] = math.Sqrt2 * normal.NormFloat64()
	}
	return d, chi(n-1, source)
}

// gaussianBidiagonal returns the bidiagonal form of a random matrix with normally distributed
// entries: d_i has a χ distribution with n−i degrees of freedom, and e_i one with n−1−i. Divide and
// conquer deflates only few values of such a matrix.
func gaussianBidiagonal(n int) (d, e []float64) {
	source := rand.NewPCG(uint64(n), 1)
	d = chi(n, source)
	return d, chi(n-1, source)
}

// chi returns numbers with χ distributions of n, n−1, …, 1 degrees of freedom.
func chi(n int, source rand.Source) []float64 {
	x := make([]float64, max(n, 0))
	for i := range x {
		x[i] = math.Sqrt(distuv.ChiSquared{K: float64(n - i), Src: source}.Rand())
	}
	return x
}

// bisection measures bisection for all eigenvalues (dstebz). The upload of d and e is not timed.
func bisection(l *load) {
	stage := must(stebz.NewBisection(l.dev, l.n, l.tune.Bisection))
	l.uses(stage)
	hostD, hostE := gaussian(l.n)
	d, e, values := l.vector("d", l.n), l.vector("e", l.n), l.vector("values", l.n)
	l.counts(stage.Flops(), threeVectors(l.n))
	l.result = values
	l.run = func(ctx context.Context, ws *vk.Arena) (sample, error) {
		if err := vk.Upload(ctx, l.dev, d.In(ws), vk.Vector(hostD)); err != nil {
			return sample{}, err
		}
		if err := vk.Upload(ctx, l.dev, e.In(ws), vk.Vector(hostE)); err != nil {
			return sample{}, err
		}
		return timed(ctx, l.dev, func(rec *vk.Recorder) { stage.Record(rec, ws, d.In(ws), e.In(ws), values.In(ws)) })
	}
}

// threeVectors is the number of moved doubles of a stage that reads two vectors of length n and
// writes one.
func threeVectors(n int) float64 { return 3 * float64(n) }

// divideAndConquer measures divide and conquer for all eigenvalues and vectors (LAPACK's dstedc).
// The counted operations are those without deflation. The n² elements of the vectors count once as
// moved doubles.
func divideAndConquer(l *load) {
	divide := must(stedc.NewDivideConquer(l.dev, l.n, l.products(), l.tune.Products, l.tune.DivideConquer))
	l.uses(divide)
	d, e := gaussian(l.n)
	x := l.matrix("X", l.n, l.n)
	l.counts(divide.Flops(), float64(l.n)*float64(l.n))
	l.result = x.Region
	l.run = func(ctx context.Context, ws *vk.Arena) (sample, error) {
		return clocked(func() (*vk.Profile, error) {
			_, profile, err := divide.Solve(ctx, ws, d, e, x.of(ws))
			return profile, err
		})
	}
}

// divideAndConquerValues measures divide and conquer for all eigenvalues, without vectors.
func divideAndConquerValues(l *load) {
	divide := must(stedc.NewDivideConquerValues(l.dev, l.n, l.tune.DivideConquer))
	l.uses(divide)
	d, e := gaussian(l.n)
	values := l.vector("values", l.n)
	l.counts(divide.Flops(), threeVectors(l.n))
	l.result = values
	l.run = func(ctx context.Context, ws *vk.Arena) (sample, error) {
		var found []float64
		taken, err := clocked(func() (profile *vk.Profile, err error) {
			found, profile, err = divide.Solve(ctx, ws, d, e)
			return profile, err
		})
		if err != nil {
			return taken, err
		}
		return taken, vk.Upload(ctx, l.dev, values.In(ws), vk.Vector(found))
	}
}

// mrrr measures MRRR, the method of relatively robust representations, for the m smallest
// eigenpairs (LAPACK's dstemr). It is an error if divide and conquer had to compute some vectors,
// because the time would then include divide and conquer.
func mrrr(l *load) {
	stage := must(stemr.NewMRRR(l.dev, l.n, l.m, nil, l.tune.MRRR))
	l.uses(stage)
	d, e := gaussian(l.n)
	x := l.matrix("X", l.m, l.n)
	l.counts(stage.Flops(), float64(l.m)*float64(l.n))
	l.result = x.Region
	l.run = func(ctx context.Context, ws *vk.Arena) (sample, error) {
		return clocked(func() (*vk.Profile, error) {
			_, counters, profile, err := stage.Solve(ctx, ws, d, e, 0, l.m, x.of(ws))
			if err == nil && counters.Fallback > 0 {
				err = fmt.Errorf("divide and conquer found the vectors: %+v", counters)
			}
			return profile, err
		})
	}
}

// bidiagonalConquer measures divide and conquer of a bidiagonal matrix (LAPACK's dbdsdc), for all
// singular values and the vectors of both sides.
func bidiagonalConquer(l *load) {
	divide := must(stedc.NewBidiagonalConquer(l.dev, l.n, l.products(), l.tune.Products, l.tune.DivideConquer))
	l.uses(divide)
	d, e := gaussianBidiagonal(l.n)
	s, w := l.matrix("S", l.n, l.n), l.matrix("W", l.n, l.n)
	l.counts(divide.Flops(), 2*float64(l.n)*float64(l.n))
	l.result = s.Region
	l.run = func(ctx context.Context, ws *vk.Arena) (sample, error) {
		return clocked(func() (*vk.Profile, error) {
			_, profile, err := divide.Solve(ctx, ws, d, e, s.of(ws), w.of(ws))
			return profile, err
		})
	}
}
