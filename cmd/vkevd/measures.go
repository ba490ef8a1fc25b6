package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/vkevd/vkevd/evd"
)

// A measure is a ratio: the error of a result, divided by the error that rounding may cause.
type measure struct {
	name, formula string
	ratio         float64
}

// ok tells whether the error ratio is small enough, that is below evd.Threshold. It is false if the
// ratio is NaN.
func (m measure) ok() bool { return m.ratio < evd.Threshold }

func (m measure) verdict() string {
	if m.ok() {
		return "good"
	}
	return "BAD"
}

type measures []measure

// measured measures the errors of a result as ratios. If the result has vectors, the ratios are
// those of residual and orthogonality. If not, only two sums of the eigenvalues are compared with
// the matrix (function `sums`).
func measured[T evd.Float](ctx context.Context, p denseSolver[T], a evd.Sym[T], res *evd.Result[T]) (measures, error) {
	if res.Vectors == nil {
		return sums(a, res.Values, leastNorm[T]()), nil
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

// print prints the error ratios as a readable table: name, ratio, verdict and formula.
func (ms measures) print(w io.Writer) error {
	for _, m := range ms {
		if _, err := fmt.Fprintf(w, "%-28s %12.3g  %-4s  %s\n", m.name, m.ratio, m.verdict(), m.formula); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns a *checkError about the first error ratio that is too large, or nil if there is
// none.
func (ms measures) verdict() error {
	for _, m := range ms {
		if !m.ok() {
			return &checkError{m}
		}
	}
	return nil
}

// A checkError says that an error ratio of a result is too large.
type checkError struct{ measure }

func (e *checkError) Error() string {
	return fmt.Sprintf("check failed: %s is %.3g, not below %d", e.name, e.ratio, evd.Threshold)
}

// MarshalJSON returns a JSON object with the ratios by name, and with "passed". NaN and infinities
// become null.
func (ms measures) MarshalJSON() ([]byte, error) {
	object := map[string]any{"passed": ms.verdict() == nil}
	for _, m := range ms {
		object[m.name] = m.ratio
	}
	return json.Marshal(finite(reflect.ValueOf(object)))
}

// ulp is the distance from 1 to the next double, 2⁻⁵²: LAPACK's dlamch('P').
const ulp = 0x1p-52

// ulpOf is the distance from 1 to the next larger number of type T.
func ulpOf[T evd.Float]() float64 {
	if _, single := any(*new(T)).(float32); single {
		return 0x1p-23
	}
	return ulp
}

// leastNorm is the smallest normal number of type T. In all measures a smaller norm of the matrix
// counts as this number, as in LAPACK's dsyt21: the distance of subnormal numbers, ε·leastNorm, is a
// rounding error that any value may have.
func leastNorm[T evd.Float]() float64 {
	if ulpOf[T]() > ulp {
		return 0x1p-126
	}
	return 0x1p-1022
}

// inUnits adds the value of ε to the formulas of the measures. The ratios are in units of the ε of
// double precision. If `single` is true, inUnits converts them to units of the ε of single
// precision. The rows×cols matrix A, stored by columns, is that of the measures.
func (ms measures) inUnits(single bool, rows, cols int, a []float64) measures {
	norm := 0.0
	if single {
		norm = columnSum(rows, cols, a)
	}
	for i := range ms {
		if single {
			ms[i].ratio *= ulp / ulpOf[float32]()
			if ms[i].name == "residual" { // in units of ‖A‖₁
				ms[i].ratio *= max(norm, leastNorm[float64]()) / max(norm, leastNorm[float32]())
			}
			ms[i].formula += ", ε = 2⁻²³"
		} else {
			ms[i].formula += ", ε = 2⁻⁵²"
		}
	}
	return ms
}

// columnSum is ‖A‖₁ of a matrix whose elements are all stored, or +Inf if a sum overflows.
func columnSum(rows, cols int, a []float64) (norm float64) {
	for j := range cols {
		sum := 0.0
		for _, x := range a[j*rows : (j+1)*rows] {
			sum += math.Abs(x)
		}
		norm = max(norm, sum)
	}
	return norm
}

// sums compares Σλ with the trace of A, and Σλ² with ‖A‖F². It returns the differences in units of
// the rounding error. A norm below `least` counts as this number. These sums detect a value that is missing, doubled or far off. They do not
// prove that each value is right.
func sums[T evd.Float](a evd.Sym[T], values []T, least float64) measures {
	scale := powerOfTwo(largest(a)) // otherwise squares could overflow or underflow
	var trace, squares float64
	for j := range a.N {
		column := 0.0 // summed by columns, for smaller rounding errors
		for i := j; i < a.N; i++ {
			x := float64(a.Data[i+j*a.Ld]) * scale
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
	for _, value := range values {
		v := float64(value) * scale
		sum += v
		sumOfSquares += v * v
	}
	norm := math.Sqrt(squares)
	unit := float64(a.N) * ulpOf[T]() * max(norm, least*scale) // n times the rounding error of a value
	return ofSums(over(sum-trace, unit), over(sumOfSquares-squares, unit*norm))
}

// ofSums returns the measures of two sums of eigenvalues: the difference of Σλ from the trace, and
// that of Σλ² from ‖A‖F². Both arguments are in units of the rounding error.
func ofSums(trace, squares float64) measures {
	return measures{
		{"trace", "|Σλ − tr A| / (n·ε·‖A‖F)", trace},
		{"squares", "|Σλ² − ‖A‖F²| / (n·ε·‖A‖F²)", squares},
	}
}

// over returns |err|/unit, an error in the given unit. If err is 0, the result is 0, even if `unit`
// is 0.
func over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

// largest returns max|a_ij| of a symmetric matrix. It reads only the lower triangle.
func largest[T evd.Float](a evd.Sym[T]) float64 {
	most := 0.0
	for j := range a.N {
		for _, x := range a.Data[j*a.Ld+j : j*a.Ld+a.N] {
			most = max(most, math.Abs(float64(x)))
		}
	}
	return most
}

// powerOfTwo is a power of two 2ᵏ such that 2ᵏ·x is near 1 without rounding errors. For the
// smallest subnormal numbers 2ᵏ would overflow; powerOfTwo is then the largest power of two that
// does not overflow.
func powerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Ldexp(1, -max(math.Ilogb(x), -1023))
}
