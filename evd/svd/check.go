package svd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Ratios holds LAPACK's measures of errors of singular vectors. Each ratio is an error divided by
// the usual size of rounding errors. Correct results have ratios below 10. A result with a ratio of
// evd.Threshold or more is wrong. If the values or the vectors have a NaN, a ratio is +Inf. For
// complex numbers, Xᴴ takes the place of each Xᵀ.
type Ratios struct {
	// Residual is ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ε), as in LAPACK's dbdt01. If the device stores Aᵀ
	// instead of A, Residual is ‖Aᵀ·U − V·Σ‖₁ / (‖Aᵀ‖₁·max(m, n)·ε). Residual is 0 if U or V is not
	// wanted. Residual is +Inf if the values cannot be singular values: a value is negative, a
	// value is larger than the value before it, or a matrix with entries has no values, unless a
	// Plan selects them by an interval.
	Residual float64 `json:"residual"`

	// Left is ‖UᵀU − I‖₁ / (m·ε), and Right is ‖VᵀV − I‖₁ / (n·ε), as in LAPACK's dort01. Left is 0
	// without U, and Right is 0 without V.
	Left  float64 `json:"left_orthogonality"`
	Right float64 `json:"right_orthogonality"`
}

// Passed reports whether all ratios are below evd.Threshold.
func (r Ratios) Passed() bool {
	return r.Residual < evd.Threshold && r.Left < evd.Threshold && r.Right < evd.Threshold
}

func (r Ratios) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality of U %.3g, of V %.3g", r.Residual, r.Left, r.Right)
}

// Check measures the vectors of a result against the matrix `a` that was solved. It runs on the
// device and does not use intermediate results of the solve. The residual needs U and V. The error
// is an *evd.OptionError if the plan or the result has no vectors, or a *ShapeError if `a` or the
// result does not fit the plan. Other errors are *evd.NonFiniteError, evd.ErrClosed, ctx.Err(), and
// those of the device.
func (p *Plan[T]) Check(ctx context.Context, a evd.Dense[T], res *Result[T]) (Ratios, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return Ratios{}, err
	}
	if err := needVectors(p.opt, res); err != nil {
		return Ratios{}, err
	}
	for _, c := range []struct {
		z      *evd.Dense[T]
		wanted Vectors
		rows   int
	}{{res.U, p.opt.U, p.m}, {res.V, p.opt.V, p.n}} {
		if c.z == nil {
			continue
		}
		most := len(res.Values)
		if c.wanted == Full {
			most = c.rows
		}
		if c.wanted == None || c.z.RowMajor || c.z.Rows != c.rows || c.z.Cols < len(res.Values) || c.z.Cols > most || !plan.Dense[T](*c.z).Fits() || len(res.Values) > p.k {
			return Ratios{}, &ShapeError{Rows: c.z.Rows, Cols: c.z.Cols, Ld: c.z.Ld, Len: len(c.z.Data), PlanRows: c.rows, PlanCols: most}
		}
	}
	switch {
	case p.cols == 0:
		return Ratios{}, nil
	case len(res.Values) == 0 && p.opt.Select.ByValue():
		return Ratios{}, nil // an interval may hold no value
	case len(res.Values) == 0:
		return Ratios{Residual: math.Inf(1)}, nil
	}
	s := &solve[T]{&p.problem, p.path.Now, p.base.Begin(ctx, nil)}
	r, err := s.measure(a, res)
	return r, plan.During(stages.PhaseCheck, err)
}

func (s *solve[T]) measure(a evd.Dense[T], res *Result[T]) (Ratios, error) {
	r, err := s.check(a, res)
	if err == nil && !ratio.Descending(res.Values) {
		r.Residual = math.Inf(1)
	}
	return r, err
}

func needVectors[T evd.Number](opt Options, res *Result[T]) error {
	if opt.U == None && opt.V == None || res.U == nil && res.V == nil {
		return plan.BadOption("U, V", "a check needs vectors, in the plan and in the result")
	}
	return nil
}

// check measures the vectors of a result that fits the plan, in the device memory that a solve uses
// for A, U and V. No later call needs what was in this memory.
func (s *solve[T]) check(a evd.Dense[T], res *Result[T]) (ratios Ratios, err error) {
	largest, err := scan(a)
	if err != nil {
		return Ratios{}, err
	}
	sigma := scaling[T](largest)
	if err := s.upload(a, sigma); err != nil {
		return Ratios{}, err
	}
	if err := s.Run(func(rec *vk.Recorder) { s.recordLoad(rec, a) }); err != nil { // before the vectors overwrite this memory
		return Ratios{}, err
	}
	u, v := sides(a)
	z, err := s.send(res, u, v)
	if err != nil {
		return Ratios{}, err
	}
	sums, err := s.columnSums(z, spectrum.Scale(res.Values, sigma))
	if err != nil {
		return Ratios{}, err
	}
	m, n, ulp := float64(s.m), float64(s.n), precision.UlpOf[T]()
	norm := max(norm1(a, sigma), precision.SafeMinOf[T]()*sigma)
	return Ratios{
		Residual: plan.Ratio(sums[2], norm, max(m, n)*ulp),
		Left:     plan.Ratio(sums[u], 1, m*ulp), Right: plan.Ratio(sums[v], 1, n*ulp),
	}, nil
}

// send copies the vectors of a result to the device: U to the side u, and V to the side v.
func (s *solve[T]) send(res *Result[T], u, v side) (z [2]product.Matrix[T], err error) {
	for of, d := range map[side]*evd.Dense[T]{u: res.U, v: res.V} {
		if d == nil {
			continue
		}
		at := s.doubles.vectors(s.Arena, of)
		if of == left && s.regions.full.Len() > 0 {
			at = s.regions.full.In(s.Arena)
		}
		z[of] = product.NewMatrix(at, d.Rows, d.Cols, max(d.Rows, 1))
		host := vk.Columns[T]{Rows: d.Rows, Cols: d.Cols, Ld: d.Ld, Data: d.Data}
		if err := vk.Upload(s.Ctx, s.Dev, z[of].At, host); err != nil {
			return z, err
		}
	}
	return z, nil
}

// columnSums returns three lists of column sums: sums[left] and sums[right] for the orthogonality
// of each side, and sums[2] for the residual. z[left] and z[right] are the vectors on the device. A
// list is empty if its vectors are missing. For a bidiagonal matrix sums[2] is empty, too.
func (s *solve[T]) columnSums(z [2]product.Matrix[T], sigma []float64) (sums [3][]float64, err error) {
	ws, r := s.Arena, &s.regions
	var found [3][]T
	err = s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, 1)
		for _, of := range []side{left, right} {
			if z[of].Cols > 0 {
				found[of] = make([]T, z[of].Cols)
				s.steps.residuals.RecordOrthogonality(rec, ws, z[of], r.sums[of].In(ws))
				vk.ReceiveLast(rec, found[of], r.sums[of].In(ws))
			}
		}
		if z[left].Cols > 0 && z[right].Cols > 0 && !s.bidiagonal {
			found[2] = make([]T, len(sigma))
			values := s.doubles.Values(rec, ws, s.steps.values.Lambda(ws), sigma)
			v := z[right].Block(0, 0, z[right].Rows, len(sigma))
			s.steps.residuals.Record(rec, ws, s.matrixA(), z[left], v, values, r.sums[2].In(ws))
			vk.ReceiveLast(rec, found[2], r.sums[2].In(ws))
		}
	})
	for i := range sums {
		sums[i] = spectrum.Scale(found[i], 1)
	}
	return sums, err
}

// norm1 returns ‖σ·A‖₁, the largest column sum of magnitudes, of the matrix on the device: the
// caller's matrix or its adjoint.
func norm1[T evd.Number](a evd.Dense[T], sigma float64) float64 {
	rows, cols := stored(a)
	sums, room := make([]float64, min(rows, cols)), make([]float64, rows)
	for j := range cols {
		for i, x := range dense.Magnitudes(a.Data[j*a.Ld:j*a.Ld+rows], sigma, room) {
			at := j
			if rows < cols {
				at = i
			}
			sums[at] += x
		}
	}
	return slices.Max(sums)
}
