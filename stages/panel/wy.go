package panel

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TFactor computes the factor T of a product of Householder reflectors (dlarft, forward,
// columnwise):
//
//	H0·H1⋯ = I − Y·T·Yᴴ     T n×n, upper triangular
//
// The columns of Y are the reflectors, with ones and zeros stored. Let G = Yᴴ·Y, of which only the
// part above the diagonal is used, and D = diag(τ). Then T⁻¹ = D⁻¹ + (the strict upper part of G).
// So if two diagonal blocks T11 and T22 of T are known, the block above T22 is T12 = −T11·G12·T22.
// The kernel larft computes small diagonal blocks, which products then join to larger ones.
type TFactor[T spirv.Scalar] struct {
	n   int // order of T, at most
	ops product.Ops[T]

	// `larft` computes diagonal blocks of T from τ and from the Gram matrix YᴴY of the reflectors.
	// `diagonal` copies the factors T of neighbouring panels to the diagonal blocks of one larger
	// T.
	larft    *vk.Kernel[shaders.LarftSpec, shaders.LarftPush[T]]
	diagonal *vk.Kernel[shaders.LarftDiagonalSpec, shaders.LarftDiagonalPush[T]]

	// `gram` is the Gram matrix G = YᴴY of the reflectors. `half` holds the products T11·G12 for
	// all pairs of diagonal blocks of T that are joined by T12 = −T11·G12·T22. Each region is n×n.
	gram, half vk.Region[T]
	work       *vk.Layout
}

func NewTFactor[T spirv.Scalar](dev *vk.Device, rows, n int, ops product.Ops[T], t Tuning) (*TFactor[T], error) {
	if err := panelFits[T](t, dev.Info(), 1); err != nil {
		return nil, err
	}
	f := &TFactor[T]{n: n, ops: ops}
	kernels := stages.Builder{Dev: dev}
	f.larft = stages.Build(&kernels, shaders.Larft[T](), factorSpec[T](t))
	f.diagonal = stages.Build(&kernels, shaders.LarftDiagonal[T](), shaders.LarftDiagonalSpec{LocalSize: t.LocalSize})
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	f.gram, f.half = vk.Reserve[T]("YᵀY", n*n), vk.Reserve[T]("T11·G12", n*n)
	f.work = vk.Together(f.gram, f.half)
	return f, f.reserve(rows)
}

// reserve reserves the workspace of the Gram matrix YᴴY of the reflectors, and that of the products
// that join diagonal blocks of T of any size.
func (f *TFactor[T]) reserve(rows int) error {
	if err := f.ops.Reserve(product.Shape{M: f.n, N: f.n, K: rows, Count: 1}); err != nil {
		return err
	}
	for size := f.n / 2; size > 0; size /= 2 {
		side := 2 * size // a block may be up to twice as large as this bound of their number assumes
		if err := f.ops.Reserve(product.Shape{M: side, N: side, K: side, Count: f.n / size}); err != nil {
			return err
		}
	}
	return nil
}

func (f *TFactor[T]) Work() *vk.Layout { return f.work }

func (f *TFactor[T]) Flops(m, n int) float64 {
	return 2*float64(n)*float64(n)*float64(m) + float64(n)*float64(n)*float64(n)/3
}

// Record computes t from y and the factors τ of its reflectors, which `tau` holds. t is square,
// with as many columns as y; its elements below the diagonal become zero.
func (f *TFactor[T]) Record(rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], tau vk.Slice[T], t product.Matrix[T]) {
	n := y.Cols
	if n == 0 || y.Rows == 0 {
		return
	}
	f.RecordFrom(rec, ws, f.gramian(rec, ws, y), tau, t)
}

// RecordFrom is Record for callers that have computed the Gram matrix g = Yᴴ·Y of the reflectors.
// Only the part of g above the diagonal is used.
func (f *TFactor[T]) RecordFrom(
	rec *vk.Recorder, ws *vk.Arena, g product.Matrix[T], tau vk.Slice[T], t product.Matrix[T],
) {
	n := g.Cols
	if g.Rows != n || t.Rows != n || t.Cols != n || n > f.n {
		panic(fmt.Sprintf("stages: factor T %d×%d from %d×%d, prepared for order %d",
			t.Rows, t.Cols, g.Rows, n, f.n))
	}
	if n*max(g.Ld, t.Ld) > math.MaxUint32 {
		panic(fmt.Sprintf("stages: %d columns of G and T, %d and %d apart: larft counts in 32 bits", n, g.Ld, t.Ld))
	}
	stages.Holds("tau", tau, n)
	// Each workgroup computes a diagonal block of T.
	block := f.larft.Spec.Block
	f.larft.Dispatch(rec, vk.Grid(vk.Tiles(n, block)), shaders.LarftPush[T]{
		G: g.Addr(), Tau: tau.Addr(), T: t.Addr(), N: uint32(n), Ldg: uint32(g.Ld), Ldt: uint32(t.Ld),
	})
	f.grow(rec, ws, g, t, int(block))
}

// RecordMerge computes the factor t of neighbouring panels from the panels' own factors, which lie
// one after another in `panels`, b×b each. The last panel may have fewer than b columns; of its
// factor only as many columns and rows are read. t is n×n with leading dimension n. y holds the
// reflectors of all panels as n columns; the columns of each panel are a lower trapezoid with zeros
// above it.
func (f *TFactor[T]) RecordMerge(
	rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T], b int, panels vk.Slice[T], t product.Matrix[T],
) {
	n := y.Cols
	if b < 1 || t.Rows != n || t.Cols != n || t.Ld != n || n > f.n {
		panic(fmt.Sprintf("stages: factor T %d×%d, Ld %d, of %d columns in panels of %d, prepared for order %d",
			t.Rows, t.Cols, t.Ld, n, b, f.n))
	}
	stages.Holds("the panels' factors", panels, vk.Tiles(n, uint32(b))*b*b)
	if b == 1 { // the factors are τ
		f.Record(rec, ws, y, panels, t)
		return
	}
	f.diagonal.Dispatch(rec, vk.Folded(vk.Tiles(n*n, f.diagonal.Spec.LocalSize)), shaders.LarftDiagonalPush[T]{
		Panels: panels.Addr(), T: t.Addr(), N: uint32(n), B: uint32(b),
	})
	if n > b { // more than one panel
		f.grow(rec, ws, f.gramian(rec, ws, y), t, b)
	}
}

func (f *TFactor[T]) gramian(rec *vk.Recorder, ws *vk.Arena, y product.Matrix[T]) product.Matrix[T] {
	g := product.NewMatrix(f.gram.In(ws), y.Cols, y.Cols, y.Cols)
	f.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, y, y, 0, g)
	return g
}

// grow joins neighbouring diagonal blocks of T, and thus doubles their size, until T is a single
// block. Before the call, the diagonal blocks of the given size must have been computed, and T must
// be zero below them.
func (f *TFactor[T]) grow(rec *vk.Recorder, ws *vk.Arena, g, t product.Matrix[T], size int) {
	j := join[T]{g: g, t: t, half: product.NewMatrix(f.half.In(ws), t.Rows, t.Rows, t.Rows)}
	for n := t.Rows; size < n; size *= 2 {
		whole := n / (2 * size) // pairs of whole blocks; the second block of one more pair may be short
		j.start, j.n1, j.n2, j.count = 0, size, size, whole
		f.join(rec, ws, j)
		if start := whole * 2 * size; n > start+size {
			j.start, j.n2, j.count = start, n-start-size, 1
			f.join(rec, ws, j)
		}
	}
}

// join describes `count` pairs of neighbouring diagonal blocks of T, of orders n1 and n2. The first
// pair begins at row `start`.
type join[T spirv.Scalar] struct {
	g, t, half           product.Matrix[T] // YᴴY; T; T11·G12
	start, n1, n2, count int
}

// join computes the blocks T12 = −T11·G12·T22 of all pairs, by two batches of products.
func (f *TFactor[T]) join(rec *vk.Recorder, ws *vk.Arena, j join[T]) {
	if j.count == 0 {
		return
	}
	// `above` returns the block above the diagonal in the first pair of blocks of m. `next` returns
	// the distance from one pair to the next, in elements.
	above := func(m product.Matrix[T]) product.Matrix[T] { return m.Block(j.start, j.start+j.n1, j.n1, j.n2) }
	next := func(m product.Matrix[T]) int { return (j.n1 + j.n2) * (m.Ld + 1) }
	t11, t22 := j.t.Block(j.start, j.start, j.n1, j.n1), j.t.Block(j.start+j.n1, j.start+j.n1, j.n2, j.n2)
	f.ops.GemmBatch(rec, ws, product.Batch{Count: j.count, StrideA: next(j.t), StrideB: next(j.g), StrideC: next(j.half)},
		product.NoTrans, product.NoTrans, 1, t11, above(j.g), 0, above(j.half))
	f.ops.GemmBatch(rec, ws, product.Batch{Count: j.count, StrideA: next(j.half), StrideB: next(j.t), StrideC: next(j.t)},
		product.NoTrans, product.NoTrans, -1, above(j.half), t22, 0, above(j.t))
}
