package evd

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Of several bad options the first in the order of the fields is reported, each time.
func TestTheFirstBadOptionIsReported(t *testing.T) {
	d := vk.Dry(vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32})
	opt := Options{Band: 4, Block: 4, Wavefront: true, Verify: true, Overwrite: true, Vectors: true}
	for _, c := range []struct {
		first string
		good  func() // makes that option good
	}{
		{"Band", func() { opt.Band = 0 }}, {"Block", func() { opt.Block = 0 }}, {"Wavefront", func() { opt.Wavefront = false }},
		{"Verify", func() { opt.Verify = false }}, {"Overwrite", func() { opt.Overwrite = false }},
	} {
		for range 20 {
			_, err := NewTridiagonalPlan[float64](d, 3, opt)
			if bad := (*OptionError)(nil); !errors.As(err, &bad) || bad.Option != c.first {
				t.Fatalf("%+v: %v, want %s", opt, err, c.first)
			}
		}
		c.good()
	}
	if _, err := NewTridiagonalPlan[float64](d, 3, opt); err != nil {
		t.Errorf("%+v: %v", opt, err)
	}
}

// What a stage says of a block of T is said of rows, not of eigenvalues.
func TestNoConvergenceNamesRows(t *testing.T) {
	err := notConverged(&stages.NoConvergenceError{Lo: 2, Hi: 4})
	var failed *NoConvergenceError
	if !errors.As(err, &failed) || *failed != (NoConvergenceError{Stage: stages.PhaseTridiagonal, Index: 2, End: 4}) {
		t.Fatal(err)
	}
	if want := "tridiagonal solve: QL iteration did not converge on rows [2, 4) of the tridiagonal"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}
