package ref

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	lapackgonum "gonum.org/v1/gonum/lapack/gonum"
)

// dcRatioLimit bounds all ratios of this file; LAPACK's own tests allow 30 to 60.
const dcRatioLimit = 10

const dcTestUlp = 2 * secularUlp

// dcCheck solves T, with and without vectors, and checks everything that can be
// checked without knowing the answer. It returns the values and the two ratios.
func dcCheck(t *testing.T, name string, d, e []float64, opt DCOptions) (values []float64, residual, orthogonality float64) {
	t.Helper()
	n := len(d)
	dIn, eIn := slices.Clone(d), slices.Clone(e)
	values, z, err := DivideConquer(d, e, opt)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return nil, 0, 0
	}
	if !slices.Equal(d, dIn) || !slices.Equal(e, eIn) {
		t.Errorf("%s: the input was changed", name)
	}
	if len(values) != n || len(z) != n*n || !slices.IsSorted(values) {
		t.Errorf("%s: %d values, %d elements of Z, ascending %v", name, len(values), len(z), slices.IsSorted(values))
		return values, 0, 0
	}
	residual, orthogonality = dcRatios(d, e, values, z)
	if !(residual < dcRatioLimit && orthogonality < dcRatioLimit) {
		t.Errorf("%s: residual %.3g, orthogonality %.3g", name, residual, orthogonality)
	}
	only, err := DivideConquerValues(d, e, opt)
	if err != nil {
		t.Errorf("%s: values only: %v", name, err)
		return
	}
	if diff := dcDistance(d, e, values, only); !(diff < dcRatioLimit) {
		t.Errorf("%s: values without vectors are %.3g·n·ulp·‖T‖ off", name, diff)
	}
	return values, residual, orthogonality
}

// dcNorm returns a power of two near the largest element of T, or 1 for zero.
func dcNorm(d, e []float64) float64 {
	norm := 0.0
	for i := range d {
		norm = max(norm, math.Abs(d[i]))
		if i+1 < len(d) {
			norm = max(norm, math.Abs(e[i]))
		}
	}
	if norm == 0 {
		return 1
	}
	_, exp := math.Frexp(norm)
	return math.Ldexp(1, max(exp, -1021))
}

// dcRatios returns ‖T·Z − Z·Λ‖/(‖T‖·n·ulp) and ‖I − Zᵀ·Z‖/(n·ulp) in the 1-norm.
func dcRatios(d, e, values, z []float64) (residual, orthogonality float64) {
	n := len(d)
	if n == 0 {
		return 0, 0
	}
	scale := dcNorm(d, e)
	at := func(v []float64, i int) float64 {
		if i < 0 || i >= len(v) {
			return 0
		}
		return v[i] / scale
	}
	norm, worst := 0.0, 0.0
	for j := range n {
		eAbove, eBelow := 0.0, 0.0
		if j > 0 {
			eAbove = at(e, j-1)
		}
		if j < n-1 {
			eBelow = at(e, j)
		}
		norm = max(norm, math.Abs(eAbove)+math.Abs(at(d, j))+math.Abs(eBelow))
		col, sum := z[j*n:(j+1)*n], 0.0
		for i := range n {
			r := (at(d, i) - values[j]/scale) * col[i]
			if i > 0 {
				r += at(e, i-1) * col[i-1]
			}
			if i < n-1 {
				r += at(e, i) * col[i+1]
			}
			sum += math.Abs(r)
		}
		worst = dcMax(worst, sum)
	}
	if worst != 0 {
		residual = worst / (norm * float64(n) * dcTestUlp)
	}

	g := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	a := blas64.General{Rows: n, Cols: n, Stride: n, Data: z}
	blas64.Gemm(blas.NoTrans, blas.Trans, 1, a, a, 0, g)
	worst = 0
	for j := range n {
		g.Data[j*n+j]--
		worst = dcMax(worst, blas64.Asum(blas64.Vector{N: n, Inc: 1, Data: g.Data[j*n:]}))
	}
	return residual, worst / (float64(n) * dcTestUlp)
}

// dcMax is max that keeps a NaN.
func dcMax(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return max(a, b)
}

// dcDistance returns max |a − b| in units of n·ulp·‖T‖.
func dcDistance(d, e, a, b []float64) float64 {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	scale, worst := dcNorm(d, e), 0.0
	for i := range a {
		worst = dcMax(worst, math.Abs(a[i]/scale-b[i]/scale))
	}
	return worst / (float64(max(len(a), 1)) * dcTestUlp)
}

// dcCountBelow is the number of eigenvalues of T below x: Sturm's count, which is
// right for some T within a few ulp of each element.
func dcCountBelow(d, e []float64, x float64) int {
	scale := dcNorm(d, e)
	count, q := 0, 1.0
	for i := range d {
		off := 0.0
		if i > 0 {
			off = e[i-1] / scale
		}
		q = (d[i]/scale - x/scale) - off*off/q
		if math.Abs(q) < 1e-290 {
			q = -1e-290
		}
		if q < 0 {
			count++
		}
	}
	return count
}

// dcSturm says by how much, in n·ulp·‖T‖, values may be wrong at most: it widens the
// interval around each one until the counts prove it.
func dcSturm(d, e, values []float64) float64 {
	unit := float64(len(d)) * dcTestUlp * dcNorm(d, e)
	for c := 1.0; c <= 64; c *= 2 {
		ok := true
		for k, v := range values {
			if dcCountBelow(d, e, v-c*unit) > k || dcCountBelow(d, e, v+c*unit) <= k {
				ok = false
				break
			}
		}
		if ok {
			return c
		}
	}
	return math.Inf(1)
}

// dcQR returns the eigenvalues by QR iteration, or nil where that overflows: it
// does on exponents that span hundreds of orders of magnitude.
func dcQR(t *testing.T, d, e []float64) []float64 {
	t.Helper()
	n := len(d)
	scale := dcNorm(d, e)
	v, off := make([]float64, n), make([]float64, max(n-1, 0))
	for i := range v {
		v[i] = d[i] / scale
	}
	for i := range off {
		off[i] = e[i] / scale
	}
	if !(lapackgonum.Implementation{}).Dsteqr(lapack.EVCompNone, n, v, off, nil, 1, nil) {
		t.Fatal("the oracle failed")
	}
	for i := range v {
		v[i] *= scale
		if math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return nil
		}
	}
	return v
}

// Every family at every small size, with leaves so small that merges of all kinds
// happen, and as it is used.
func TestDivideConquerSmall(t *testing.T) {
	var worstR, worstO float64
	for _, f := range dcFamilies {
		for n := 0; n <= 64; n++ {
			d, e := f.make(n)
			qr := dcQR(t, d, e)
			for _, leaf := range []int{1, 2, 3, 8, 0} {
				name := fmt.Sprintf("%s n=%d leaf=%d", f.name, n, leaf)
				values, r, o := dcCheck(t, name, d, e, DCOptions{LeafSize: leaf})
				worstR, worstO = max(worstR, r), max(worstO, o)
				if s := dcSturm(d, e, values); !(s < dcRatioLimit) {
					t.Errorf("%s: Sturm counts allow only %g·n·ulp·‖T‖", name, s)
				}
				if diff := dcDistance(d, e, values, qr); qr != nil && !(diff < dcRatioLimit) {
					t.Errorf("%s: %.3g·n·ulp·‖T‖ from QR", name, diff)
				}
			}
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g", worstR, worstO)
}

func TestDivideConquerKnown(t *testing.T) {
	exact := map[string]func(k, n int) float64{
		"1-2-1": func(k, n int) float64 {
			s := math.Sin(float64(k+1) * math.Pi / float64(2*n+2))
			return 4 * s * s
		},
		"Clement":  func(k, n int) float64 { return float64(2*k + 1 - n) },
		"zero":     func(k, n int) float64 { return 0 },
		"identity": func(k, n int) float64 { return 1 },
	}
	for _, f := range dcFamilies {
		if exact[f.name] == nil {
			continue
		}
		for _, n := range []int{1, 2, 5, 31, 100, 257} {
			d, e := f.make(n)
			want := make([]float64, n)
			for k := range want {
				want[k] = exact[f.name](k, n)
			}
			values, err := DivideConquerValues(d, e, DCOptions{LeafSize: 6})
			if diff := dcDistance(d, e, values, want); err != nil || !(diff < 1) {
				t.Errorf("%s n=%d: %.3g·n·ulp·‖T‖ off (%v)", f.name, n, diff, err)
			}
		}
	}
}

func TestDivideConquerLarger(t *testing.T) {
	var worstR, worstO, worstS float64
	for _, f := range dcFamilies {
		for _, n := range []int{127, 128, 129, 300} {
			d, e := f.make(n)
			for _, leaf := range []int{4, 0} {
				name := fmt.Sprintf("%s n=%d leaf=%d", f.name, n, leaf)
				values, r, o := dcCheck(t, name, d, e, DCOptions{LeafSize: leaf})
				s := dcSturm(d, e, values)
				if !(s < dcRatioLimit) {
					t.Errorf("%s: Sturm counts allow only %g·n·ulp·‖T‖", name, s)
				}
				worstR, worstO, worstS = max(worstR, r), max(worstO, o), max(worstS, s)
			}
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g, Sturm %g", worstR, worstO, worstS)
}

// A zero anywhere in e splits T there; nothing else changes.
func TestDivideConquerZeroEverywhere(t *testing.T) {
	const n = 13
	for mask := range 1 << (n - 1) {
		if mask%7 != 0 && mask > 1<<8 {
			continue
		}
		d, e := dcRandom(n)
		for i := range e {
			if mask>>i&1 == 1 {
				e[i] = 0
			}
		}
		dcCheck(t, fmt.Sprintf("mask %b", mask), d, e, DCOptions{LeafSize: 1 + mask%3})
	}
}

// Blocks of very different size each keep their own accuracy.
func TestDivideConquerBlocksScaleApart(t *testing.T) {
	d, e := dcRandom(40)
	d2, e2 := dcRandom(40)
	for i := range d2 {
		d2[i] *= 1e-200
		if i < len(e2) {
			e2[i] *= 1e-200
		}
	}
	want, _, err := DivideConquer(d2, e2, DCOptions{LeafSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := DivideConquer(append(d, d2...), append(append(e, 0), e2...), DCOptions{LeafSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !slices.Contains(values, w) {
			t.Fatalf("%g, an eigenvalue of the small block, is lost", w)
		}
	}
}

// A range of vectors is the same as those columns of all of them.
func TestDivideConquerRange(t *testing.T) {
	for _, f := range dcFamilies {
		for _, n := range []int{1, 2, 7, 30, 63} {
			d, e := f.make(n)
			values, z, err := DivideConquer(d, e, DCOptions{LeafSize: 3})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range [][2]int{{0, 1}, {0, n}, {n / 2, n/2 + 1}, {n - 1, n}, {n / 3, n - n/4}, {n, n}} {
				v, part, err := DivideConquer(d, e, DCOptions{LeafSize: 3, From: r[0], To: r[1]})
				if err != nil || !slices.Equal(v, values) || !slices.Equal(part, z[r[0]*n:r[1]*n]) {
					t.Errorf("%s n=%d: vectors %v differ (%v)", f.name, n, r, err)
				}
			}
		}
	}
}

func TestDivideConquerSameBits(t *testing.T) {
	d, e := dcRandom(500)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	values, z, err := DivideConquer(d, e, DCOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, procs := range []int{2, 5} {
		runtime.GOMAXPROCS(procs)
		v2, z2, err := DivideConquer(d, e, DCOptions{})
		if err != nil || !slices.Equal(values, v2) || !slices.Equal(z, z2) {
			t.Fatalf("other bits with %d processors (%v)", procs, err)
		}
	}
}

// What is past n−1 in e is not looked at.
func TestDivideConquerLongE(t *testing.T) {
	d, e := dcRandom(9)
	want, wantZ, _ := DivideConquer(d, e, DCOptions{LeafSize: 2})
	values, z, err := DivideConquer(d, append(e, math.NaN(), 3), DCOptions{LeafSize: 2})
	if err != nil || !slices.Equal(values, want) || !slices.Equal(z, wantZ) {
		t.Fatal("different", err)
	}
}

func TestDivideConquerRefusesNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 2*6 - 1 {
			d, e := dcRandom(6)
			want := DCNonFiniteError{i / 2, i / 2}
			if i%2 == 0 {
				d[i/2] = bad
			} else {
				e[i/2] = bad
				want.Row++
			}
			_, _, err := DivideConquer(d, e, DCOptions{})
			var got *DCNonFiniteError
			if !errors.As(err, &got) || *got != want {
				t.Errorf("%v at %v: %v", bad, want, err)
			}
		}
	}
}

// A failing back end stops the driver with its own error.
func TestDivideConquerBackendError(t *testing.T) {
	d, e := dcRandom(20)
	for fail := range 20 {
		q := &dcFailing{dcPlain: newDCPlain(len(d)), left: fail}
		_, err := DivideConquerWith(q, d, e, DCOptions{LeafSize: 4})
		if q.left >= 0 {
			if err != nil || fail == 0 {
				t.Fatal(err)
			}
			return // nothing failed any more
		}
		if err != errDCFailing {
			t.Fatalf("call %d failed, reported was %v", fail, err)
		}
	}
	t.Fatal("too many calls")
}

var errDCFailing = errors.New("the back end failed")

// dcFailing works for a number of calls.
type dcFailing struct {
	*dcPlain
	left int
}

func (b *dcFailing) call(f func() error) error {
	if b.left--; b.left < 0 {
		return errDCFailing
	}
	return f()
}

func (b *dcFailing) Leaves(l DCTree, d, e []float64, rows DCRows) error {
	return b.call(func() error { return b.dcPlain.Leaves(l, d, e, rows) })
}
func (b *dcFailing) Roots(m []*DCMerge) error {
	return b.call(func() error { return b.dcPlain.Roots(m) })
}
func (b *dcFailing) Vectors(levels [][]*DCMerge, order []int32) error {
	return b.call(func() error { return b.dcPlain.Vectors(levels, order) })
}

func BenchmarkDivideConquer(b *testing.B) {
	for _, f := range dcFamilies[:2] {
		for _, n := range []int{500, 1000, 2000} {
			d, e := f.make(n)
			b.Run(fmt.Sprintf("%s/n=%d/vectors", f.name, n), func(b *testing.B) {
				for range b.N {
					if _, _, err := DivideConquer(d, e, DCOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/n=%d/values", f.name, n), func(b *testing.B) {
				for range b.N {
					if _, err := DivideConquerValues(d, e, DCOptions{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
