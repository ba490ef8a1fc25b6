package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/vk"
)

// Result is the result of Solve. The caller owns its memory, and later solves do not change it.
type Result[T evd.Float] struct {
	// Values are the singular values, descending: all of them, or the largest ones.
	Values []T

	// U and V have the left and the right singular vectors as columns. Column j belongs to
	// Values[j]. If there are more columns than values, the last columns have no value. U or V is
	// nil if it is not wanted.
	//
	// The signs are fixed: in each column of V, the component of largest magnitude is positive (the
	// first one, if there are several). The column of U has the sign that belongs to it. If V is
	// not wanted, the rule applies to U. The rule also applies to each column without a value
	// (Full).
	U, V *evd.Dense[T]

	Certificate *Certificate // set with Options.Certify; it may have failed
	Profile     *vk.Profile  // seconds by phase

	// Retried is set if a wait between workgroups failed and the plan solved again without waiting.
	// It is the error of the wait. The profile then has the time of the first attempt in one line.
	Retried *evd.StageError

	// order is max(m, n) of the matrix.
	order int
}

// Rank returns the number of singular values above tol. If tol < 0 it returns the numerical rank,
// the number of values above max(m, n)·ε·σ₁. Rounding errors cannot make such values from zeros.
// With Options.Largest, only the values that were computed are counted.
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

// result makes the Result of a solve. c is nil if no certificate is wanted.
func (s *solve[T]) result(values []T, c *Certificate) *Result[T] {
	if !s.opt.Certify {
		c = nil
	}
	return &Result[T]{Values: values, Certificate: c, Profile: s.Profile, Retried: s.Retried, order: s.rows}
}

// empty returns the result for a matrix without entries: no values, and with Full the identity.
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

// columns returns the matrix whose columns are in z. It shares the memory of z if T is float64.
func columns[T evd.Float](z vk.Columns[float64]) *evd.Dense[T] {
	data, same := any(z.Data).([]T)
	if !same {
		data = spectrum.Unscale[T](z.Data, 1)
	}
	return &evd.Dense[T]{Rows: z.Rows, Cols: z.Cols, Ld: z.Ld, Data: data}
}
