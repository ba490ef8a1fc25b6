package pencil

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/vk"
)

// refinedPair solves the pair without and with a refinement, and measures both results on the host.
func refinedPair[T evd.Number](t *testing.T, p pair) (before, after *Result[T], was, is evd.Ratios) {
	t.Helper()
	a, b := given[T](p.n, p.a, evd.Lower, false), given[T](p.n, p.b, evd.Upper, false)
	solve := func(refine bool) (*Result[T], evd.Ratios) {
		res, err := planFor[T](t, p.n, Options{Vectors: true, Refine: refine, Tuning: small()}).SolvePair(context.Background(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		eta, omega := p.ratios(AxLBx, res.Values, stagetest.Exactly(res.Vectors.Data), stagetest.UlpOf[T]())
		return res, evd.Ratios{Residual: eta, Orthogonality: omega}
	}
	before, was = solve(false)
	after, is = solve(true)
	if before.Refinement != nil || after.Refinement == nil {
		t.Fatalf("the result says %v, and after a refinement %v", before.Refinement, after.Refinement)
	}
	return before, after, was, is
}

// TestRefine refines vectors of random pairs whose B has condition numbers up to 10¹². The
// residuals must become as small as for a B with a small condition number, and the vectors must
// stay orthogonal.
func TestRefine(t *testing.T) {
	eachType(t, testRefine[float64], testRefine[float32], testRefine[complex128], testRefine[complex64])
}

func testRefine[T evd.Number](t *testing.T) {
	conditions := []float64{1e3, 1e6, 1e9, 1e12}
	if stagetest.UlpOf[T]() > 0x1p-30 {
		conditions = []float64{10, 1e3, 1e4}
	}
	for _, condition := range conditions {
		n := 96
		_, res, was, is := refinedPair[T](t, newPair[T](n, condition, false))
		t.Logf("condition %g: residual %.3g → %.3g, orthogonality %.3g → %.3g, %+v", condition, was.Residual, is.Residual, was.Orthogonality, is.Orthogonality, *res.Refinement)
		if !(is.Residual < 1) || !(is.Orthogonality < 0.1) || !(condition < 1e8 || was.Residual > 1e3) || !(condition < 1e4) && res.Refinement.Steps < 1 {
			t.Errorf("condition %g: %+v → %+v, %+v", condition, was, is, *res.Refinement)
		}
	}
}

// below returns the number of negative eigenvalues of A − s·B, by the signs of D in its
// factorisation L·D·Lᵀ with numbers of 300 bits. The matrices are real.
func (p pair) below(s float64) (count int) {
	n, m := p.n, make([]*big.Float, p.n*p.n)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	for i := range m {
		m[i] = number(0).Sub(number(real(p.a[i])), number(0).Mul(number(s), number(real(p.b[i]))))
	}
	for k := range n {
		if m[k+k*n].Sign() < 0 {
			count++
		}
		for j := k + 1; j < n; j++ {
			q := number(0).Quo(m[j+k*n], m[k+k*n])
			for i := j; i < n; i++ {
				m[i+j*n].Sub(m[i+j*n], number(0).Mul(q, m[i+k*n]))
			}
		}
	}
	return count
}

// wrong returns the number of values that are wrong by more than `bound` backward errors of their
// vectors: n·ε·(‖A‖ + |λ|·‖B‖)·‖x‖² for a vector with xᵀBx = 1. It counts eigenvalues (inertia).
func (p pair) wrong(r *Result[float64], bound float64) (count int) {
	normA, normB := ratio.Norm1(p.n, p.n, p.a, p.n), ratio.Norm1(p.n, p.n, p.b, p.n)
	for j, value := range r.Values {
		length := 0.0
		for _, x := range r.Vectors.Col(j) {
			length += x * x
		}
		off := bound * float64(p.n) * 0x1p-52 * (normA + math.Abs(value)*normB) * length
		if p.below(value-off) > j || p.below(value+off) <= j {
			count++
		}
	}
	return count
}

// TestRefinedValues counts eigenvalues below and above each value of a refined result.
func TestRefinedValues(t *testing.T) {
	when.Skip(t, when.Quick|when.Validation, "the same kernels as TestRefine, and long numbers on the host")
	pr := newPair[float64](30, 1e10, false)
	before, after, _, _ := refinedPair[float64](t, pr)
	if was, is := pr.wrong(before, 1), pr.wrong(after, 1); was == 0 || is > 0 {
		t.Errorf("%d values are wrong before the refinement, and %d after it", was, is)
	}
}

// graded multiplies row and column i of A by a^i, and those of B by b^i.
func (p pair) graded(a, b float64) pair {
	p.a, p.b = slices.Clone(p.a), slices.Clone(p.b)
	for j := range p.n {
		for i := range p.n {
			p.a[i+j*p.n] *= complex(math.Pow(a, float64(i+j)), 0)
			p.b[i+j*p.n] *= complex(math.Pow(b, float64(i+j)), 0)
		}
	}
	p.factor()
	return p
}

// multiple returns a pair of which all eigenvalues are `value`, except `others` of them. If
// `spread` is not 0, the equal ones differ by about this amount.
func multiple[T evd.Number](n, others int, condition, value, spread float64) pair {
	p, random := newPair[T](n, condition, false), newPair[T](n+1, 10, false).a
	a := make([]complex128, n*n)
	for j := range n {
		for i := range n {
			sum := complex(0, 0)
			for k := range others { // U·D·Uᴴ with the first columns of a random matrix
				sum += random[i+k*(n+1)] * complex(float64(k)-2.5, 0) * complex(real(random[j+k*(n+1)]), -imag(random[j+k*(n+1)]))
			}
			a[i+j*n] = complex(value, 0)*p.b[i+j*n] + sum + complex(spread, 0)*p.a[i+j*n]
		}
	}
	p.a = stagetest.Exactly(stagetest.Rounded[T](a))
	return p
}

// TestRefineClusters refines vectors of pairs with equal and nearly equal eigenvalues, and with
// graded matrices.
func TestRefineClusters(t *testing.T) {
	eachType(t, testRefineClusters[float64], testRefineClusters[float32], testRefineClusters[complex128], testRefineClusters[complex64])
}

func testRefineClusters[T evd.Number](t *testing.T) {
	const n = 40
	ulp, condition := stagetest.UlpOf[T](), 1e6
	if ulp > 0x1p-30 {
		condition = 100
	}
	largest := 0
	for name, p := range map[string]pair{
		"a multiple eigenvalue": multiple[T](n, n-7, condition, 3, 0),
		"close eigenvalues":     multiple[T](n, n-7, condition, 3, 1000*ulp),
		"not so close":          multiple[T](n, n-7, condition, 3, 1e5*ulp),
		"less close":            multiple[T](n, n-7, condition, 3, 1e6*ulp),
		"nearly all are equal":  multiple[T](n, 5, condition, 1, 0),
		"graded B":              newPair[T](n, 10, false).graded(1, math.Pow(condition, -0.5/n)),
		"graded A and B":        newPair[T](n, 10, false).graded(math.Pow(condition, 0.25/n), math.Pow(condition, -0.5/n)),
		"A = 0":                 {n: n, a: make([]complex128, n*n), b: newPair[T](n, condition, false).b},
		"A = B":                 {n: n, a: newPair[T](n, condition, false).b, b: newPair[T](n, condition, false).b},
	} {
		before, res, was, is := refinedPair[T](t, p)
		t.Logf("%s: %+v → %+v, %+v", name, was, is, *res.Refinement)
		if !(is.Residual < 3) || !(is.Orthogonality < 3) {
			t.Errorf("%s: %+v → %+v, %+v", name, was, is, *res.Refinement)
		}
		if res.Refinement.Steps == 0 && !slices.Equal(before.Vectors.Data, res.Vectors.Data) {
			t.Errorf("%s: no step was kept, but the vectors are other ones", name)
		}
		if name == "A = 0" && res.Refinement.Steps != 0 {
			t.Error("A = 0: a step was kept, but no residual is smaller than 0")
		}
		largest = max(largest, res.Refinement.Largest)
	}
	if largest < 2 {
		t.Errorf("no step had a cluster")
	}
}

// TestRefinementIsKeptIfBetter checks the rule, and that the residual that Check measures is never
// larger after a refinement.
func TestRefinementIsKeptIfBetter(t *testing.T) {
	for _, c := range []struct {
		now, before evd.Ratios
		want        bool
	}{
		{evd.Ratios{Residual: 1, Orthogonality: 1}, evd.Ratios{Residual: 100, Orthogonality: 0.1}, true},
		{evd.Ratios{Residual: 1, Orthogonality: 11}, evd.Ratios{Residual: 100, Orthogonality: 0.1}, false},
		{evd.Ratios{Residual: 1, Orthogonality: 11}, evd.Ratios{Residual: 100, Orthogonality: 12}, true},
		{evd.Ratios{Residual: 2, Orthogonality: 0.1}, evd.Ratios{Residual: 1, Orthogonality: 0.2}, false},
		{evd.Ratios{Residual: math.Inf(1), Orthogonality: 0.1}, evd.Ratios{Residual: math.Inf(1), Orthogonality: 0.2}, false},
	} {
		if better(c.now, c.before) != c.want {
			t.Errorf("%+v after %+v: better is %v", c.now, c.before, !c.want)
		}
	}
	ctx := context.Background()
	for n := 2; n < 14; n++ {
		pr := newPair[float64](n, 2, true)
		a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
		var residuals [2]float64
		for i, refine := range []bool{false, true} {
			p := planFor[float64](t, n, Options{Vectors: true, Refine: refine, Tuning: small()})
			res, err := p.SolvePair(ctx, a, b)
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Check(ctx, a, b, res)
			if err != nil {
				t.Fatal(err)
			}
			residuals[i] = r.Residual
		}
		if !(residuals[1] <= residuals[0]) {
			t.Errorf("n = %d: the residual %g became %g", n, residuals[0], residuals[1])
		}
	}
}

// TestRefineWays refines with other options: vectors in row-major order, a B and an A that are
// scaled, a factor that is used again, and a certificate.
func TestRefineWays(t *testing.T) {
	const n = 33
	ctx, pr := context.Background(), newPair[complex128](n, 1e9, false)
	a, b := given[complex128](n, pr.a, evd.Upper, true), given[complex128](n, pr.b, evd.Lower, false)
	p := planFor[complex128](t, n, Options{Vectors: true, Refine: true, Verify: true, RowMajor: true, Tuning: small()})
	for _, scale := range []int{0, -300} {
		dense.Multiply(b.Data, math.Ldexp(1, scale))
		if _, err := p.Factor(ctx, b); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			res, err := p.Solve(ctx, a)
			if err != nil {
				t.Fatal(err)
			}
			if c := res.Certificate; res.Refinement.Steps == 0 || c.Safe || c.Counts != 0 || !(c.Residual < 1) || !(c.Orthogonality > 0) {
				t.Errorf("scale 2^%d: %+v, %+v", scale, res.Refinement, c)
			}
			if r, err := p.Check(ctx, a, b, res); err != nil || !(r.Residual < 1) || !(r.Orthogonality < 1) {
				t.Errorf("scale 2^%d: Check finds %+v, %v", scale, r, err)
			}
		}
	}
	for n := range 4 {
		pr := newPair[float64](n, 10, true)
		res, err := planFor[float64](t, n, Options{Vectors: true, Refine: true, Tuning: small()}).SolvePair(ctx, given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
		if err != nil {
			t.Fatal(err)
		}
		solved[float64]{t: t, where: fmt.Sprint(n), p: pr, typ: AxLBx, result: res}.judge(2)
	}
}

// TestVerifyRefines checks that Verify refines a result whose residual does not pass, and no other
// one. Parts of the spectrum cannot be refined, so there the same pair is an error.
func TestVerifyRefines(t *testing.T) {
	const n = 40
	ctx := context.Background()
	good, bad := newPair[float64](n, 1e12, true), newPair[float64](n, 1e12, false)
	solve := func(pr pair, opt Options) (*Result[float64], error) {
		opt.Vectors, opt.Verify, opt.Tuning = true, true, small()
		return planFor[float64](t, n, opt).SolvePair(ctx, given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
	}
	if res, err := solve(good, Options{}); err != nil || res.Refinement != nil || res.Certificate.Counts == 0 {
		t.Errorf("a result that passes: %v, %+v", err, res)
	}
	res, err := solve(bad, Options{})
	if err != nil || res.Refinement == nil || res.Refinement.Steps == 0 || res.Certificate.Safe || !(res.Certificate.Residual < Threshold) {
		t.Errorf("a result that must be refined: %v, %+v", err, res)
	}
	var not *UnverifiedError
	if _, err := solve(bad, Options{Select: evd.Index(0, n)}); !errors.As(err, &not) {
		t.Errorf("a selection that cannot be refined: %v", err)
	}
}

func TestRefineRefusals(t *testing.T) {
	for reason, opt := range map[string]Options{
		"option Refine: only vectors are refined": {Refine: true},
		"option Refine: a refinement needs a B of which no direction is dropped, so it is not for Overlap.Canonical":               {Vectors: true, Refine: true, Overlap: Overlap{Canonical: true}},
		"option Refine: only A·x = λ·B·x needs it: the residuals of the other problems do not grow with the condition number of B": {Vectors: true, Refine: true, Type: ABxLx},
		"option Refine: a refinement is for all vectors, because it corrects each vector by multiples of all others":               {Vectors: true, Refine: true, Select: evd.Index(0, 3)},
	} {
		var bad *evd.OptionError
		if _, err := NewPlan[float64](stagetest.Device(t), 5, opt); !errors.As(err, &bad) || err.Error() != reason {
			t.Errorf("%v, not %s", err, reason)
		}
	}
}

// TestRefinementCosts checks that a forecast has a refinement, that progress reports end only after
// it, and that its phases are in the profile.
func TestRefinementCosts(t *testing.T) {
	const n = 40
	pr, ends, last := newPair[float64](n, 1e9, false), 0, evd.Progress{}
	p := planFor[float64](t, n, Options{Vectors: true, Refine: true, Tuning: small(), Progress: func(at evd.Progress) {
		if last = at; at.Done == at.Total {
			ends++
		}
	}})
	costs := p.Costs()
	if c := costs[len(costs)-1]; c.Stage != "refinement, products" || !(c.Flops > 13*n*n*n && c.Flops < 16*n*n*n) {
		t.Errorf("the last phase of the forecast is %+v", c)
	}
	res, err := p.SolvePair(context.Background(), given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false))
	if err != nil {
		t.Fatal(err)
	}
	if ends != 1 || last.Done != last.Total {
		t.Errorf("%d reports of the end, the last report is %+v", ends, last)
	}
	if !slices.ContainsFunc(res.Profile.Phases, func(p vk.Timing) bool { return p.Name == "refinement, products" }) {
		t.Errorf("phases %v", res.Profile.Phases)
	}
}
