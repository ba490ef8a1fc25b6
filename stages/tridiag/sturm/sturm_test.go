package sturm

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/stages/tridiag/suite"
)

// norm returns ‖T‖₁, or the largest double if a sum overflows.
func norm(d, e []float64) float64 { return min(ratio.NormTridiagonal(d, e), math.MaxFloat64) }

// TestEigenvalues finds the eigenvalues of every family, all of them and a part. Counts of package
// ratio certify them, each with its index, to a few ulp of the norm.
func TestEigenvalues(t *testing.T) {
	for _, family := range suite.Families {
		for _, n := range []int{1, 2, 3, 5, 33, 100} {
			d, e := family.Make(n)
			dIn, eIn := slices.Clone(d), slices.Clone(e)
			m := New(d, e)
			for _, r := range [][2]int{{0, n}, {n / 3, n/3 + n/2}, {n - 1, n}} {
				values, err := m.Eigenvalues(r[0], r[1], nil)
				if err != nil || len(values) != r[1]-r[0] || !slices.IsSorted(values) {
					t.Fatalf("%s %d: %v of %v, %v", family.Name, n, values, r, err)
				}
				if err := ratio.SturmRange(d, e, r[0], values, 4*ratio.Ulp*norm(d, e)); err != nil {
					t.Errorf("%s %d: %v", family.Name, n, err)
				}
			}
			if !slices.Equal(d, dIn) || !slices.Equal(e, eIn) {
				t.Errorf("%s %d: the input was changed", family.Name, n)
			}
		}
	}
}

// TestCounts counts between the eigenvalues that QL iteration finds, and at infinite shifts.
func TestCounts(t *testing.T) {
	for _, family := range suite.Families {
		for _, n := range []int{1, 2, 7, 50} {
			d, e := family.Make(n)
			values := suite.QL(t, d, e)
			if values == nil {
				continue
			}
			shifts, want := []float64{math.Inf(-1), math.Inf(1)}, []int{0, n}
			far := 100 * float64(n) * ratio.Ulp * norm(d, e)
			for k := range n - 1 {
				if values[k+1]-values[k] > 2*far {
					shifts, want = append(shifts, values[k]+(values[k+1]-values[k])/2), append(want, k+1)
				}
			}
			got, err := New(d, e).Counts(shifts, nil)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%s %d: counts %v at %v, want %v", family.Name, n, got, shifts, want)
			}
		}
	}
}

// TestNull checks a matrix of zeros, an empty matrix and an empty list of shifts.
func TestNull(t *testing.T) {
	zero := New(make([]float64, 3), make([]float64, 2))
	if v, err := zero.Eigenvalues(0, 3, nil); err != nil || !slices.Equal(v, []float64{0, 0, 0}) {
		t.Error(v, err)
	}
	if c, err := zero.Counts([]float64{-1, 1}, nil); err != nil || !slices.Equal(c, []int{0, 3}) {
		t.Error(c, err)
	}
	if v, err := New(nil, nil).Eigenvalues(0, 0, nil); err != nil || len(v) != 0 {
		t.Error(v, err)
	}
	if c, err := zero.Counts(nil, nil); err != nil || len(c) != 0 {
		t.Error(c, err)
	}
}

func TestStop(t *testing.T) {
	enough := errors.New("enough")
	stop := func() error { return enough }
	m := New(suite.Random(50))
	if _, err := m.Eigenvalues(0, 50, stop); err != enough {
		t.Error(err)
	}
	if _, err := m.Counts([]float64{1, 2, 3}, stop); err != enough {
		t.Error(err)
	}
}

// TestTinyPivots counts where pivots are zero, or below the smallest normal number. They count as
// negative, whatever their sign is, so an eigenvalue that is equal to the shift is counted.
func TestTinyPivots(t *testing.T) {
	zeros := make([]float64, 3)
	for _, c := range []struct {
		d    []float64
		want int
	}{{zeros, 3}, {[]float64{0.5, 0, -0.5}, 2}, {[]float64{0.5, 0x1p-1030, -0x1p-1030}, 2}, {[]float64{0.5, 0x1p-1022, 0.25}, 0}} {
		if got, err := New(c.d, zeros[:2]).Counts([]float64{0}, nil); err != nil || got[0] != c.want {
			t.Errorf("%g: %v below 0, want %d, %v", c.d, got, c.want, err)
		}
	}
	// With e = 1 the pivot after a tiny pivot p is −1/p. It is positive, because p is taken as
	// negative.
	if got, err := New([]float64{0, 0}, []float64{1}).Counts([]float64{0}, nil); err != nil || got[0] != 1 {
		t.Errorf("%v below 0, want 1, %v", got, err)
	}
}
