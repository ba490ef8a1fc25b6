package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/precision"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
)

// overflowed checks a result for a matrix whose largest singular value is beyond the largest number
// of type T, and whose other values are far smaller. For float64 the error must name the value, the
// result must be returned, too, and a certificate must not pass. For float32 the value is a double
// that does not overflow, so there must be no error, and a certificate must pass.
func overflowed[T evd.Float](t *testing.T, what string, certify bool, n int, res *Result[T], err error) {
	t.Helper()
	var e *evd.OverflowError
	_, single := any(T(0)).(float32)
	want := evd.OverflowError{Count: 1, Singular: true}
	if single && err != nil || !single && (!errors.As(err, &e) || *e != want) {
		t.Fatalf("%s: the error is %+v (%v), want %+v", what, e, err, want)
	}
	if res == nil || len(res.Values) != n || math.IsInf(res.Values[0], 1) == single || !(res.Values[0] > float64(most[T]())) {
		t.Fatalf("%s: the result is %v", what, res)
	}
	for j, x := range res.Values[1:] {
		if !(x <= 1e-3*float64(most[T]())) {
			t.Errorf("%s: value %d is %g", what, j+1, x)
		}
	}
	if c := res.Certificate; (c != nil) != certify || certify && c.Passed() != single {
		t.Errorf("%s: the certificate is %v", what, c)
	}
	for _, z := range []*evd.Dense[T]{res.U, res.V} {
		if z == nil {
			continue
		}
		for _, x := range z.Col(0) {
			if !(math.Abs(float64(x)-1/math.Sqrt(float64(z.Rows))) <= 100*precision.UlpOf[T]()) {
				t.Errorf("%s: the vector of the value that overflows has an entry %g", what, x)
			}
		}
	}
}

// `most` is the largest number of type T.
func most[T evd.Float]() T {
	x := math.MaxFloat64
	if !precision.IsDouble[T]() {
		x = math.MaxFloat32
	}
	return T(x)
}

// TestSingularValuesBeyondTheLargestNumber solves matrices with a singular value that is larger
// than every number of the type, by every kind of plan. For float64, the certificate of such a
// result must not pass.
func TestSingularValuesBeyondTheLargestNumber(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	t.Run("float64", beyond[float64])
	t.Run("float32", beyond[float32])
	small := tuning.Smallest()
	for _, storage := range []Storage{Single, Half} {
		opt := Options{Storage: storage, Certify: true, Tuning: &small}
		beyondDense[float64](t, fmt.Sprint("storage ", storage), 4, 3, opt)
	}
}

func beyond[T evd.Float](t *testing.T) {
	small := tuning.Smallest()
	for _, shape := range [][2]int{{2, 2}, {9, 4}, {4, 9}} {
		for _, opt := range []Options{
			{}, {Certify: true}, {Verify: true}, {U: Thin, V: Full}, {U: Thin, V: Thin, Verify: true}, {U: Thin, Verify: true},
		} {
			opt.Tuning = &small
			beyondDense[T](t, fmt.Sprintf("%v, %+v", shape, opt), shape[0], shape[1], opt)
		}
	}

	// The matrix [0 m; 0 m] has the singular values √2·m and 0.
	m := most[T]()
	band, err := NewBandPlan[T](testDevice(t), 2, 1, BandOptions{Certify: true, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer band.Close()
	res, err := band.Solve(context.Background(), Band[T]{N: 2, B: 1, Ld: 2, Data: []T{0, 0, m, m}})
	overflowed(t, "band", true, 2, res, err)

	bidiagonal, err := NewBidiagonalPlan[T](testDevice(t), 2, Options{Certify: true, U: Thin, V: Thin, Tuning: &small})
	if err != nil {
		t.Fatal(err)
	}
	defer bidiagonal.Close()
	res, err = bidiagonal.Solve(context.Background(), Bidiagonal[T]{D: []T{0, m}, E: []T{m}})
	if res != nil && math.Abs(float64(res.V.At(1, 0))-1) <= 1e-6 { // the vectors are (1, 1)/√2 and (0, 1)
		res.V = nil
	}
	overflowed(t, "bidiagonal", true, 2, res, err)
}

// beyondDense solves a matrix whose entries are all the largest number of type T.
func beyondDense[T evd.Float](t *testing.T, what string, rows, cols int, opt Options) {
	t.Helper()
	p, err := NewPlan[T](testDevice(t), rows, cols, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	a := evd.Dense[T]{Rows: rows, Cols: cols, Ld: rows, Data: slices.Repeat([]T{most[T]()}, rows*cols)}
	res, err := p.Solve(context.Background(), a)
	overflowed(t, what, opt.Certify || opt.Verify, min(rows, cols), res, err)
	if (res.U != nil) != (opt.U != None) || (res.V != nil) != (opt.V != None) {
		t.Errorf("%s: vectors that are not wanted, or missing ones", what)
	}
}
