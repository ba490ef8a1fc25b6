package evd

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Certificate says how right a result was measured to be. Each number is in units of what rounding
// may cost, and has to stay below Threshold; a NaN anywhere gives +Inf.
//
// With vectors, small Ratios prove the result: orthonormal vectors with a small residual belong to a
// matrix next to A, whatever was done to find them. Counts then says that none was left
// out. Without vectors Counts proves the values to be T's, and Invariants is all that is known of T and A: it
// sees T change, unless both sums happen to stay.
type Certificate struct {
	Ratios             // of the vectors, as Plan.Check measures them; 0 without vectors
	Counts     float64 `json:"counts"`     // the distance to the eigenvalues of T with the same indices, by Sturm counts, over n·ulp·‖T‖₁
	Invariants float64 `json:"invariants"` // |tr A − tr T| or | ‖A‖F − ‖T‖F |, the larger, over n·ulp·‖A‖F
	Safe       bool    `json:"safe"`       // found on the safe path, after the first result had failed
}

// Passed says whether all is below the threshold.
func (c *Certificate) Passed() bool {
	return c.Ratios.Passed() && c.Counts < Threshold && c.Invariants < Threshold
}

func (c *Certificate) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality %.3g, Sturm counts %.3g, invariants %.3g", c.Residual, c.Orthogonality, c.Counts, c.Invariants)
}

// UnverifiedError says that neither the plan's method nor the safe path gave a result that
// could be certified: the device computes wrongly, or we do. First is nil where the
// method failed before it had a result.
type UnverifiedError struct{ First, Safe *Certificate }

func (e *UnverifiedError) Error() string {
	first := "no result"
	if e.First != nil {
		first = e.First.String()
	}
	return fmt.Sprintf("no result can be verified: %s; on the safe path: %v; each must be below %d", first, e.Safe, Threshold)
}

// safest is the order up to which the safe path finds vectors on the host, which takes minutes there.
const safest = 2048

// safely is the options of the safe path: no workgroup waits for another, and each eigenvalue is
// found by itself, or by QR iteration.
func (opt Options) safely(n int) Options {
	opt.Wavefront = true
	switch {
	case !opt.Vectors:
		opt.Solver = Bisection
	case n <= safest:
		opt.Solver = QR
	}
	return opt
}

// prepareSafe makes the plan of the safe path. The two are never at work at the same time.
func (p *Plan[T]) prepareSafe() error {
	opt := p.opt.safely(p.n)
	tune, err := opt.tuning(p.dev, p.n)
	if err != nil {
		return err
	}
	p.safe = &Plan[T]{holder: holder{dev: p.dev, n: p.n}, opt: opt, tune: tune}
	if err := p.safe.prepare(); err != nil {
		return err
	}
	p.layout = vk.InTurn(p.layout, p.safe.layout)
	return nil
}

// verified is solve with a proof, or else on the safe path with a proof.
func (p *Plan[T]) verified(ctx context.Context, a Sym[T]) (*Result[T], error) {
	first, err := p.solve(ctx, a)
	if p.n <= 1 { // exact
		if err == nil {
			first.Certificate = &Certificate{}
		}
		return first, err
	}
	if err == nil && first.Certificate.Passed() {
		return first, nil
	}
	if err != nil && !ours(err) {
		return nil, err
	}
	if first != nil {
		first.Vectors = nil // room for those to come
	}
	res, err := p.safe.solve(ctx, a)
	if err != nil {
		return nil, err
	}
	res.Certificate.Safe = true
	failed := &UnverifiedError{Safe: res.Certificate}
	if first != nil {
		failed.First = first.Certificate
		res.Profile.Merge(first.Profile)
	}
	if !res.Certificate.Passed() {
		return nil, failed
	}
	return res, nil
}

// ours says whether the error is a method's, which another may not have.
func ours(err error) bool {
	return errors.As(err, new(*StageError)) || errors.As(err, new(*NoConvergenceError))
}

// certifyValues measures σ·λ against T, as it is on the device now, and T against σ·A.
func (s *solve[T]) certifyValues(a Sym[T], sigma float64, f found) (*Certificate, error) {
	t := s.steps.spectral
	var on Tridiagonal[float64]
	err := s.run(func(rec *vk.Recorder) { on = t.receive(rec, s.arena) })
	if err != nil {
		return nil, during(stages.PhaseCounts, err)
	}
	c := &Certificate{Invariants: invariants(a, sigma, on)}
	if len(f.values) > 0 {
		c.Counts, err = t.certify(s.call, f.values, f.first, max(on.norm1(), safeMin*sigma))
	}
	return c, err
}

// invariants compares what orthogonal similarity keeps: traces and Frobenius norms of σ·A and T.
func invariants[T Float](a Sym[T], sigma float64, t Tridiagonal[float64]) float64 {
	var traceA, traceT, squaresA, squaresT float64
	for j := range a.N {
		from, to := a.column(j)
		column := 0.0 // summed by itself, so that the error does not grow with n²
		for i := from; i < to; i++ {
			x := float64(a.Data[i+j*a.Ld]) * sigma
			if i == j {
				traceA += x
				x /= math.Sqrt2
			}
			column += x * x
		}
		squaresA += 2 * column
	}
	for i, x := range t.D {
		traceT += x
		squaresT += x * x
		if i < len(t.E) {
			squaresT += 2 * t.E[i] * t.E[i]
		}
	}
	norm, n := math.Sqrt(squaresA), float64(a.N)
	return max(quotient(math.Abs(traceA-traceT), norm, n*ulp), quotient(math.Abs(norm-math.Sqrt(squaresT)), norm, n*ulp))
}
