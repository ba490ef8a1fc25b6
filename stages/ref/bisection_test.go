package ref

import (
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/tests/ratio"
	"github.com/vkevd/vkevd/tests/testmat"
)

// TestBisection holds every tridiagonal of the registry against its Sturm
// certificate and, where known, against its spectrum.
func TestBisection(t *testing.T) {
	values := worst{name: "|λ − known|/(‖T‖·n·ulp)"}
	for _, kind := range testmat.Tridiagonals() {
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

// TestBisectionScalesExactly: a power of two changes the exponents of the
// eigenvalues and no other bit, and no count.
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

// TestSmallEigenvaluesKeepTheirDigits: with a zero diagonal the counts are good
// to a few ulp of each eigenvalue, and the stopping rule must not waste that.
func TestSmallEigenvaluesKeepTheirDigits(t *testing.T) {
	couplings := []float64{1, 1e-3, 1e-7, 1e-12, 1e-15}
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

// TestCountIsMonotone walks a few doubles up and down from each eigenvalue, where
// rounding decides, and over the whole interval.
func TestCountIsMonotone(t *testing.T) {
	for _, kind := range testmat.Tridiagonals() {
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

// TestCountAtAnEigenvalue: a pivot of zero counts as negative, in the first place
// and in the last.
func TestCountAtAnEigenvalue(t *testing.T) {
	d, e := []float64{2, 1, 2, -1}, []float64{0, 0, 0}
	for x, want := range map[float64]int{-2: 0, -1: 1, 0: 1, 1: 2, 1.5: 2, 2: 4, 3: 4} {
		if got := CountBelow(d, e, x); got != want {
			t.Errorf("%d of -1, 1, 2, 2 are below %g, want %d", got, x, want)
		}
	}
}

// TestBisectionEnds on anything at all.
func TestBisectionEnds(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324} {
		d, e := gauss(9, 1), gauss(8, 2)
		for at := range e {
			x, y := slices.Clone(d), slices.Clone(e)
			x[at] = bad
			Bisection(x, e)
			y[at] = bad
			Bisection(d, y)
		}
		flat := slices.Repeat([]float64{bad}, 9)
		Bisection(flat, flat[:8])
	}
}
