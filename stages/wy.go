package stages

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// TFactor makes the factor of a product of reflectors (dlarft, forward, columnwise):
//
//	H0·H1⋯ = I − Y·T·Yᵀ     T n×n, upper triangular
//
// from Y with its ones and zeros stored. With G = Yᵀ·Y, of which only the part
// above the diagonal counts, T⁻¹ = D⁻¹ + G's; so a block above the diagonal is
// T12 = −T11·G12·T22, and small diagonal blocks grow into the whole by products.
type TFactor struct {
	n    int
	ops  product.Ops
	tune PanelTuning

	larft    *vk.Kernel[shaders.LarftSpec, shaders.LarftPush[float64]]
	diagonal *vk.Kernel[shaders.LarftDiagonalSpec, shaders.LarftDiagonalPush[float64]]

	gram, half vk.Region[float64] // n×n each
	work       *vk.Layout
}

// NewTFactor prepares for factors of order n or less.
func NewTFactor(dev *vk.Device, n int, ops product.Ops, tune Tuning) (*TFactor, error) {
	t := tune.Panel
	if err := t.fits(dev, 1); err != nil {
		return nil, err
	}
	f := &TFactor{n: n, ops: ops, tune: t}
	kernels := builder{dev: dev}
	f.larft = build(&kernels, shaders.Larft[float64](), shaders.LarftSpec{LocalSize: t.LocalSize, Block: t.Factor})
	f.diagonal = build(&kernels, shaders.LarftDiagonal[float64](), shaders.LarftDiagonalSpec{LocalSize: t.LocalSize})
	if kernels.err != nil {
		return nil, kernels.err
	}
	f.gram, f.half = vk.Reserve[float64]("YᵀY", n*n), vk.Reserve[float64]("T11·G12", n*n)
	f.work = vk.Together(f.gram, f.half)
	return f, nil
}

// Work is the workspace; that of the products (Ops.Work) must be in the arena, too.
func (f *TFactor) Work() *vk.Layout { return f.work }

// Flops counts those of n reflectors of m elements.
func (f *TFactor) Flops(m, n int) float64 {
	return 2*float64(n)*float64(n)*float64(m) + float64(n)*float64(n)*float64(n)/3
}

// Record makes t, square, of Y's order, from y and the factors tau. Below its
// diagonal t becomes zero. None of the three may overlap.
func (f *TFactor) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix, tau vk.Slice[float64], t product.Matrix) {
	n := y.Cols
	if n == 0 || y.Rows == 0 {
		return
	}
	f.RecordFrom(rec, ws, f.gramian(rec, ws, y), tau, t)
}

// RecordFrom is Record for who has g = Yᵀ·Y, of which only the part above the diagonal counts.
func (f *TFactor) RecordFrom(rec *vk.Recorder, ws *vk.Arena, g product.Matrix, tau vk.Slice[float64], t product.Matrix) {
	n := g.Cols
	if g.Rows != n || t.Rows != n || t.Cols != n || n > f.n {
		panic(fmt.Sprintf("stages: factor T %d×%d from %d×%d, prepared for order %d", t.Rows, t.Cols, g.Rows, n, f.n))
	}
	if n*max(g.Ld, t.Ld) > math.MaxUint32 {
		panic(fmt.Sprintf("stages: %d columns of G and T, %d and %d apart: larft counts in 32 bits", n, g.Ld, t.Ld))
	}
	holds("tau", tau, n)
	f.larft.Dispatch(rec, vk.Grid(vk.Tiles(n, f.tune.Factor)), shaders.LarftPush[float64]{
		G: g.Addr(), Tau: tau.Addr(), T: t.Addr(), N: uint32(n), Ldg: uint32(g.Ld), Ldt: uint32(t.Ld),
	})
	f.grow(rec, ws, g, t, int(f.tune.Factor))
}

// RecordMerge makes t, n×n with leading dimension n, the factor of neighbouring
// panels of b columns each, from their own factors (b×b, one after another).
// y holds all n columns, zeros above each panel's trapezoid included; n is a multiple of b.
func (f *TFactor) RecordMerge(rec *vk.Recorder, ws *vk.Arena, y product.Matrix, b int, panels vk.Slice[float64], t product.Matrix) {
	n := y.Cols
	if b < 1 || n%b != 0 || t.Rows != n || t.Cols != n || t.Ld != n || n > f.n {
		panic(fmt.Sprintf("stages: factor T %d×%d, Ld %d, of %d columns in panels of %d, prepared for order %d", t.Rows, t.Cols, t.Ld, n, b, f.n))
	}
	holds("the panels' factors", panels, n*b)
	f.diagonal.Dispatch(rec, vk.Folded(vk.Tiles(n*n, f.diagonal.Spec.LocalSize)), shaders.LarftDiagonalPush[float64]{
		Panels: panels.Addr(), T: t.Addr(), N: uint32(n), B: uint32(b),
	})
	if n > b {
		f.grow(rec, ws, f.gramian(rec, ws, y), t, b)
	}
}

// gramian is Yᵀ·Y, packed.
func (f *TFactor) gramian(rec *vk.Recorder, ws *vk.Arena, y product.Matrix) product.Matrix {
	g := product.NewMatrix(f.gram.In(ws), y.Cols, y.Cols, y.Cols)
	f.ops.Gemm(rec, ws, product.Trans, product.NoTrans, 1, y, y, 0, g)
	return g
}

// grow doubles the size of T's diagonal blocks until there is one.
func (f *TFactor) grow(rec *vk.Recorder, ws *vk.Arena, g, t product.Matrix, size int) {
	n := t.Rows
	half := product.NewMatrix(f.half.In(ws), n, n, n)
	for ; size < n; size *= 2 {
		whole := n / (2 * size) // pairs of whole blocks; one more may have a short second
		f.join(rec, ws, g, t, half, 0, size, size, whole)
		if start := whole * 2 * size; n > start+size {
			f.join(rec, ws, g, t, half, start, size, n-start-size, 1)
		}
	}
}

// join makes T12 of count pairs of blocks of orders n1 and n2, the first pair at start.
func (f *TFactor) join(rec *vk.Recorder, ws *vk.Arena, g, t, half product.Matrix, start, n1, n2, count int) {
	if count == 0 {
		return
	}
	above := func(m product.Matrix) product.Matrix { return m.Block(start, start+n1, n1, n2) }
	next := func(m product.Matrix) int { return (n1 + n2) * (m.Ld + 1) }
	f.ops.GemmBatch(rec, ws, product.Batch{Count: count, StrideA: next(t), StrideB: next(g), StrideC: next(half)},
		product.NoTrans, product.NoTrans, 1, t.Block(start, start, n1, n1), above(g), 0, above(half))
	f.ops.GemmBatch(rec, ws, product.Batch{Count: count, StrideA: next(half), StrideB: next(t), StrideC: next(t)},
		product.NoTrans, product.NoTrans, -1, above(half), t.Block(start+n1, start+n1, n2, n2), 0, above(t))
}
