package panel

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// TallQR factors a matrix with many more rows than columns (dgeqrf),
//
//	A = Q0·R     R n×n, upper triangular
//
// The matrix is divided into panels of b columns, and several neighbouring panels form a group. The
// reflectors of a panel are first applied to the later columns of its group. After the last panel
// of a group, all reflectors of the group are applied together to the columns after the group.
//
// Afterwards A holds the reflectors of Q0 in the columns of their panels, as QR stores them, with
// zeros above. ApplyPanels reads this form.
//
// The cost is 2·n²·(m − n/3) flops.
type TallQR[T spirv.Scalar] struct {
	Factorisation[T]
	M, N, B int
	ops     product.Ops[T]
	merged  *TFactor[T] // merges the factors of width columns
	width   int         // number of columns that are merged
	cut     *vk.Kernel[shaders.LacpyUpperSpec, shaders.LacpyUpperPush[T]]

	tau  vk.Region[T] // factors of a panel, b
	t    vk.Region[T] // merged T, width²
	s    vk.Region[T] // Yᴴ·A and Tᴴ·Yᴴ·A, width×n each
	work *vk.Layout
}

func NewTallQR[T spirv.Scalar](dev *vk.Device, m, n, b int, ops product.Ops[T], w stages.Waiting, t Tuning) (*TallQR[T], error) {
	if n < 1 || m < n || b < 1 {
		return nil, fmt.Errorf("stages: QR of %d×%d by panels of %d columns: want m ≥ n ≥ 1, b ≥ 1", m, n, b)
	}
	q := &TallQR[T]{M: m, N: n, B: b, ops: ops, width: min(max(1, t.Merge/b)*b, n)}
	var err error
	if q.Factorisation, err = NewFactorisation(dev, m, n, min(b, n), ops, w, t); err != nil {
		return nil, err
	}
	if q.merged, err = NewTFactor(dev, m, q.width, ops, t); err != nil {
		return nil, err
	}
	kernels := stages.Builder{Dev: dev}
	if q.cut = BuildCut[T](&kernels); kernels.Err != nil {
		return nil, kernels.Err
	}
	q.tau, q.t = vk.Reserve[T]("tau", b), vk.Reserve[T]("merged T", q.width*q.width)
	q.s = vk.Reserve[T]("YᵀA, TᵀYᵀA", 2*q.width*n)
	q.work = vk.Together(q.tau, q.s, vk.InTurn(append(q.InTurn(), vk.Together(q.t, q.merged.Work()))...))
	return q, ops.Reserve(
		product.Shape{M: q.width, N: n, K: m, Count: 1},       // Yᴴ·A
		product.Shape{M: q.width, N: n, K: q.width, Count: 1}, // Tᴴ·(Yᴴ·A)
		product.Shape{M: m, N: n, K: q.width, Count: 1},       // A − Y·(Tᴴ·Yᴴ·A)
	)
}

func (q *TallQR[T]) Panels() int { return vk.Tiles(q.N, uint32(q.B)) }

func (q *TallQR[T]) Work() *vk.Layout { return q.work }

func (q *TallQR[T]) Flops() float64 { return q.flops(q.N) }

// flops returns the cost of factoring columns 0 … c−1. Column x costs 4·(m−x)·(n−x) flops, and
// flops integrates this over x.
func (q *TallQR[T]) flops(c int) float64 {
	total := func(m, n float64) float64 { return 2*m*n*n - 2*n*n*n/3 }
	m, n, done := float64(q.M), float64(q.N), float64(c)
	return total(m, n) - total(m-done, n-done)
}

// Record factors the m×n matrix a and writes R to the packed n×n matrix r, with zeros below its
// diagonal. `factors` has b×b elements for each panel.
func (q *TallQR[T]) Record(rec *vk.Recorder, ws *vk.Arena, a, r product.Matrix[T], factors vk.Slice[T]) {
	n, b := q.N, q.B
	if a.Rows != q.M || a.Cols != n || r.Rows != n || r.Cols != n || r.Ld != n || factors.Len() < q.Panels()*b*b {
		panic(fmt.Sprintf("stages: QR of %d×%d, R %d×%d, Ld %d, %d elements of T: m = %d, n = %d, b = %d",
			a.Rows, a.Cols, r.Rows, r.Cols, r.Ld, factors.Len(), q.M, n, b))
	}
	vk.Fill(rec, r.At.Sub(0, n*n), 0)
	q.Begin(rec, ws)
	for begin := 0; begin < n; begin += q.width {
		end := min(begin+q.width, n)
		for c := begin; c < end; c += b {
			rec.Phase(stages.PhaseQR, q.flops(c), q.Flops())
			q.panel(rec, ws, a, r, factors.Sub(c/b*b*b, b*b), c, end)
		}
		y := a.Block(begin, begin, q.M-begin, end-begin)
		RecordCut(rec, q.cut, y.Block(0, 0, end-begin, end-begin), r.Block(begin, begin, end-begin, end-begin), 0, b)
		if end == n {
			break
		}
		t := product.NewMatrix(q.t.In(ws), end-begin, end-begin, end-begin)
		q.merged.RecordMerge(rec, ws, y, b, factors.Sub(begin/b*b*b, (end-begin)/b*b*b), t)
		q.apply(rec, ws, y, t, a.Block(begin, end, q.M-begin, n-end))
		RecordCut(rec, q.cut, a.Block(begin, end, end-begin, n-end), r.Block(begin, end, end-begin, n-end), end-begin, b)
	}
}

// panel factors the panel at column c. It writes the triangle R of the panel to r, and its factor T
// to t. It applies the reflectors to the columns between the panel and column `end`.
func (q *TallQR[T]) panel(rec *vk.Recorder, ws *vk.Arena, a, r product.Matrix[T], t vk.Slice[T], c, end int) {
	cols := min(q.B, q.N-c)
	with := q.Of(cols)
	y, tau := a.Block(c, c, q.M-c, cols), q.tau.In(ws)
	with.QR.RecordNext(rec, ws, y, r.Block(c, c, cols, cols), tau)
	factor := product.NewMatrix(t, cols, cols, q.B)
	with.Factor.Record(rec, ws, y, tau, factor)
	if c+cols < end {
		q.apply(rec, ws, y, factor, a.Block(c, c+cols, q.M-c, end-c-cols))
	}
}

func (q *TallQR[T]) apply(rec *vk.Recorder, ws *vk.Arena, y, t, x product.Matrix[T]) {
	k, n, room := y.Cols, x.Cols, q.s.Len()/2
	yx, tyx := product.NewMatrix(q.s.In(ws).Sub(0, room), k, n, k), product.NewMatrix(q.s.In(ws).Sub(room, room), k, n, k)
	q.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, y, x, 0, yx)
	q.ops.Gemm(rec, ws, product.Adjoint, product.NoTrans, 1, t, yx, 0, tyx)
	q.ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, -1, y, tyx, 1, x)
}
