package stedc

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/stages"
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
// Package stages/tridiag/dc has the algorithm. The host divides T into a tree, whose leaves are the
// smallest subproblems. The device makes two passes over the tree, and each pass is one recording.
// Within a pass the device does not wait for the host. The values pass finds the eigenvalues: it
// solves the leaves and then the secular equations, level by level. The vectors pass forms the
// eigenvectors of all levels by matrix products. The host needs the sizes of all merges (joined
// subproblems) before it can record the second pass. Therefore there is no method Record: Solve
// records and runs the two passes.
//
//	run.go         one solve in progress
//	values.go      the values pass: leaves and secular equations
//	deflation.go   the values pass: deflation between two levels
//	kernels.go     the vectors pass: the kernels of one level of merges
//	vectors.go     the vectors pass: memory
//	placement.go   the vectors pass: offsets of its matrices, lists for its kernels
//	record.go      the vectors pass: its recording, level by level
//	last_merge.go  the vectors pass: the last merge, which writes the result
//	buffers.go     lists in device memory
//	shared.go      vectors divided among several devices
//	forest.go      many matrices at once, both passes in one recording
//	rounds.go      the values pass of BidiagonalConquer, with deflation on the host
type DivideConquer struct {
	values  deflation[float64]
	Vectors vectorsPass
	work    *vk.Layout

	progress func(vk.Progress) // set by Reporting; may be nil
}

// NewDivideConquer prepares the solver for matrices of order n ≥ 0. `ops` computes the products of
// large merges, and NewDivideConquer reserves them. The products of small merges are grouped into
// one dispatch, with the square tiles of the table `tiles`.
func NewDivideConquer(
	dev *vk.Device, n int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) (*DivideConquer, error) {
	b := stages.Builder{Dev: dev}
	levels := t.levels(n)
	values := newValuesPass(&b, n, levels, symmetricLeaves[float64](&b, t), stages.PhaseTridiagonal, t)
	s := &DivideConquer{Vectors: newVectorsPass(&b, n, levels, ops, tiles, t)}
	s.values = newDeflation(&b, &values, s.Vectors.lists.stepLists, 1)
	if b.Err != nil {
		return nil, b.Err
	}
	s.work = vk.Together(values.work, s.values.work, s.Vectors.work)
	return s, nil
}

// Reporting returns a copy of s that reports the progress of its solves, in flops of the products,
// to the function `progress`. The copy shares kernels and memory with s.
func (s *DivideConquer) Reporting(progress func(vk.Progress)) *DivideConquer {
	c := *s
	c.progress = progress
	return &c
}

type NoConvergenceError = tridiag.NoConvergenceError

// With the fields of Tuning, Work is about n²/2 + n·max(n/Panels, min(n, 8·Panels), min(n,
// Columns)) elements, and O(n·log n) elements more. If n < 2·Leaf, the first term is n². Solve also
// uses the n² elements of the result as workspace; they are not part of Work.
func (s *DivideConquer) Work() *vk.Layout { return s.work }

// Flops is the largest possible cost of the matrix products: 4/3·n³ for order n, if no eigenvalue
// deflates.
func (s *DivideConquer) Flops() float64 { n := float64(s.values.pass.n); return 4.0 / 3 * n * n * n }

// Solve computes T = S·Λ·Sᵀ for the diagonal d (n elements) and the off-diagonal e (n−1 elements),
// which must be finite. It returns the eigenvalues in ascending order. It writes Sᵀ to xt, n×n and
// packed (Ld = n): row j of xt is the eigenvector of eigenvalue j. The error is a
// *tridiag.NonFiniteError, a *NoConvergenceError, an *InfoError, or an error of package vk.
func (s *DivideConquer) Solve(
	ctx context.Context, ws *vk.Arena, d, e []float64, xt stages.Matrix,
) ([]float64, *vk.Profile, error) {
	return s.SolveRange(ctx, ws, d, e, 0, s.values.pass.n, xt)
}

// SolveRange does the same as Solve for the eigenvectors of the eigenvalues with the indices from,
// …, to−1. It returns all eigenvalues. xt is (to−from)×n and packed. Its memory must have n²
// elements or more, as for Solve.
func (s *DivideConquer) SolveRange(
	ctx context.Context, ws *vk.Arena, d, e []float64, from, to int, xt stages.Matrix,
) ([]float64, *vk.Profile, error) {
	n, m := s.values.pass.n, to-from
	if len(d) != n || xt.Rows != m || xt.Cols != n || xt.Ld != max(m, 1) || xt.At.Len() < n*n {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, n, xt.Rows, xt.Cols,
			xt.Ld))
	}
	r := newDivideConquerRun(ctx, ws, &s.values)
	r.progress = s.progress
	r.vectors = &vectorsRun{pass: &s.Vectors, values: s.values.pass, ws: ws, xt: xt, turns: 1, deflated: true}
	return r.solve(d, e, dc.Options{From: from, To: to})
}

// DivideConquerValues finds all eigenvalues and no eigenvectors, with O(n) memory. It is the values
// pass of DivideConquer.
type DivideConquerValues struct {
	values deflation[float64]
	work   *vk.Layout
}

func NewDivideConquerValues(dev *vk.Device, n int, t Tuning) (*DivideConquerValues, error) {
	b := stages.Builder{Dev: dev}
	values, steps := newValuesPass(&b, n, 1, symmetricLeaves[float64](&b, t), stages.PhaseTridiagonal, t), newStepLists[float64](n, 1)
	s := &DivideConquerValues{values: newDeflation(&b, &values, steps, 1)}
	s.work = vk.Together(values.work, steps.layout(), s.values.work)
	return s, b.Err
}

func (s *DivideConquerValues) Work() *vk.Layout { return s.work }

// Flops is the cost of the secular equations of the last level, if no eigenvalue deflates. There
// are n roots, and for each of them about secularSums sums of n terms (a constant in values.go).
// All lower levels together cost about as much again, which Flops does not count.
func (s *DivideConquerValues) Flops() float64 {
	n := float64(s.values.pass.n)
	return secularFlops * n * n
}

// Solve returns the eigenvalues in ascending order. Its arguments d and e, and its errors, are
// those of DivideConquer.Solve.
func (s *DivideConquerValues) Solve(ctx context.Context, ws *vk.Arena, d, e []float64) ([]float64, *vk.Profile, error) {
	if len(d) != s.values.pass.n {
		panic(fmt.Sprintf("stages: divide and conquer of order %d: %d values", s.values.pass.n, len(d)))
	}
	return newDivideConquerRun(ctx, ws, &s.values).solve(d, e, dc.Options{ValuesOnly: true})
}
