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
