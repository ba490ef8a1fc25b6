package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

func tridiagonalPlan(t *testing.T, d *vk.Device, n int, opt evd.Options) *evd.TridiagonalPlan[float64] {
	t.Helper()
	p, err := evd.NewTridiagonalPlan[float64](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// solveTridiagonal solves for a tridiagonal matrix with the plan p. It certifies that the values
// are within `width`·ulp·‖T‖ of the eigenvalues. Package ratio and the method Check measure the
// vectors.
func solveTridiagonal(t *testing.T, p *evd.TridiagonalPlan[float64], m evd.Tridiagonal[float64], width float64) *evd.Result[float64] {
	t.Helper()
	ctx := context.Background()
	res, err := p.Solve(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	n := m.N()
	norm := ratio.NormTridiagonal(m.D, m.E)
	if err := ratio.SturmRange(m.D, m.E, res.First, res.Values, width*ratio.Ulp*norm); err != nil {
		t.Error(err)
	}
	w, err := p.Certify(ctx, m, res)
	if err != nil || !(w*float64(n) <= 4*width) { // the sum of both counts' errors, and a factor of two
		t.Errorf("certified to %g ulp·‖T‖ only, %v", w*float64(n), err)
	}
	if res.Vectors == nil {
		return res
	}
	z := res.Vectors
	r, o := ratio.TridiagonalResidual(m.D, m.E, res.Values, z.Data, max(z.Ld, 1)), ratio.Orthogonality(n, z.Cols, z.Data, max(z.Ld, 1))
	if !(r < good) || !(o < good) {
		t.Errorf("residual %g, orthogonality %g", r, o)
	}
	own, err := p.Check(ctx, m, res)
	if err != nil || !(math.Abs(own.Residual-r) <= 1+0.5*r && math.Abs(own.Orthogonality-o) <= 1+0.5*o) {
		t.Errorf("Check finds %+v, evd/ratio a residual of %g, orthogonality of %g; %v", own, r, o, err)
	}
	return res
}

func TestTridiagonals(t *testing.T) {
	d := device(t, vk.Options{})
	for _, opt := range []evd.Options{{}, {Vectors: true}, {Solver: evd.DivideConquer}, {Solver: evd.MRRR}, {Solver: evd.MRRR, Vectors: true}, {Solver: evd.QR, Vectors: true}, {Solver: evd.QR}} {
		opt.Tuning = small()
		solver := opt.Solver
		if solver == evd.Auto {
			solver = map[bool]evd.Solver{false: evd.Bisection, true: evd.DivideConquer}[opt.Vectors]
		}
		for _, n := range []int{2, 9, 43} {
			p := tridiagonalPlan(t, d, n, opt)
			for _, kind := range matgen.Tridiagonals() {
				t.Run(fmt.Sprintf("%v/%v/%s/%d", solver, opt.Vectors, kind.Name(), n), func(t *testing.T) {
					diagonal, off := kind.Tridiagonal(n)
					solveTridiagonal(t, p, evd.Tridiagonal[float64]{D: diagonal, E: off}, ratio.Within("bisection"))
				})
			}
		}
	}
}

func TestPartOfATridiagonal(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 43
	diagonal, off := matgen.GluedWilkinson(1e-3).Tridiagonal(n)
	m := evd.Tridiagonal[float64]{D: diagonal, E: append(off, math.NaN())} // elements of E after the first n−1 are ignored
	for _, by := range []evd.Selection{evd.Index(0, 3), evd.Index(20, 43), evd.Interval(2, 5), evd.Interval(2, 5).AtMost(30), evd.Interval(-20, -10)} {
		for _, vectors := range []bool{false, true} {
			res := solveTridiagonal(t, tridiagonalPlan(t, d, n, evd.Options{Select: by, Vectors: vectors, Tuning: small()}), m, ratio.Within("bisection"))
			if byMRRR := vectors && len(res.Values) > 0 && by != evd.Interval(2, 5); (res.Tree != nil) != byMRRR {
				t.Errorf("%v, vectors %v: tree %+v", by, vectors, res.Tree)
			}
			for _, v := range res.Values {
				if by == evd.Interval(2, 5) && !(2 < v && v <= 5) {
					t.Errorf("%g is not in (2, 5]", v)
				}
			}
		}
	}
}

// TestFallbackOfMRRR makes MRRR fail: every test of its vectors is made to fail. Divide and conquer
// must then compute the vectors: on the host, or for large matrices on the device, in memory of its
// own. The counters of the result must count these vectors.
func TestFallbackOfMRRR(t *testing.T) {
	when.Skip(t, when.Quick|when.Slow, "the calls of other tests")
	d := device(t, vk.Options{})
	tune := small()
	tune.MRRR.Distrust = true
	for _, n := range []int{43, 300} {
		diagonal, off := matgen.GluedWilkinson(1e-3).Tridiagonal(n)
		m := evd.Tridiagonal[float64]{D: diagonal, E: off}
		p := tridiagonalPlan(t, d, n, evd.Options{Select: evd.Index(20, 43), Vectors: true, Tuning: tune})
		res := solveTridiagonal(t, p, m, ratio.Within("bisection"))
		if res.Tree == nil || res.Tree.Fallback != 23 || res.Tree.Retried != 1 || res.Tree.Blocks != 1 {
			t.Errorf("n = %d: %+v", n, res.Tree)
		}
	}
}

// TestCountBelow counts at ±∞, and on both sides of each eigenvalue λ[k] that a solve has found. At
// most k eigenvalues may be below the left side, and at least k+1 must be below the right side. A
// NaN must be refused.
func TestCountBelow(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 21
	p := tridiagonalPlan(t, d, n, evd.Options{Tuning: small()})
	for _, kind := range matgen.Tridiagonals() {
		diagonal, off := kind.Tridiagonal(n)
		m := evd.Tridiagonal[float64]{D: diagonal, E: off}
		res, err := p.Solve(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		width := 4 * max(ratio.Ulp*ratio.NormTridiagonal(diagonal, off), ratio.SafeMin)
		x := []float64{math.Inf(-1), math.Inf(1)}
		for _, v := range res.Values {
			x = append(x, v-width, v+width)
		}
		counts, err := p.CountBelow(ctx, m, x...)
		if err != nil || counts[0] != 0 || counts[1] != n {
			t.Fatalf("%s: %v, %v", kind.Name(), counts, err)
		}
		for k := range res.Values {
			if below, above := counts[2+2*k], counts[3+2*k]; below > k || above < k+1 {
				t.Errorf("%s: around eigenvalue %d the counts are %d and %d", kind.Name(), k, below, above)
			}
		}
	}
	if _, err := p.CountBelow(ctx, evd.Tridiagonal[float64]{D: make([]float64, n), E: make([]float64, n-1)}, math.NaN()); err == nil {
		t.Error("counted below NaN")
	}
}

// TestCertifyFindsErrors makes wrong results. One value is moved slightly, equal to the next value,
// NaN, or far off, or all values have wrong indices: Certify must find each of these errors. A
// component of a vector is wrong: Check must find this error.
func TestCertifyFindsErrors(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	const n = 21
	diagonal, off := matgen.Toeplitz(2, -1).Tridiagonal(n)
	m := evd.Tridiagonal[float64]{D: diagonal, E: off}
	p := tridiagonalPlan(t, d, n, evd.Options{Vectors: true, Tuning: small()})
	res, err := p.Solve(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(r *evd.Result[float64]){
		"moved":   func(r *evd.Result[float64]) { r.Values[7] += 1e-9 },
		"doubled": func(r *evd.Result[float64]) { r.Values[7] = r.Values[8] },
		"NaN":     func(r *evd.Result[float64]) { r.Values[7] = math.NaN() },
		"far off": func(r *evd.Result[float64]) { r.Values[7] = 1e300 },
		"shifted": func(r *evd.Result[float64]) { r.First, r.Values = 1, r.Values[:n-1] },
	} {
		bad := *res
		bad.Values = slices.Clone(res.Values)
		spoil(&bad)
		if w, err := p.Certify(ctx, m, &bad); err != nil || !(w >= evd.Threshold) {
			t.Errorf("%s: certified to %g·n·ulp·‖T‖, %v", name, w, err)
		}
	}
	z := *res.Vectors
	z.Data = slices.Clone(z.Data)
	z.Data[5] += 1e-9
	bad := *res
	bad.Vectors = &z
	if r, err := p.Check(ctx, m, &bad); err != nil || r.Passed() {
		t.Errorf("a spoiled vector passes: %+v, %v", r, err)
	}
}

func TestBadTridiagonals(t *testing.T) {
	ctx := context.Background()
	d := device(t, vk.Options{})
	p := tridiagonalPlan(t, d, 3, evd.Options{Tuning: small()})
	var shape *evd.ShapeError
	for _, m := range []evd.Tridiagonal[float64]{{D: make([]float64, 3), E: make([]float64, 1)}, {D: make([]float64, 2), E: make([]float64, 2)}, {}} {
		if _, err := p.Solve(ctx, m); !errors.As(err, &shape) {
			t.Errorf("%+v: %v", m, err)
		}
	}
	for _, c := range []struct {
		n       int
		vectors bool
	}{{1 << 24, true}, {1 << 31, false}, {math.MaxInt, false}} {
		if _, err := evd.NewTridiagonalPlan[float64](d, c.n, evd.Options{Vectors: c.vectors}); !errors.As(err, &shape) || shape.Max >= c.n {
			t.Errorf("order %d, vectors %v: %v", c.n, c.vectors, err)
		}
	}
	if _, err := evd.NewTridiagonalPlan[float64](vk.Dry(d.Info()), 1<<24, evd.Options{Solver: evd.Bisection}); err != nil {
		t.Errorf("values need no matrix, whose orders are less: %v", err)
	}
	var bad *evd.NonFiniteError
	m := evd.Tridiagonal[float64]{D: []float64{1, 2, math.NaN()}, E: []float64{1, math.Inf(-1)}}
	if _, err := p.Solve(ctx, m); !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 1 {
		t.Errorf("%v", err)
	}
	m.E[1] = 0
	if _, err := p.Solve(ctx, m); !errors.As(err, &bad) || bad.Row != 2 || bad.Col != 2 {
		t.Errorf("%v", err)
	}
	m.D[2] = 3
	for _, res := range []*evd.Result[float64]{{Values: make([]float64, 4)}, {First: 2, Values: make([]float64, 2)}} {
		if _, err := p.Certify(ctx, m, res); !errors.As(err, &shape) {
			t.Errorf("%+v: %v", res, err)
		}
	}
	var option *evd.OptionError
	if _, err := p.Check(ctx, m, &evd.Result[float64]{}); !errors.As(err, &option) {
		t.Errorf("a check without vectors: %v", err)
	}
	for _, opt := range []evd.Options{{Band: 4}, {Block: 4}, {NoWaits: true}, {Overwrite: true, Vectors: true}} {
		if _, err := evd.NewTridiagonalPlan[float64](d, 3, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// TestValuesAreSettled solves a glued Wilkinson matrix by divide and conquer, by MRRR and by QR
// iteration. The values must ascend, and must be within 4·ulp·‖T‖ of the eigenvalues.
func TestValuesAreSettled(t *testing.T) {
	when.Pick(t, when.Race)
	d := device(t, vk.Options{})
	const n, width = 300, 4
	diagonal, off := matgen.GluedWilkinson(1e-3).Tridiagonal(n)
	m := evd.Tridiagonal[float64]{D: diagonal, E: off}
	want, err := tridiagonalPlan(t, d, n, evd.Options{Solver: evd.Bisection, Tuning: small()}).Solve(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	for _, solver := range []evd.Solver{evd.DivideConquer, evd.MRRR, evd.QR} {
		got := solveTridiagonal(t, tridiagonalPlan(t, d, n, evd.Options{Solver: solver, Tuning: small()}), m, width)
		if !slices.IsSorted(got.Values) {
			t.Errorf("%v: values do not ascend", solver)
		}
		same := 0
		for k, v := range got.Values {
			if v == want.Values[k] {
				same++
			}
		}
		t.Logf("%v: %d of %d values are bisection's", solver, same, n)
	}
	// The eigenvalues of a diagonal matrix must be the entries of its diagonal, without any
	// rounding error.
	res := solveTridiagonal(t, tridiagonalPlan(t, d, 3, evd.Options{Solver: evd.QR, Vectors: true, Tuning: small()}),
		evd.Tridiagonal[float64]{D: []float64{3, -1, 2}, E: []float64{0, 0}}, width)
	if !slices.Equal(res.Values, []float64{-1, 2, 3}) {
		t.Errorf("a diagonal matrix of -1, 2, 3 has the values %v", res.Values)
	}
}
