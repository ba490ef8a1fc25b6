package trials

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/batch"
	"github.com/vkevd/vkevd/internal/when"
	tuned "github.com/vkevd/vkevd/stages/batch"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/internal/driver"
)

// The test allows at most 32 workgroups in one dimension of a grid. All solvers give the same bits
// as without this limit. This shows that grids of large problems do not exceed the limit of 65535
// workgroups, at orders that are too large for a test. Divide and conquer once had such a defect.
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

// TestFoldedGridsOfBatches allows at most 32 workgroups in one dimension of a grid, and solves a
// batch of every form. The results must have the same bits as without this limit. A dispatch of all
// matrices then has a folded grid, or becomes several dispatches. Each row of the table has an odd
// number of matrices, so a grid of two rows has a workgroup without a matrix.
func TestFoldedGridsOfBatches(t *testing.T) {
	when.Skip(t, when.Slow, "TestFoldedGrids, and the calls of other tests")
	const count, order, most = 111, 30, 32
	d := device(t, vk.Options{})
	small := tuning.Smallest()
	small.Batch.Dispatch = 1e12 // the limit of the grids divides the batch, not the cost of a dispatch
	small.Batch.Memory = []tuned.Memory{
		{Order: 20, Threads: 32, Teams: 1}, {Order: order, Threads: 32, Teams: 1, Conquer: true},
	}
	for i := range small.Batch.Memory { // at most 32·32 workgroups in a dispatch of all matrices
		small.Batch.Memory[i].Form = tuned.Form{Threads: 8, Lanes: 2, Columns: 2}
		small.Batch.Memory[i].Turns = tuned.Turns{Threads: 4, Rows: 2, Sweeps: 4}
	}
	var dense []evd.Sym[float64]
	var tridiagonal []evd.Tridiagonal[float64]
	below, above := 0, 0 // the numbers of matrices of both rows
	for k := range count {
		n := 1 + (order-1)*k/(count-1)
		a := random(n, uint64(k))
		for i := range a.Data {
			if k%2 == 0 && i%n/4 != i/n/4 {
				a.Data[i] = 0 // with diagonal blocks, many columns deflate
			}
		}
		dense = append(dense, a)
		tridiagonal = append(tridiagonal, evd.Tridiagonal[float64]{D: a.Data[:n], E: a.Data[n*n-max(n-1, 0):]})
		switch {
		case n > int(small.Batch.Memory[0].Order):
			above++
		case n > int(small.Batch.Shared[len(small.Batch.Shared)-1].Order):
			below++
		}
	}
	if below%2 == 0 || above%2 == 0 || min(below, above) <= most {
		t.Fatalf("%d and %d matrices: each workgroup has a matrix", below, above)
	}
	solve := func(t *testing.T, opt batch.Options, given bool) *batch.Result[float64] {
		t.Helper()
		if given {
			p, err := batch.NewTridiagonalPlan[float64](d, order, count, opt)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			res, err := p.Solve(context.Background(), tridiagonal)
			if err != nil {
				t.Fatal(err)
			}
			return res
		}
		p, err := batch.NewPlan[float64](d, order, count, opt)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		res, err := p.Solve(context.Background(), dense)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for _, given := range []bool{false, true} {
		for _, vectors := range []bool{false, true} {
			t.Run(fmt.Sprintf("tridiagonal %v, vectors %v", given, vectors), func(t *testing.T) {
				opt := batch.Options{Vectors: vectors, Tuning: &small}
				want := solve(t, opt, given)
				usual := driver.MaxGroups
				driver.MaxGroups = most
				defer func() { driver.MaxGroups = usual }()
				got := solve(t, opt, given)
				if err := want.Err(); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors, want.Vectors) {
					t.Error("other bits")
				}
			})
		}
	}
}
