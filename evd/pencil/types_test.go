package pencil

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
	"github.com/vkevd/vkevd/stages/product/emulated"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// solved is the result of a solve, and the pair and the problem to which it belongs.
type solved[T evd.Number] struct {
	t      *testing.T
	where  string
	p      pair
	typ    Type
	opt    Options
	result *Result[T]
}

// judge checks the ratios of all pairs of values and vectors.
func (s solved[T]) judge(bound float64) {
	s.t.Helper()
	x := make([]complex128, 0, s.p.n*len(s.result.Values))
	for j := range s.result.Values {
		x = append(x, stagetest.Exactly(s.result.Vectors.Col(j))...)
	}
	eta, omega := s.p.ratios(s.typ, s.result.Values, x, stagetest.UlpOf[T]())
	if !(eta < bound) || !(omega < bound) || !slices.IsSorted(s.result.Values) {
		s.t.Errorf("%s: eta %g, omega %g, sorted %v", s.where, eta, omega, slices.IsSorted(s.result.Values))
	}
}

// kinds returns all dense matrices of package matgen, real symmetric and complex Hermitian ones.
func kinds(n int) map[string][]complex128 {
	all := map[string][]complex128{}
	for _, k := range matgen.Dense() {
		all[k.Name()] = stagetest.Exactly(k.Dense(n))
	}
	for _, k := range matgen.Hermitians() {
		all["Hermitian, "+k.Name()] = k.Dense(n)
	}
	return all
}

// banded sets the elements of L below its k subdiagonals to zero. B = L·Lᴴ then has the
// half-bandwidth k, as some matrices of LAPACK's test ddrvsg have.
func (p pair) banded(k int) pair {
	p.l = slices.Clone(p.l)
	for j := range p.n {
		for i := j + k + 1; i < p.n; i++ {
			p.l[i+j*p.n] = 0
		}
	}
	p.b = times(p.n, p.l, ref.Adjoint, p.l)
	p.factor()
	return p
}

// TestEveryKind solves the three problems for matrices A of every kind, and a dense or a banded B
// whose condition number is about 10 (LAPACK's ddrvsg and zdrvsg).
func TestEveryKind(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	testEveryKind(t, []int{5, 21}, map[string]Options{"smallest": {Tuning: small()}})
}

// TestEveryKindEverywhere repeats TestEveryKind for orders around those of bands, blocks and tiles,
// with waits between workgroups, without them, and with the device's own tuning.
func TestEveryKindEverywhere(t *testing.T) {
	when.Long(t, "TestEveryKind")
	testEveryKind(t, []int{1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65},
		map[string]Options{"waits": {Tuning: small()}, "waves": {Tuning: small(), NoWaits: true}, "one stage": {Tuning: oneStage()}, "tuned": {}})
}

func testEveryKind(t *testing.T, orders []int, ways map[string]Options) {
	for way, opt := range ways {
		for _, n := range orders {
			for typ := AxLBx; typ <= BAxLx; typ++ {
				t.Run(fmt.Sprintf("%s/%d/type %d", way, n, typ), func(t *testing.T) {
					opt.Type, opt.Vectors = typ, true
					real, complexes := planFor[float64](t, n, opt), planFor[complex128](t, n, opt)
					i := 0
					for name, a := range kinds(n) {
						with := newPair[complex128](n, 10, true)
						isReal := !slices.ContainsFunc(a, func(z complex128) bool { return imag(z) != 0 })
						if isReal {
							with = newPair[float64](n, 10, true)
						}
						if i++; i%3 == 0 {
							with = with.banded(1 + n/5)
						}
						with.a = a
						uplo := evd.Uplo(i%2 == 0)
						if isReal {
							kindSolved(t, real, name, with, typ, uplo)
						} else {
							kindSolved(t, complexes, name, with, typ, uplo)
						}
					}
				})
			}
		}
	}
}

func kindSolved[T evd.Number](t *testing.T, p *Plan[T], name string, with pair, typ Type, uplo evd.Uplo) {
	t.Helper()
	res, err := p.SolvePair(context.Background(), given[T](with.n, with.a, uplo, false), given[T](with.n, with.b, !uplo, false))
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	solved[T]{t: t, where: name, p: with, typ: typ, result: res}.judge(5)
}

// TestSizes solves pairs of orders around the sizes of blocks, with the tuning of the device.
func TestSizes(t *testing.T) {
	when.Many(t, "more sizes of TestTypes")
	for _, n := range []int{63, 64, 65, 127, 128, 129, 200} {
		for typ := AxLBx; typ <= BAxLx; typ++ {
			pr := newPair[float64](n, 10, true)
			kindSolved(t, planFor[float64](t, n, Options{Type: typ, Vectors: true}), fmt.Sprintf("type %d, n=%d", typ, n), pr, typ, evd.Lower)
		}
	}
}

// TestConditions solves pairs with a B of condition numbers up to 10¹². The orthogonality is good
// for every B. The residual is good if A = L·M·Lᴴ with a random M. Otherwise the residual of some
// vectors grows with the condition number, unless they are refined (TestRefine). Check must see
// this.
func TestConditions(t *testing.T) {
	const n = 40
	ctx := context.Background()
	for _, condition := range []float64{10, 1e4, 1e8, 1e12} {
		for _, compatible := range []bool{true, false} {
			where := fmt.Sprintf("condition %g, compatible %v", condition, compatible)
			pr := newPair[float64](n, condition, compatible)
			p := planFor[float64](t, n, Options{Vectors: true, Tuning: small()})
			a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
			res, err := p.SolvePair(ctx, a, b)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			eta, omega := ratio.Pencil(n, n, pr.a, n, pr.b, n, res.Values, stagetest.Exactly(res.Vectors.Data), n)
			checked, err := p.Check(ctx, a, b, res)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			t.Logf("%s: eta %.3g, omega %.3g, Check %.3g, %.3g, condition %.3g", where, eta, omega, checked.Residual, checked.Orthogonality, res.Condition)
			if !(omega < 1) || !(checked.Orthogonality < 10) {
				t.Errorf("%s: omega %g, by Check %g", where, omega, checked.Orthogonality)
			}
			if (compatible || !(condition > 1e4)) && !(eta < 10) || !compatible && condition == 1e12 && !(eta > 1e3) {
				t.Errorf("%s: eta %g", where, eta)
			}
			if !(checked.Residual <= 10*eta+0.1 && checked.Residual >= eta/10-0.1) {
				t.Errorf("%s: Check finds the residual %g, the host %g", where, checked.Residual, eta)
			}
		}
	}
}

// TestVerify checks that a result that passes has a certificate, and that one that does not pass is
// an error, if it cannot be refined because only a part of the spectrum is wanted.
func TestVerify(t *testing.T) {
	const n = 40
	ctx := context.Background()
	p := planFor[float64](t, n, Options{Vectors: true, Verify: true, Tuning: small(), Select: evd.Index(0, n)})
	solve := func(pr pair) (*Result[float64], error) {
		return p.SolvePair(ctx, given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
	}
	res, err := solve(newPair[float64](n, 1e12, true))
	if err != nil || res.Certificate == nil || res.Certificate.Safe || !(res.Certificate.Orthogonality > 0) || !(res.Certificate.Counts > 0) {
		t.Errorf("%v, %+v", err, res)
	}
	for c, want := range map[evd.Certificate]bool{
		{Ratios: evd.Ratios{Residual: 9, Orthogonality: 9}}:  true,
		{Ratios: evd.Ratios{Residual: 11, Orthogonality: 1}}: false,
		{Ratios: evd.Ratios{Residual: 1, Orthogonality: 11}}: false,
		{Counts: evd.Threshold}:                              false,
	} {
		if got := verifiable(&Result[float64]{Result: evd.Result[float64]{Certificate: &c}}).Passed; got != want {
			t.Errorf("%v has passed: %v", c, got)
		}
	}
	var not *evd.UnverifiedError
	if _, err := solve(newPair[float64](n, 1e12, false)); !errors.As(err, &not) || not.First == nil || !(not.First.Residual > Threshold) || !not.Safe.Safe {
		t.Errorf("a residual that must be large: %v", err)
	}
	again := newPair[float64](n, 10, true)
	if res, err := p.Solve(ctx, given[float64](n, again.a, evd.Lower, false)); err == nil && !(res.Certificate.Residual < Threshold) {
		t.Errorf("%v, %+v", err, res.Certificate)
	}
}

// TestSelections compares parts of the spectrum with all of it.
func TestSelections(t *testing.T) {
	const n = 33
	ctx := context.Background()
	for typ := AxLBx; typ <= BAxLx; typ++ {
		pr := newPair[complex128](n, 10, true)
		a, b := given[complex128](n, pr.a, evd.Upper, true), given[complex128](n, pr.b, evd.Lower, false)
		all, err := planFor[complex128](t, n, Options{Type: typ, Tuning: small()}).SolvePair(ctx, a, b)
		if err != nil {
			t.Fatal(err)
		}
		between := func(i int) float64 { return (all.Values[i-1] + all.Values[i]) / 2 }
		for _, s := range []struct {
			sel      evd.Selection
			from, to int
		}{
			{evd.Index(0, 3), 0, 3}, {evd.Index(10, 20), 10, 20}, {evd.Interval(between(5), between(30)), 5, 30},
			{evd.Interval(math.Inf(-1), between(4)).AtMost(9), 0, 4}, {evd.Interval(all.Values[n-1]+1, math.Inf(1)), n, n},
		} {
			for _, solver := range []evd.Solver{evd.Auto, evd.MRRR, evd.DivideConquer} {
				res, err := planFor[complex128](t, n, Options{Type: typ, Vectors: true, Select: s.sel, Solver: solver, Tuning: small()}).SolvePair(ctx, a, b)
				if err != nil {
					t.Fatalf("type %d, %d to %d by %v: %v", typ, s.from, s.to, solver, err)
				}
				if len(res.Values) != s.to-s.from || s.to > s.from && res.First != s.from {
					t.Fatalf("type %d, %d to %d by %v: values from %d on, %d of them", typ, s.from, s.to, solver, res.First, len(res.Values))
				}
				for k, v := range res.Values {
					if !(math.Abs(v-all.Values[s.from+k]) <= 1e-12*max(all.Values[n-1], -all.Values[0])) {
						t.Errorf("type %d by %v: value %d is %g, not %g", typ, solver, s.from+k, v, all.Values[s.from+k])
					}
				}
				solved[complex128]{t: t, where: fmt.Sprint(s.sel), p: pr, typ: typ, result: res}.judge(1)
			}
		}
	}
}

// TestEmulatedProducts solves pairs with products on integer units. If the rows of B have very
// different lengths, such products would be inaccurate, so the plan must change to native products.
func TestEmulatedProducts(t *testing.T) {
	const n = 70
	ctx := context.Background()
	for typ := AxLBx; typ <= BAxLx; typ++ {
		opt := Options{Type: typ, Vectors: true, Products: evd.ProductsEmulated, Tuning: small()}
		p, err := NewPlan[float64](stagetest.Device(t), n, opt)
		if err != nil {
			t.Skip(err)
		}
		defer p.Close()
		for _, decades := range []float64{0, 4, 12} {
			where := fmt.Sprintf("type %d, %g decades", typ, decades)
			pr := newPair[float64](n, 10, true)
			for j := range n {
				for i := range n {
					d := complex(math.Pow(10, -decades*float64(i+j)/float64(2*n)), 0)
					pr.a[i+j*n], pr.b[i+j*n] = pr.a[i+j*n]*d, pr.b[i+j*n]*d
				}
			}
			res, err := p.SolvePair(ctx, given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
			if err != nil {
				t.Fatal(err)
			}
			solved[float64]{t: t, where: where, p: pr, typ: typ, result: res}.judge(5)
			if graded := decades == 12; (res.Retried != nil) != graded || p.Emulated() == graded {
				t.Errorf("%s: emulated %v, retried %v", where, p.Emulated(), res.Retried)
			}
		}
	}
}

// TestFactorSurvives changes the stages of a plan after Factor, as it happens if emulated products
// refuse a matrix. Then it makes all numbers in the plan's memory NaN before the factor is
// restored. Solve must have the same results as before.
func TestFactorSurvives(t *testing.T) {
	const n = 40
	ctx := context.Background()
	for _, verify := range []bool{false, true} {
		pr := newPair[complex128](n, 10, true)
		p := planFor[complex128](t, n, Options{Vectors: true, Verify: verify, Tuning: small()})
		a := given[complex128](n, pr.a, evd.Lower, false)
		if _, err := p.Factor(ctx, given[complex128](n, pr.b, evd.Lower, false)); err != nil {
			t.Fatal(err)
		}
		want, err := p.Solve(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		c := p.base.Begin(ctx, nil)
		if err := c.Refuse("test"); err == nil {
			t.Fatal("no error")
		}
		changes := []func() error{
			func() error { return p.avoid(c) },
			func() error {
				c := p.base.Begin(ctx, nil)
				restore, err := p.saved(c)
				if err != nil {
					return err
				}
				if err := c.Run(func(rec *vk.Recorder) { c.Arena.Poison(rec) }); err != nil {
					return err
				}
				return restore(c)
			},
		}
		for _, change := range changes {
			p.base.Lock()
			err = change()
			p.base.Unlock()
			if err != nil {
				t.Fatal(err)
			}
			got, err := p.Solve(ctx, a)
			if err != nil || !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors.Data, want.Vectors.Data) {
				t.Errorf("verify %v: other results than before, %v", verify, err)
			}
		}
	}
}

// TestAutoFollowsTheRates checks, for a device whose emulated products are a little faster, from
// which order on the products with the factor of B are emulated, while the other ones are native.
func TestAutoFollowsTheRates(t *testing.T) {
	card := func(rate float64) *vk.Device {
		dev := vk.Dry(vk.Info{
			Name: "card", Family: "nvidia", Type: "discrete", SharedBytes: 48 << 10, MaxLocal: 1024, Subgroup: 32, Units: 128,
			Memory: 1 << 40, Free: 1 << 40, ByteMatrices: []vk.MatrixShape{{M: 16, N: 16, K: 32}}, Features: []string{"shaderFloat64", "shaderIntegerDotProduct"},
		})
		emulated.Facts{Native: 20e12, Emulated: rate, Bytes: 3.4e14, Right: true}.Keep(dev)
		return dev
	}
	for _, c := range []struct {
		rate     float64
		n        int
		products evd.Products
		want     bool
	}{
		{24e12, tuning.EmulatePairs, evd.ProductsAuto, true},
		{24e12, tuning.EmulatePairs, evd.ProductsNative, false},
		{24e12, tuning.EmulatePairs - 1, evd.ProductsAuto, false},
		{19e12, tuning.EmulatePairs, evd.ProductsAuto, false},
	} {
		p, err := NewPlan[float64](card(c.rate), c.n, Options{Vectors: true, Products: c.products})
		if err != nil {
			t.Fatal(err)
		}
		if s := p.stages.Now; p.Emulated() != c.want || (len(s.Products.PairEmulated) > 0) != c.want || len(s.Products.Emulated) > 0 {
			t.Errorf("%+v: emulated %v", c, p.Emulated())
		}
	}
}
