package pencil

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/internal/precision"
)

// scaledBasis returns a pair with dependent functions. Its values are multiplied by 2^(a−b).
func scaledBasis[T evd.Number](n, more, a, b int) (evd.Sym[T], evd.Sym[T]) {
	whole, _ := dependent[T](n, more, false)
	of, overlap := given[T](n, whole.a, evd.Lower, false), given[T](n, whole.b, evd.Lower, false)
	dense.Multiply(of.Data, math.Ldexp(1, a))
	dense.Multiply(overlap.Data, math.Ldexp(1, b))
	return of, overlap
}

// TestCanonicalIntervalsOfAllScales selects by intervals of values that are much larger or smaller
// than the elements of the matrices, and by intervals that contain no value.
func TestCanonicalIntervalsOfAllScales(t *testing.T) {
	eachType(t, testCanonicalIntervals[float64], testCanonicalIntervals[float32], testCanonicalIntervals[complex128], testCanonicalIntervals[complex64])
}

func testCanonicalIntervals[T evd.Number](t *testing.T) {
	const n, more = 24, 4
	ctx := context.Background()
	scales, off := [][2]int{{0, 0}, {90, -90}, {-80, 90}}, 1e-4
	if precision.IsDouble[T]() {
		scales, off = [][2]int{{0, 0}, {500, -505}, {-500, 540}}, 1e-9
	}
	for _, by := range scales {
		a, b := scaledBasis[T](n, more, by[0], by[1])
		solve := func(s evd.Selection) *Result[T] {
			t.Helper()
			res, err := planFor[T](t, n, Options{Select: s, Overlap: Overlap{Canonical: true}, Tuning: small()}).SolvePair(ctx, a, b)
			if err != nil {
				t.Fatalf("scales %v: %v", by, err)
			}
			return res
		}
		all := solve(evd.Selection{})
		middle := func(j int) float64 { return all.Values[j-1]/2 + all.Values[j]/2 }
		part := solve(evd.Interval(middle(3), middle(9)))
		if part.First != 3 || len(part.Values) != 6 {
			t.Fatalf("scales %v: %d values from number %d", by, len(part.Values), part.First)
		}
		for j, x := range part.Values {
			if !(math.Abs(x-all.Values[3+j]) <= off*math.Abs(all.Values[0])) {
				t.Errorf("scales %v: value %d is %g, not %g", by, 3+j, x, all.Values[3+j])
			}
		}
		for _, ends := range [][2]float64{{math.MaxFloat64 / 2, math.MaxFloat64}, {-math.MaxFloat64, -math.MaxFloat64 / 2}} {
			if none := solve(evd.Interval(ends[0], ends[1])); len(none.Values) > 0 {
				t.Errorf("scales %v: (%g, %g] contains %v", by, ends[0], ends[1], none.Values)
			}
		}
	}
}

// TestCanonicalVerifiesExtremeValues verifies and checks correct results whose values are
// subnormal, and verifies one with values that overflow.
func TestCanonicalVerifiesExtremeValues(t *testing.T) {
	const n, more = 24, 4
	ctx := context.Background()
	p := planFor[float64](t, n, Options{Vectors: true, Verify: true, Overlap: Overlap{Canonical: true}, Tuning: small()})
	for _, by := range [][2]int{{0, 0}, {-500, 560}, {-500, 572}, {500, -524}} {
		a, b := scaledBasis[float64](n, more, by[0], by[1])
		res, err := p.SolvePair(ctx, a, b)
		var overflow *evd.OverflowError
		if beyond := by[0] > 0; beyond != errors.As(err, &overflow) || !beyond && err != nil || res == nil {
			t.Fatalf("scales %v: %v", by, err)
		}
		if c := res.Certificate; !(c.Residual < mostRatio) || !(c.Orthogonality < mostRatio) || math.IsInf(c.Counts, 1) != (by[0] > 0) {
			t.Errorf("scales %v: %v", by, c)
		}
		if r, err := p.Check(ctx, a, b, res); by[0] <= 0 && (err != nil || !(r.Residual < mostRatio) || !(r.Orthogonality < mostRatio)) {
			t.Errorf("scales %v: Check finds %+v, %v", by, r, err)
		}
	}
}
