package evd_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/matgen"
	"github.com/vkevd/vkevd/evd/ratio"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/vk"
)

// TestHermitianTypesEverywhere solves Hermitian matrices of every kind, of orders around those of
// bands, blocks and tiles, from both triangles. It does so in four ways: with waits between
// workgroups, without them, in one stage, and with the device's own tuning. The triangle that is
// not read and the imaginary parts of the diagonal are NaN.
func TestHermitianTypesEverywhere(t *testing.T) {
	when.Long(t, "TestEveryKindOfHermitian, TestEverySizeOfHermitians, TestTrianglesOfHermitians")
	ways := map[string]evd.Options{
		"waits": {Tuning: small()}, "waves": {Tuning: small(), NoWaits: true}, "one stage": {Tuning: oneStage()}, "tuned": {},
	}
	for _, way := range []string{"waits", "waves", "one stage", "tuned"} {
		t.Run(way, func(t *testing.T) {
			opt := ways[way]
			d := device(t, vk.Options{})
			for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 20, 33, 65} {
				values := planOf[complex128](t, d, n, opt)
				vectors := opt
				vectors.Vectors = true
				plan := planOf[complex128](t, d, n, vectors)
				for i, kind := range matgen.Hermitians() {
					t.Run(fmt.Sprintf("%d/%s", n, kind.Name()), func(t *testing.T) {
						solveBothTriangles(t, plan, values, n, kind, i%2 == 0)
					})
				}
			}
		})
	}
}

func solveBothTriangles(t *testing.T, plan, values *evd.Plan[complex128], n int, kind matgen.HermitianKind, rowMajor bool) {
	a, want := kind.Dense(n), []float64(nil)
	for _, uplo := range []evd.Uplo{evd.Lower, evd.Upper} {
		in := stored(n, max(n, 1)+2, a, uplo, rowMajor)
		res, err := plan.Solve(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		alone, err := values.Solve(context.Background(), in)
		if err != nil {
			t.Fatal(err)
		}
		if want != nil && !slices.Equal(res.Values, want) {
			t.Error("the triangles have different values")
		}
		want = res.Values
		judge(t, n, a, res)
		if r := ratio.Values(n, alone.Values, res.Values, norm2(res.Values)); !(r < good) {
			t.Errorf("values alone differ by %g·n·ε·‖A‖", r)
		}
	}
	if known, ok := kind.Eigenvalues(n); ok {
		if r := ratio.Values(n, want, known, norm2(known)); !(r < good) {
			t.Errorf("values are off by %g·n·ε·‖A‖", r)
		}
	}
}
