package factor

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Pencil is one of the generalized eigenproblems, by LAPACK's number (itype).
type Pencil int

const (
	AxLBx Pencil = 1 + iota // A·x = λ·B·x
	ABxLx                   // A·B·x = λ·x
	BAxLx                   // B·A·x = λ·x
)

// StandardForm replaces a Hermitian matrix A by the matrix C of the standard eigenproblem (dsygst,
// zhegst): C = L⁻¹·A·L⁻ᴴ for AxLBx, and C = Lᴴ·A·L otherwise. L is the Cholesky factor of B. The
// method is recursive, with products of half the order on the highest level, and n³ flops in all.
type StandardForm[T spirv.Scalar] struct {
	n      int
	pencil Pencil
	tune   Tuning
	ops    product.Ops[T]

	copies *move.Copying[T]
	mirror *move.SymmetricLoad[T]
	sum    *vk.Kernel[shaders.GemmSumSpec, shaders.GemmSumPush[T]]

	w vk.Region[T] // a block below the diagonal
}

const sumThreads = 256 // largest number of invocations of a workgroup of gemm_sum

func NewStandardForm[T spirv.Scalar](dev *vk.Device, n int, p Pencil, ops product.Ops[T], t Tuning) (*StandardForm[T], error) {
	if p < AxLBx || p > BAxLx {
		return nil, fmt.Errorf("stages: no generalized eigenproblem has the number %d", p)
	}
	s := &StandardForm[T]{n: n, pencil: p, tune: t, ops: ops}
	b := stages.Builder{Dev: dev}
	s.sum = stages.Build(&b, shaders.GemmSum[T](), shaders.GemmSumSpec{LocalSize: b.Threads(sumThreads)})
	if b.Err != nil {
		return nil, b.Err
	}
	var err error
	if s.copies, err = move.NewCopying[T](dev); err != nil {
		return nil, err
	}
	if s.mirror, err = move.NewSymmetricLoad[T](dev); err != nil {
		return nil, err
	}
	leaf := min(n, t.Block)
	s.w = vk.Reserve[T]("W", max(n*n/4, leaf*leaf))
	half := s.half(n)
	return s, ops.Reserve(product.Shape{M: half, N: half, K: half, Count: 1})
}

// half returns the order of the first of the two diagonal blocks into which a block of A of order n
// is divided. It is at least the order of the second one. If it is not divided, half returns n.
func (s *StandardForm[T]) half(n int) int {
	if n <= s.tune.Block {
		return n
	}
	return vk.Tiles(n, uint32(2*s.tune.Block)) * s.tune.Block
}

// Vectors records the eigenvectors X of a pencil for the eigenvectors Z of its standard form. L is
// the Cholesky factor of f. For BAxLx, X ← L·Z. Otherwise, X ← L⁻ᴴ·Z. X and Z have equal shapes and
// must not overlap. Z may be overwritten. The products must be reserved (see SolveShape).
func (f Factor[T]) Vectors(rec *vk.Recorder, ws *vk.Arena, p Pencil, z, x product.Matrix[T]) {
	if p == BAxLx {
		f.timesFromLeft(rec, ws, z, x)
	} else {
		f.Solve(rec, ws, Left, product.Adjoint, z, x)
	}
}

func (s *StandardForm[T]) Work() *vk.Layout { return vk.Together(s.w) }

// Flops is n³.
func (s *StandardForm[T]) Flops() float64 { return formFlops(s.n) }

func formFlops(n int) float64 { return float64(n) * float64(n) * float64(n) }

// Record replaces the lower triangle of a by that of the standard form C. The upper triangle of a
// and the imaginary parts of its diagonal may be NaN. Afterwards the upper triangle has any values.
func (s *StandardForm[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], f Factor[T]) {
	if a.Rows != s.n || a.Cols != s.n || f.L.Rows != s.n {
		panic(fmt.Sprintf("stages: standard form of %d×%d with a factor of order %d, prepared for order %d",
			a.Rows, a.Cols, f.L.Rows, s.n))
	}
	s.record(rec, ws, a, f, 0)
}

// record reduces a diagonal block of the matrix A of the pencil. `before` is the number of flops of
// the blocks before it, for the progress of the phase.
func (s *StandardForm[T]) record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], f Factor[T], before float64) {
	n := a.Rows
	if n <= s.tune.Block {
		rec.Phase(stages.PhaseStandardForm, before, s.Flops())
		s.leaf(rec, ws, a, f)
		return
	}
	h := s.half(n)
	m := n - h
	a11, a21, a22 := a.Block(0, 0, h, h), a.Block(h, 0, m, h), a.Block(h, h, m, m)
	l21, l11, l22 := f.L.Block(h, 0, m, h), f.Block(0, h), f.Block(h, m)
	w := product.NewMatrix(s.w.In(ws), m, h, m)
	s.record(rec, ws, a11, l11, before)
	rec.Phase(stages.PhaseStandardForm, before+formFlops(h), s.Flops())
	if s.pencil == AxLBx {
		// The matrix A, the factor L and the standard form C = L⁻¹·A·L⁻ᴴ have 2×2 blocks, and C11
		// is known. Let W = A21·L11⁻ᴴ and P = L21·C11. Then
		// A22 ← A22 − (W − ½P)·L21ᴴ − L21·(W − ½P)ᴴ and C21 = L22⁻¹·(W − P).
		s.mirror.Record(rec, a11, move.Triangle{}, 1)
		l11.Solve(rec, ws, Right, product.Adjoint, a21, w)
		s.copies.Record(rec, w, a21)
		s.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, -1, l21, a11, 1, w)
		s.add(rec, 0.5, w, 0.5, a21)
		s.ops.Syr2k(rec, ws, a21, l21, a22)
		l22.Solve(rec, ws, Left, product.NoTrans, w, a21)
	} else {
		// The matrix A, the factor L and the standard form C = Lᴴ·A·L have 2×2 blocks, and C11
		// begins as L11ᴴ·A11·L11. Let W = A21·L11 and P = A22·L21. Then
		// C11 ← C11 + (W + ½P)ᴴ·L21 + L21ᴴ·(W + ½P) and C21 = L22ᴴ·(W + P).
		l11.timesL(rec, ws, a21, w)
		s.mirror.Record(rec, a22, move.Triangle{}, 1)
		s.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, a22, l21, 0, a21)
		s.add(rec, 1, w, 0.5, a21)
		s.ops.Gemmtr(rec, ws, product.Adjoint, product.NoTrans, 1, a21, l21, 1, a11)
		s.ops.Gemmtr(rec, ws, product.Adjoint, product.NoTrans, 1, l21, a21, 1, a11)
		s.add(rec, -1, w, 2, a21)
		l22.adjointTimes(rec, ws, a21, w)
		s.copies.Record(rec, w, a21)
	}
	s.record(rec, ws, a22, l22, before+formFlops(n)-formFlops(m))
}

func (s *StandardForm[T]) leaf(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], f Factor[T]) {
	w := product.NewMatrix(s.w.In(ws), a.Rows, a.Rows, max(a.Rows, 1))
	s.mirror.Record(rec, a, move.Triangle{}, 1)
	if s.pencil == AxLBx {
		f.Solve(rec, ws, Left, product.NoTrans, a, w)
		f.Solve(rec, ws, Right, product.Adjoint, w, a)
	} else {
		f.timesL(rec, ws, a, w)
		f.adjointTimes(rec, ws, w, a)
	}
}

// add records Y ← α·X + β·Y for a matrix X without padding. It uses the kernel that adds partial
// products, with X as the only partial product.
func (s *StandardForm[T]) add(rec *vk.Recorder, alpha float64, x product.Matrix[T], beta float64, y product.Matrix[T]) {
	s.sum.Dispatch(rec, vk.Folded(vk.Tiles(y.Rows*y.Cols, s.sum.Spec.LocalSize)), shaders.GemmSumPush[T]{
		Parts: x.Addr(), C: y.Addr(), Alpha: spirv.RealBitsOf[T](alpha), Beta: spirv.RealBitsOf[T](beta),
		M: uint32(y.Rows), N: uint32(y.Cols), Ldc: uint32(y.Ld), Splits: 1, Lanes: 1,
	})
}

// timesL records Y ← X·L (dtrmm), where L is the triangular matrix of f. The products leave out the
// zeros above the diagonal blocks of L.
func (f Factor[T]) timesL(rec *vk.Recorder, ws *vk.Arena, x, y product.Matrix[T]) {
	n := f.L.Rows
	inOrder(0, n, f.tune.Block, true, func(first, end int) {
		f.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1,
			x.Block(0, first, x.Rows, n-first), f.L.Block(first, first, n-first, end-first), 0, y.Block(0, first, x.Rows, end-first))
	})
}

// adjointTimes records Y ← Lᴴ·X, where L is the triangular matrix of f.
func (f Factor[T]) adjointTimes(rec *vk.Recorder, ws *vk.Arena, x, y product.Matrix[T]) {
	n := f.L.Rows
	inOrder(0, n, f.tune.Block, true, func(first, end int) {
		f.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1,
			f.L.Block(first, first, n-first, end-first), x.Block(first, 0, n-first, x.Cols), 0, y.Block(first, 0, end-first, x.Cols))
	})
}

// timesFromLeft records Y ← L·X, where L is the triangular matrix of f.
func (f Factor[T]) timesFromLeft(rec *vk.Recorder, ws *vk.Arena, x, y product.Matrix[T]) {
	inOrder(0, f.L.Rows, f.tune.Block, true, func(first, end int) {
		f.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1,
			f.L.Block(first, 0, end-first, end), x.Block(0, 0, end, x.Cols), 0, y.Block(first, 0, end-first, x.Cols))
	})
}
