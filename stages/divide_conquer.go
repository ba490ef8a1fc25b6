package stages

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// DivideConquer finds all eigenvalues and eigenvectors of a symmetric tridiagonal matrix (dstedc;
// Cuppen 1981, Gu and Eisenstat 1995):
//
//	T = S·Λ·Sᵀ
//
// Package stages/tridiag/dc has the algorithm. It runs on the host and uses O(n) numbers per level
// to decide which eigenvectors a merge leaves unchanged. The device has two passes. The values pass
// solves leaves and secular equations, level by level. The vectors pass forms vectors and products
// of all levels in one recording. The host needs the results of each level before it can continue,
// so there is no Record: Solve runs the recordings.
//
//	divide_conquer_run.go         one solve in flight
//	divide_conquer_values.go      the values pass
//	divide_conquer_vectors.go     the vectors pass: kernels and memory
//	divide_conquer_placement.go   where its matrices lie, and the lists that its kernels read
//	divide_conquer_record.go      its recording, level by level
//	divide_conquer_last_merge.go  its recording of the last merge, into the result
//	divide_conquer_buffers.go     lists in device memory
type DivideConquer struct {
	values  valuesPass
	vectors vectorsPass
	work    *vk.Layout

	progress func(vk.Progress) // set by Reporting; may be nil
}

// NewDivideConquer prepares the solver for matrices of order n ≥ 0. ops computes the products of
// large merges. The products of small merges are grouped, and use the square tiles among tiles.
// NewDivideConquer calls ops.Reserve for the products of large merges. Its error is an error of
// ops, an error about a tile that does not fit the device, or an error of package vk.
func NewDivideConquer(
	dev *vk.Device, n int, ops product.Ops[float64], tiles product.Tuning, t DivideConquerTuning,
) (*DivideConquer, error) {
	b := builder{dev: dev}
	levels := t.levels(n)
	s := &DivideConquer{
		values:  newValuesPass(&b, n, levels, symmetricLeaves(&b, t), PhaseTridiagonal, t),
		vectors: newVectorsPass(&b, n, levels, ops, tiles, t),
	}
	if b.err != nil {
		return nil, b.err
	}
	s.work = vk.Together(s.values.work, s.vectors.work)
	return s, nil
}

// Reporting returns a copy of s that reports the progress of its solves, as vk.Device.Run does. The
// phase is PhaseTridiagonal, and the unit is the flops of the products. The copy shares kernels and
// memory with s.
func (s *DivideConquer) Reporting(progress func(vk.Progress)) *DivideConquer {
	c := *s
	c.progress = progress
	return &c
}

// NoConvergenceError says that QL iteration did not converge on a leaf, rows [Lo, Hi) of T.
type NoConvergenceError = tridiag.NoConvergenceError

// Work is the layout of the workspace: n²/2 + n·max(n/Panels, min(n, Columns)) elements and O(n·log
// n) more. The n² elements of the result are workspace, too, and are not part of Work. The arena
// must also contain ops.Work.
func (s *DivideConquer) Work() *vk.Layout { return s.work }

// Flops returns the largest cost of the products: 4/3·n³, if nothing deflates.
func (s *DivideConquer) Flops() float64 { n := float64(s.values.n); return 4.0 / 3 * n * n * n }

// Solve computes T = S·Λ·Sᵀ for the diagonal d[n] and the off-diagonal e[n−1]. It returns the
// eigenvalues, ascending. It writes Sᵀ to xt, n×n and packed (Ld = n): row j of xt is the vector of
// value j. xt is workspace, too, and must not overlap Work. d and e must be finite; they are not
// written. The error is a *tridiag.NonFiniteError, a *NoConvergenceError, an *InfoError, or an
// error of package vk.
func (s *DivideConquer) Solve(
	ctx context.Context, ws *vk.Arena, d, e []float64, xt Matrix,
) ([]float64, *vk.Profile, error) {
	return s.SolveRange(ctx, ws, d, e, 0, s.values.n, xt)
}

// SolveRange does the same as Solve for the vectors of values[from:to] only. It returns all values.
// xt is (to−from)×n and packed. Its memory must have n² elements or more, as for Solve.
func (s *DivideConquer) SolveRange(
	ctx context.Context, ws *vk.Arena, d, e []float64, from, to int, xt Matrix,
) ([]float64, *vk.Profile, error) {
	n, m := s.values.n, to-from
	if len(d) != n || xt.Rows != m || xt.Cols != n || xt.Ld != max(m, 1) || xt.At.Len() < n*n {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, n, xt.Rows, xt.Cols,
			xt.Ld))
	}
	r := newDivideConquerRun(ctx, ws, &s.values)
	r.progress = s.progress
	r.sides[0] = &vectorsRun{pass: &s.vectors, values: &s.values, ws: ws, xt: xt, turns: 1}
	return r.solve(d, e, dc.Options{From: from, To: to})
}

// DivideConquerValues finds eigenvalues without eigenvectors, with O(n) memory. It runs the values
// pass of DivideConquer.
type DivideConquerValues struct{ values valuesPass }

// NewDivideConquerValues prepares the solver for matrices of order n ≥ 0.
func NewDivideConquerValues(dev *vk.Device, n int, t DivideConquerTuning) (*DivideConquerValues, error) {
	b := builder{dev: dev}
	s := &DivideConquerValues{newValuesPass(&b, n, 1, symmetricLeaves(&b, t), PhaseTridiagonal, t)}
	return s, b.err
}

// Work is the layout of the workspace, some vectors of n elements.
func (s *DivideConquerValues) Work() *vk.Layout { return s.values.work }

// Flops returns about the cost of the secular equations if nothing deflates. Each root takes eight
// sums of n terms, and each term six operations. All lower levels together cost as much as the last
// level.
func (s *DivideConquerValues) Flops() float64 {
	n := float64(s.values.n)
	return secularFlops * n * n
}

// Solve returns the eigenvalues of T(d[n], e[n−1]), ascending. The error is a *NoConvergenceError,
// an *InfoError, or an error of package vk.
func (s *DivideConquerValues) Solve(ctx context.Context, ws *vk.Arena, d, e []float64) ([]float64, *vk.Profile, error) {
	if len(d) != s.values.n {
		panic(fmt.Sprintf("stages: divide and conquer of order %d: %d values", s.values.n, len(d)))
	}
	return newDivideConquerRun(ctx, ws, &s.values).solve(d, e, dc.Options{ValuesOnly: true})
}
