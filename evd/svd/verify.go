package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tuning"
)

// UnverifiedError says that the result did not pass its certificate, and that a second result, by
// slower and simpler methods (the safe path), did not pass, either. So the device or vkevd computes
// wrong results.
type UnverifiedError struct {
	// First is the certificate of the first result. It is nil if the first solve failed before it
	// had a result. Safe is the certificate of the second result, which the safe path computed.
	First, Safe *Certificate
}

func (e *UnverifiedError) Error() string {
	return plan.Unverified(e.First, e.Safe, evd.Threshold)
}

// safely returns the tuning of the safe path, on which no workgroup waits for another.
func safely(t tuning.Tuning) tuning.Tuning {
	t.Waits.Wavefront = true
	return t
}

// prepareSafe makes the stages of the safe path, for a plan with Options.Verify. Their products are
// native, and up to order plan.MaxSafeQR QR iteration finds the vectors. These stages share the
// memory of the plan's other stages, because the two never run at the same time.
func (p *Plan[T]) prepareSafe() (err error) {
	wanted := p.emulates
	p.emulates = choice{}
	p.safe, err = p.compile(safely(p.tune))
	if p.emulates = wanted; err != nil {
		return err
	}
	if n := p.base.N; p.vectors() && n <= plan.MaxSafeQR {
		p.safe.steps.conquer = iterating(p.base.Dev, p.safe.doubles, n, p.safe.steps.conquer)
	}
	p.shared = p.safe.memory()
	return nil
}

// computed returns the options of the solve. With Verify it sets Certify, and adds the other side
// of the vectors if only one is wanted: the residual needs both.
func (o Options) computed() Options {
	if o.Verify && (o.U != None || o.V != None) {
		o.U, o.V = max(o.U, Thin), max(o.V, Thin)
	}
	o.Certify = o.Certify || o.Verify
	return o
}

func verifiable[T evd.Number](r *Result[T]) plan.Verifiable {
	return plan.Verifiable{
		Passed: r.Certificate.Passed(), Safe: &r.Certificate.Safe,
		Profile: r.Profile, Retried: &r.Retried, DropVectors: func() { r.U, r.V = nil, nil },
	}
}

func unverified[T evd.Number](first, safe *Result[T]) error {
	e := &UnverifiedError{Safe: safe.Certificate}
	if first != nil {
		e.First = first.Certificate
	}
	return e
}

// `only` removes the vectors that the options do not ask for, and returns `res`, which may be nil.
func only[T evd.Number](o Options, res *Result[T]) *Result[T] {
	if res == nil {
		return nil
	}
	if o.U == None {
		res.U = nil
	}
	if o.V == None {
		res.V = nil
	}
	return res
}

func (s *solve[T]) verifyVectors(a evd.Dense[T], res *Result[T]) error {
	r, err := s.measure(a, res)
	res.Certificate.Vectors = &r
	return plan.During(stages.PhaseCheck, err)
}
