package batch_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
)

// TestCheck checks that right spectra pass, and that a wrong value, a wrong vector and a matrix
// with a NaN do not pass. It also checks the errors of Check.
func TestCheck(t *testing.T) {
	ctx := context.Background()
	for _, part := range []evd.Selection{{}, evd.Index(1, 5)} {
		p := newPlan(t, 30, 10, batch.Options{Vectors: true, Select: part})
		var a []evd.Sym[float64]
		for k, n := range []int{5, 30, 12, 8} {
			a = append(a, named{n: n, full: matgen.Dense()[0].Dense(n)}.symmetric(k%2 == 0))
		}
		a[3].Data[0] = math.NaN()
		s := solve(t, p, a...).Spectra
		s[1].Values[2] += 1e-10
		s[2].Vectors.Data[3] += 1e-10
		ratios, err := p.Check(ctx, a, s)
		if err != nil {
			t.Fatal(err)
		}
		good := []bool{ratios[0].Passed(), ratios[1].Passed(), ratios[2].Passed(), ratios[3].Passed()}
		if !good[0] || good[1] || good[2] || good[3] || !(ratios[1].Orthogonality <= 10) {
			t.Errorf("ratios %+v", ratios)
		}
		if _, err := p.Check(ctx, a[1:], s); !errors.As(err, new(*evd.ShapeError)) {
			t.Errorf("too many spectra: %v", err)
		}
	}
	values := newPlan(t, 30, 10, batch.Options{})
	if _, err := values.Check(ctx, nil, nil); !errors.As(err, new(*evd.OptionError)) {
		t.Errorf("without vectors: %v", err)
	}
}

// withGaps returns the columns of z with three elements of NaN between them.
func withGaps(z *evd.Dense[float64]) *evd.Dense[float64] {
	ld := z.Rows + 3
	wide := evd.Dense[float64]{Rows: z.Rows, Cols: z.Cols, Ld: ld, Data: slices.Repeat([]float64{math.NaN()}, ld*z.Cols)}
	for j := range z.Cols {
		copy(wide.Col(j), z.Col(j))
	}
	return &wide
}

// TestCheckOfColumnsWithGaps checks matrices and vectors with gaps of NaN between their columns.
// The ratios must be those without gaps. Ld = 0 of a matrix means its order. The error for an
// infinite entry must name the entry, whatever Ld is.
func TestCheckOfColumnsWithGaps(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx := context.Background()
	p := newPlan(t, 30, 10, batch.Options{Vectors: true, Select: evd.Index(1, 4)})
	var a, wide, short []evd.Sym[float64]
	for k, n := range []int{5, 30, 12} {
		m := named{n: n, full: matgen.Dense()[0].Dense(n)}.symmetric(k%2 == 0)
		w := withGaps(&evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: m.Data})
		a = append(a, m)
		wide = append(wide, evd.Sym[float64]{N: n, Ld: w.Ld, Data: w.Data, Uplo: m.Uplo})
		short = append(short, evd.Sym[float64]{N: n, Data: m.Data, Uplo: m.Uplo})
	}
	s := solve(t, p, a...).Spectra
	want, err := p.Check(ctx, a, s)
	if err != nil {
		t.Fatal(err)
	}
	for k := range s {
		if !want[k].Passed() || want[k].Residual == 0 || want[k].Orthogonality == 0 {
			t.Errorf("matrix %d: %+v", k, want[k])
		}
		s[k].Vectors = withGaps(s[k].Vectors)
	}
	for _, b := range [][]evd.Sym[float64]{a, wide, short} {
		if got, err := p.Check(ctx, b, s); err != nil || !slices.Equal(got, want) {
			t.Errorf("Ld = %d: %+v, %v, without gaps %+v", b[0].Ld, got, err, want)
		}
	}
	for _, b := range [][]evd.Sym[float64]{wide, short} { // an error names the right entry
		m := b[1]
		b[1].Data = slices.Clone(m.Data)
		b[1].Data[20+15*max(m.Ld, m.N)], b[1].Uplo = math.Inf(1), evd.Lower
		var failed *evd.NonFiniteError
		if err := solve(t, p, b...).Spectra[1].Err; !errors.As(err, &failed) || failed.Row != 20 || failed.Col != 15 {
			t.Errorf("Ld = %d: an infinity in row 20, column 15: %v", m.Ld, err)
		}
	}
}
