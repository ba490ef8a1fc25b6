package pencil

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/stages/stagetest"
)

// dependent returns two pairs of matrices A and B. `basis` is the pair of n − more linearly
// independent basis functions. `whole` is the pair of n functions that are combinations of them, so
// its B has the rank n − more. The last `more` functions are copies of one of the others, or
// combinations of two. If `graded` is true, the functions are multiplied by powers of two that differ
// by factors of up to 10⁶.
func dependent[T evd.Number](n, more int, graded bool) (whole, basis pair) {
	m := n - more
	basis = newPair[T](m, 10, true)
	p := make([]complex128, m*n)
	for j := range n {
		length := 1.0
		if graded {
			length = math.Pow(2, -20*float64(j*7%n)/float64(n))
			length = math.Ldexp(1, math.Ilogb(length))
		}
		p[j%m+j*m] = complex(length, 0)
		if j >= m && (j-m)%2 == 1 && m > 1 {
			p[(j+1)%m+j*m] = complex(0, length)
			if !isComplex[T]() {
				p[(j+1)%m+j*m] = complex(length, 0)
			}
		}
	}
	whole = pair{n: n, a: make([]complex128, n*n), b: make([]complex128, n*n)}
	for i, from := range [][]complex128{basis.a, basis.b} {
		half := make([]complex128, m*n)
		ref.Gemm(ref.NoTrans, ref.NoTrans, m, n, m, 1, from, m, p, m, 0, half, m)
		to := [][]complex128{whole.a, whole.b}[i]
		ref.Gemm(ref.Adjoint, ref.NoTrans, n, n, m, 1, p, m, half, m, 0, to, n)
		copy(to, stagetest.Exactly(stagetest.Rounded[T](to)))
	}
	return whole, basis
}

func isComplex[T evd.Number]() bool {
	return imag(stagetest.Exactly(stagetest.Rounded[T]([]complex128{1i}))[0]) == 1
}

// onHost computes s and the values by gonum, in double precision: for a complex matrix those of the
// real matrix of twice the order, in which each value is twice.
func (p pair) onHost(t *testing.T, threshold float64) (s, values []float64) {
	n := p.n
	d := make([]float64, n)
	for i := range d {
		d[i] = 1 / math.Sqrt(real(p.b[i+i*n]))
	}
	embedded := func(x []complex128) *mat.SymDense {
		m := mat.NewSymDense(2*n, nil)
		for j := range n {
			for i := range n {
				z := x[i+j*n] * complex(d[i]*d[j], 0)
				m.SetSym(i, j, real(z))
				m.SetSym(n+i, n+j, real(z))
				m.SetSym(n+i, j, imag(z))
			}
		}
		return m
	}
	var e mat.EigenSym
	if !e.Factorize(embedded(p.b), true) {
		t.Fatal("gonum does not converge")
	}
	all := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	first := 0
	for all[first] <= threshold*all[2*n-1] {
		first++
	}
	x := mat.DenseCopyOf(v.Slice(0, 2*n, first, 2*n))
	for j, value := range all[first:] {
		for i := range 2 * n {
			x.Set(i, j, x.At(i, j)/math.Sqrt(value))
		}
	}
	var half, c mat.Dense
	half.Mul(embedded(p.a), x)
	c.Mul(x.T(), &half)
	m, _ := c.Dims()
	of := mat.NewSymDense(m, nil)
	for j := range m {
		for i := range j + 1 {
			of.SetSym(i, j, (c.At(i, j)+c.At(j, i))/2)
		}
	}
	if !e.Factorize(of, false) {
		t.Fatal("gonum does not converge")
	}
	each := func(twice []float64) (once []float64) {
		for i := 0; i < len(twice); i += 2 {
			once = append(once, twice[i])
		}
		return once
	}
	return each(all), each(e.Values(nil))
}

// TestCanonical solves pairs with dependent functions in all storages. The values must be those of the
// host, and those of the pair of the functions on which the others depend. Solve must return the results
// of SolvePair bit for bit, and the host must find XᴴBX = I.
func TestCanonical(t *testing.T) {
	eachType(t, testCanonical[float64], testCanonical[float32], testCanonical[complex128], testCanonical[complex64])
}

func testCanonical[T evd.Number](t *testing.T) {
	ctx, ulp := context.Background(), stagetest.UlpOf[T]()
	var worst stagetest.Worst
	for i, c := range []struct{ n, more int }{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {5, 2}, {8, 1}, {17, 3}, {33, 1}, {45, 5}, {50, 49}} {
		for _, graded := range []bool{false, true} {
			n, m := c.n, c.n-c.more
			uplo, rowMajor := evd.Uplo(i%2 == 0), i%3 == 0
			where := fmt.Sprintf("n=%d, %d depend on others, graded %v, upper %v, row-major %v", n, c.more, graded, uplo, rowMajor)
			whole, basis := dependent[T](n, c.more, graded)
			opt := Options{Vectors: true, Overlap: Overlap{Canonical: true}, Tuning: small(), RowMajor: i%2 == 1, Verify: i%2 == 0}
			p := planFor[T](t, n, opt)
			a, b := given[T](n, whole.a, uplo, rowMajor), given[T](n, whole.b, !uplo, !rowMajor)
			res, err := p.SolvePair(ctx, a, b)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			if res.Dropped != c.more || len(res.Values) != m || res.Vectors.Rows != n || res.Vectors.Cols != m {
				t.Fatalf("%s: %d dropped, %d values, vectors %d×%d", where, res.Dropped, len(res.Values), res.Vectors.Rows, res.Vectors.Cols)
			}
			again, err := p.Solve(ctx, a)
			if err != nil || !slices.Equal(again.Values, res.Values) || m > 0 && !slices.Equal(again.Vectors.Data, res.Vectors.Data) || again.Dropping != res.Dropping {
				t.Errorf("%s: Solve has other results than SolvePair: %v", where, err)
			}
			r, err := p.Check(ctx, a, b, res)
			if err != nil || !(r.Residual < mostRatio) || !(r.Orthogonality < mostRatio) {
				t.Errorf("%s: Check finds %+v, %v", where, r, err)
			}
			alone, err := planFor[T](t, n, Options{Overlap: opt.Overlap, Tuning: small(), Verify: true}).SolvePair(ctx, a, b)
			if err != nil {
				t.Fatal(err)
			}
			if n < 2 {
				continue
			}
			s, values := whole.onHost(t, max(DefaultThreshold, float64(n)*ulp))
			if len(values) != m {
				t.Fatalf("%s: the host keeps %d", where, len(values))
			}
			size := max(math.Abs(values[0]), math.Abs(values[m-1])) * s[n-1] / s[c.more]
			noise := float64(n) * ulp * s[n-1]
			if !(math.Abs(res.Kept-s[c.more]) <= noise) || c.more > 0 && !(math.Abs(res.Lost-s[c.more-1]) <= noise) {
				t.Errorf("%s: s are %g and %g, not %g and %g", where, res.Lost, res.Kept, s[max(c.more-1, 0)], s[c.more])
			}
			if !(math.Abs(res.Condition-s[n-1]/s[c.more]) <= 1e-3*res.Condition) {
				t.Errorf("%s: condition %g", where, res.Condition)
			}
			without, err := planFor[T](t, m, Options{Tuning: small()}).SolvePair(ctx, given[T](m, basis.a, evd.Lower, false), given[T](m, basis.b, evd.Lower, false))
			if err != nil {
				t.Fatal(err)
			}
			for j, want := range values {
				for _, got := range []float64{res.Values[j], alone.Values[j], without.Values[j]} {
					worst.See(math.Abs(got-want)/(size*ulp), where)
				}
			}
			x := make([]complex128, 0, n*m)
			for j := range m {
				column := stagetest.Exactly(res.Vectors.Col(j))
				x = append(x, column...)
				largest := func(z complex128) bool { // up to rounding, so that there may be several
					return cmplx.Abs(z)*(1+4*ulp) >= cmplx.Abs(slices.MaxFunc(column, bySize))
				}
				if !slices.ContainsFunc(column, func(z complex128) bool { return real(z) > 0 && imag(z) == 0 && largest(z) }) {
					t.Errorf("%s: no largest component of vector %d is real and positive: %v", where, j, column)
				}
			}
			y, g := make([]complex128, n*m), make([]complex128, m*m)
			ref.Gemm(ref.NoTrans, ref.NoTrans, n, m, n, 1, whole.b, n, x, n, 0, y, n)
			ref.Gemm(ref.Adjoint, ref.NoTrans, m, m, n, 1, x, n, y, n, 0, g, m)
			for j := range m {
				g[j+j*m]--
			}
			for _, z := range g {
				worst.See(cmplx.Abs(z)/(float64(n)*ulp*s[n-1]/s[c.more]), where+", XᴴBX − I")
			}
		}
	}
	worst.AtMost(t, "errors of the values in ulp·max|λ|·max s/min s, and of XᴴBX", 8)
}

func bySize(x, y complex128) int { return cmp.Compare(cmplx.Abs(x), cmplx.Abs(y)) }

// TestCanonicalThreshold checks thresholds on both sides of an s: for the matrix with the elements 1 and
// r, the s are 1 + (n−1)·r and 1 − r. Nothing is dropped, or all but one. Without dropping, the values
// are those of Cholesky's method.
func TestCanonicalThreshold(t *testing.T) {
	const n = 20
	ctx, pr := context.Background(), newPair[float64](n, 1, false)
	const small, large = 0x1p-10, n - (n-1)*0x1p-10
	for j := range n {
		for i := range n {
			pr.b[i+j*n] = complex(1-small, 0) * complex(math.Ldexp(1, i%5+j%5), 0) // a diagonal from 1 to 256
		}
		pr.b[j+j*n] = complex(math.Ldexp(1, j%5*2), 0)
	}
	a, b := given[float64](n, pr.a, evd.Lower, false), given[float64](n, pr.b, evd.Lower, false)
	for threshold, dropped := range map[float64]int{small / large * (1 - 1e-9): 0, small / large * (1 + 1e-9): n - 1, 0.999: n - 1, 0: 0} {
		res, err := planFor[float64](t, n, Options{Overlap: Overlap{Canonical: true, Threshold: threshold}}).SolvePair(ctx, a, b)
		if err != nil || res.Dropped != dropped || len(res.Values) != n-dropped {
			t.Fatalf("threshold %g: %v, %+v", threshold, err, res)
		}
		if dropped > 0 {
			if !(math.Abs(res.Lost-small) <= 1e-13) || !(math.Abs(res.Kept-large) <= 1e-13) {
				t.Errorf("threshold %g: %+v", threshold, res.Dropping)
			}
			continue
		}
		want, err := planFor[float64](t, n, Options{}).SolvePair(ctx, a, b)
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range want.Values {
			if !(math.Abs(res.Values[j]-x) <= 0x1p-52*n/small*want.Values[n-1]*n) {
				t.Errorf("value %d is %g, by Cholesky's method %g", j, res.Values[j], x)
			}
		}
	}
}

// TestCanonicalSelects checks parts of the spectrum, also by intervals of a pair whose A is very large,
// and a range of indices that ends above the number of values.
func TestCanonicalSelects(t *testing.T) {
	const n, more = 24, 4
	ctx := context.Background()
	whole, _ := dependent[complex128](n, more, true)
	b := given[complex128](n, whole.b, evd.Lower, false)
	for _, scale := range []int{0, 200, -900} {
		a := given[complex128](n, whole.a, evd.Lower, false)
		dense.Multiply(a.Data, math.Ldexp(1, scale))
		solve := func(s evd.Selection) (*Result[complex128], error) {
			return planFor[complex128](t, n, Options{Vectors: true, Select: s, Overlap: Overlap{Canonical: true}, Tuning: small()}).SolvePair(ctx, a, b)
		}
		all, err := solve(evd.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		middle := func(j int) float64 { return (all.Values[j-1] + all.Values[j]) / 2 }
		for _, s := range []evd.Selection{evd.Index(3, 9), evd.Interval(middle(3), middle(9)), evd.Interval(middle(3), middle(9)).AtMost(7)} {
			part, err := solve(s)
			if err != nil {
				t.Fatal(err)
			}
			if part.First != 3 || len(part.Values) != 6 || part.Vectors.Cols != 6 {
				t.Fatalf("scale 2^%d, %+v: %d values from number %d", scale, s, len(part.Values), part.First)
			}
			for j, x := range part.Values {
				if !(math.Abs(x-all.Values[3+j]) <= 1e-12*math.Abs(all.Values[0])) {
					t.Errorf("scale 2^%d, %+v: value %d is %g, not %g", scale, s, 3+j, x, all.Values[3+j])
				}
			}
		}
		if _, err := solve(evd.Index(3, n)); err == nil || err.Error() != "option Index: [3, 24) is not a range of 20 values, because directions of B were dropped" {
			t.Error(err)
		}
	}
}

// TestCanonicalRefuses checks the errors, and that the plan still solves the next pair.
func TestCanonicalRefuses(t *testing.T) {
	const n = 12
	ctx := context.Background()
	whole, _ := dependent[float64](n, 2, false)
	p := planFor[float64](t, n, Options{Vectors: true, Overlap: Overlap{Canonical: true}, Tuning: small()})
	a, good := given[float64](n, whole.a, evd.Lower, false), given[float64](n, whole.b, evd.Lower, false)
	if _, err := p.Solve(ctx, a); !errors.Is(err, ErrNoFactor) {
		t.Errorf("Solve before Factor: %v", err)
	}
	changed := func(i, j int, x float64) evd.Sym[float64] {
		b := given[float64](n, whole.b, evd.Lower, false)
		b.Data[i+j*b.Ld] = x
		return b
	}
	zero := given[float64](n, make([]complex128, n*n), evd.Lower, false)
	var indefinite *IndefiniteError
	for name, b := range map[string]evd.Sym[float64]{"an element of 10¹⁰⁰": changed(3, 1, 1e100), "a negative diagonal": changed(4, 4, -1), "zero": zero} {
		f, err := p.Factor(ctx, good)
		if err != nil || f.Dropped != 2 || !(f.Kept > 0) || len(f.Profile.Phases) == 0 {
			t.Fatalf("%+v, %v", f, err)
		}
		if _, err := p.Factor(ctx, b); !errors.As(err, &indefinite) || name != "zero" && !(indefinite.Smallest < 0) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := p.Solve(ctx, a); !errors.Is(err, ErrNoFactor) {
			t.Errorf("%s: Solve afterwards: %v", name, err)
		}
	}
	var bad *MatrixError
	if _, err := p.Factor(ctx, changed(5, 5, math.NaN())); !errors.As(err, &bad) || bad.Error() != "matrix B: element (5, 5) is NaN; entries must be finite (indices from 0)" {
		t.Error(err)
	}
	res, err := p.SolvePair(ctx, a, good)
	if err != nil {
		t.Fatal(err)
	}
	nan := given[float64](n, whole.a, evd.Lower, false)
	nan.Data[7+2*nan.Ld] = math.Inf(1)
	if _, err := p.Solve(ctx, nan); !errors.As(err, &bad) || bad.Matrix != "A" {
		t.Error(err)
	}
	if err := p.CopyFactor(ctx, good); err == nil || err.Error() != "option Overlap: canonical orthogonalisation computes no factor L" {
		t.Error(err)
	}
	if r, err := p.Check(ctx, a, good, res); err != nil || !(r.Residual < mostRatio) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, c := range []struct {
		opt  Options
		text string
	}{
		{Options{Overlap: Overlap{Threshold: 0.1}}, "option Overlap: only canonical orthogonalisation has a threshold"},
		{Options{Overlap: Overlap{Canonical: true, Threshold: 1}}, "option Overlap: the threshold 1 is not between 0 and 1"},
		{Options{Overlap: Overlap{Canonical: true, Threshold: math.NaN()}}, "option Overlap: the threshold NaN is not between 0 and 1"},
		{Options{Overlap: Overlap{Canonical: true}, Type: BAxLx}, "option Overlap: canonical orthogonalisation is only for A·x = λ·B·x"},
	} {
		if _, err := NewPlan[float64](stagetest.Device(t), n, c.opt); err == nil || err.Error() != c.text {
			t.Errorf("%v, not %s", err, c.text)
		}
	}
	if text := (&IndefiniteError{-0.25, 2}).Error(); text != "B is not positive semidefinite: its eigenvalues are between -0.25 and 2, if its diagonal is scaled to ones" {
		t.Error(text)
	}
}

// TestCanonicalCheckSees changes a correct result in one way after another: each kind of error must
// make a ratio of Check large.
func TestCanonicalCheckSees(t *testing.T) {
	eachType(t, testCanonicalCheckSees[float64], testCanonicalCheckSees[float32], testCanonicalCheckSees[complex128], testCanonicalCheckSees[complex64])
}

func testCanonicalCheckSees[T evd.Number](t *testing.T) {
	const n, more = 16, 4
	ctx := context.Background()
	whole, _ := dependent[T](n, more, true)
	p := planFor[T](t, n, Options{Vectors: true, Overlap: Overlap{Canonical: true}, Tuning: small()})
	a, b := given[T](n, whole.a, evd.Lower, false), given[T](n, whole.b, evd.Lower, false)
	res, err := p.SolvePair(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	v := p.canonical.kept
	lost := make([]T, n) // x + z with B·z = 0: the difference of a function and its copy
	first, second := 1/v.d[0], 1/v.d[n-more]
	lost[0], lost[n-more] = stagetest.Rounded[T]([]complex128{complex(second/first, 0)})[0], stagetest.Rounded[T]([]complex128{-1})[0]
	for _, c := range []struct {
		name        string
		change      func(*Result[T])
		residual    bool
		orthogonals bool
	}{
		{"a value", func(r *Result[T]) { r.Values[2] += 0.01 * math.Abs(r.Values[0]) }, true, false},
		{"the length of a vector", func(r *Result[T]) { dense.Multiply(r.Vectors.Data[n:2*n], 2) }, false, true},
		{"the order of two vectors", func(r *Result[T]) {
			for i := range n {
				r.Vectors.Data[i], r.Vectors.Data[5*n+i] = r.Vectors.Data[5*n+i], r.Vectors.Data[i]
			}
		}, true, false},
		{"a part in a direction that was dropped", func(r *Result[T]) {
			for i, x := range lost {
				r.Vectors.Data[3*n+i] += x
			}
		}, true, false},
	} {
		changed := &Result[T]{Result: evd.Result[T]{Values: slices.Clone(res.Values), Vectors: &evd.Dense[T]{Rows: n, Cols: n - more, Ld: n, Data: slices.Clone(res.Vectors.Data)}}}
		c.change(changed)
		r, err := p.Check(ctx, a, b, changed)
		if err != nil {
			t.Fatal(err)
		}
		for _, ratio := range []struct {
			value float64
			large bool
		}{{r.Residual, c.residual}, {r.Orthogonality, c.orthogonals}} {
			if ratio.large {
				ratio.value = 1000 / ratio.value
			}
			if !(ratio.value < 10) {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
	}
}

// TestCanonicalProgress checks that progress rises to its end, the phases and the regions of memory.
func TestCanonicalProgress(t *testing.T) {
	const n = 30
	ctx := context.Background()
	whole, _ := dependent[float64](n, 3, false)
	var last evd.Progress
	var stage []string
	falls := false
	opt := Options{Vectors: true, Verify: true, Overlap: Overlap{Canonical: true}, Tuning: small(), Progress: func(at evd.Progress) {
		falls = falls || !(at.Done >= last.Done)
		last, stage = at, append(stage, at.Stage)
	}}
	p := planFor[float64](t, n, opt)
	before := p.Bytes()
	a, b := given[float64](n, whole.a, evd.Lower, false), given[float64](n, whole.b, evd.Lower, false)
	res, err := p.SolvePair(ctx, a, b)
	if err != nil {
		t.Fatal(err)
	}
	if falls || last.Done != last.Total || last.Total == 0 || len(stage) < 4 {
		t.Errorf("progress falls: %v, ends at %+v, %v", falls, last, stage)
	}
	for _, only := range []func() error{
		func() error { _, err := p.Factor(ctx, b); return err },
		func() error { _, err := p.Solve(ctx, a); return err },
	} {
		last, falls = evd.Progress{}, false
		if err := only(); err != nil || falls || last.Done != last.Total || last.Total == 0 {
			t.Errorf("progress falls: %v, ends at %+v, %v", falls, last, err)
		}
	}
	if res.Profile.Phase("projection") == 0 || res.Profile.Phase("check") == 0 {
		t.Errorf("%+v", res.Profile)
	}
	projection := 0.0
	for _, c := range p.Costs() {
		if c.Stage == "projection" {
			projection += c.Flops
		}
	}
	if projection != 5*n*n*n {
		t.Errorf("%+v", p.Costs())
	}
	names := []string{}
	for _, m := range p.Memory() {
		names = append(names, m.Name)
	}
	for _, name := range []string{"V", "A", "A·V, V·Z", "B of a check", "eigenvalues", "residual sums", "orthogonality sums", "sums outside V", "projected residual"} {
		if !slices.Contains(names, name) {
			t.Errorf("no memory %q", name)
		}
	}
	if p.Emulated() || p.Band() != 1 || p.Block() != 1 || before == 0 || p.Bytes() == 0 {
		t.Error(p.Emulated(), p.Band(), p.Block(), before, p.Bytes())
	}
	p.Close()
	if _, err := p.Solve(ctx, a); !errors.Is(err, evd.ErrClosed) {
		t.Error(err)
	}
}
