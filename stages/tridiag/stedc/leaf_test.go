package stedc

import (
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/roomtest"
	"github.com/vkevd/vkevd/stages/stagetest"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
)

// TestLeafIsThatOfTheHost compares the solutions of leaves, the smallest subproblems, with those of
// package dc. All bits must be equal, because the kernel does the same operations in the same
// order. If fma() on the device rounds only once, the kernel computes quotients and roots with
// fma(), and the results are correctly rounded, too.
func TestLeafIsThatOfTheHost(t *testing.T) {
	when.Skip(t, when.Validation, "other tests record the same kernels")
	roomtest.SkipInexact(t)
	roomtest.SkipFlushed(t) // on devices that flush subnormal numbers, two graded matrices of order 32 have other bits
	tune := TuningFor(stagetest.Device(t).Info())
	for _, n := range []int{1, 2, 3, 17, tune.DivideConquer.Leaf} {
		for _, kind := range matgen.Tridiagonals() {
			d, e := kind.Tridiagonal(n)
			values, z := solveTridiagonal(t, tune, d, e)
			wantValues, wantZ, err := dc.Solve(d, e, dc.Options{LeafSize: tune.DivideConquer.Leaf})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(values, wantValues) || !slices.Equal(z, wantZ) {
				t.Errorf("%s, n = %d: other bits than on the host", kind.Name(), n)
			}
		}
	}
}
