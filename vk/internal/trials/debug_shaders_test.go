package trials

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/internal/when"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// With Options.DebugShaders a solve has the same bits as without, and no access is out of range.
func TestDebugShadersSolveTheSame(t *testing.T) {
	when.Many(t, "the same kernels with other numbers")
	ctx := context.Background()
	plain, debug := device(t, vk.Options{}), device(t, vk.Options{DebugShaders: true})
	small := tuning.Smallest()
	for _, c := range []struct {
		n   int
		opt evd.Options
	}{
		{order, evd.Options{Vectors: true, Tuning: &small}},
		{37, evd.Options{Vectors: true, Tuning: &small}},
		{40, evd.Options{Tuning: &small}},
	} {
		t.Run(fmt.Sprintf("%d vectors %v", c.n, c.opt.Vectors), func(t *testing.T) {
			a := random(c.n, 3)
			var both [2]*evd.Result[float64]
			for i, d := range []*vk.Device{plain, debug} {
				p, err := evd.NewPlan[float64](d, c.n, c.opt)
				if err != nil {
					t.Fatal(err)
				}
				defer p.Close()
				if both[i], err = p.Solve(ctx, a); err != nil {
					t.Fatal(err)
				}
			}
			if !same(both[0], both[1]) {
				t.Error("the results differ")
			}
		})
	}
}
