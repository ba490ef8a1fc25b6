package stedc

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/bidiagonal"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BidiagonalConquer finds all singular values and vectors of an upper bidiagonal matrix (dbdsdc; Gu
// and Eisenstat 1995):
//
//	C = S·Σ·Wᵀ
//
// Package stages/bidiagonal has the algorithm. Most kernels are those of DivideConquer, because the
// secular equations have the same form. W and S are formed one after the other. Only the leaves
// (the smallest subproblems) and the factors of S have their own kernels. There is no method
// Record: Solve records and runs the commands, as DivideConquer.Solve does.
type BidiagonalConquer struct {
	values valuesPass[float64]
	sides  [2]vectorsPass // the vectors passes of W and of S; they share all memory except that of their lists
	work   *vk.Layout

	progress func(vk.Progress) // set by Reporting; may be nil
}

func NewBidiagonalConquer(
	dev *vk.Device, n int, ops product.Ops[float64], tiles product.Tuning, t Tuning,
) (*BidiagonalConquer, error) {
	b := stages.Builder{Dev: dev}
	t = bidiagonalTuning(dev.Info(), t)
	levels := t.levels(n)
	s := &BidiagonalConquer{values: newValuesPass(&b, n, levels, bidiagonalLeaves(&b, t), stages.PhaseBidiagonal, t)}
	right := newVectorsPass(&b, n, levels, ops, tiles, t)
	left := right
	left.vectors = stages.Build(&b, shaders.StedcVectors[float64](), shaders.StedcVectorsSpec{LocalSize: t.Threads, Left: spirv.BoolOf(true)})
	if b.Err != nil {
		return nil, b.Err
	}
	left.lists = newVectorLists(n, levels, t.mostMerges(n)) // one recording sends the lists of both sides
	s.sides = [2]vectorsPass{bidiagonal.Right: right, bidiagonal.Left: left}
	s.work = vk.Together(s.values.work, right.work, left.lists.layout())
	return s, nil
}

// bidiagonalTuning halves the order of leaves until a leaf fits the device. A leaf of 32 rows takes
// 18 KiB of shared memory, 16 KiB of them for the vectors of its two sides.
func bidiagonalTuning(info vk.Info, t Tuning) Tuning {
	for ; t.Leaf > 1; t.Leaf /= 2 {
		if used := stages.SharedOf(shaders.BdsdcLeaf, bidiagonalLeafSpec(t)); used.Err == nil && used.Bytes <= info.SharedBytes {
			break
		}
	}
	return t
}

// bidiagonalLeafSpec returns the constants of the kernel for leaves. In a workgroup, t.Lanes
// invocations compute the left singular vectors, and t.Lanes others the right ones.
func bidiagonalLeafSpec(t Tuning) shaders.BdsdcLeafSpec {
	return shaders.BdsdcLeafSpec{LocalSize: 2 * t.Lanes, Leaf: uint32(t.Leaf)}
}

// bidiagonalLeaves returns the kernel for leaves. A leaf costs twice as much as a leaf of a
// symmetric matrix, because left and right singular vectors are rotated.
func bidiagonalLeaves(b *stages.Builder, t Tuning) leafKernel[float64] {
	kernel := stages.Build(b, shaders.BdsdcLeaf(), bidiagonalLeafSpec(t))
	return leafKernel[float64]{flops: 24, dispatch: func(rec *vk.Recorder, x leavesPush[float64]) {
		kernel.Dispatch(rec, vk.Folded(x.count), shaders.BdsdcLeafPush{
			Leaves: x.leaves, E: x.e, D: x.d, First: x.first, Last: x.last,
			W: x.vectors[bidiagonal.Right], S: x.vectors[bidiagonal.Left], Count: uint32(x.count),
		})
	}}
}

// Reporting returns a copy of s that reports the progress of its solves, in flops of the products,
// to the function `progress`. The copy shares kernels and memory with s.
func (s *BidiagonalConquer) Reporting(progress func(vk.Progress)) *BidiagonalConquer {
	c := *s
	c.progress = progress
	return &c
}

// Work is about as large as that of DivideConquer. Solve also uses the n² elements of each result
// as workspace; they are not part of Work.
func (s *BidiagonalConquer) Work() *vk.Layout { return s.work }

// Flops is the largest possible cost of the matrix products, for both sides: 8/3·n³ for order n, if
// no value deflates.
func (s *BidiagonalConquer) Flops() float64 { n := float64(s.values.n); return 8.0 / 3 * n * n * n }

// Solve computes C = S·Σ·Wᵀ for the diagonal d (n elements) and the superdiagonal e (n−1 elements)
// of C. It returns the singular values in descending order; they are not negative. Solve writes Sᵀ
// to st and Wᵀ to wt, which are n×n and packed (Ld = n): row j of each is the vector of value j. If
// st or wt is Matrix{}, the vectors of this side are not formed. d and e must be finite, and Solve
// does not write them. Small values have no relative accuracy: their error is a few times n·ulp of
// the largest value. The error is a *bidiagonal.NonFiniteError, a *NoConvergenceError, an
// *InfoError, or an error of package vk.
func (s *BidiagonalConquer) Solve(
	ctx context.Context, ws *vk.Arena, d, e []float64, st, wt stages.Matrix,
) ([]float64, *vk.Profile, error) {
	return s.SolveRange(ctx, ws, d, e, 0, s.values.n, st, wt)
}

// SolveRange does the same as Solve for the vectors of values[from:to]. It returns all values. With
// m = to − from, the matrices st and wt are m×n and packed (Ld = m, but at least 1). The memory of
// each must have n² elements or more, as for Solve.
func (s *BidiagonalConquer) SolveRange(
	ctx context.Context, ws *vk.Arena, d, e []float64, from, to int, st, wt stages.Matrix,
) ([]float64, *vk.Profile, error) {
	began := time.Now()
	if n := s.values.n; len(d) != n {
		panic(fmt.Sprintf("stages: bidiagonal divide and conquer of order %d: %d values", n, len(d)))
	}
	r := s.newRun(ctx, ws, from, to, st, wt)
	values, err := bidiagonal.SolveWith(r, d, e, bidiagonal.Options{LeafSize: s.values.tune.Leaf, From: from, To: to})
	r.end(began)
	return values, r.profile, err
}

func (s *BidiagonalConquer) newRun(ctx context.Context, ws *vk.Arena, from, to int, st, wt stages.Matrix) bidiagonalRun {
	n, m := s.values.n, to-from
	r := bidiagonalRun{newConquerRounds(ctx, ws, &s.values)}
	r.progress = s.progress
	turns := 0
	for side, xt := range [2]stages.Matrix{bidiagonal.Right: wt, bidiagonal.Left: st} {
		if xt.Ld == 0 {
			continue // the vectors of this side are not wanted
		}
		if xt.Rows != m || xt.Cols != n || xt.Ld != max(m, 1) || xt.At.Len() < n*n {
			panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, n, xt.Rows, xt.Cols,
				xt.Ld))
		}
		r.sides[side] = &vectorsRun{pass: &s.sides[side], values: &s.values, ws: ws, xt: xt, turn: turns}
		turns++
	}
	for v := range r.wanted() {
		v.turns = turns
	}
	return r
}

// bidiagonalRun is one solve in progress, the bidiagonal.Backend on the device.
type bidiagonalRun struct{ *conquerRounds }

func (r bidiagonalRun) Roots(merges []*bidiagonal.Merge) error {
	for _, side := range bidiagonal.Sides {
		if v := r.sides[side]; v != nil {
			v.prepare(r.level, bidiagonal.Of(merges, side))
		}
	}
	return r.roots(bidiagonal.Of(merges, bidiagonal.Right))
}

// Vectors forms the singular vectors with one recording, and sends no data back to the host.
func (r bidiagonalRun) Vectors(levels [][]*bidiagonal.Merge, order []int32) error {
	return r.run(func(rec *vk.Recorder) {
		for _, side := range bidiagonal.Sides {
			if v := r.sides[side]; v != nil {
				v.complete(bidiagonal.OneSide(levels, side), order)
				v.record(rec)
			}
		}
	})
}

var _ bidiagonal.Backend = bidiagonalRun{}
