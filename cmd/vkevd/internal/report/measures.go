// Package report has what a command says about a result: facts for its summary and its report in
// JSON, and measures of its errors.
package report

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"

	"github.com/vkevd/vkevd/cmd/vkevd/internal/cli"
	"github.com/vkevd/vkevd/cmd/vkevd/internal/machine"
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/pencil"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/evd/svd"
)

// A Measure is a ratio: the error of a result, divided by the error that rounding may cause.
type Measure struct {
	Name, Formula string
	Ratio         float64
	limit         float64 // of good ratios; 0 for evd.Threshold
}

func (m Measure) most() float64 { return cmp.Or(m.limit, evd.Threshold) }
func (m Measure) ok() bool      { return m.Ratio < m.most() }

func (m Measure) verdict() string {
	if m.ok() {
		return "good"
	}
	return "BAD"
}

type Measures []Measure

// Measured measures the errors of a result as ratios. If the result has vectors, the ratios are
// those of residual and orthogonality. If not, only two sums of the eigenvalues are compared with
// the matrix (function `Sums`).
func Measured[T evd.Number](ctx context.Context, p machine.DenseSolver[T], a evd.Sym[T], res *evd.Result[T]) (Measures, error) {
	if res.Vectors == nil {
		return Sums(a, res.Values, LeastNorm[T]()), nil
	}
	r, err := p.Check(ctx, a, res)
	if err != nil {
		return nil, err
	}
	return Ratios[T](r), nil
}

func Ratios[T evd.Number](r evd.Ratios) Measures {
	turned := "ᵀ"
	if machine.KindOf[T]().Complex() {
		turned = "ᴴ"
	}
	return Measures{
		{Name: "residual", Formula: "‖A·Q − Q·Λ‖₁ / (n·ε·‖A‖₁)", Ratio: r.Residual},
		{Name: "orthogonality", Formula: "‖I − Q" + turned + "·Q‖₁ / (n·ε)", Ratio: r.Orthogonality},
	}
}

// PairRatios returns the ratios that pencil.Plan.Check has measured, with their names and formulas.
func PairRatios(of machine.PairType, by pencil.Overlap, r evd.Ratios) Measures {
	b, residual := "B", ""
	switch of.Pencil() {
	case pencil.AxLBx:
		residual = "‖A·x − λ·B·x‖₁ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₁)"
	case pencil.ABxLx:
		residual = "‖A·B·x − λ·x‖₁ / (n·ε·(‖A‖₁·‖B‖₁ + |λ|)·‖x‖₁)"
	case pencil.BAxLx:
		b, residual = "B⁻¹", "‖B·A·x − λ·x‖₁ / (n·ε·(‖A‖₁·‖B‖₁ + |λ|)·‖x‖₁)"
	}
	if by.Canonical {
		residual = "‖Vᴴ·(A·x − λ·B·x)‖₁ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₁), V: what was kept of B"
	}
	return Measures{
		{"residual", residual, r.Residual, pencil.Threshold},
		{"orthogonality", "Σ|xᵢᴴ·" + b + "·x − δ| / (n·ε·‖" + b + "‖₁·‖xᵢ‖₂·‖x‖₂)", r.Orthogonality, pencil.Threshold},
	}
}

func (ms Measures) Print(w io.Writer) error {
	for _, m := range ms {
		if _, err := fmt.Fprintf(w, "%-28s %12.3g  %-4s  %s\n", m.Name, m.Ratio, m.verdict(), m.Formula); err != nil {
			return err
		}
	}
	return nil
}

// Verdict returns an error about the first ratio that is too large or NaN, or nil if there is none.
func (ms Measures) Verdict() error {
	for _, m := range ms {
		if !m.ok() {
			return &checkError{m}
		}
	}
	return nil
}

type checkError struct{ Measure }

func (e *checkError) Error() string {
	return fmt.Sprintf("check failed: %s is %.3g, not below %g", e.Name, e.Ratio, e.most())
}

func (e *checkError) Status() int { return cli.StatusNumerical }

// MarshalJSON returns a JSON object with the ratios by name, and with "passed". NaN and infinities
// become null.
func (ms Measures) MarshalJSON() ([]byte, error) {
	object := map[string]any{"passed": ms.Verdict() == nil}
	for _, m := range ms {
		object[m.Name] = m.Ratio
	}
	return json.Marshal(cli.Finite(reflect.ValueOf(object)))
}

const Ulp = ratio.Ulp

func UlpOf[T evd.Number]() float64 {
	if machine.KindOf[T]().Single() {
		return svd.Single.Ulp()
	}
	return svd.Double.Ulp()
}

// LeastNorm is the smallest normal number of type T. In all measures a smaller norm of the matrix
// is replaced by this number, as in LAPACK's dsyt21. The reason is that any value may have a
// rounding error of ε·LeastNorm, the distance of neighbouring subnormal numbers.
func LeastNorm[T evd.Number]() float64 {
	if UlpOf[T]() > Ulp {
		return 0x1p-126
	}
	return 0x1p-1022
}

// InUnits adds the value of ε to the formulas of the measures. The ratios are in units of the ε of
// double precision. If `single` is true, InUnits converts them to units of the ε of single
// precision. The measures are those of a result for the rows×cols matrix `a`, which is stored by
// columns.
func InUnits[T ratio.Number](ms Measures, single bool, rows, cols int, a []T) Measures {
	norm := 0.0
	if single {
		norm = ratio.Norm1(rows, cols, a, rows)
	}
	for i := range ms {
		if single {
			ms[i].Ratio *= Ulp / UlpOf[float32]()
			if ms[i].Name == "residual" { // in units of ‖A‖₁
				ms[i].Ratio *= max(norm, LeastNorm[float64]()) / max(norm, LeastNorm[float32]())
			}
			ms[i].Formula += ", ε = 2⁻²³"
		} else {
			ms[i].Formula += ", ε = 2⁻⁵²"
		}
	}
	return ms
}

// Sums compares Σλ with the trace of A, and Σλ² with ‖A‖F². It returns the differences in units of
// the rounding error. A norm of A below `least` is replaced by `least`. These sums detect a value
// that is missing, doubled or far off. They do not prove that each value is right.
func Sums[T evd.Number](a evd.Sym[T], values []float64, least float64) Measures {
	scale := PowerOfTwo(largest(a)) // otherwise squares could overflow or underflow
	var trace, squares float64
	for j := range a.N {
		column := 0.0 // summed by columns, for smaller rounding errors
		Parts(a.Data[j+j*a.Ld:a.N+j*a.Ld], func(below int, x float64, imaginary bool) {
			x *= scale
			switch {
			case below > 0:
				column += 2 * x * x
			case !imaginary:
				trace += x
				column += x * x
			}
		})
		squares += column
	}
	var sum, sumOfSquares float64
	for _, value := range values {
		v := value * scale
		sum += v
		sumOfSquares += v * v
	}
	norm := math.Sqrt(squares)
	unit := float64(a.N) * UlpOf[T]() * max(norm, least*scale) // n times the rounding error of a value
	return OfSums(Over(sum-trace, unit), Over(sumOfSquares-squares, unit*norm))
}

// OfSums returns the measures of two sums of eigenvalues: the difference of Σλ from the trace, and
// that of Σλ² from ‖A‖F². Both arguments are in units of the rounding error.
func OfSums(trace, squares float64) Measures {
	return Measures{
		{Name: "trace", Formula: "|Σλ − tr A| / (n·ε·‖A‖F)", Ratio: trace},
		{Name: "squares", Formula: "|Σλ² − ‖A‖F²| / (n·ε·‖A‖F²)", Ratio: squares},
	}
}

// Over returns |err|/unit, an error in the given unit. If err is 0, the result is 0, even if `unit`
// is 0.
func Over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

// largest returns the largest magnitude of a real or imaginary part. It reads only the lower
// triangle.
func largest[T evd.Number](a evd.Sym[T]) float64 {
	most := 0.0
	for j := range a.N {
		Parts(a.Data[j*a.Ld+j:j*a.Ld+a.N], func(_ int, x float64, _ bool) { most = max(most, math.Abs(x)) })
	}
	return most
}

// Parts calls `do` for each real element, and for the real and the imaginary part of each complex
// element.
func Parts[T evd.Number](elements []T, do func(k int, x float64, imaginary bool)) {
	switch elements := any(elements).(type) {
	case []float32:
		for k, x := range elements {
			do(k, float64(x), false)
		}
	case []float64:
		for k, x := range elements {
			do(k, x, false)
		}
	case []complex64:
		for k, x := range elements {
			do(k, float64(real(x)), false)
			do(k, float64(imag(x)), true)
		}
	case []complex128:
		for k, x := range elements {
			do(k, real(x), false)
			do(k, imag(x), true)
		}
	}
}

// PowerOfTwo is a power of two 2ᵏ such that 2ᵏ·x is near 1 without rounding errors. For the
// smallest subnormal numbers 2ᵏ would overflow; PowerOfTwo is then the largest power of two that
// does not overflow.
func PowerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Ldexp(1, -max(math.Ilogb(x), -1023))
}

// OnHost measures the errors of a result on the host, with the functions of package ratio, which
// the tests use, too. Both triangles of the matrix `a` must be set.
func OnHost[T ratio.Number](a evd.Sym[T], res *evd.Result[T]) Measures {
	z := res.Vectors
	return Ratios[T](evd.Ratios{
		Residual:      ratio.Residual(a.N, z.Cols, a.Data, a.Ld, res.Values, z.Data, z.Ld),
		Orthogonality: ratio.Orthogonality(a.N, z.Cols, z.Data, z.Ld),
	})
}

// PairOnHost is OnHost for a result of A·x = λ·B·x.
func PairOnHost[T ratio.Number](a, b evd.Sym[T], res *evd.Result[T]) Measures {
	z := res.Vectors
	eta, omega := ratio.Pencil(a.N, z.Cols, a.Data, a.Ld, b.Data, b.Ld, res.Values, z.Data, z.Ld)
	return Measures{
		{"residual", "‖A·x − λ·B·x‖₂ / (n·ε·(‖A‖₁ + |λ|·‖B‖₁)·‖x‖₂)", eta, pencil.Threshold},
		{"orthogonality", "|xᵢᴴ·B·x − δ| / (n·ε·‖B‖₁·‖xᵢ‖₂·‖x‖₂)", omega, pencil.Threshold},
	}
}
