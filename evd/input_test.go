package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// triangle returns one triangle of the full matrix a of order n, with the leading dimension ld. The
// other triangle, the memory between columns, and the imaginary parts of the diagonal are NaN.
func triangle[T double](n, ld int, a []T, uplo evd.Uplo) evd.Sym[T] {
	return stored(n, ld, a, uplo, false)
}

// stored is the function `triangle` for a matrix that is stored by columns, or by rows.
func stored[T double](n, ld int, a []T, uplo evd.Uplo, rowMajor bool) evd.Sym[T] {
	sym := evd.Sym[T]{N: n, Ld: ld, Uplo: uplo, Data: slices.Repeat([]T{nan[T]()}, n*ld), RowMajor: rowMajor}
	for j := range n {
		for i := range n {
			if i == j || (i > j) == (uplo == evd.Lower) {
				sym.Data[at(sym, i, j)] = a[i+j*n]
			}
			if z, ok := any(&sym.Data[at(sym, i, i)]).(*complex128); ok {
				*z = complex(real(*z), math.NaN())
			}
		}
	}
	return sym
}

// TestTrianglesAndLeadingDimensions puts NaN into the triangle that is not read and into the memory
// between columns. The result must not change.
func TestTrianglesAndLeadingDimensions(t *testing.T) {
	when.Pick(t, when.Race)
	trianglesAndLeadingDimensions(t, 19, full(random(19)))
}

func TestTrianglesOfHermitians(t *testing.T) {
	trianglesAndLeadingDimensions(t, 19, randomHermitian(19))
}

func trianglesAndLeadingDimensions[T double](t *testing.T, n int, a []T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	ld := n + 4
	want := solve(t, d, n, a, evd.Options{Tuning: small()})
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		sym := triangle(n, ld, a, uplo)
		p, err := evd.NewPlan[T](d, n, evd.Options{Vectors: true, Overwrite: true, Tuning: small()})
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(ctx, sym)
		p.Close()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(res.Values, want.Values) {
			t.Errorf("uplo %v: other values", uplo)
		}
		for j := range n {
			if !slices.Equal(res.Vectors.Col(j), want.Vectors.Col(j)) {
				t.Errorf("uplo %v: other vector %d", uplo, j)
			}
			for i := n; i < ld; i++ {
				if x := sym.Data[i+j*ld]; x == x {
					t.Errorf("uplo %v: padding (%d, %d) was written", uplo, i, j)
				}
			}
		}
	}
}

// TestCertificatesOfTriangles solves with Verify and in mixed precision, for triangles as in
// TestTrianglesAndLeadingDimensions. The certificates must be those without gaps between columns.
func TestCertificatesOfTriangles(t *testing.T) {
	when.Pick(t, when.Race)
	d := device(t, vk.Options{})
	const n, ld = 19, 23
	a := full(random(n))
	type solver interface {
		Solve(context.Context, evd.Sym[float64]) (*evd.Result[float64], error)
	}
	mixed, err := evd.NewMixedPlan[float64](d, n, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer mixed.Close()
	for what, p := range map[string]solver{
		"values":  mustPlan(t, d, n, evd.Options{Verify: true, Tuning: small()}),
		"vectors": mustPlan(t, d, n, evd.Options{Verify: true, Vectors: true, Tuning: small()}),
		"mixed":   mixed,
	} {
		solve := func(a evd.Sym[float64]) evd.Certificate {
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			return *res.Certificate
		}
		for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
			want, got := solve(triangle(n, n, a, uplo)), solve(triangle(n, ld, a, uplo))
			if got != want || got.Safe {
				t.Errorf("%s, uplo %v: %+v, without gaps %+v", what, uplo, got, want)
			}
		}
	}
}

func TestBadInput(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	ctx := context.Background()
	d := device(t, vk.Options{})
	p, err := evd.NewPlan[float64](d, 3, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var shape *evd.ShapeError
	for _, a := range []evd.Sym[float64]{
		{N: 2, Ld: 2, Data: make([]float64, 4)}, {N: 3, Ld: 2, Data: make([]float64, 9)},
		{N: 3, Ld: 3, Data: make([]float64, 8)}, {N: -1, Ld: 3}, {N: 3, Data: make([]float64, 8)}, {N: 3, Ld: -3, Data: make([]float64, 9)},
		{N: 3, Ld: 1 << 62, Data: make([]float64, 9)}, {N: 3, Ld: math.MaxInt, Data: make([]float64, 9)}, // 2·Ld overflows to a negative number
	} {
		if _, err := p.Solve(ctx, a); !errors.As(err, &shape) {
			t.Errorf("%+v: %v", a, err)
		}
	}
	if _, err := evd.NewPlan[float64](d, -1, evd.Options{}); !errors.As(err, &shape) || err.Error() != "order -1 is negative" {
		t.Errorf("order −1: %v", err)
	}
	for _, n := range []int{1 << 24, 1 << 32, math.MaxInt} {
		if _, err := evd.NewPlan[float64](d, n, evd.Options{}); !errors.As(err, &shape) || err.Error() != fmt.Sprintf("order %d is too large, at most 16777215", n) {
			t.Errorf("order %d: %v", n, err)
		}
	}
	var bad *evd.NonFiniteError
	a := evd.Sym[float64]{N: 3, Ld: 3, Data: []float64{1, 2, 3, 0, 4, math.Inf(1), 0, 0, 5}}
	if _, err := p.Solve(ctx, a); !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 1 {
		t.Errorf("infinity: %v", err)
	}
	var option *evd.OptionError
	for _, o := range []evd.Options{{Band: -1}, {Band: 4, Block: 6}, {Overwrite: true}} {
		if _, err := evd.NewPlan[float64](d, 3, o); !errors.As(err, &option) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var memory *vk.OutOfMemoryError
	if _, err := evd.NewPlan[float64](d, 900_000, evd.Options{Vectors: true}); !errors.As(err, &memory) {
		t.Errorf("order 900000: %v", err)
	}
	var unsupported *vk.UnsupportedError
	if _, err := evd.NewPlan[float64](d, 1<<20, evd.Options{Vectors: true}); !errors.As(err, &memory) && !errors.As(err, &unsupported) {
		t.Errorf("order 2^20: %v", err)
	}
}

func TestGonumsSymmetric(t *testing.T) {
	ctx := context.Background()
	const n = 8
	a := full(random(n))
	res, err := evd.Eigen(ctx, mat.NewSymDense(n, a))
	if err != nil {
		t.Fatal(err)
	}
	judge(t, n, a, res)
	values, err := evd.Eigenvalues(ctx, mat.NewDiagDense(3, []float64{3, 1, 2}))
	if err != nil || !(ratio.Values(3, values, []float64{1, 2, 3}, 3) <= 1) {
		t.Errorf("diagonal: %v, %v", values, err)
	}
}
