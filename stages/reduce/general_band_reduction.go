package reduce

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

// GeneralBandReduction reduces a matrix with at least as many rows as columns to an upper band
// (ge2tb, the first stage of a two-stage dgesvd):
//
//	A = Q1·[B; 0]·P1ᴴ     B has b superdiagonals
//
// Left panels of b columns and right panels of b rows are factored alternately. The updates of the
// trailing matrix are deferred: while a block of k columns is reduced, the trailing matrix A in
// memory keeps its values from the beginning of the block. The current trailing matrix is
//
//	Â = A − U·Wᴴ − Z·Vᴴ
//
// U has the left reflectors and V has the right reflectors. U, W, Z and V have b columns for each
// finished panel of the block.
//
// Afterwards A holds the reflectors of Q1 in the columns of their panels, from the first row of the
// diagonal block on, as panel.QR stores them. If vectors are wanted, A also holds the reflectors of
// P1, transposed without conjugation, in the rows of their panels, from the first column after the
// diagonal block on. All of A is overwritten.
//
// Source: Wang et al., PPoPP 2025, defer the updates of a symmetric reduction in this way; here the
// updates from both sides are deferred. Package stages/ref has the same method in plain Go.
type GeneralBandReduction[T spirv.Scalar] struct {
	GeneralSize
	panel.Factorisation[T] // right panels have b columns after they are transposed
	ops                    product.Ops[T]
	update                 product.Ops[T] // computes the updates of the trailing matrix
	transpose              *move.Transpose[T]
	conjugate              *move.Conjugation[T]
	lower                  *vk.Kernel[shaders.Ge2tbLowerSpec, shaders.Ge2tbLowerPush[T]]
	rows                   panel.FactorRows[T]

	w    vk.Region[T] // Aᴴ·Y and W, n×(b+k)
	z    vk.Region[T] // A·v and Z, m×(b+k)
	v    vk.Region[T] // V, n×k
	s    vk.Region[T] // small matrices, (k+b)×b each
	l    vk.Region[T] // adjoints of the triangles L of all right panels, b×b each
	tau  vk.Region[T] // factors τ of a panel, b elements
	work *vk.Layout
}

type GeneralSize struct {
	M, N    int  // rows and columns of A, M ≥ N
	B       int  // superdiagonals of the band, at least 1
	K       int  // columns of a block: a multiple of B
	Vectors bool // whether to store the reflectors of P1 in A
}

func (s GeneralSize) LeftPanels() int { return vk.Tiles(s.N, uint32(s.B)) }

func (s GeneralSize) RightPanels() int { return max(0, (s.N-1)/s.B) }

// BandLen returns the number of elements of a general compact band, with the b columns of zeros
// after it.
func (s GeneralSize) BandLen() int { return stages.GeneralBandLen(s.N, s.B) }

// In NewGeneralBandReduction, `update` computes the products that update the trailing matrix, and
// `ops` computes all others. `update` and `ops` may be the same.
func NewGeneralBandReduction[T spirv.Scalar](
	dev *vk.Device, size GeneralSize, ops, update product.Ops[T], w stages.Waiting, t panel.Tuning,
) (*GeneralBandReduction[T], error) {
	m, n, b, k := size.M, size.N, size.B, size.K
	if n < 0 || m < n || b < 1 || k < b || k%b != 0 {
		return nil, fmt.Errorf("stages: reduction of %d×%d to %d superdiagonals by blocks of %d columns: want m ≥ n, b ≥ 1, k a multiple of b", m, n, b, k)
	}
	t = t.ForRows(m)
	r := &GeneralBandReduction[T]{GeneralSize: size, ops: ops, update: update}
	var err error
	if r.Factorisation, err = panel.NewFactorisation(dev, m, n, b, ops, w, t); err != nil {
		return nil, err
	}
	if r.transpose, err = move.NewTranspose[T](dev); err != nil {
		return nil, err
	}
	if r.conjugate, err = move.NewConjugation[T](dev); err != nil {
		return nil, err
	}
	if r.rows, err = panel.NewFactorRows[T](dev, b); err != nil {
		return nil, err
	}
	kernels := stages.Builder{Dev: dev}
	r.lower = stages.Build(&kernels, shaders.Ge2tbLower[T](), shaders.Ge2tbLowerSpec{LocalSize: t.LocalSize})
	if kernels.Err != nil {
		return nil, kernels.Err
	}
	k = min(k, max(n, 1))
	r.w, r.v, r.z = vk.Reserve[T]("AᵀY, W", n*(b+k)), vk.Reserve[T]("V", n*k), vk.Reserve[T]("Av, Z", m*(b+k))
	r.s = vk.Reserve[T]("UᵀY, ZᵀY", smallMatrices*(k+b)*b)
	r.l = vk.Reserve[T]("L", size.RightPanels()*b*b)
	r.tau = vk.Reserve[T]("tau", b)
	r.work = vk.Together(r.w, r.v, r.z, r.s, r.l, r.tau, vk.InTurn(r.InTurn()...))
	if err := update.Reserve(product.Shape{M: m, N: n, K: 2 * k, Count: 1}); err != nil {
		return nil, err
	}
	return r, ops.Reserve(
		product.Shape{M: m, N: b, K: m, Count: 1},       // Aᴴ·Y and A·v
		product.Shape{M: m, N: b, K: 2*k + b, Count: 1}, // the deferred updates of a panel, and of these products
		product.Shape{M: k + b, N: b, K: m, Count: 1},   // UᴴY, ZᴴY, Wᴴv, Vᴴv
	)
}

func (r *GeneralBandReduction[T]) Work() *vk.Layout { return r.work }

// Flops is 4·m·n² − 4/3·n³ for an m×n matrix.
func (r *GeneralBandReduction[T]) Flops() float64 { return r.flops(r.N) }

// flops returns the cost of reducing columns 0 … c−1. Column x costs 8·(m−x)·(n−x) flops, and flops
// integrates this over x.
func (r *GeneralBandReduction[T]) flops(c int) float64 {
	total := func(m, n float64) float64 { return 4*m*n*n - 4*n*n*n/3 }
	m, n, done := float64(r.M), float64(r.N), float64(c)
	return total(m, n) - total(m-done, n-done)
}

// Record reduces the m×n matrix a. `band` has BandLen elements. `left` and `right` are for the
// factors T, b×b elements for each panel. If the factors are not needed afterwards, b×b elements
// for all panels suffice.
func (r *GeneralBandReduction[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, left, right vk.Slice[T]) {
	n, b := r.N, r.B
	if a.Rows != r.M || a.Cols != n || band.Len() < r.BandLen() ||
		left.Len() != b*b && left.Len() < r.LeftPanels()*b*b || right.Len() != b*b && right.Len() < r.RightPanels()*b*b {
		panic(fmt.Sprintf("stages: reduction of %d×%d, %d elements of band, %d and %d of T: m = %d, n = %d, b = %d",
			a.Rows, a.Cols, band.Len(), left.Len(), right.Len(), r.M, n, b))
	}
	vk.Fill(rec, band.Sub(0, r.BandLen()), 0)
	r.Begin(rec, ws)
	for begin := 0; begin < n; begin += r.K {
		block := r.block(ws, a, begin)
		c := begin
		for ; c < min(begin+r.K, n); c += b {
			rec.Phase(stages.PhaseBandReduction, r.flops(c), r.Flops())
			block.leftPanel(rec, c, band, factorOf(left, c/b, b))
			if c+b < n {
				block.rightPanel(rec, c, factorOf(right, c/b, b))
			}
		}
		if c < n { // this was a whole block, and there are more columns
			block.subtractPending(rec, r.update, c, c, r.M-c, n-c, r.K)
		}
	}
	if r.RightPanels() > 0 {
		r.lower.Dispatch(rec, vk.Folded(vk.Tiles(r.RightPanels()*b*b, r.lower.Spec.LocalSize)), shaders.Ge2tbLowerPush[T]{
			R: r.l.In(ws).Addr(), Band: band.Addr(), N: uint32(n), B: uint32(b), Panels: uint32(r.RightPanels()),
		})
	}
}

// factorOf returns the memory for the factor T of a panel. `all` has b×b elements for each panel,
// or only for one.
func factorOf[T spirv.Scalar](all vk.Slice[T], panel, b int) vk.Slice[T] {
	if all.Len() == b*b {
		return all
	}
	return all.Sub(panel*b*b, b*b)
}
