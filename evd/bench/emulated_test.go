package bench

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestEmulatedStepsApart checks that the profile of an emulated product has its four steps apart:
// the exponents of rows, the residues, the products of residues, and the update of C.
func TestEmulatedStepsApart(t *testing.T) {
	opt := everything(40)
	opt.Stages = []string{"emulated-gemm", "emulated-syr2k"}
	details, err := newBench(t, opt).Profile(context.Background(), 40)
	var unsupported *vk.UnsupportedError
	if errors.As(err, &unsupported) {
		t.Skip(err)
	}
	if err != nil || len(details) != len(opt.Stages) {
		t.Fatalf("%d details, %v", len(details), err)
	}
	for _, d := range details {
		for _, step := range []string{"emulated_norms", "emulated_planes", "emulated_product_", "emulated_update"} {
			if !slices.ContainsFunc(d.Profile.Kernels, func(k vk.Timing) bool { return strings.HasPrefix(k.Name, step) }) {
				t.Errorf("%s: no kernel %s in %v", d.Row.Stage, step, d.Profile.Kernels)
			}
		}
	}
}
