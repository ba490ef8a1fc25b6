package pencil

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/refinement"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages/refine"
	"github.com/vkevd/vkevd/vk"
)

const (
	// mostSteps is the largest number of steps of a refinement. One step is enough for random A and B
	// of condition numbers up to 10⁹, and two for 10¹².
	mostSteps = 2

	// enough is the bound of ratios below which no other step follows.
	enough = 1

	// noiseUlps is the size of rounding errors of the coupling of two vectors, in units of
	// ulp·(‖A‖₁ + |λ|·‖B‖₁)·‖xᵢ‖₂·‖xⱼ‖₂.
	noiseUlps = 8
)

// refined measures the errors of the result `res`, and refines its vectors if the options say so:
// with Verify, only if the residual does not pass. It returns the best result. The scaled pair has
// σ times the values of the caller's pair.
//
// The second step follows even if the first one has not helped: for a condition number of 10¹², the
// vectors may be good only after both.
func (p *Plan[T]) refined(s *dense.Solve[T], a evd.Sym[T], res *Result[T], sigma float64) (*Result[T], error) {
	ratios, noise, err := p.measure(s, a, nil, res)
	if err != nil {
		return nil, err
	}
	if res.Certificate != nil {
		res.Certificate.Ratios = ratios
	}
	if !s.Refine || len(res.Values) == 0 || !p.opt.Refine && ratios.Residual < Threshold {
		return res, nil
	}
	best, kept, counts := res, 0, refinement.Counts{}
	for now := ratios; counts.Steps < mostSteps && (kept == 0 || now.Residual >= enough || now.Orthogonality >= enough); {
		next, err := p.step(s, noise, &counts, sigma, best) // the better result stays in `best`, so only one earlier result keeps memory
		if err != nil {
			return nil, err
		}
		if next == nil {
			break
		}
		if now, noise, err = p.measure(s, a, nil, next); err != nil {
			return nil, err
		}
		if next.Certificate != nil {
			next.Certificate.Ratios = now
		}
		if better(now, ratios) {
			best, ratios, kept = next, now, counts.Steps
		}
	}
	counts.Steps, counts.Changes = kept, counts.Changes[:kept]
	best.Refinement = (*evd.Refinement)(&counts)
	return best, nil
}

// better reports whether the ratios `now` of a refined result are better than the ratios `before`.
func better(now, before evd.Ratios) bool {
	return now.Residual < before.Residual && (now.Orthogonality < Threshold || now.Orthogonality < before.Orthogonality)
}

// step returns the result after one step. `res` is the result from before, or has the same shape.
// If the step cannot be done, it returns nil and sets counts.Cold.
func (p *Plan[T]) step(s *dense.Solve[T], noise refine.Noise[T], counts *refinement.Counts, sigma float64, res *Result[T]) (*Result[T], error) {
	n := p.base.N
	z := vk.Columns[T]{Rows: n, Cols: n, Ld: n, Data: make([]T, n*n)}
	values, err := refinement.PairStep(s, noise, counts, z)
	if err != nil && plan.MethodFailed(err) {
		counts.Cold, err = refinement.ColdCluster, nil
	}
	if err != nil || counts.Cold != "" {
		return nil, err
	}
	dense.Multiply(z.Data, p.vectorScale())
	next := *res
	next.Values, next.Vectors = spectrum.Unscale[float64](values, sigma), (*evd.Dense[T])(plan.DenseOf(z, p.opt.RowMajor))
	if p.opt.Verify { // the certificate has no Counts, because no Sturm counts are made (see Result)
		next.Certificate = &evd.Certificate{}
	}
	return &next, nil
}
