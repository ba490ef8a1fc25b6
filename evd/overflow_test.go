package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

func largestOf[T evd.Float]() T {
	if _, single := any(T(0)).(float32); single {
		return math.MaxFloat32
	}
	most := math.MaxFloat64
	return T(most)
}

// constant is the symmetric matrix of order n whose entries are all x. Its eigenvalues are n·x and
// 0.
func constant[T evd.Float](n int, x T) evd.Sym[T] {
	return evd.Sym[T]{N: n, Ld: n, Data: slices.Repeat([]T{x}, n*n)}
}

// overflowed checks a result for a matrix of order n that has the eigenvalue `huge` = ±Inf, while
// all others are zero. The error must name the eigenvalue, and the result must be returned, too.
// For float32 the eigenvalue is ±n·MaxFloat32 and no double overflows, so the result must be like
// any other.
func overflowed[T evd.Float](t *testing.T, n int, huge float64, verify bool, res *evd.Result[T], err error) {
	t.Helper()
	index := 0
	if huge > 0 {
		index = n - 1
	}
	var e *evd.OverflowError
	_, single := any(T(0)).(float32)
	want := evd.OverflowError{Index: index, Count: 1, Negative: huge < 0}
	if single && err != nil || !single && (!errors.As(err, &e) || *e != want) {
		t.Fatalf("the error is %+v (%v), want %+v", e, err, want)
	}
	if res == nil || len(res.Values) != n {
		t.Fatalf("the result is %v", res)
	}
	ulp := ulpOf[T]()
	for j, x := range res.Values {
		want, tolerance := 0.0, 10*float64(n)*ulp*float64(largestOf[T]())
		if j == index {
			want = huge
			if single {
				want = math.Copysign(float64(n)*math.MaxFloat32, huge)
			}
		}
		if x != want && !(math.Abs(x-want) <= tolerance) {
			t.Errorf("eigenvalue %d is %g", j, x)
		}
	}
	if c := res.Certificate; (c != nil) != verify || verify && c.Passed() != single {
		t.Errorf("the certificate is %v", c)
	}
	if res.Vectors == nil {
		return
	}
	for _, x := range res.Vectors.Col(index) {
		if !(math.Abs(float64(x)-1/math.Sqrt(float64(n))) <= 100*ulp) {
			t.Errorf("the vector of the eigenvalue that overflows has an entry %g", x)
		}
	}
}

// TestEigenvaluesBeyondTheLargestNumber solves matrices with an eigenvalue that is larger than
// every number of the type, by every kind of plan. All other values and all vectors must be right.
// For float64, the certificate of such a result must not pass.
func TestEigenvaluesBeyondTheLargestNumber(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	when.Skip(t, when.Quick, "a rare case")
	d := device(t, vk.Options{})
	for _, n := range []int{2, 8} {
		for _, sign := range []int{1, -1} {
			t.Run(fmt.Sprintf("float64/%d/%d", n, sign), func(t *testing.T) { beyond[float64](t, d, n, sign) })
			t.Run(fmt.Sprintf("float32/%d/%d", n, sign), func(t *testing.T) { beyond[float32](t, d, n, sign) })
		}
	}
}

func beyond[T evd.Float](t *testing.T, d *vk.Device, n, sign int) {
	a := constant(n, T(sign)*largestOf[T]())
	for _, opt := range []evd.Options{{}, {Vectors: true}, {Verify: true}, {Vectors: true, Verify: true}} {
		opt.Tuning = small()
		p, err := evd.NewPlan[T](d, n, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), a)
		p.Close()
		overflowed(t, n, math.Inf(sign), opt.Verify, res, err)
	}
}

// TestRefinedEigenvaluesBeyondTheLargestDouble solves a matrix as in
// TestEigenvaluesBeyondTheLargestNumber in mixed precision. It also refines: from exact vectors,
// and from unit vectors in reverse order, which are no approximation.
func TestRefinedEigenvaluesBeyondTheLargestDouble(t *testing.T) {
	when.Skip(t, when.Quick, "refinement")
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	const n = 8
	a := constant(n, math.MaxFloat64)
	mixed, err := evd.NewMixedPlan[float64](d, n, evd.Options{Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	res, err := mixed.Solve(context.Background(), a)
	mixed.Close()
	overflowed(t, n, math.Inf(1), true, res, err)

	exact := res.Vectors.Data
	useless := make([]float64, n*n)
	for i := range n {
		useless[i+(n-1-i)*n] = 1
	}
	for _, verify := range []bool{false, true} {
		for _, q := range [][]float64{exact, useless} {
			p, err := evd.NewRefinePlan[float64](d, n, evd.Options{Tuning: small(), Verify: verify})
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Refine(context.Background(), a, evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: q})
			p.Close()
			overflowed(t, n, math.Inf(1), verify, res, err)
			if res.Refinement == nil {
				t.Error("no report about the refinement")
			}
		}
	}
}

// TestTridiagonalEigenvaluesBeyondTheLargestNumber solves tridiagonal matrices with the largest
// number m on all three diagonals and an even order, by every solver. The eigenvalues are m·(1 +
// 2·cos(k·π/(n+1))). As doubles, those that are larger than m are +Inf, and the others must be
// right. Certify must not certify an infinite value. No value of a matrix of float32 is infinite.
func TestTridiagonalEigenvaluesBeyondTheLargestNumber(t *testing.T) {
	when.Skip(t, when.Validation, "values of results, errors, and the host")
	d := device(t, vk.Options{})
	for _, n := range []int{2, 4, 40} {
		for _, name := range evd.Solvers() {
			for _, vectors := range []bool{false, true} {
				solver, err := evd.ParseSolver(name)
				if err != nil || vectors && !solver.Vectors() {
					continue
				}
				opt := evd.Options{Vectors: vectors, Solver: solver, Tuning: small()}
				t.Run(fmt.Sprintf("float64/%d/%s/%v", n, name, vectors), func(t *testing.T) { beyondTridiagonal[float64](t, d, n, opt) })
				t.Run(fmt.Sprintf("float32/%d/%s/%v", n, name, vectors), func(t *testing.T) { beyondTridiagonal[float32](t, d, n, opt) })
			}
		}
	}
}

func beyondTridiagonal[T evd.Float](t *testing.T, d *vk.Device, n int, opt evd.Options) {
	m := largestOf[T]()
	a := evd.Tridiagonal[T]{D: slices.Repeat([]T{m}, n), E: slices.Repeat([]T{m}, n-1)}
	p, err := evd.NewTridiagonalPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), a)
	var e *evd.OverflowError
	_, single := any(T(0)).(float32)
	if single && err != nil || !single && (!errors.As(err, &e) || e.Index != n/2 || e.Count != n/2 || e.Negative) || res == nil {
		t.Fatalf("the result is %v, the error %v", res, err)
	}
	for k, x := range res.Values {
		want := float64(m) * (1 + 2*math.Cos(float64(n-k)*math.Pi/float64(n+1))) // +Inf for half of the doubles
		if x != want && !(math.Abs(x-want) <= 100*ulpOf[T]()*float64(m)) {
			t.Errorf("eigenvalue %d is %g, not %g", k, x, want)
		}
	}
	if w, err := p.Certify(context.Background(), a, res); err != nil || math.IsInf(w, 1) == single {
		t.Errorf("certified to %g, %v", w, err)
	}
}

// ulpOf is the distance from 1 to the next number of type T.
func ulpOf[T evd.Float]() float64 {
	if _, single := any(T(0)).(float32); single {
		return 0x1p-23
	}
	return 0x1p-52
}
