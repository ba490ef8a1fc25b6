package emulated

import (
	"context"
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Ops computes large products on integer units. The native kernels compute all other products:
// batches, products recorded by GemmTogether, products smaller than product.Emulation.Least or with
// too long an inner dimension, and products whose residues do not fit the memory.
type Ops[T Double] struct {
	native product.Ops[T]
	k      *kernels[T]
	least  product.Shape

	// Reserve sets these fields from the reserved products. `planes` is the number of 32-bit words
	// for the residues of the factors, `rows` is the number of rows of factors that have norms and
	// shifts, and `any` tells whether at least one product is emulated.
	planes, rows int
	any          bool

	refused vk.Region[uint32]

	symm symm[T]

	mem  *memory
	work *vk.Layout
}

// New prepares products modulo `count` numbers, on the units that FindUnits returns. `native`
// computes the products that are not emulated. The error is a *vk.UnsupportedError if the device
// cannot run the kernels.
func New[T Double](ctx context.Context, dev *vk.Device, native product.Ops[T], t product.Emulation, count int) (*Ops[T], error) {
	units, err := FindUnits(ctx, dev)
	if err != nil {
		return nil, err
	}
	return NewOn(dev, native, t, count, units)
}

// The residues of a symmetric factor take at most 1/heldShare of the device's memory, and those of
// the factors of other products 1/planesShare.
const heldShare, planesShare = 4, 24

func NewOn[T Double](dev *vk.Device, native product.Ops[T], t product.Emulation, count int, units Units) (*Ops[T], error) {
	if memory := dev.Info().Memory; memory > 0 {
		t.Held, t.Planes = min(t.Held, int(memory/heldShare)), min(t.Planes, int(memory/planesShare))
	}
	k, err := newKernels[T](dev, t, units, count)
	if err != nil {
		return nil, err
	}
	refused := vk.Reserve[uint32]("rows that emulated products refused", 2) // one count for left sides, and one for right sides
	return &Ops[T]{native: native, k: k, least: t.Least, refused: refused, symm: newSymm(dev, k, t)}, nil
}

func (o *Ops[T]) Units() Units { return o.k.units }

// emulates tells whether integer units compute an m×n product with the inner dimension `inner`,
// which is the sum of both for a pair. A product with few rows or few columns is native, because
// the conversion of its larger factor would take more time than the product.
func (o *Ops[T]) emulates(m, n, inner int) bool {
	return min(m, n) > 0 && inner >= max(o.least.K, 1) && inner <= o.longest() &&
		m*n >= o.least.M*o.least.N && narrowest*min(m, n) >= min(o.least.M, o.least.N)
}

// narrowest is how many times fewer rows or columns an emulated product may have than the smallest
// square product that is emulated.
const narrowest = 4

// longest returns the largest inner dimension of an emulated product. For a longer one, a tile
// would cost more than one dispatch may, or the sums would not fit 32 bits.
func (o *Ops[T]) longest() int {
	return min(mostInner-2*o.k.padInner, o.k.within(o.k.tileCost(1)))
}

// A product needs memory for the residues of its factors, at most product.Emulation.Planes bytes.
func (o *Ops[T]) Reserve(shapes ...product.Shape) error {
	for _, s := range shapes {
		if s.Held {
			if err := o.reserveSymm(s); err != nil {
				return err
			}
			continue
		}
		// A recorded product may have a smaller inner dimension than the reserved one. So a
		// reserved inner dimension that is too long for emulation is reduced to the longest one.
		inner := min(s.K, o.longest())
		if !o.emulates(s.M, s.N, inner) {
			continue
		}
		n := o.k.moduli.Planes()
		both := func(inner int) int { return o.k.geometry(s.M, inner).words(n) + o.k.geometry(s.N, inner).words(n) }
		// Two products may be recorded together, each with half of the inner dimension. Then the
		// residues of each factor are padded separately.
		need := max(both(inner), 2*both((inner+1)/2)) + 4*64
		o.planes = max(o.planes, min(need, o.k.tuning.Planes/4))
		o.rows = max(o.rows, up(s.M, o.k.padRows)+up(s.N, o.k.padRows))
		o.any = true
	}
	o.mem, o.work = nil, nil
	return o.native.Reserve(shapes...)
}

func (o *Ops[T]) reserveSymm(s product.Shape) error {
	if err := o.symm.reserve(s.M); err != nil || !o.holds(s.M) {
		return err
	}
	k := o.symm.k
	o.planes = max(o.planes, k.geometry(s.N, s.M+k.padInner).words(k.moduli.Planes()))
	o.rows = max(o.rows, up(s.M, k.padRows), up(s.N, k.padRows))
	o.any = true
	return nil
}

func (o *Ops[T]) Work() *vk.Layout {
	if o.work != nil {
		return o.work
	}
	o.mem = &memory{}
	if !o.any {
		o.work = o.native.Work()
		return o.work
	}
	tile := int(max(o.k.tileM*o.k.tileN, o.symm.k.tileM*o.symm.k.tileN))
	o.mem.planes = vk.Reserve[uint32]("residues of factors", o.planes)
	o.mem.words = vk.Reserve[uint32]("residues of products", 2*max(o.k.strip(), o.symm.k.strip())*tile/4*o.k.moduli.Planes())
	o.mem.norms = vk.Reserve[shaders.Norm]("norms of rows", 2*o.rows+4*64)
	o.mem.shifts = vk.Reserve[int32]("shifts of rows", 2*o.rows+4*64)
	o.mem.peaks = vk.Reserve[uint32]("largest norms", 6)
	o.mem.refused = o.refused
	o.work = vk.InTurn(o.native.Work(), vk.Together(o.mem.planes, o.mem.words, o.mem.norms, o.mem.shifts, o.mem.peaks))
	return o.work
}

// Status returns the layout of the memory of Refused, the counts of refused rows. It must stay in
// memory from Begin until the caller has read it.
func (o *Ops[T]) Status() *vk.Layout { return vk.Together(o.refused) }

// Begin sets the counts of Refused to zero. It must be recorded before the first product of a run.
func (o *Ops[T]) Begin(rec *vk.Recorder, ws *vk.Arena) { vk.Fill(rec, o.refused.In(ws), 0) }

// Refused returns two counts since the last Begin: the rows of left factors and the rows of right
// factors that could not be scaled. If a pair, a rank-2k update or a Gemmtr is computed in parts, a
// row is counted in each part, because each part scales the row anew. The elements of the result
// that depend on such a row are NaN.
func (o *Ops[T]) Refused(ws *vk.Arena) vk.Slice[uint32] { return o.refused.In(ws) }

func (o *Ops[T]) Gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[T],
	beta float64, c product.Matrix[T],
) {
	if !o.gemm(rec, ws, opA, opB, alpha, a, b, beta, c) {
		o.native.Gemm(rec, ws, opA, opB, alpha, a, b, beta, c)
	}
}

func (o *Ops[T]) GemmUnsplit(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[T],
	beta float64, c product.Matrix[T],
) {
	if !o.gemm(rec, ws, opA, opB, alpha, a, b, beta, c) {
		o.native.GemmUnsplit(rec, ws, opA, opB, alpha, a, b, beta, c)
	}
}

// gemm returns false, and records nothing, if the product must be native, for example because it is
// too small or because its residues do not fit the memory.
func (o *Ops[T]) gemm(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[T],
	beta float64, c product.Matrix[T],
) bool {
	left, right := operand(opA, a, false), operand(opB, b, true)
	fit(c, left, right)
	p := problem[T]{left: []rows[T]{left}, right: []rows[T]{right}, alpha: alpha, beta: beta, c: c}
	return alpha != 0 && o.emulates(c.Rows, c.Cols, left.inner) && o.blocks(rec, ws, p)
}

func (o *Ops[T]) GemmBatch(rec *vk.Recorder, ws *vk.Arena, batch product.Batch, opA, opB product.Op, alpha float64,
	a, b product.Matrix[T], beta float64, c product.Matrix[T],
) {
	o.native.GemmBatch(rec, ws, batch, opA, opB, alpha, a, b, beta, c)
}

func (o *Ops[T]) GemmTogether(rec *vk.Recorder, ws *vk.Arena, products ...product.Product[T]) {
	o.native.GemmTogether(rec, ws, products...)
}

// GemmPair adds the two products in one accumulator. Therefore one factor of each side is
// multiplied by a power of two, so that the two products have about the same magnitude. Pairs with
// different inner dimensions are native.
func (o *Ops[T]) GemmPair(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, first, second product.Pair[T],
	beta float64, c product.Matrix[T],
) {
	p := problem[T]{
		left:  []rows[T]{operand(opA, first.A, false), operand(opA, second.A, false)},
		right: []rows[T]{operand(opB, first.B, true), operand(opB, second.B, true)},
		alpha: alpha, beta: beta, c: c,
	}
	for i := range p.left {
		fit(c, p.left[i], p.right[i])
	}
	if alpha == 0 || p.left[0].inner != p.left[1].inner || !o.emulates(c.Rows, c.Cols, 2*p.left[0].inner) || !o.blocks(rec, ws, p) {
		o.native.GemmPair(rec, ws, opA, opB, alpha, first, second, beta, c)
	}
}

// Syr2k divides the lower triangle of the result into two triangles and a rectangle if the residues
// of the factors do not fit the memory. It is native if no part large enough for emulation would
// fit.
func (o *Ops[T]) Syr2k(rec *vk.Recorder, ws *vk.Arena, y, z, c product.Matrix[T]) {
	n, k := c.Rows, y.Cols
	left := []rows[T]{operand(product.NoTrans, y, false), operand(product.NoTrans, z, false)}
	for _, f := range left {
		if f.rows != n || f.inner != k || c.Cols != n {
			panic(fmt.Sprintf("product: emulated syr2k of %d×%d and %d×%d into %d×%d", y.Rows, k, z.Rows, z.Cols, n, c.Cols))
		}
	}
	if !o.dividesSyr2k(n, k) {
		o.native.Syr2k(rec, ws, y, z, c)
		return
	}
	if o.fitsSyr2k(n, k) {
		o.k.record(rec, ws, o.mem, problem[T]{
			left: left, right: []rows[T]{left[1], left[0]}, alpha: -1, beta: 1, c: c, lower: true, rankTwoK: true,
		})
		return
	}
	half := up(n/2, o.k.padRows)
	upper := func(m product.Matrix[T]) product.Matrix[T] { return m.Block(0, 0, half, m.Cols) }
	lower := func(m product.Matrix[T]) product.Matrix[T] { return m.Block(half, 0, n-half, m.Cols) }
	o.Syr2k(rec, ws, upper(y), upper(z), c.Block(0, 0, half, half))
	o.GemmPair(rec, ws, product.NoTrans, product.Adjoint, -1, product.Pair[T]{A: lower(y), B: upper(z)},
		product.Pair[T]{A: lower(z), B: upper(y)}, 1, c.Block(half, 0, n-half, half))
	o.Syr2k(rec, ws, lower(y), lower(z), c.Block(half, half, n-half, n-half))
}

func (o *Ops[T]) fitsSyr2k(n, k int) bool {
	need := 2 * up(o.k.geometry(n, k).words(o.k.moduli.Planes()), 64)
	return need <= o.planes && 2*up(n, o.k.padRows) <= o.rows
}

// dividesSyr2k tells whether a rank-2k update of order n is emulated, whole or in parts: the
// residues of the update or of a triangle of it, halved some times, fit the memory.
func (o *Ops[T]) dividesSyr2k(n, k int) bool {
	for o.emulates(n, n, 2*k) {
		half := up(n/2, o.k.padRows)
		if o.fitsSyr2k(n, k) {
			return true
		}
		if half == 0 || half >= n {
			return false
		}
		n = half
	}
	return false
}

// Syr2kColumns computes the residues of the factors Y and Z once for all blocks, under three
// conditions: the residues fit the memory, each block begins at the first row of a panel, and at
// least one block is large enough for emulation. Otherwise it records one pair for each block.
func (o *Ops[T]) Syr2kColumns(rec *vk.Recorder, ws *vk.Arena, y, z product.Matrix[T], blocks []product.ColumnBlock[T]) {
	begin, k := y.Rows, y.Cols
	for _, b := range blocks {
		begin = min(begin, b.First)
	}
	n, some := y.Rows-begin, false
	together := 2*up(o.k.geometry(n, k).words(o.k.moduli.Planes()), 64) <= o.planes && up(n, o.k.padRows) <= o.rows
	for _, b := range blocks {
		if b.First+b.C.Rows != y.Rows {
			panic(fmt.Sprintf("product: emulated syr2k of %d rows, and %d rows of columns from %d on", y.Rows, b.C.Rows, b.First))
		}
		together = together && (b.First-begin)%o.k.padRows == 0
		some = some || o.emulates(b.C.Rows, b.C.Cols, 2*k)
	}
	if !together || !some {
		product.Pairs(rec, ws, product.Gemm[T](o), y, z, blocks)
		return
	}
	factor := func(m product.Matrix[T]) rows[T] { return operand(product.NoTrans, m.Block(begin, 0, n, k), false) }
	left := []rows[T]{factor(y), factor(z)}
	p := problem[T]{left: left, right: []rows[T]{left[1], left[0]}, alpha: -1, beta: 1, rankTwoK: true}
	l, r := o.k.recordFactors(rec, ws, o.mem, p)
	for _, b := range blocks {
		p.c = b.C
		o.k.recordStrips(rec, ws, o.mem, p, o.k.from(l, b.First-begin), o.k.from(r, b.First-begin))
	}
}

// Gemmtr divides the lower triangle of the result into two triangles and a rectangle if the
// residues of the factors do not fit the memory. Refused rows of a factor are then counted once for
// each part.
func (o *Ops[T]) Gemmtr(rec *vk.Recorder, ws *vk.Arena, opA, opB product.Op, alpha float64, a, b product.Matrix[T],
	beta float64, c product.Matrix[T],
) {
	left, right := operand(opA, a, false), operand(opB, b, true)
	if fit(c, left, right); c.Rows != c.Cols {
		panic(fmt.Sprintf("product: emulated gemmtr into %d×%d", c.Rows, c.Cols))
	}
	p := problem[T]{left: []rows[T]{left}, right: []rows[T]{right}, alpha: alpha, beta: beta, c: c, lower: true}
	if m, _ := o.block(p); alpha == 0 || m == 0 || !o.emulates(c.Rows, c.Cols, left.inner) {
		o.native.Gemmtr(rec, ws, opA, opB, alpha, a, b, beta, c)
		return
	}
	o.triangle(rec, ws, p)
}

// triangle records the lower triangle of the product p. If the residues of its factors do not fit
// the memory, triangle divides the result into two triangles and a rectangle, and the triangles
// again. The residues for one block (see the method block) must fit the memory.
func (o *Ops[T]) triangle(rec *vk.Recorder, ws *vk.Arena, p problem[T]) {
	n := p.c.Rows
	if m, cols := o.block(p); m >= n && cols >= n {
		o.k.record(rec, ws, o.mem, p)
		return
	}
	half := up(n/2, o.k.padRows)
	o.triangle(rec, ws, p.block(0, 0, half, half))
	rectangle := p.block(half, 0, n-half, half)
	rectangle.lower = false
	o.blocks(rec, ws, rectangle)
	o.triangle(rec, ws, p.block(half, half, n-half, n-half))
}

func fit[T Double](c product.Matrix[T], left, right rows[T]) {
	if left.rows != c.Rows || right.rows != c.Cols || left.inner != right.inner {
		panic(fmt.Sprintf("product: emulated gemm of %d×%d by %d×%d into %d×%d",
			left.rows, left.inner, right.inner, right.rows, c.Rows, c.Cols))
	}
}

var (
	_ product.Ops[float64]    = (*Ops[float64])(nil)
	_ product.Ops[complex128] = (*Ops[complex128])(nil)
)
