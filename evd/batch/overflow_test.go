package batch_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
)

// TestBeyondTheLargestDouble solves matrices whose entries are all the largest double, or all its
// negative, between other matrices. Their largest eigenvalue is n times this number. The error of
// the matrix must name the value, which must be infinite. The other values and the vectors must be
// there. The matrices before and after must have the same bits as without it.
func TestBeyondTheLargestDouble(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	for _, c := range []struct {
		n       int
		vectors bool
		tune    *tuning.Tuning
	}{{2, true, nil}, {2, false, nil}, {40, true, nil}, {40, false, nil}, {40, true, conquering(t)}} {
		n := c.n
		p := newPlan(t, n, 4, batch.Options{Vectors: c.vectors, Tuning: c.tune})
		other := evd.NewSym(n, matgen.Dense()[0].Dense(n), evd.Lower)
		huge := func(x float64) evd.Sym[float64] { return evd.NewSym(n, slices.Repeat([]float64{x}, n*n), evd.Lower) }
		res := solve(t, p, other, huge(math.MaxFloat64), other, huge(-math.MaxFloat64))
		alone := solve(t, p, other)
		same(t, "beside an overflow", []batch.Spectrum[float64]{alone.Spectra[0], alone.Spectra[0]}, []batch.Spectrum[float64]{res.Spectra[0], res.Spectra[2]})
		overflowed(t, res.Spectra[1], n-1, n, evd.OverflowError{Index: n - 1, Count: 1})
		overflowed(t, res.Spectra[3], 0, n, evd.OverflowError{Index: 0, Count: 1, Negative: true})
		if !errors.As(res.Err(), new(*evd.OverflowError)) {
			t.Errorf("the batch's error is %v", res.Err())
		}

		last := newPlan(t, n, 1, batch.Options{Vectors: c.vectors, Select: evd.Index(n-1, n), Tuning: c.tune})
		overflowed(t, solve(t, last, huge(math.MaxFloat64)).Spectra[0], 0, n, evd.OverflowError{Index: n - 1, Count: 1})
	}
}

// overflowed checks a spectrum of a matrix of order n with the error `want`: values[k] is infinite,
// and no other value is infinite or NaN. The components of vector k, if there are vectors, must be
// 1/√n.
func overflowed(t *testing.T, s batch.Spectrum[float64], k, n int, want evd.OverflowError) {
	t.Helper()
	var e *evd.OverflowError
	if !errors.As(s.Err, &e) || *e != want {
		t.Fatalf("order %d: the error is %+v (%v), want %+v", n, e, s.Err, want)
	}
	for i, x := range s.Values {
		if math.IsInf(x, 0) != (i == k) || math.IsNaN(x) {
			t.Errorf("order %d: value %d is %g", n, i, x)
		}
	}
	if s.Vectors == nil {
		return
	}
	for _, x := range s.Vectors.Col(k) {
		if !(math.Abs(x-1/math.Sqrt(float64(n))) <= 1e-14) {
			t.Errorf("order %d: the vector of the value that overflows has an entry %g", n, x)
		}
	}
}

// TestTridiagonalsBeyondTheLargestDouble solves tridiagonal matrices with the largest double m on
// all three diagonals. The eigenvalues are m·(1 + 2·cos(k·π/(n+1))), so half of them overflow.
func TestTridiagonalsBeyondTheLargestDouble(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	const m = math.MaxFloat64
	for _, n := range []int{2, 40, 66} {
		for _, vectors := range []bool{false, true} {
			p := newTridiagonalPlan(t, n, 1, batch.Options{Vectors: vectors})
			s := solveTridiagonals(t, p, evd.Tridiagonal[float64]{D: slices.Repeat([]float64{m}, n), E: slices.Repeat([]float64{m}, n-1)})[0]
			var e *evd.OverflowError
			if want := (evd.OverflowError{Index: n / 2, Count: n / 2}); !errors.As(s.Err, &e) || *e != want {
				t.Fatalf("order %d: the error is %+v (%v), want %+v", n, e, s.Err, want)
			}
			for k, x := range s.Values[:n/2] {
				want := m * (1 + 2*math.Cos(float64(n-k)*math.Pi/float64(n+1)))
				if !(math.Abs(x-want) <= 100*0x1p-52*m) {
					t.Errorf("order %d: value %d is %g, not %g", n, k, x, want)
				}
			}
		}
	}
}
