package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Result is what Solve returns. The caller owns its memory; later solves do not change it.
type Result[T evd.Float] struct {
	// Values are the singular values, descending: all, or the largest.
	Values []T

	// U and V have the left and the right singular vectors, as columns: column j belongs to Values[j],
	// as far as there are values. Each is nil if it is not wanted.
	//
	// The component of largest magnitude of each column of V, the first of several, is positive, and
	// the column of U has the sign that goes with it. If V is not wanted, the rule is that for U.
	// Columns without a singular value (Full) follow the rule for themselves.
	U, V *evd.Dense[T]

	Certificate *Certificate // with Options.Certify; it may have failed
	Profile     *vk.Profile  // seconds by phase

	// Retried is the wait between workgroups that failed, after which the plan solved again without
	// waiting; else nil. The profile then has the time of the first attempt in one line.
	Retried *evd.StageError

	// order is max(m, n).
	order int
}

// Rank is the number of singular values above tol. With tol < 0 it is the numerical rank: the values
// above max(m, n)·ε·σ₁, which rounding cannot have made out of zeros. With Options.Largest the values
// that were not asked for do not count.
func (r *Result[T]) Rank(tol float64) int {
	if tol < 0 && len(r.Values) > 0 {
		tol = float64(r.order) * spectrum.Ulp * float64(r.Values[0])
	}
	rank := 0
	for rank < len(r.Values) && float64(r.Values[rank]) > tol {
		rank++
	}
	return rank
}

// result is what Solve returns. The certificate is left out unless it is wanted.
func (s *solve[T]) result(values []T, c *Certificate) *Result[T] {
	if !s.opt.Certify {
		c = nil
	}
	return &Result[T]{Values: values, Certificate: c, Profile: s.Profile, Retried: s.Retried, order: s.rows}
}

// empty is the result for a matrix without entries: no values, and with Full the identity.
func (s *solve[T]) empty() *Result[T] {
	res := s.result([]T{}, &Certificate{})
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

// columns is the matrix whose columns are in z. It shares z's memory where T is float64.
func columns[T evd.Float](z vk.Columns[float64]) *evd.Dense[T] {
	data, same := any(z.Data).([]T)
	if !same {
		data = spectrum.Unscale[T](z.Data, 1)
	}
	return &evd.Dense[T]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: data}
}
