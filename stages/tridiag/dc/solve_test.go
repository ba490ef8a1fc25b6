package dc

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// check solves the tridiagonal matrix T with and without eigenvectors. It checks all properties
// that can be checked without a reference solution. It returns the values, and LAPACK's ratios of
// the residual and of the orthogonality.
func check(t *testing.T, name string, d, e []float64, opt Options) (values []float64, residual, orthogonality float64) {
	t.Helper()
	n := len(d)
	dIn, eIn := slices.Clone(d), slices.Clone(e)
	values, z, err := Solve(d, e, opt)
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
	residual, orthogonality = suite.Ratios(d, e, values, z)
	if !(residual < suite.Limit && orthogonality < suite.Limit) {
		t.Errorf("%s: residual %.3g, orthogonality %.3g", name, residual, orthogonality)
	}
	only, err := Values(d, e, opt)
	if err != nil {
		t.Errorf("%s: values only: %v", name, err)
		return
	}
	if diff := suite.Distance(d, e, values, only); !(diff < suite.Limit) {
		t.Errorf("%s: values without vectors are %.3g·n·ulp·‖T‖ off", name, diff)
	}
	return values, residual, orthogonality
}

// TestDivideConquerSmall solves matrices of every family at every small order. It uses the default
// size of leaves (the smallest subproblems), and leaves so small that all kinds of merges happen.
func TestDivideConquerSmall(t *testing.T) {
	var worstR, worstO float64
	for _, f := range suite.Families {
		for n := 0; n <= 64; n++ {
			d, e := f.Make(n)
			qr := suite.QL(t, d, e)
			for _, leaf := range []int{1, 2, 3, 8, 0} {
				name := fmt.Sprintf("%s n=%d leaf=%d", f.Name, n, leaf)
				values, r, o := check(t, name, d, e, Options{LeafSize: leaf})
				worstR, worstO = max(worstR, r), max(worstO, o)
				if s := suite.Sturm(d, e, values); !(s < suite.Limit) {
					t.Errorf("%s: Sturm counts allow only %g·n·ulp·‖T‖", name, s)
				}
				if diff := suite.Distance(d, e, values, qr); qr != nil && !(diff < suite.Limit) {
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
	for _, f := range suite.Families {
		if exact[f.Name] == nil {
			continue
		}
		for _, n := range []int{1, 2, 5, 31, 100, 257} {
			d, e := f.Make(n)
			want := make([]float64, n)
			for k := range want {
				want[k] = exact[f.Name](k, n)
			}
			values, err := Values(d, e, Options{LeafSize: 6})
			if diff := suite.Distance(d, e, values, want); err != nil || !(diff < 1) {
				t.Errorf("%s n=%d: %.3g·n·ulp·‖T‖ off (%v)", f.Name, n, diff, err)
			}
		}
	}
}

func TestDivideConquerLarger(t *testing.T) {
	when.Skip(t, when.Quick, "larger orders of the same code")
	var worstR, worstO, worstS float64
	for _, f := range suite.Families {
		for _, n := range []int{127, 128, 129, 300} {
			d, e := f.Make(n)
			for _, leaf := range []int{4, 0} {
				name := fmt.Sprintf("%s n=%d leaf=%d", f.Name, n, leaf)
				values, r, o := check(t, name, d, e, Options{LeafSize: leaf})
				s := suite.Sturm(d, e, values)
				if !(s < suite.Limit) {
					t.Errorf("%s: Sturm counts allow only %g·n·ulp·‖T‖", name, s)
				}
				worstR, worstO, worstS = max(worstR, r), max(worstO, o), max(worstS, s)
			}
		}
	}
	t.Logf("worst residual %.3g, orthogonality %.3g, Sturm %g", worstR, worstO, worstS)
}

// TestDivideConquerZeroEverywhere puts zeros at many combinations of places in the off-diagonal,
// where they split T into blocks. Each result must pass the function check.
func TestDivideConquerZeroEverywhere(t *testing.T) {
	const n = 13
	for mask := range 1 << (n - 1) {
		if mask%7 != 0 && mask > 1<<8 {
			continue
		}
		d, e := suite.Random(n)
		for i := range e {
			if mask>>i&1 == 1 {
				e[i] = 0
			}
		}
		check(t, fmt.Sprintf("mask %b", mask), d, e, Options{LeafSize: 1 + mask%3})
	}
}

// TestDivideConquerBlocksScaleApart checks that a block gets the same eigenvalues, bit for bit,
// alone and next to a block whose norm is 10²⁰⁰ times as large.
func TestDivideConquerBlocksScaleApart(t *testing.T) {
	d, e := suite.Random(40)
	d2, e2 := suite.Random(40)
	for i := range d2 {
		d2[i] *= 1e-200
		if i < len(e2) {
			e2[i] *= 1e-200
		}
	}
	want, _, err := Solve(d2, e2, Options{LeafSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	values, _, err := Solve(append(d, d2...), append(append(e, 0), e2...), Options{LeafSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range want {
		if !slices.Contains(values, w) {
			t.Fatalf("%g, an eigenvalue of the small block, is lost", w)
		}
	}
}

// TestDivideConquerRange checks that a solve for a range of eigenvectors gives the same bits as the
// same columns in a solve for all eigenvectors.
func TestDivideConquerRange(t *testing.T) {
	when.Pick(t, when.Race)
	for _, f := range suite.Families {
		for _, n := range []int{1, 2, 7, 30, 63} {
			d, e := f.Make(n)
			values, z, err := Solve(d, e, Options{LeafSize: 3})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range [][2]int{{0, 1}, {0, n}, {n / 2, n/2 + 1}, {n - 1, n}, {n / 3, n - n/4}, {n, n}} {
				v, part, err := Solve(d, e, Options{LeafSize: 3, From: r[0], To: r[1]})
				if err != nil || !slices.Equal(v, values) || !slices.Equal(part, z[r[0]*n:r[1]*n]) {
					t.Errorf("%s n=%d: vectors %v differ (%v)", f.Name, n, r, err)
				}
			}
		}
	}
}

func TestDivideConquerSameBits(t *testing.T) {
	when.Pick(t, when.Race)
	d, e := suite.Random(500)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	values, z, err := Solve(d, e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, procs := range []int{2, 5} {
		runtime.GOMAXPROCS(procs)
		v2, z2, err := Solve(d, e, Options{})
		if err != nil || !slices.Equal(values, v2) || !slices.Equal(z, z2) {
			t.Fatalf("other bits with %d processors (%v)", procs, err)
		}
	}
}

// TestDivideConquerLongE checks that Solve does not read the elements from n−1 on of the
// off-diagonal e, which may be longer than n−1.
func TestDivideConquerLongE(t *testing.T) {
	d, e := suite.Random(9)
	want, wantZ, _ := Solve(d, e, Options{LeafSize: 2})
	values, z, err := Solve(d, append(e, math.NaN(), 3), Options{LeafSize: 2})
	if err != nil || !slices.Equal(values, want) || !slices.Equal(z, wantZ) {
		t.Fatal("different", err)
	}
}

func TestDivideConquerRefusesNonFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for i := range 2*6 - 1 {
			d, e := suite.Random(6)
			want := tridiag.NonFiniteError{Row: i / 2, Col: i / 2}
			if i%2 == 0 {
				d[i/2] = bad
			} else {
				e[i/2] = bad
				want.Row++
			}
			_, _, err := Solve(d, e, Options{})
			var got *tridiag.NonFiniteError
			if !errors.As(err, &got) || *got != want {
				t.Errorf("%v at %v: %v", bad, want, err)
			}
		}
	}
}

// TestDivideConquerBackendError checks that the solver stops if a back end fails, and returns the
// error of the back end.
func TestDivideConquerBackendError(t *testing.T) {
	d, e := suite.Random(20)
	for fail := range 20 {
		q := &failing{Host: NewHost(len(d)), left: fail}
		_, err := SolveWith(q, d, e, Options{LeafSize: 4})
		if q.left >= 0 {
			if err != nil || fail == 0 {
				t.Fatal(err)
			}
			return // no call has failed, so each call was tested
		}
		if err != errFailing {
			t.Fatalf("call %d failed, reported was %v", fail, err)
		}
	}
	t.Fatal("too many calls")
}

var errFailing = errors.New("the back end failed")

// failing is a back end of divide and conquer that returns an error after a given number of calls.
type failing struct {
	*Host
	left int
}

func (b *failing) call(f func() error) error {
	if b.left--; b.left < 0 {
		return errFailing
	}
	return f()
}

func (b *failing) Leaves(l Tree, d, e []float64, rows Rows) error {
	return b.call(func() error { return b.Host.Leaves(l, d, e, rows) })
}
func (b *failing) Roots(m []*Merge) error {
	return b.call(func() error { return b.Host.Roots(m) })
}
func (b *failing) Vectors(levels [][]*Merge, order []int32) error {
	return b.call(func() error { return b.Host.Vectors(levels, order) })
}

func BenchmarkDivideConquer(b *testing.B) {
	for _, f := range suite.Families[:2] {
		for _, n := range []int{500, 1000, 2000} {
			d, e := f.Make(n)
			b.Run(fmt.Sprintf("%s/n=%d/vectors", f.Name, n), func(b *testing.B) {
				for range b.N {
					if _, _, err := Solve(d, e, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("%s/n=%d/values", f.Name, n), func(b *testing.B) {
				for range b.N {
					if _, err := Values(d, e, Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
