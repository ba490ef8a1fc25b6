package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// BandReduction reduces a symmetric matrix to a band (dsytrd_sy2sb):
//
//	A = Q1·B·Q1ᵀ     B has half-bandwidth b
//
// with panels of b columns and trailing updates of rank k (the double-blocked
// reduction, DBBR; Wang et al., PPoPP 2025). Inside a block of k columns
// the trailing matrix stays as it was at the block's begin; what it has
// become since is A − Y·Zᵀ − Z·Yᵀ, with b columns of Y and Z for each panel so far.
//
// What A, the band and the factors T hold afterwards is said in the package's
// documentation. Only the lower triangle of A is read; all of A is overwritten.
type BandReduction struct {
	n, b, k int
	ops     product.Ops

	qr      *PanelQR
	factor  *TFactor
	middle  *vk.Kernel[shaders.Sy2sbMiddleSpec, shaders.Sy2sbMiddlePush[float64]]
	extract *vk.Kernel[shaders.BandExtractSpec, shaders.BandExtractPush[float64]]

	z, p         vk.Region[float64] // n×k; n×b
	s            vk.Region[float64] // products of inner dimension n: at most two, k×b
	between, tau vk.Region[float64] // b×b; b
	work         *vk.Layout
}

// NewBandReduction prepares for matrices of order n; k must be a multiple of b.
func NewBandReduction(dev *vk.Device, n, b, k int, ops product.Ops, t Tuning) (*BandReduction, error) {
	if n < 0 || b < 1 || k < b || k%b != 0 {
		return nil, fmt.Errorf("stages: band reduction of order %d to half-bandwidth %d by updates of rank %d: want b ≥ 1, k a multiple of b", n, b, k)
	}
	r := &BandReduction{n: n, b: b, k: k, ops: ops}
	var err error
	if r.qr, err = NewPanelQR(dev, b, t); err != nil {
		return nil, err
	}
	if r.factor, err = NewTFactor(dev, b, ops, t); err != nil {
		return nil, err
	}
	const strip = 8
	middle := shaders.Sy2sbMiddleSpec{LocalSize: t.Panel.LocalSize, Columns: uint32(b), Strip: strip}
	if r.middle, err = vk.Build(dev, shaders.Sy2sbMiddle[float64](), middle); err != nil {
		return nil, err
	}
	if r.extract, err = vk.Build(dev, shaders.BandExtract[float64](), shaders.BandExtractSpec{LocalSize: t.Panel.LocalSize}); err != nil {
		return nil, err
	}
	r.z = vk.Reserve[float64]("Z", n*min(k, n))
	r.p = vk.Reserve[float64]("P", n*b)
	r.s = vk.Reserve[float64]("YᵀY, ZᵀY", 2*k*b)
	r.between = vk.Reserve[float64]("TᵀYᵀPT", b*b)
	r.tau = vk.Reserve[float64]("tau", b)
	r.work = vk.Together(r.z, r.p, r.s, r.between, r.tau, vk.InTurn(r.qr.Work(), r.factor.Work()))
	return r, nil
}

// Work is the workspace; that of the products (Ops.Work) must be in the arena, too.
func (r *BandReduction) Work() *vk.Layout { return r.work }

// Status is the memory of Info, which must stay as it is until Info is read.
func (r *BandReduction) Status() *vk.Layout { return r.qr.Status() }

// Info is 0 after a run, or says why the results are undefined; see PanelQR.Info.
func (r *BandReduction) Info(ws *vk.Arena) vk.Slice[uint32] { return r.qr.Info(ws) }

// Panels is the number of panels, and of factors T.
func (r *BandReduction) Panels() int { return max(0, (r.n-1)/r.b) }

// Flops counts 4/3·n³.
func (r *BandReduction) Flops() float64 { return r.flops(r.n) }

// flops of what is done when the first c columns are.
func (r *BandReduction) flops(c int) float64 {
	n, left := float64(r.n), float64(r.n-c)
	return 4 * (n*n*n - left*left*left) / 3
}

// Record reduces a (n×n). band has 2b·n elements, t b·b for each panel; none of
// them may overlap.
func (r *BandReduction) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix, band, t vk.Slice[float64]) {
	n, b := r.n, r.b
	if a.Rows != n || a.Cols != n || band.Len() < 2*b*n || t.Len() < r.Panels()*b*b {
		panic(fmt.Sprintf("stages: band reduction of %d×%d, %d elements of band, %d of T: n = %d, b = %d", a.Rows, a.Cols, band.Len(), t.Len(), n, b))
	}
	vk.Fill(rec, band.Sub(0, 2*b*n), 0)
	r.qr.begin(rec, ws)
	for begin := 0; begin < n; begin += r.k {
		block := r.block(ws, a, begin)
		c := begin
		for ; c < min(begin+r.k, n); c += b {
			rec.Phase(PhaseBandReduction, r.flops(c), r.Flops())
			block.catchUp(rec, c)
			if c+b < n {
				block.panel(rec, c, band, t.Sub(c/b*b*b, b*b))
			}
		}
		if c < n { // a whole block, and more to come
			y, z := block.at(c, r.k)
			r.ops.Syr2k(rec, ws, y, z, a.Block(c, c, n-c, n-c))
		}
	}
	grid := vk.Folded(vk.Tiles(n, r.extract.Spec.LocalSize) * vk.Tiles(n, uint32(b)))
	r.extract.Dispatch(rec, grid, shaders.BandExtractPush[float64]{A: a.Addr(), Band: band.Addr(), N: uint32(n), B: uint32(b), Ld: uint32(a.Ld)})
}

// block is the stretch of k columns from begin on: Y is where its panels were,
// in A; Z in the workspace. Rows of both are A's.
type block struct {
	*BandReduction
	ws    *vk.Arena
	a, z  product.Matrix
	begin int
}

func (r *BandReduction) block(ws *vk.Arena, a product.Matrix, begin int) *block {
	return &block{r, ws, a, product.NewMatrix(r.z.In(ws), r.n, min(r.k, r.n), max(r.n, 1)), begin}
}

// at is the first cols columns of Y and Z from row on. Only rows below a panel's
// diagonal block are ever read of its columns: the others hold other things.
func (k *block) at(row, cols int) (y, z product.Matrix) {
	return k.a.Block(row, k.begin, k.n-row, cols), k.z.Block(row, 0, k.n-row, cols)
}

// catchUp applies the pending change to the panel at c, from its diagonal block down.
func (k *block) catchUp(rec *vk.Recorder, c int) {
	pending, cols := c-k.begin, min(k.b, k.n-c)
	if pending == 0 {
		return
	}
	y, z := k.at(c, pending)
	k.ops.GemmPair(rec, k.ws, product.NoTrans, product.Trans, -1,
		product.Pair{A: y, B: z.Block(0, 0, cols, pending)}, product.Pair{A: z, B: y.Block(0, 0, cols, pending)}, 1, k.a.Block(c, c, k.n-c, cols))
}

// panel factors what is below the diagonal block at c and appends its y and z.
// With Q = I − y·T·yᵀ the trailing matrix A − Y·Zᵀ − Z·Yᵀ becomes
//
//	Qᵀ·(…)·Q = A − Y·Zᵀ − Z·Yᵀ − y·zᵀ − z·yᵀ
//	z = P·T − ½·y·(Tᵀ·(yᵀ·P)·T)
//	P = (A − Y·Zᵀ − Z·Yᵀ)·y = A·y − Y·(Zᵀ·y) − Z·(Yᵀ·y).
//
// T comes last because everything before it needs y alone: what is short then
// waits for nothing but the products with A and with Y and Z, and yᵀ·y, which T
// is made of, is a part of the latter.
func (k *block) panel(rec *vk.Recorder, c int, band, t vk.Slice[float64]) {
	b, ws := k.b, k.ws
	top, pending := c+b, c-k.begin
	m := k.n - top
	y := k.a.Block(top, c, m, b)
	// R(i, j) is the band's (top+i, c+j), at (b+i−j) + (c+j)·2b.
	upper := product.NewMatrix(band.Sub(b+c*2*b, (b-1)*(2*b-1)+b), b, b, 2*b-1)
	factor := product.NewMatrix(t, b, b, b)
	tau := k.tau.In(ws)

	k.qr.record(rec, ws, y, upper, tau)
	p := product.NewMatrix(k.p.In(ws), m, b, m)
	k.ops.Symm(rec, ws, k.a.Block(top, top, m, m), y, p)
	yy, zy := k.inner(rec, top, pending, y)
	k.factor.RecordFrom(rec, ws, yy.Block(pending, 0, b, b), tau, factor)
	if pending > 0 {
		oldY, oldZ := k.at(top, pending)
		k.ops.GemmPair(rec, ws, product.NoTrans, product.NoTrans, -1,
			product.Pair{A: oldY, B: zy.Block(0, 0, pending, b)}, product.Pair{A: oldZ, B: yy.Block(0, 0, pending, b)}, 1, p)
	}
	x := product.NewMatrix(k.s.In(ws), b, b, b)
	k.ops.Gemm(rec, ws, product.Trans, product.NoTrans, 1, y, p, 0, x)
	between := product.NewMatrix(k.between.In(ws), b, b, b)
	k.middle.Dispatch(rec, vk.Grid(vk.Tiles(b, k.middle.Spec.Strip)), shaders.Sy2sbMiddlePush[float64]{
		X: x.Addr(), T: factor.Addr(), N: between.Addr(), Ldt: uint32(factor.Ld),
	})
	z := k.z.Block(top, pending, m, b)
	k.ops.GemmPair(rec, ws, product.NoTrans, product.NoTrans, 1,
		product.Pair{A: p, B: factor}, product.Pair{A: y, B: between}, 0, z)
}

// inner is [Y y]ᵀ·y and Zᵀ·y, from row top on, pending columns before y. Where they
// can be they are one batch: Z lies as far from Y for every column. (Its last rows
// then are Z's next columns times y, which mean nothing.)
func (k *block) inner(rec *vk.Recorder, top, pending int, y product.Matrix) (yy, zy product.Matrix) {
	rows := pending + k.b
	yy = product.NewMatrix(k.s.In(k.ws).Sub(0, rows*k.b), rows, k.b, rows)
	zy = product.NewMatrix(k.s.In(k.ws).Sub(rows*k.b, rows*k.b), rows, k.b, rows)
	allY, allZ := k.at(top, rows)
	batch := product.Batch{Count: 1, StrideC: rows * k.b}
	if pending > 0 && allY.Ld == allZ.Ld {
		batch.Count, batch.StrideA = 2, allY.Addr().Until(allZ.Addr())
	}
	k.ops.GemmBatch(rec, k.ws, batch, product.Trans, product.NoTrans, 1, allY, y, 0, yy)
	if pending > 0 && batch.Count == 1 {
		k.ops.Gemm(rec, k.ws, product.Trans, product.NoTrans, 1, allZ, y, 0, zy)
	}
	return yy, zy
}
