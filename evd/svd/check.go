package svd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Ratios are LAPACK's measures of singular vectors: errors in units of what rounding may cost. Good
// ones stay below 10; from evd.Threshold on a result is wrong. A NaN anywhere gives +Inf.
type Ratios struct {
	// Residual is ‖A·V − U·Σ‖₁ / (‖A‖₁·max(m, n)·ε), as in dbdt01, or the same for Aᵀ, U and V exchanged,
	// if the device has the transpose. It is 0 without U or V.
	Residual float64 `json:"residual"`

	// Left is ‖UᵀU − I‖₁ / (m·ε), and Right ‖VᵀV − I‖₁ / (n·ε), as in dort01; 0 without the vectors.
	Left  float64 `json:"left_orthogonality"`
	Right float64 `json:"right_orthogonality"`
}

// Passed says whether all ratios are below evd.Threshold.
func (r Ratios) Passed() bool {
	return r.Residual < evd.Threshold && r.Left < evd.Threshold && r.Right < evd.Threshold
}

// String lists the ratios in one line.
func (r Ratios) String() string {
	return fmt.Sprintf("residual %.3g, orthogonality of U %.3g, of V %.3g", r.Residual, r.Left, r.Right)
}

// Check measures a result with vectors against the matrix that it belongs to, on the device and
// independently of how it was found. The residual needs U and V. Errors: *evd.OptionError if the plan
// or the result has no vectors, *ShapeError if a or the result does not fit the plan,
// *evd.NonFiniteError, evd.ErrClosed, ctx.Err(), and those of the device.
func (p *Plan[T]) Check(ctx context.Context, a evd.Dense[T], res *Result[T]) (Ratios, error) {
	p.base.Lock()
	defer p.base.Unlock()
	if err := p.accepts(a); err != nil {
		return Ratios{}, err
	}
	if p.opt.U == None && p.opt.V == None || res.U == nil && res.V == nil {
		return Ratios{}, spectrum.BadOption("U, V", "a check needs vectors, in the plan and in the result")
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
		if c.wanted == None || c.z.RowMajor || c.z.Rows != c.rows || c.z.Cols < len(res.Values) || c.z.Cols > most || !fits(*c.z) || len(res.Values) > p.k {
			return Ratios{}, &ShapeError{Rows: c.z.Rows, Cols: c.z.Cols, Ld: c.z.Ld, Len: len(c.z.Data), PlanRows: c.rows, PlanCols: most}
		}
	}
	if p.cols == 0 || len(res.Values) == 0 {
		return Ratios{}, nil
	}
	s := &solve[T]{p, p.base.Begin(ctx, nil)}
	r, err := s.check(a, res)
	return r, spectrum.During(stages.PhaseCheck, err)
}

// check is Check for a result that fits the plan. The matrices go to the places that they have in a
// solve; the plan's memory holds nothing else that a later call needs.
func (s *solve[T]) check(a evd.Dense[T], res *Result[T]) (ratios Ratios, err error) {
	largest, err := scan(a)
	if err != nil {
		return Ratios{}, err
	}
	sigma := scaling(largest)
	if err := s.upload(a, sigma); err != nil {
		return Ratios{}, err
	}
	if err := s.Run(func(rec *vk.Recorder) { s.recordLoad(rec, a) }); err != nil { // before vectors take the memory
		return Ratios{}, err
	}
	u, v := sides(a)
	var z [2]stages.Matrix
	for of, d := range map[side]*evd.Dense[T]{u: res.U, v: res.V} {
		if d == nil {
			continue
		}
		at := s.regions.x[of]
		if of == left && s.regions.full.Len() > 0 {
			at = s.regions.full
		}
		z[of] = stages.NewMatrix(at.In(s.Arena), d.Rows, d.Cols, max(d.Rows, 1))
		host := vk.Columns[float64]{Rows: d.Rows, Cols: d.Cols, Ld: d.Ld, Data: doubles(d.Data, 1)}
		if err := vk.Upload(s.Ctx, s.Dev, z[of].At, host); err != nil {
			return Ratios{}, err
		}
	}
	sums, err := s.columnSums(z, spectrum.Scale(res.Values, sigma))
	if err != nil {
		return Ratios{}, err
	}
	m, n := float64(s.m), float64(s.n)
	norm := max(norm1(a, sigma), spectrum.SafeMin*sigma)
	return Ratios{
		Residual: ratioOf(sums[2], norm, max(m, n)),
		Left:     ratioOf(sums[u], 1, m), Right: ratioOf(sums[v], 1, n),
	}, nil
}

// columnSums are those of the vectors of both sides, and last those of the residual. What is not there
// has none.
func (s *solve[T]) columnSums(z [2]stages.Matrix, sigma []float64) (sums [3][]float64, err error) {
	ws, r, lambda := s.Arena, &s.regions, s.steps.values.Lambda(s.Arena)
	return sums, s.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, 1)
		for _, of := range []side{left, right} {
			if z[of].Cols > 0 {
				sums[of] = make([]float64, z[of].Cols)
				s.steps.residuals.RecordOrthogonality(rec, ws, z[of], r.sums[of].In(ws))
				vk.ReceiveLast(rec, sums[of], r.sums[of].In(ws))
			}
		}
		if z[left].Cols > 0 && z[right].Cols > 0 {
			sums[2] = make([]float64, len(sigma))
			vk.SendFirst(rec, lambda, sigma)
			found := z[right].Block(0, 0, z[right].Rows, len(sigma))
			s.steps.residuals.Record(rec, ws, s.matrixA(), z[left], found, lambda, r.sums[2].In(ws))
			vk.ReceiveLast(rec, sums[2], r.sums[2].In(ws))
		}
	})
}

// norm1 is ‖σ·A‖₁, the largest column sum of magnitudes, of the matrix on the device: that which is
// stored, or its transpose.
func norm1[T evd.Float](a evd.Dense[T], sigma float64) float64 {
	rows, cols := stored(a)
	sums := make([]float64, min(rows, cols))
	for j := range cols {
		for i, x := range a.Data[j*a.Ld : j*a.Ld+rows] {
			at := j
			if rows < cols {
				at = i
			}
			sums[at] += math.Abs(float64(x) * sigma)
		}
	}
	return slices.Max(sums)
}

// ratioOf is the largest sum over norm·n·ε: 0 without sums and for a zero matrix, +Inf for a NaN.
func ratioOf(sums []float64, norm, n float64) float64 {
	top := 0.0
	for _, x := range sums {
		if math.IsNaN(x) {
			return math.Inf(1)
		}
		top = max(top, x)
	}
	if top == 0 {
		return 0
	}
	return top / norm / (n * spectrum.Ulp)
}
