package evd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/vk"
)

// part solves for the eigenvalues with the indices `from` ≤ i < `to`, with vectors. It compares the
// number of values, the first index and the values with the list `all` of all eigenvalues. Package
// ratio and the method Check measure the vectors.
func part[T double](t *testing.T, d *vk.Device, n int, a []T, all []float64, from, to int, opt evd.Options) {
	t.Helper()
	ctx := context.Background()
	sym := evd.Sym[T]{N: n, Ld: n, Data: slices.Clone(a)}
	p, err := evd.NewPlan[T](d, n, opt)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(ctx, sym)
	if err != nil {
		t.Fatal(err)
	}
	if res.First != from && from < to || len(res.Values) != to-from {
		t.Fatalf("%d values from %d on, want [%d, %d)", len(res.Values), res.First, from, to)
	}
	if r := ratio.Values(n, res.Values, all[from:to], norm2(all)); !(r < good) {
		t.Errorf("values differ from those of all by %g·n·ε·‖A‖", r)
	}
	if !opt.Vectors {
		return
	}
	m, z := to-from, res.Vectors
	if z.Rows != n || z.Cols != m {
		t.Fatalf("vectors of %d×%d, want %d×%d", z.Rows, z.Cols, n, m)
	}
	r, o := ratio.Residual(n, m, a, n, res.Values, z.Data, z.Ld), ratio.Orthogonality(n, m, z.Data, z.Ld)
	if !(r < good) || !(o < good) {
		t.Errorf("residual %g, orthogonality %g", r, o)
	}
	if opt.Overwrite {
		if m > 0 && &z.Data[0] != &sym.Data[0] {
			t.Error("the vectors are not in the input's memory")
		}
		return
	}
	if !slices.Equal(sym.Data, a) {
		t.Error("the input was written to")
	}
	own, err := p.Check(ctx, sym, res)
	if err != nil || !(math.Abs(own.Residual-r) <= 1+0.5*r && math.Abs(own.Orthogonality-o) <= 1+0.5*o) {
		t.Errorf("Check finds %+v, evd/ratio a residual of %g, orthogonality of %g; %v", own, r, o, err)
	}
}

// `between` returns an interval that contains the eigenvalues all[from:to] and no others. Each end
// is the middle between two neighbouring eigenvalues, which must not be close, or is infinite.
func between(all []float64, from, to int) evd.Selection {
	middle := func(i int) float64 {
		switch {
		case i == 0:
			return math.Inf(-1)
		case i == len(all):
			return math.Inf(1)
		}
		return (all[i-1] + all[i]) / 2
	}
	return evd.Interval(middle(from), middle(to))
}

func TestPartsOfTheSpectrum(t *testing.T) { partsOfTheSpectrum(t, 37, full(random(37))) }

func TestPartsOfAHermitianSpectrum(t *testing.T) { partsOfTheSpectrum(t, 37, randomHermitian(37)) }

func partsOfTheSpectrum[T double](t *testing.T, n int, a []T) {
	d := device(t, vk.Options{})
	all := valuesOnly(t, d, n, evd.Sym[T]{N: n, Ld: n, Data: slices.Clone(a)}, evd.Options{Tuning: small()})
	for i, r := range [][2]int{{0, 0}, {0, 1}, {n - 1, n}, {5, 18}, {0, n}} {
		for name, by := range map[string]evd.Selection{
			"index": evd.Index(r[0], r[1]), "interval": between(all, r[0], max(r[1], 1)),
			"at most": between(all, r[0], max(r[1], 1)).AtMost(max(r[1]-r[0], 1)),
		} {
			from, to := r[0], r[1]
			if name != "index" {
				to = max(to, 1)
			}
			opt := evd.Options{Select: by, Vectors: true, Tuning: small(), Overwrite: i%2 == 1}
			t.Run(fmt.Sprintf("%s/%d:%d", name, from, to), func(t *testing.T) { part(t, d, n, a, all, from, to, opt) })
		}
		t.Run(fmt.Sprintf("values/%d:%d", r[0], r[1]), func(t *testing.T) {
			part(t, d, n, a, all, r[0], r[1], evd.Options{Select: evd.Index(r[0], r[1]), Tuning: small()})
		})
	}
}

// TestEverySolver solves with every solver for the whole spectrum and for a part. Each matrix is
// difficult for one of the solvers.
func TestEverySolver(t *testing.T) {
	everySolver(t, func(kind matgen.TridiagonalKind, n int) []float64 { return kind.AsDense().Dense(n) })
}

func TestEverySolverOfHermitians(t *testing.T) {
	everySolver(t, func(kind matgen.TridiagonalKind, n int) []complex128 { return matgen.Phased(kind.AsDense()).Dense(n) })
}

func everySolver[T double](t *testing.T, matrix func(kind matgen.TridiagonalKind, n int) []T) {
	d := device(t, vk.Options{})
	const n, from, to = 21, 4, 15
	for _, kind := range []matgen.TridiagonalKind{matgen.Toeplitz(2, -1), matgen.GluedWilkinson(1e-3), matgen.GradedTridiagonal(20)} {
		a := matrix(kind, n)
		all := valuesOnly(t, d, n, evd.Sym[T]{N: n, Ld: n, Data: slices.Clone(a)}, evd.Options{Tuning: small()})
		for _, name := range evd.Solvers() {
			solver, err := evd.ParseSolver(name)
			if err != nil || solver.String() != name {
				t.Fatalf("%s is parsed as %v, %v", name, solver, err)
			}
			for _, vectors := range []bool{false, true} {
				if vectors && solver == evd.Bisection {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/%v", kind.Name(), name, vectors), func(t *testing.T) {
					opt := evd.Options{Vectors: vectors, Solver: solver, Tuning: small()}
					part(t, d, n, a, all, 0, n, opt)
					opt.Select = evd.Index(from, to)
					part(t, d, n, a, all, from, to, opt)
				})
			}
		}
	}
}

// TestIntervalEnds checks that an interval excludes its lower end and includes its upper end, also
// for a matrix that Solve scales.
func TestIntervalEnds(t *testing.T) {
	d := device(t, vk.Options{})
	ctx := context.Background()
	inf := math.Inf(1)
	for _, scale := range []float64{1, 0x1p1000, 0x1p-1000} {
		for _, c := range []struct {
			a, b  float64
			first int
			want  []float64
		}{
			{1, 2, 1, []float64{2, 2}}, {0, 1, 0, []float64{1}}, {5, 6, 0, nil}, {2, 5, 3, []float64{5}},
			{-inf, inf, 0, []float64{1, 2, 2, 5}}, {-inf, 1, 0, []float64{1}}, {2.5, inf, 3, []float64{5}}, {-9, -8, 0, nil},
		} {
			a := make([]float64, 16)
			for i, x := range []float64{5, 2, 1, 2} {
				a[5*i] = x * scale
			}
			opt := evd.Options{Vectors: true, Select: evd.Interval(c.a*scale, c.b*scale), Tuning: small()}
			p, err := evd.NewPlan[float64](d, 4, opt)
			if err != nil {
				t.Fatal(err)
			}
			res, err := p.Solve(ctx, evd.Sym[float64]{N: 4, Ld: 4, Data: a})
			p.Close()
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Values) != len(c.want) || res.Vectors.Cols != len(c.want) || len(c.want) > 0 && res.First != c.first {
				t.Errorf("(%g, %g]·%g: from %d on %v", c.a, c.b, scale, res.First, res.Values)
				continue
			}
			for i, v := range res.Values {
				if !(math.Abs(v/scale-c.want[i]) <= 1e-14) {
					t.Errorf("(%g, %g]·%g: %v, want %v", c.a, c.b, scale, res.Values, c.want)
				}
			}
		}
	}
}

func TestTooManyInTheInterval(t *testing.T) {
	d := device(t, vk.Options{})
	const n = 6
	a := full(random(n))
	p, err := evd.NewPlan[float64](d, n, evd.Options{Vectors: true, Select: evd.Interval(math.Inf(-1), 1e9).AtMost(2), Tuning: small()})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var many *evd.TooManyError
	_, err = p.Solve(context.Background(), evd.Sym[float64]{N: n, Ld: n, Data: a})
	if !errors.As(err, &many) || many.Found != n || many.AtMost != 2 {
		t.Errorf("%v", err)
	}
}

// TestOrdersZeroAndOneInParts selects a part of the spectrum of a matrix of order 0 or 1. The
// result must be exact.
func TestOrdersZeroAndOneInParts(t *testing.T) {
	d := device(t, vk.Options{})
	for _, c := range []struct {
		n, m int
		by   evd.Selection
	}{
		{0, 0, evd.Index(0, 0)}, {0, 0, evd.Interval(0, 1)}, {1, 0, evd.Index(0, 0)}, {1, 0, evd.Index(1, 1)}, {1, 1, evd.Index(0, 1)},
		{1, 1, evd.Interval(2, 3)}, {1, 0, evd.Interval(3, 4)}, {1, 0, evd.Interval(1, 2)},
	} {
		opt := evd.Options{Vectors: true, Select: c.by}
		p, err := evd.NewPlan[float64](d, c.n, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err := p.Solve(context.Background(), evd.Sym[float64]{N: c.n, Ld: 1, Data: []float64{3}})
		if err != nil || len(res.Values) != c.m || res.Vectors.Rows != c.n || res.Vectors.Cols != c.m {
			t.Errorf("%+v: %+v, %v", c, res, err)
		}
		p.Close()
		q, err := evd.NewTridiagonalPlan[float64](d, c.n, opt)
		if err != nil {
			t.Fatal(err)
		}
		res, err = q.Solve(context.Background(), evd.Tridiagonal[float64]{D: []float64{3}[:c.n]})
		if err != nil || len(res.Values) != c.m || res.Vectors.Rows != c.n || res.Vectors.Cols != c.m {
			t.Errorf("tridiagonal %+v: %+v, %v", c, res, err)
		}
		q.Close()
	}
}

func TestPartsThatMakeNoSense(t *testing.T) {
	d := vk.Dry(vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32})
	for _, c := range []struct {
		opt  evd.Options
		says string
	}{
		{evd.Options{Select: evd.Index(-1, 2)}, "option Index: [-1, 2) is not a range of 3 values"},
		{evd.Options{Select: evd.Index(1, 4)}, "option Index: [1, 4) is not a range of 3 values"},
		{evd.Options{Select: evd.Index(2, 1)}, "option Index: [2, 1) is not a range of 3 values"},
		{evd.Options{Select: evd.Interval(1, 1)}, "option Interval: (1, 1] holds no number"},
		{evd.Options{Select: evd.Interval(math.NaN(), 1)}, "option Interval: (NaN, 1] holds no number"},
		{evd.Options{Select: evd.Interval(0, 1).AtMost(-1)}, "option AtMost: must not be negative"},
		{evd.Options{Select: evd.Index(0, 1).AtMost(1)}, "option AtMost: only an interval needs a limit"},
		{evd.Options{Solver: evd.Bisection, Vectors: true}, "option Solver: bisection finds values only, no vectors"},
		{evd.Options{Solver: 99}, "option Solver: Solver(99) is unknown; there are " + strings.Join(evd.Solvers(), ", ")},
	} {
		_, err := evd.NewPlan[float64](d, 3, c.opt)
		_, tri := evd.NewTridiagonalPlan[float64](d, 3, c.opt)
		for _, err := range []error{err, tri} {
			if option := (*evd.OptionError)(nil); !errors.As(err, &option) || err.Error() != c.says {
				t.Errorf("%v, want %s", err, c.says)
			}
		}
	}
	if _, err := evd.ParseSolver("jacobi"); err == nil {
		t.Error("jacobi is a solver")
	}
}
