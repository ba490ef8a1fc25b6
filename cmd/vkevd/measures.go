package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/evd"
)

// A measure is a ratio: an error divided by the error that rounding may cause.
type measure struct {
	name, formula string
	ratio         float64
}

// ok tells whether the ratio is below evd.Threshold. It is false for NaN.
func (m measure) ok() bool { return m.ratio < evd.Threshold }

func (m measure) verdict() string {
	if m.ok() {
		return "good"
	}
	return "BAD"
}

type measures []measure

// measured measures a result: with vectors by ratios, without vectors only by two sums.
func measured(ctx context.Context, p solver, a evd.Sym[float64], res *evd.Result[float64]) (measures, error) {
	if res.Vectors == nil {
		return sums(a, res.Values), nil
	}
	r, err := p.Check(ctx, a, res)
	if err != nil {
		return nil, err
	}
	return ratios(r), nil
}

func ratios(r evd.Ratios) measures {
	return measures{
		{"residual", "‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)", r.Residual},
		{"orthogonality", "‖I − Qᵀ·Q‖₁ / (n·ε)", r.Orthogonality},
	}
}

// print prints the table for people: name, ratio, verdict and formula.
func (ms measures) print(w io.Writer) error {
	for _, m := range ms {
		if _, err := fmt.Fprintf(w, "%-28s %12.3g  %-4s  %s\n", m.name, m.ratio, m.verdict(), m.formula); err != nil {
			return err
		}
	}
	return nil
}

// verdict is nil, or the *checkError of the first measure that is not ok.
func (ms measures) verdict() error {
	for _, m := range ms {
		if !m.ok() {
			return &checkError{m}
		}
	}
	return nil
}

// A checkError is the error for a result with a measure that is not ok.
type checkError struct{ measure }

func (e *checkError) Error() string {
	return fmt.Sprintf("check failed: %s is %.3g, not below %d", e.name, e.ratio, evd.Threshold)
}

// MarshalJSON makes an object of the ratios and of "passed". NaN and infinities become null.
func (ms measures) MarshalJSON() ([]byte, error) {
	object := map[string]any{"passed": ms.verdict() == nil}
	for _, m := range ms {
		object[m.name] = nil
		if !math.IsNaN(m.ratio) && !math.IsInf(m.ratio, 0) {
			object[m.name] = m.ratio
		}
	}
	return json.Marshal(object)
}

// ulp is the distance from 1 to the next double, 2⁻⁵²: LAPACK's dlamch('P').
const ulp = 0x1p-52

// sums compares Σλ with the trace and Σλ² with the squared Frobenius norm, in units of the rounding
// error. These sums detect a value that is missing, doubled or far off. They do not prove that each
// value is right.
func sums(a evd.Sym[float64], values []float64) measures {
	scale := powerOfTwo(largest(a)) // otherwise squares could overflow or underflow
	var trace, squares float64
	for j := range a.N {
		column := 0.0 // summed by columns, for smaller rounding errors
		for i := j; i < a.N; i++ {
			x := a.Data[i+j*a.Ld] * scale
			if i == j {
				trace += x
				column += x * x
			} else {
				column += 2 * x * x
			}
		}
		squares += column
	}
	var sum, sumOfSquares float64
	for _, v := range values {
		v *= scale
		sum += v
		sumOfSquares += v * v
	}
	unit := float64(a.N) * ulp
	return measures{
		{"trace", "|Σλ − tr A| / (n·ε·‖A‖F)", over(sum-trace, unit*math.Sqrt(squares))},
		{"squares", "|Σλ² − ‖A‖F²| / (n·ε·‖A‖F²)", over(sumOfSquares-squares, unit*squares)},
	}
}

// over is |err|/unit. If err is 0, it is 0, even if the unit is 0.
func over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

// largest is max|a_ij|, read from the lower triangle.
func largest(a evd.Sym[float64]) float64 {
	most := 0.0
	for j := range a.N {
		for _, x := range a.Data[j*a.Ld+j : j*a.Ld+a.N] {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// powerOfTwo is a power of two that scales x to a number near 1, without rounding. For the smallest
// subnormal numbers this power would overflow. For them it is the largest power of two that does
// not overflow.
func powerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Ldexp(1, -max(math.Ilogb(x), -1023))
}
