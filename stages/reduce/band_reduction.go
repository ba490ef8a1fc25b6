package reduce

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BandReduction reduces a Hermitian matrix to a band (dsytrd_sy2sb, zhetrd_he2hb):
//
//	A = Q1·B·Q1ᴴ     B has half-bandwidth b
//
// The reduction factors panels of b columns, and updates the trailing matrix once for each block of
// k columns (the double-blocked reduction, DBBR; Wang et al., PPoPP 2025). While a block is in
// progress, memory holds the trailing matrix A as it was at the beginning of the block. The current
// trailing matrix is A − Y·Zᴴ − Z·Yᴴ, where Y and Z have b columns for each finished panel of the
// block.
//
// The documentation of package stages says what A, the band and the factors T hold afterwards.
// Record reads only the lower triangle of A, and overwrites all of A. The imaginary parts of the
// diagonal may be NaN.
type BandReduction[T spirv.Scalar] struct {
	BandSize
	ops product.Ops[T]

	qr      *panel.QR[T]
	factor  panel.FactorRows[T]
	middle  *vk.Kernel[shaders.Sy2sbMiddleSpec, shaders.Sy2sbMiddlePush[T]]
	extract *vk.Kernel[shaders.BandExtractSpec, shaders.BandExtractPush[T]]

	// xz holds the matrix [x Z], n×(b+k). Z belongs to the block of columns in progress: the
	// current trailing matrix is A − Y·Zᴴ − Z·Yᴴ. x is the product A·y of one panel of reflectors.
	xz vk.Region[T]

	// s holds the products [Y y]ᴴ·y and Zᴴ·y of a panel with the reflectors y, at most k×b each. r
	// holds the second factors of z, of the same sizes: [−Zᴴ·y·T; N] and [T; −Yᴴ·y·T].
	s, r vk.Region[T]

	// yx holds the b×b matrix yᴴ·A·y of a panel. tau holds the factors τ of its b reflectors.
	yx, tau vk.Region[T]
	work    *vk.Layout
}

type BandSize struct {
	N int // order of A
	B int // half-bandwidth, at least 1
	K int // columns after which the trailing matrix gets an update of rank 2K: a multiple of B
}

func NewBandReduction[T spirv.Scalar](
	dev *vk.Device, size BandSize, ops product.Ops[T], w stages.Waiting, t panel.Tuning,
) (*BandReduction[T], error) {
	n, b, k := size.N, size.B, size.K
	if n < 0 || b < 1 || k < b || k%b != 0 {
		return nil, fmt.Errorf("stages: band reduction of order %d to half-bandwidth %d by updates of rank %d: "+
			"want b ≥ 1, k a multiple of b", n, b, k)
	}
	r := &BandReduction[T]{BandSize: size, ops: ops}
	var err error
	if r.qr, err = panel.NewQR[T](dev, b, w, t); err != nil {
		return nil, err
	}
	if r.factor, err = panel.NewFactorRows[T](dev, b); err != nil {
		return nil, err
	}
	kernels := stages.Builder{Dev: dev}
	r.middle = stages.Build(&kernels, shaders.Sy2sbMiddle[T](), shaders.Sy2sbMiddleSpec{LocalSize: t.LocalSize, Columns: uint32(b)})
	r.extract = stages.Build(&kernels, shaders.BandExtract[T](), shaders.BandExtractSpec{LocalSize: t.LocalSize})
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	r.xz = vk.Reserve[T]("Ay, Z", n*(b+min(k, n)))
	r.s, r.r = vk.Reserve[T]("YᵀY, ZᵀY", 2*k*b), vk.Reserve[T]("T, N", 2*k*b)
	r.yx, r.tau = vk.Reserve[T]("YᵀAY", b*b), vk.Reserve[T]("tau", b)
	err = ops.Reserve(
		product.Shape{M: n, N: n, K: k, Count: 1},             // the update of the trailing matrix
		product.Shape{M: n, N: b, K: n, Count: 1, Held: true}, // x = A·y
		product.Shape{M: n, N: b, K: 2 * k, Count: 1},         // the pending update of a panel, and the product z
		product.Shape{M: k, N: b, K: n, Count: 2},             // [Y y]ᴴ·y and Zᴴ·y
	)
	r.work = vk.Together(r.xz, r.s, r.r, r.yx, r.tau, ops.HeldWork(), r.qr.Work())
	return r, err
}

func (r *BandReduction[T]) Work() *vk.Layout { return r.work }

func (r *BandReduction[T]) Status() *vk.Layout { return r.qr.Status() }

func (r *BandReduction[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return r.qr.Info(ws) }

func (s BandSize) Panels() int { return max(0, (s.N-1)/s.B) }

// Flops is 4/3·n³ for order n.
func (r *BandReduction[T]) Flops() float64 { return r.flops(r.N) }

func (s BandSize) flops(c int) float64 {
	n, left := float64(s.N), float64(s.N-c)
	return 4 * (n*n*n - left*left*left) / 3
}

// Record reduces the n×n matrix a to a band. `band` has 2b·n elements, and t has b·b elements for
// each panel.
func (r *BandReduction[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T]) {
	n, b := r.N, r.B
	if a.Rows != n || a.Cols != n || band.Len() < 2*b*n || t.Len() < r.Panels()*b*b {
		panic(fmt.Sprintf("stages: band reduction of %d×%d, %d elements of band, %d of T: n = %d, b = %d",
			a.Rows, a.Cols, band.Len(), t.Len(), n, b))
	}
	vk.Fill(rec, band.Sub(0, 2*b*n), 0)
	r.qr.Begin(rec, ws)
	for begin := 0; begin < n; begin += r.K {
		block := r.block(ws, a, begin)
		if first := begin + b; first < n {
			r.ops.Hold(rec, ws, a.Block(first, first, n-first, n-first))
		}
		c := begin
		for ; c < min(begin+r.K, n); c += b {
			rec.Phase(stages.PhaseBandReduction, r.flops(c), r.Flops())
			block.catchUp(rec, c)
			if c+b < n {
				block.panel(rec, c, band, t.Sub(c/b*b*b, b*b))
			}
		}
		if c < n { // a whole block, and more columns follow
			y, z := block.at(c, r.K)
			r.ops.Syr2k(rec, ws, y, z, a.Block(c, c, n-c, n-c))
		}
	}
	grid := vk.Folded(vk.Tiles(n, r.extract.Spec.LocalSize) * vk.Tiles(n, uint32(b)))
	r.extract.Dispatch(rec, grid, shaders.BandExtractPush[T]{
		A: a.Addr(), Band: band.Addr(), N: uint32(n), B: uint32(b), Ld: uint32(a.Ld),
	})
}

// block is the block of k columns of A that starts at column `begin`. Its pending update is A −
// Y·Zᴴ − Z·Yᴴ. Y is stored in A, in place of the panels that were factored. xz is the matrix [x Z]
// in the workspace. Row i of Y, of x and of Z belongs to row i of A.
type block[T spirv.Scalar] struct {
	*BandReduction[T]
	ws    *vk.Arena
	a, xz product.Matrix[T]
	begin int
}

func (r *BandReduction[T]) block(ws *vk.Arena, a product.Matrix[T], begin int) *block[T] {
	return &block[T]{r, ws, a, product.NewMatrix(r.xz.In(ws), r.N, r.B+min(r.K, r.N), max(r.N, 1)), begin}
}

// `at` returns the first `cols` columns of Y and Z, from row number `row` on. In the diagonal block
// of a panel and above it, the memory of Y holds other numbers.
func (k *block[T]) at(row, cols int) (y, z product.Matrix[T]) {
	return k.a.Block(row, k.begin, k.N-row, cols), k.xz.Block(row, k.B, k.N-row, cols)
}

// catchUp applies the block's pending update to the panel at column c, from its diagonal block on.
func (k *block[T]) catchUp(rec *vk.Recorder, c int) {
	pending, cols := c-k.begin, min(k.B, k.N-c)
	if pending == 0 {
		return
	}
	y, z := k.at(c, pending)
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.Adjoint, -1,
		product.Pair[T]{A: y, B: z.Block(0, 0, cols, pending)}, product.Pair[T]{A: z, B: y.Block(0, 0, cols, pending)},
		1, k.a.Block(c, c, k.N-c, cols))
}

// panel factors the rows below the diagonal block at column c, and appends the new columns y and z
// to Y and Z. With Q = I − y·T·yᴴ the trailing matrix A − Y·Zᴴ − Z·Yᴴ becomes
//
//	Qᴴ·(A − Y·Zᴴ − Z·Yᴴ)·Q = A − Y·Zᴴ − Z·Yᴴ − y·zᴴ − z·yᴴ
//	z = P·T + y·N     P = (A − Y·Zᴴ − Z·Yᴴ)·y     N = −½·Tᴴ·(yᴴ·P)·T
//
// P itself is not formed. With x = A·y the same z is one product:
//
//	z = [Y y]·[F; N] + [x Z]·[T; G]     F = −(Zᴴ·y)·T     G = −(Yᴴ·y)·T
//	N = −½·Tᴴ·((yᴴ·x)·T + (Yᴴ·y)ᴴ·F + (Zᴴ·y)ᴴ·G)
//
// The products with y run concurrently with A·y. T is made from yᴴ·y, a part of [Y y]ᴴ·y.
func (k *block[T]) panel(rec *vk.Recorder, c int, band, t vk.Slice[T]) {
	b, ws := k.B, k.ws
	top, p := c+b, c-k.begin // first row of y; columns of Y and of Z
	m := k.N - top
	y := k.a.Block(top, c, m, b)
	// Element (i, j) of the triangle R of the panel is element (top+i, c+j) of the matrix. The
	// compact band stores this element at (b+i−j) + (c+j)·2b.
	upper := product.NewMatrix(band.Sub(b+c*2*b, (b-1)*(2*b-1)+b), b, b, 2*b-1)
	tau := k.tau.In(ws)
	k.qr.RecordNext(rec, ws, y, upper, tau)

	x := k.xz.Block(top, 0, m, b)
	allY, allZ := k.at(top, p+b)
	yy, zy := small(k.s, ws, 0, p+b, b), small(k.s, ws, p+b, p, b)
	k.ops.SymmTogether(rec, ws, k.a.Block(top, top, m, m), y, x,
		product.Product[T]{OpA: product.Adjoint, A: allY, B: y, C: yy},
		product.Product[T]{OpA: product.Adjoint, A: allZ.Block(0, 0, m, p), B: y, C: zy})

	left, right := small(k.r, ws, 0, p+b, b), small(k.r, ws, p+b, p+b, b) // [F; N] and [T; G]
	f, g := left.Block(0, 0, p, b), right.Block(b, 0, p, b)
	factor := product.NewMatrix(t, b, b, b)
	yx := product.NewMatrix(k.yx.In(ws), b, b, b)
	rec.Beside(func() {
		k.factor.Record(rec, yy.Block(p, 0, b, b), tau, factor, right.Block(0, 0, b, b),
			panel.TimesFactor[T]{S: zy, R: f}, panel.TimesFactor[T]{S: yy.Block(0, 0, p, b), R: g})
	}, func() { k.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, y, x, 0, yx) })
	k.middle.Dispatch(rec, vk.Grid(b), shaders.Sy2sbMiddlePush[T]{
		X: yx.Addr(), T: factor.Addr(), N: left.Block(p, 0, b, b).Addr(), Ldt: uint32(factor.Ld), Ldn: uint32(left.Ld),
		S1: yy.Addr(), R1: f.Addr(), S2: zy.Addr(), R2: g.Addr(), Rows: uint32(p),
		Lds1: uint32(yy.Ld), Ldr1: uint32(f.Ld), Lds2: uint32(zy.Ld), Ldr2: uint32(g.Ld),
	})
	k.ops.GemmPair(rec, ws, product.NoTrans, product.NoTrans, 1,
		product.Pair[T]{A: allY, B: left}, product.Pair[T]{A: k.xz.Block(top, 0, m, b+p), B: right},
		0, allZ.Block(0, p, m, b))
}

// small returns a packed matrix with b columns in the region. In memory it follows an earlier
// packed matrix with `before` rows.
func small[T spirv.Scalar](region vk.Region[T], ws *vk.Arena, before, rows, b int) product.Matrix[T] {
	return product.NewMatrix(region.In(ws).Sub(before*b, rows*b), rows, b, max(rows, 1))
}
