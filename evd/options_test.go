package evd

import (
	"errors"
	"testing"

	"github.com/vkevd/vkevd/vk"
)

// TestTheFirstBadOptionIsReported sets several wrong options. The error must always be about the
// first of them in the order of the fields.
func TestTheFirstBadOptionIsReported(t *testing.T) {
	d := vk.Dry(vk.Info{SharedBytes: 32 << 10, MaxLocal: 1024, Subgroup: 32})
	opt := Options{Band: 4, Block: 4, NoWaits: true, Verify: true, Overwrite: true, Vectors: true}
	for _, c := range []struct {
		first string
		good  func() // makes the bad option a good one
	}{
		{"Band", func() { opt.Band = 0 }}, {"Block", func() { opt.Block = 0 }}, {"NoWaits", func() { opt.NoWaits = false }},
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
