package factor

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Cholesky computes B = L·Lᴴ for a Hermitian positive definite matrix B (dpotrf, zpotrf), and the
// inverses of the diagonal blocks of L. It is the left-looking method: a block of columns is
// updated once, by all columns before it, and then factored by a recursive method.
type Cholesky[T spirv.Scalar] struct {
	n    int
	tune Tuning
	ops  product.Ops[T]

	kernel *vk.Kernel[shaders.PotrfBlockSpec, shaders.PotrfBlockPush[T]]
	copies *move.Copying[T]
	cut    *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]]

	columns vk.Region[T] // a block of columns before it is factored; at the end L21·L11⁻¹ of pairs of blocks
	info    vk.Region[uint32]
}

// Tuning is the set of sizes of Cholesky, Factor and StandardForm.
type Tuning struct {
	// Order is the order of the blocks that one workgroup factors and inverts, a multiple of 4. The
	// inverses of two neighbouring blocks are joined to an inverse of twice the order.
	Order uint32

	// Block is the number of columns that are updated together, a multiple of 2·Order. Matrices of
	// up to this order are reduced to standard form without recursion.
	Block int
}

// Fits returns nil if the device can factor matrices of every number type with these sizes.
func (t Tuning) Fits(info vk.Info) error { return fits[complex128](t, info) }

func fits[T spirv.Scalar](t Tuning, info vk.Info) error {
	if t.Order == 0 || t.Order%shaders.PotrfBlockEach != 0 || t.Block < 1 || t.Block%t.inverse() != 0 {
		return fmt.Errorf("stages: no Cholesky factorisation can be tuned by %+v", t)
	}
	if threads := int(t.spec().LocalSize); threads > info.MaxLocal {
		return stages.Refused(info, "invocations in a workgroup", threads, info.MaxLocal)
	}
	bytes, err := stages.MostShared(stages.SharedOf(shaders.PotrfBlock[T], t.spec()))
	if err == nil && bytes > info.SharedBytes {
		return stages.Refused(info, "bytes of shared memory", bytes, info.SharedBytes)
	}
	return err
}

func (t Tuning) spec() shaders.PotrfBlockSpec {
	side := t.Order / shaders.PotrfBlockEach
	return shaders.PotrfBlockSpec{LocalSize: side * side, Order: t.Order}
}

// inverse is the order of the inverted diagonal blocks.
func (t Tuning) inverse() int { return 2 * int(t.Order) }

// InverseLen is the number of elements of the inverted diagonal blocks of a factor of order n.
func (t Tuning) InverseLen(n int) int {
	return vk.Tiles(n, uint32(t.inverse())) * t.inverse() * t.inverse()
}

func NewCholesky[T spirv.Scalar](dev *vk.Device, n int, ops product.Ops[T], t Tuning) (*Cholesky[T], error) {
	if err := fits[T](t, dev.Info()); err != nil {
		return nil, err
	}
	c := &Cholesky[T]{n: n, tune: t, ops: ops}
	b := stages.Builder{Dev: dev}
	c.kernel = stages.Build(&b, shaders.PotrfBlock[T](), t.spec())
	c.cut = panel.BuildCut[T](&b)
	if b.Err != nil {
		return nil, b.Err
	}
	var err error
	if c.copies, err = move.NewCopying[T](dev); err != nil {
		return nil, err
	}
	c.columns, c.info = vk.Reserve[T]("columns", n*min(n, t.Block)), vk.Reserve[uint32]("minor", 1)
	order := min(n, int(t.Order))
	return c, ops.Reserve(
		product.Shape{M: n, N: min(n, t.Block), K: n, Count: 1},
		product.Shape{M: order, N: order, K: order, Count: max(1, n/t.inverse())},
	)
}

func (c *Cholesky[T]) Work() *vk.Layout { return vk.Together(c.columns) }

func (c *Cholesky[T]) Status() *vk.Layout { return vk.Together(c.info) }

// Info is one word. It is 0, or the order of the first leading minor of the matrix that is not
// positive definite, from 1 on. If it is not 0, the results have no meaning.
func (c *Cholesky[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return c.info.In(ws) }

// Flops is n³/3.
func (c *Cholesky[T]) Flops() float64 { return choleskyFlops(c.n) }

func choleskyFlops(n int) float64 { return float64(n) * float64(n) * float64(n) / 3 }

// Record replaces the lower triangle of b by its Cholesky factor L, and writes zeros above it.
// `inverses` gets the inverses of the diagonal blocks of L and has InverseLen elements. The upper
// triangle of b and the imaginary parts of its diagonal may be NaN.
func (c *Cholesky[T]) Record(rec *vk.Recorder, ws *vk.Arena, b product.Matrix[T], inverses vk.Slice[T]) Factor[T] {
	if b.Rows != c.n || b.Cols != c.n {
		panic(fmt.Sprintf("stages: Cholesky factorisation of %d×%d, prepared for order %d", b.Rows, b.Cols, c.n))
	}
	f := NewFactor(c.tune, b, inverses, c.ops)
	vk.Fill(rec, c.info.In(ws), 0)
	vk.Fill(rec, f.Inverses, 0)
	for first := 0; first < c.n; first += c.tune.Block {
		rec.Phase(stages.PhaseCholesky, c.Flops()-choleskyFlops(c.n-first), c.Flops())
		c.block(rec, ws, f, first)
	}
	c.join(rec, ws, f)
	panel.RecordCut(rec, c.cut, b, product.Matrix[T]{}, 0, 1)
	return f
}

// block factors the block of columns that begins at column `first`. The columns are read from a
// copy, because a product does not overwrite its factor.
func (c *Cholesky[T]) block(rec *vk.Recorder, ws *vk.Arena, f Factor[T], first int) {
	rows, cols := c.n-first, min(c.tune.Block, c.n-first)
	w := product.NewMatrix(c.columns.In(ws), rows, cols, rows)
	c.copies.Record(rec, f.L.Block(first, first, rows, cols), w)
	c.ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, -1,
		f.L.Block(first, 0, rows, first), f.L.Block(first, 0, cols, first), 1, w)
	for k := 0; k < cols; k += int(c.tune.Order) {
		at, size := first+k, min(int(c.tune.Order), cols-k)
		before := c.before(k)
		width := min(before, cols-k)
		c.ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, -1,
			f.L.Block(at, at-before, rows-k, before), f.L.Block(at, at-before, width, before), 1, w.Block(k, k, rows-k, width))
		diagonal, l, x := w.Block(k, k, size, size), f.L.Block(at, at, size, size), f.inverse(at, size)
		c.kernel.Dispatch(rec, vk.Grid(1), shaders.PotrfBlockPush[T]{
			A: diagonal.Addr(), L: l.Addr(), X: x.Addr(), Info: c.info.In(ws).Addr(),
			N: uint32(size), Lda: uint32(w.Ld), Ldl: uint32(l.Ld), Ldx: uint32(x.Ld), Before: uint32(at),
		})
		below := rows - k - size
		c.ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, 1,
			w.Block(k+size, k, below, size), x, 0, f.L.Block(at+size, at, below, size))
	}
}

// `before` returns a width w for column k of a block of columns: the w columns before column k
// update the w columns from k on. It is the largest power of two times Order that divides k, or 0
// for k = 0. In this way each pair of columns meets once, in products that are nearly square.
func (c *Cholesky[T]) before(k int) int {
	m := k / int(c.tune.Order)
	return (m & -m) * int(c.tune.Order)
}

// join makes the inverses of pairs of neighbouring diagonal blocks: the block below the diagonal is
// −L22⁻¹·L21·L11⁻¹.
func (c *Cholesky[T]) join(rec *vk.Recorder, ws *vk.Arena, f Factor[T]) {
	size, whole := int(c.tune.Order), c.n/c.tune.inverse()
	pairs := func(first, count, second int) {
		if count == 0 || second < 1 {
			return
		}
		half := product.NewMatrix(c.columns.In(ws), second, size, second)
		inverse := f.inverse(first, size+second)
		batch := product.Batch{Count: count, StrideA: c.tune.inverse() * (f.L.Ld + 1), StrideB: f.stride(), StrideC: second * size}
		c.ops.GemmBatch(rec, ws, batch, product.NoTrans, product.NoTrans, 1,
			f.L.Block(first+size, first, second, size), inverse.Block(0, 0, size, size), 0, half)
		batch.StrideA, batch.StrideB, batch.StrideC = f.stride(), second*size, f.stride()
		c.ops.GemmBatch(rec, ws, batch, product.NoTrans, product.NoTrans, -1,
			inverse.Block(size, size, second, second), half, 0, inverse.Block(size, 0, second, size))
	}
	pairs(0, whole, size)
	pairs(whole*c.tune.inverse(), 1, c.n%c.tune.inverse()-size)
}
