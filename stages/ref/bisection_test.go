package ref

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag"
)

// TestBisection checks the eigenvalues that bisection finds for all kinds of matrices by Sturm
// counts. If the spectrum is known, it also compares the values with the spectrum.
func TestBisection(t *testing.T) {
	values := worst{name: "|λ − known|/(‖T‖·n·ulp)"}
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range []int{0, 1, 2, 3, 5, 21, 50, 105} {
			d, e := kind.Tridiagonal(n)
			got := Bisection(d, e)
			norm := ratio.NormTridiagonal(d, e)
			if !slices.IsSorted(got) {
				t.Errorf("%s n=%d: not ascending", kind.Name(), n)
			}
			if err := ratio.Sturm(d, e, got, 4*ratio.Ulp*norm); err != nil {
				t.Errorf("%s n=%d: %v", kind.Name(), n, err)
			}
			if want, known := kind.Eigenvalues(n); known {
				values.see(t, ratio.Values(n, got, want, norm), "%s n=%d", kind.Name(), n)
			}
		}
	}
	values.report(t)
}

// TestBisectionScalesExactly multiplies a matrix by powers of two. This may change only the
// exponents of the eigenvalues, and no count.
func TestBisectionScalesExactly(t *testing.T) {
	const n, shift = 40, 500
	d, e := gauss(n, 1), gauss(n-1, 2)
	want := Bisection(d, e)
	for _, s := range []int{shift, -shift, 2*shift - 1, -2 * shift} {
		scale := func(x []float64) []float64 {
			y := slices.Clone(x)
			for i := range y {
				y[i] = math.Ldexp(y[i], s)
			}
			return y
		}
		ds, es := scale(d), scale(e)
		if !slices.Equal(Bisection(ds, es), scale(want)) {
			t.Errorf("2^%d: other bits", s)
		}
		if got, want := CountBelow(ds, es, math.Ldexp(0.3, s)), CountBelow(d, e, 0.3); got != want {
			t.Errorf("2^%d: %d below 0.3, not %d", s, got, want)
		}
	}
}

// TestSmallEigenvaluesKeepTheirDigits checks a matrix with a zero diagonal. For such a matrix the
// counts are exact to a few ulp of each eigenvalue, and so the values must be exact to a few ulp,
// too.
func TestSmallEigenvaluesKeepTheirDigits(t *testing.T) {
	couplings := []float64{1, 1e-3, 1e-7, 1e-12, 1e-15, 1e-16, 1e-32, 1e-60, 1e-100, 0x1p-449}
	n := 2 * len(couplings)
	d, e := make([]float64, n), make([]float64, n-1)
	for i, x := range couplings {
		e[2*i] = x // 2×2 blocks with eigenvalues ±x
	}
	got := Bisection(d, e)
	for i, x := range couplings {
		for _, err := range []float64{got[n-1-i] - x, got[i] + x} {
			if !(math.Abs(err) <= 4*ratio.Ulp*x) {
				t.Errorf("±%g is off by %g ulp of itself", x, err/(ratio.Ulp*x))
			}
		}
	}
}

// TestCountIsMonotone checks that Sturm counts never decrease when x grows. It counts at the
// doubles next to each eigenvalue, where rounding errors have the largest effect, and over the
// whole interval.
func TestCountIsMonotone(t *testing.T) {
	for _, kind := range matgen.Tridiagonals() {
		const n = 43
		s := NewSturm(kind.Tridiagonal(n))
		if below, above := s.Count(s.Lo), s.Count(s.Hi); below != 0 || above != n {
			t.Errorf("%s: the interval holds eigenvalues %d to %d", kind.Name(), below, above)
		}
		var points []float64
		for k := range n {
			x := s.Value(k)
			for range 5 {
				x = math.Nextafter(x, math.Inf(-1))
			}
			for range 11 {
				points = append(points, x)
				x = math.Nextafter(x, math.Inf(1))
			}
			points = append(points, s.Lo+(s.Hi-s.Lo)*float64(k)/n)
		}
		slices.Sort(points)
		last := 0
		for _, x := range points {
			count := s.Count(x)
			if count < last {
				t.Fatalf("%s: %d below %v, but %d before it", kind.Name(), count, x, last)
			}
			last = count
		}
	}
}

// TestCountAtAnEigenvalue checks Sturm counts in which a pivot is zero: it must count as negative,
// in the first row and in the last row.
func TestCountAtAnEigenvalue(t *testing.T) {
	d, e := []float64{2, 1, 2, -1}, []float64{0, 0, 0}
	for x, want := range map[float64]int{-2: 0, -1: 1, 0: 1, 1: 2, 1.5: 2, 2: 4, 3: 4} {
		if got := CountBelow(d, e, x); got != want {
			t.Errorf("%d of -1, 1, 2, 2 are below %g, want %d", got, x, want)
		}
	}
}

// TestBisectionEnds checks that bisection ends for every T. If T is finite, Sturm counts must
// certify the values. Otherwise all values must be NaN.
func TestBisectionEnds(t *testing.T) {
	check := func(name string, d, e []float64) {
		t.Helper()
		values := Bisection(d, e)
		if len(values) != len(d) {
			t.Fatalf("%s: %d values", name, len(values))
		}
		if tridiag.CheckFinite(d, e) != nil {
			if slices.ContainsFunc(values, func(x float64) bool { return !math.IsNaN(x) }) {
				t.Errorf("%s: a matrix that is not finite has the values %g", name, values)
			}
			return
		}
		if !slices.IsSorted(values) || slices.ContainsFunc(values, math.IsNaN) {
			t.Errorf("%s: %g do not ascend", name, values)
		}
		if math.IsInf(values[len(values)-1], 1) { // an error of a few ulp has taken the eigenvalue out of range
			return
		}
		if err := ratio.Sturm(d, e, values, 4*ratio.Ulp*ratio.NormTridiagonal(d, e)); err != nil {
			t.Errorf("%s: %v, %g", name, err, values)
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.MaxFloat64 / 4, 5e-324} {
		d, e := gauss(9, 1), gauss(8, 2)
		for at := range d {
			x, y := slices.Clone(d), slices.Clone(e)
			x[at] = bad
			check(fmt.Sprintf("d[%d] = %g", at, bad), x, e)
			if at < len(y) {
				y[at] = bad
				check(fmt.Sprintf("e[%d] = %g", at, bad), d, y)
			}
		}
		check(fmt.Sprintf("all %g", bad), slices.Repeat([]float64{bad}, 9), slices.Repeat([]float64{bad}, 8))
	}
}

// TestMinorsCountAsPivotsDo checks that counts by minors (CountMinors) and counts by pivots (Count)
// agree within their errors, which are 3 and 2 times the number that the method Unit returns. Many
// x are close to eigenvalues, where rounding errors have the largest effect.
func TestMinorsCountAsPivotsDo(t *testing.T) {
	for _, kind := range matgen.Tridiagonals() {
		for _, n := range []int{1, 2, 7, 8, 9, 21, 64, 105, 150} {
			s := NewSturm(kind.Tridiagonal(n))
			unit := s.Unit()
			step := max(1, n/20)
			for k := 0; k < n; k += step {
				value := s.Value(k)
				for _, off := range []float64{-1e6, -100, -3, -1, -0.1, 0, 0.1, 1, 3, 100, 1e6} {
					x := value + off*unit
					if off == 100 {
						x = s.Lo + (s.Hi-s.Lo)*float64(k)/float64(n)
					}
					got, least, most := s.CountMinors(x), s.Count(x-5*unit), s.Count(x+5*unit)
					if got < least || got > most {
						t.Fatalf("%s n=%d: %d below %g, by pivots %d to %d", kind.Name(), n, got, x, least, most)
					}
				}
			}
		}
	}
}

// TestMinorsDoNotVanish checks matrices for which the minors shrink or grow in each row as much as
// possible.
func TestMinorsDoNotVanish(t *testing.T) {
	const n = 4000
	for name, at := range map[string]func(i int) (d, e float64){
		"split everywhere":         func(int) (float64, float64) { return 0.5, 0 },
		"tiny couplings":           func(int) (float64, float64) { return 0, 0x1p-300 },
		"zero diagonal, couplings": func(int) (float64, float64) { return 0, 0.99 },
		"least couplings kept":     func(int) (float64, float64) { return 0, 0x1p-60 },
		"largest":                  func(i int) (float64, float64) { return 0.99 * float64(1-2*(i%2)), 0.99 },
		"all": func(i int) (float64, float64) {
			return math.Ldexp(1, -i%700),
				math.Ldexp(1, -i%500)
		},
	} {
		d, e := make([]float64, n), make([]float64, n-1)
		for i := range d {
			x, y := at(i)
			d[i] = x
			if i < n-1 {
				e[i] = y
			}
		}
		d[n/2] = 0.75 // so that the scale stays
		s := NewSturm(d, e)
		unit := s.Unit()
		for _, x := range []float64{s.Lo, -0.5, -unit, -0x1p-60, 0, 0x1p-60, 0x1p-200, unit, 0.25, 0.5 - unit, 0.5,
			0.5 + unit, 0.75, s.Hi} {
			if got, least, most := s.CountMinors(x), s.Count(x-5*unit), s.Count(x+5*unit); got < least || got > most {
				t.Errorf("%s: %d below %g, by pivots %d to %d", name, got, x, least, most)
			}
		}
	}
}
