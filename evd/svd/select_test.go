package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
	"github.com/vkevd/vkevd/stages/tuning"
)

// parts returns selections of values by indices and by intervals, for a spectrum `all`, with the
// range of indices that each selects.
func parts(all []float64) map[[2]int][]evd.Selection {
	n := len(all)
	between := func(i int) float64 { return (all[i-1] + all[i]) / 2 } // a number between σ[i−1] and σ[i]
	inf := math.Inf(1)
	return map[[2]int][]evd.Selection{
		{0, n}:     {Index(0, n), Interval(-inf, inf), Interval(-1, 2*all[0])},
		{0, 3}:     {Index(0, 3), Interval(between(3), inf), Interval(between(3), 2*all[0]).AtMost(3)},
		{2, n - 2}: {Index(2, n-2), Interval(between(n-2), between(2))},
		{n - 1, n}: {Index(n-1, n), Interval(-1, between(n-1)).AtMost(1)},
		{4, 4}:     {Interval(between(4), between(4)*(1+1e-13))},
	}
}

// partOf checks that a result has the values and the vectors `from` … `to`−1 of the result `all`.
func partOf(t *testing.T, what string, res, all *Result[float64], from, to int) {
	t.Helper()
	if !slices.Equal(res.Values, all.Values[from:to]) || len(res.Values) > 0 && res.First != from {
		t.Errorf("%s: values %v from %d on, want %v", what, res.Values, res.First, all.Values[from:to])
		return
	}
	for _, z := range [][2]*evd.Dense[float64]{{res.U, all.U}, {res.V, all.V}} {
		if (z[0] == nil) != (z[1] == nil) || z[0] != nil && (z[0].Cols != to-from || z[0].Rows != z[1].Rows) {
			t.Fatalf("%s: vectors %v", what, z[0])
		}
		if z[0] == nil {
			continue
		}
		for j := range to - from {
			for i, x := range z[0].Col(j) {
				if !(math.Abs(x-z[1].At(i, from+j)) < 1e-9) {
					t.Fatalf("%s: component %d of vector %d is %g, want %g", what, i, j, x, z[1].At(i, from+j))
				}
			}
		}
	}
}

// TestSelect selects parts of the singular values of dense matrices, with and without vectors. The
// results must be parts of the whole results.
func TestSelect(t *testing.T) {
	small := tuning.Smallest()
	for _, shape := range [][2]int{{23, 23}, {29, 21}, {21, 29}, {60, 20}} {
		m, n := shape[0], shape[1]
		a, _ := families[0].make(m, n, m == n)
		solve := func(what string, opt Options) *Result[float64] {
			opt.Tuning, opt.Certify = &small, true
			p, err := NewPlan[float64](testDevice(t), m, n, opt)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			defer p.Close()
			res, err := p.Solve(context.Background(), a)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !res.Certificate.Passed() {
				t.Errorf("%s: %v", what, res.Certificate)
			}
			return res
		}
		for _, wanted := range []Vectors{None, Thin} {
			all := solve("all", Options{U: wanted, V: wanted})
			for r, selections := range parts(all.Values) {
				for _, s := range selections {
					what := fmt.Sprintf("%d×%d, vectors %d, %+v", m, n, wanted, s)
					partOf(t, what, solve(what, Options{U: wanted, V: wanted, Select: s}), all, r[0], r[1])
				}
			}
		}
	}
}

// TestSelectOfBidiagonals does the same as TestSelect for bidiagonal matrices and for bands.
func TestSelectOfBidiagonals(t *testing.T) {
	small, n := tuning.Smallest(), 30
	d, e := suite.Random(n)
	solve := func(opt Options) *Result[float64] {
		opt.Tuning = &small
		p, err := NewBidiagonalPlan[float64](testDevice(t), n, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		res, err := p.Solve(context.Background(), Bidiagonal[float64]{d, e})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	all := solve(Options{U: Thin, V: Thin})
	for r, selections := range parts(all.Values) {
		for _, s := range selections {
			partOf(t, fmt.Sprintf("bidiagonal, %+v", s), solve(Options{U: Thin, V: Thin, Select: s}), all, r[0], r[1])
		}
	}
	band, _ := randomBand(n, 5, 1)
	solveBand := func(s evd.Selection) *Result[float64] {
		p, err := NewBandPlan[float64](testDevice(t), n, 5, BandOptions{Select: s, Tuning: &small})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		res, err := p.Solve(context.Background(), band)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	all = solveBand(evd.Selection{})
	for r, selections := range parts(all.Values) {
		for _, s := range selections {
			partOf(t, fmt.Sprintf("band, %+v", s), solveBand(s), all, r[0], r[1])
		}
	}
}

// TestSelectRefuses checks the errors for selections that are not possible, and for an interval
// with more values than the plan has memory for. The plan must work afterwards.
func TestSelectRefuses(t *testing.T) {
	when.Skip(t, when.Quick, "the values of TestSelect")
	dev, option := testDevice(t), (*evd.OptionError)(nil)
	for _, opt := range []Options{
		{Select: Index(0, 6)}, {Select: Index(-1, 2)}, {Select: Index(2, 2)}, {Select: Interval(2, 1)}, {Select: Index(0, 2), Largest: 2},
		{Select: Index(0, 2), U: Full}, {Select: Interval(0, 1), Storage: Single},
	} {
		if _, err := NewPlan[float64](dev, 5, 5, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	for _, opt := range []BandOptions{{Select: Index(0, 6)}, {Select: Interval(0, 1), Storage: Half}} {
		if _, err := NewBandPlan[float64](dev, 5, 2, opt); !errors.As(err, &option) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	a, _ := families[0].make(9, 7, false)
	p, err := NewPlan[float64](dev, 9, 7, Options{U: Thin, V: Thin, Select: Interval(0, math.Inf(1)).AtMost(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	many := (*evd.TooManyError)(nil)
	if _, err := p.Solve(context.Background(), a); !errors.As(err, &many) || many.Found != 7 || many.AtMost != 2 {
		t.Errorf("more values than memory: %v", err)
	}
	for i := range a.Data {
		a.Data[i] = 0
	}
	a.Data[3] = 2
	if res, err := p.Solve(context.Background(), a); err != nil || len(res.Values) != 1 || !(math.Abs(res.Values[0]-2) <= 1e-14) {
		t.Errorf("afterwards: %v, %v", res, err)
	}
}

// TestRankOfAPart checks the numerical rank of results without the largest value: of a dense
// matrix, and of a band in single precision. The first 15 of 20 values are not zero.
func TestRankOfAPart(t *testing.T) {
	const n, rank = 20, 15
	dense := evd.Dense[float64]{Rows: n, Cols: n, Ld: n, Data: make([]float64, n*n)}
	for j := range n {
		for i := range n {
			for k := range rank {
				dense.Data[i+j*n] += math.Cos(float64(3*i+7*k+i*k)) * math.Sin(float64(5*j+2*k+j*k))
			}
		}
	}
	band := Band[float64]{N: n, Ld: 1, Data: make([]float64, n)}
	for i := range rank {
		band.Data[i] = float64(1 + i)
	}
	for from, want := range map[int]int{0: rank, 10: 5, rank: 0} {
		p, err := NewPlan[float64](testDevice(t), n, n, Options{Select: Index(from, n)})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		q, err := NewBandPlan[float64](testDevice(t), n, 0, BandOptions{Select: Index(from, n), Storage: Single})
		if err != nil {
			t.Fatal(err)
		}
		defer q.Close()
		ofDense, err := p.Solve(context.Background(), dense)
		if err != nil {
			t.Fatal(err)
		}
		ofBand, err := q.Solve(context.Background(), band)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := ofDense.Rank(-1), ofBand.Rank(-1); a != want || b != want {
			t.Errorf("from %d on: ranks %d and %d, want %d", from, a, b, want)
		}
	}
}

// TestVerifyOfNoValue solves with Verify and an interval that holds no value. The certificate must
// pass.
func TestVerifyOfNoValue(t *testing.T) {
	a, _ := families[0].make(9, 7, false)
	p, err := NewPlan[float64](testDevice(t), 9, 7, Options{U: Thin, V: Thin, Verify: true, Select: Interval(1e10, 1e11)})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	res, err := p.Solve(context.Background(), a)
	if err != nil || len(res.Values) != 0 || !res.Certificate.Passed() {
		t.Fatalf("%v, %v", res, err)
	}
	if r, err := p.Check(context.Background(), a, res); err != nil || r != (Ratios{}) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestRoomOfTheReduction checks that the residues of emulated products of the reduction are as many
// with vectors as without, for two orders.
func TestRoomOfTheReduction(t *testing.T) {
	dev := card(1<<40, 20)
	for _, n := range []int{4096, LargeOrder} {
		var planes [2]uint64
		for i, wanted := range []Vectors{None, Thin} {
			p, err := NewPlan[float64](dev, n, n, Options{U: wanted, V: wanted, Products: evd.ProductsEmulated})
			if err != nil {
				t.Fatal(err)
			}
			planes[i] = p.path.Now.steps.products.update.Work().Bytes()
		}
		if planes[0] != planes[1] {
			t.Errorf("n = %d: residues of %d and %d bytes", n, planes[0], planes[1])
		}
	}
}
