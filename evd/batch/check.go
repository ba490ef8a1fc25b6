package batch

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
)

// Check measures the errors of computed spectra: s[k] holds the eigenvalues Λ and the vectors Z of
// the matrix a[k]. It runs on the host and uses no intermediate results of the solve:
//
//	‖A·Z − Z·Λ‖₁ / (‖A‖₁·n·ulp),  ‖ZᵀZ − I‖₁ / (n·ulp)      (dsyt22)
//
// The result has one evd.Ratios for each matrix. The ratios of a matrix with an error
// (Spectrum.Err) are infinite. Check uses all cores. It takes 4·n²·m operations for a matrix of
// order n with m vectors.
//
// The error is an *evd.OptionError without Options.Vectors, an *evd.ShapeError if the matrices and
// spectra do not fit each other or the plan, or ctx.Err().
func (p *Plan) Check(ctx context.Context, a []evd.Sym[float64], s []Spectrum) ([]evd.Ratios, error) {
	if !p.opt.Vectors {
		return nil, spectrum.BadOption("Vectors", "a check needs them, in the plan and in the result")
	}
	if len(a) != len(s) {
		return nil, &evd.ShapeError{N: len(a), Len: len(s)}
	}
	for k, m := range a {
		from, to, err := p.wanted(m)
		if err == nil {
			err = p.fits(m.N, to-from, s[k])
		}
		if err != nil {
			return nil, err
		}
	}
	all := make([]evd.Ratios, len(a))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(a)) {
		workers.Go(func() {
			for k := int(next.Add(1)) - 1; k < len(a) && ctx.Err() == nil; k = int(next.Add(1)) - 1 {
				all[k] = ratios(a[k], s[k])
			}
		})
	}
	workers.Wait()
	return all, ctx.Err()
}

// ratios measures the errors of the spectrum `s`, which was computed for the matrix `a`.
func ratios(a evd.Sym[float64], s Spectrum) evd.Ratios {
	if s.Err != nil {
		return evd.Ratios{Residual: math.Inf(1), Orthogonality: math.Inf(1)}
	}
	n, ld, m := a.N, max(a.Ld, a.N), len(s.Values)
	full := make([]float64, n*n)
	for j := range n {
		for i := j; i < n; i++ {
			x := 0.0
			if a.Uplo == evd.Upper {
				x = a.Data[j+i*ld]
			} else {
				x = a.Data[i+j*ld]
			}
			full[i+j*n], full[j+i*n] = x, x
		}
	}
	z := s.Vectors
	return evd.Ratios{
		Residual:      ratio.Residual(n, m, full, n, s.Values, z.Data, z.Ld),
		Orthogonality: ratio.Orthogonality(n, m, z.Data, z.Ld),
	}
}
