package svd

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Result is the result of Solve. The caller owns its memory, and later solves do not change it.
type Result[T evd.Number] struct {
	// Values are the singular values in descending order: all of them, or the part that
	// Options.Largest or Options.Select selects. They are doubles for every T. A value beyond the
	// largest double is +Inf, and the result is then returned beside an *evd.OverflowError. First
	// is the index of Values[0] among all singular values. The largest one has index 0.
	Values []float64
	First  int

	// U and V have the left and the right singular vectors as columns. Column j belongs to
	// Values[j]. If there are more columns than values (Full), the last columns belong to no value.
	// U or V is nil if it is not wanted.
	//
	// The signs are fixed, and the phases of complex vectors. In each column of V, the component of
	// largest magnitude is real and positive (the first of them, if there are several). The signs
	// of V determine the signs of U by A·V = U·Σ. If V is not wanted, the rule for V holds for U.
	// The rule also holds for each column that belongs to no value.
	U, V *evd.Dense[T]

	Certificate *Certificate // set with Certify or Verify; with Certify alone it may have failed
	Profile     *vk.Profile  // times of the phases in seconds

	// Retried is nil if the first attempt of the solve succeeded. Otherwise it is the error of the
	// attempt before the last: a wait between workgroups failed, or emulated products refused the
	// matrix. The plan then solved again without such waits, or with native products, and Profile
	// has the time of the earlier attempts.
	Retried *evd.StageError

	// order is max(m, n) of the matrix. `ulp` is ε of the format in which the matrix was stored.
	order int
	ulp   float64

	// `most` is an upper bound of all singular values, computed or not, and `norm` is their norm
	// ‖σ‖₂.
	most, norm float64
}

// Rank returns the number of singular values above `tol`. If `tol` < 0, Rank returns the numerical
// rank, the number of values above max(m, n)·ε·σ₁, where ε is the unit of T. If the Storage of the
// options has a larger ε, the numerical rank is the number of values above ε·‖σ‖₂, where ‖σ‖₂ is
// the norm of the computed values, or of all values if σ₁ is not computed. Rounding errors of zero
// values stay below this limit. With Options.Largest or Options.Select, Rank counts only the
// computed values. If σ₁ is not one of them, an upper bound takes its place, the norm ‖T‖₁ of the
// Golub-Kahan form.
func (r *Result[T]) Rank(tol float64) int {
	if tol < 0 && len(r.Values) > 0 {
		tol = r.noise()
	}
	rank := 0
	for rank < len(r.Values) && r.Values[rank] > tol {
		rank++
	}
	return rank
}

// noise is the limit of the numerical rank, for a result with at least one value.
func (r *Result[T]) noise() float64 {
	switch large := r.ulp > precision.UlpOf[T](); {
	case large && r.First > 0:
		return r.ulp * r.norm
	case large:
		squares := 0.0
		for _, x := range r.Values {
			q := x / r.Values[0] // NaN if all values are 0; then no value is above the limit
			squares += q * q
		}
		return r.ulp * math.Sqrt(squares) * r.Values[0]
	case r.First > 0:
		return float64(r.order) * r.ulp * r.most
	}
	return float64(r.order) * r.ulp * r.Values[0]
}

// finish runs the last part of a solve and makes the Result. t is the Golub-Kahan form of the
// bidiagonal matrix, and `order` is max(m, n). The vectors of `tail` are U, then V, as far as `opt`
// asks for them. `certify` measures the values, if opt.Certify is set.
func finish[T evd.Number](
	c *plan.Call, tail spectrum.Tail[T], t spectrum.Tridiagonal, opt Options, order int,
	certify func(spectrum.Part) (*Certificate, error),
) (*Result[T], error) {
	res := &Result[T]{
		Profile: c.Profile, Retried: c.Retried, order: order, ulp: precision.UlpOf[T](),
		most: t.Norm1() / tail.Sigma, norm: norm2(t.E) / tail.Sigma,
	}
	if opt.Certify {
		tail.Certify = func(part spectrum.Part) (err error) {
			res.Certificate, err = certify(part)
			return err
		}
	}
	r, err := tail.Run(c, t)
	if err != nil {
		return nil, err
	}
	for i, x := range r.Values { // r.Values are in ascending order
		r.Values[i] = max(x, 0) // bisection may end slightly below zero
	}
	slices.Reverse(r.Values)
	res.Values, res.First = r.Values, len(t.D)-r.First-len(r.Values)
	for _, z := range r.Vectors {
		if res.U == nil && opt.U != None {
			res.U = (*evd.Dense[T])(plan.DenseOf(z, false))
		} else {
			res.V = (*evd.Dense[T])(plan.DenseOf(z, false))
		}
	}
	return res, nil
}

// overflow returns an *evd.OverflowError if a value is beyond the largest double, and nil
// otherwise. An infinite value is no singular value, so the certificate of such a result does not
// pass.
func (r *Result[T]) overflow() error {
	return plan.OverflowOf(r.Values, r.First, true, r.Certificate, func(c *Certificate) { c.Counts = math.Inf(1) })
}

// norm2 returns ‖e‖₂. If e is the off-diagonal of the Golub-Kahan form of C, e has the elements of
// C, and ‖e‖₂ is the norm of all singular values.
func norm2(e []float64) (norm float64) {
	for _, x := range e {
		norm = math.Hypot(norm, x)
	}
	return norm
}

func withoutValues[T evd.Number](c *plan.Call, certify bool) *Result[T] {
	res := &Result[T]{Values: []float64{}, Profile: c.Profile, Retried: c.Retried}
	if certify {
		res.Certificate = &Certificate{}
	}
	return res
}

// empty returns the result for a matrix without entries: no values, and with Full an identity
// matrix as vectors.
func (s *solve[T]) empty() *Result[T] {
	res := withoutValues[T](s.Call, s.opt.Certify)
	res.order = s.rows
	vectors := func(wanted Vectors, rows int) *evd.Dense[T] {
		switch wanted {
		case None:
			return nil
		case Thin:
			return &evd.Dense[T]{Rows: rows, Ld: max(rows, 1)}
		}
		d := &evd.Dense[T]{Rows: rows, Cols: rows, Ld: max(rows, 1), Data: make([]T, rows*rows)}
		for i := range rows {
			d.Data[i+i*rows] = 1
		}
		return d
	}
	res.U, res.V = vectors(s.opt.U, s.m), vectors(s.opt.V, s.n)
	return res
}
