package trials

import (
	"context"
	"fmt"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// The test allows at most 32 workgroups in one dimension of a grid. All solvers give the same bits
// as without this limit. This shows that grids of large problems do not exceed the limit of 65535
// workgroups, at orders that are too large for a test. It is a test of a past defect in divide and
// conquer.
func TestFoldedGrids(t *testing.T) {
	const n, most = 100, 32
	d, a := device(t, vk.Options{}), random(n, 1)
	off := make([]float64, n-1)
	for i := range off {
		off[i] = a.Data[i+1]
	}
	tridiagonal := evd.Tridiagonal[float64]{D: a.Data[n : 2*n], E: off}
	solve := func(opt evd.Options) (dense, banded *evd.Result[float64], err error) {
		if dense, err = oneSolve(context.Background(), d, n, opt); err != nil {
			return nil, nil, err
		}
		p, err := evd.NewTridiagonalPlan[float64](d, n, evd.Options{Vectors: opt.Vectors, Solver: opt.Solver, Tuning: opt.Tuning})
		if err != nil {
			return nil, nil, err
		}
		defer p.Close()
		banded, err = p.Solve(context.Background(), tridiagonal)
		return dense, banded, err
	}
	for _, solver := range []evd.Solver{evd.Auto, evd.DivideConquer, evd.Bisection, evd.MRRR, evd.QR} {
		for _, vectors := range []bool{false, true} {
			opt := options(vectors)
			opt.Solver = solver
			t.Run(fmt.Sprintf("%v, vectors %v", solver, vectors), func(t *testing.T) {
				dense, banded, err := solve(opt)
				if err != nil {
					t.Skip(err)
				}
				usual := driver.MaxGroups
				driver.MaxGroups = most
				defer func() { driver.MaxGroups = usual }()
				if x, y, err := solve(opt); err != nil || !same(x, dense) || !same(y, banded) {
					t.Errorf("%v, or other bits", err)
				}
			})
		}
	}
}
