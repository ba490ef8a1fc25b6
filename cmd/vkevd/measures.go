package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/vkevd/vkevd/evd"
)

// A measure is an error divided by the one that rounding may leave.
type measure struct {
	name, formula string
	ratio         float64
}

func (m measure) ok() bool { return m.ratio < evd.Threshold } // NaN is not

type measures []measure

// measured says how good a result is. With vectors it is a proof; values alone can
// only be compared with two sums over the matrix.
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

// print is for people.
func (ms measures) print(w io.Writer) error {
	for _, m := range ms {
		if _, err := fmt.Fprintf(w, "%-28s %12.3g  %s\n", m.name, m.ratio, m.formula); err != nil {
			return err
		}
	}
	return nil
}

// verdict is nil, or the *checkError of the first measure that does not pass.
func (ms measures) verdict() error {
	for _, m := range ms {
		if !m.ok() {
			return &checkError{m}
		}
	}
	return nil
}

// A checkError says that the result is there and is not good.
type checkError struct{ measure }

func (e *checkError) Error() string {
	return fmt.Sprintf("check failed: %s is %.3g, not below %d", e.name, e.ratio, evd.Threshold)
}

// MarshalJSON makes one object of the ratios; those that are no number become null.
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

// ulp is the distance from 1 to the next double, LAPACK's ε.
const ulp = 0x1p-52

// sums compares Σλ with the trace and Σλ² with the squared Frobenius norm, both in
// units of the error that rounding may leave. They would notice a value that is
// lost, doubled or far off, and say nothing about each one.
func sums(a evd.Sym[float64], values []float64) measures {
	scale := powerOfTwo(largest(a)) // squares of entries near the ends of the range would leave it
	var trace, squares float64
	for j := range a.N {
		column := 0.0 // by columns, so that few small terms meet a large sum
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

// over is |err|/unit, where no error is none even of a zero matrix.
func over(err, unit float64) float64 {
	if err == 0 {
		return 0
	}
	return math.Abs(err) / unit
}

func largest(a evd.Sym[float64]) float64 {
	most := 0.0
	for j := range a.N {
		for _, x := range a.Data[j*a.Ld+j : j*a.Ld+a.N] {
			most = max(most, math.Abs(x))
		}
	}
	return most
}

// powerOfTwo brings x near 1 by a factor that rounds nothing. The smallest denormals
// need more than a double can be, and get what there is.
func powerOfTwo(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Ldexp(1, -max(math.Ilogb(x), -1023))
}
