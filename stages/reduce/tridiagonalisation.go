package reduce

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tridiagonalisation reduces a Hermitian matrix to tridiagonal form in one stage (dsytrd, zhetrd):
//
//	A = Q·T·Qᴴ     Q = H(0)·H(1)⋯H(n−2)
//
// T is real. For complex numbers H(n−2) has length 1: it makes the last off-diagonal element real.
// For real numbers H(n−2) is I.
//
// Tridiagonalisation is a band reduction with half-bandwidth 1 (see BandReduction) in one dispatch.
// The workgroups keep the part of A that fits in their registers, and exchange a vector for each
// column. If A is too large for the registers, its first columns are reduced in blocks before
// (BlockedTuning). Most operations are products of a matrix and a vector. Therefore
// Tridiagonalisation is meant for small orders, for which a band reduction and a bulge chasing
// spend most of their time on latency.
//
// Unlike BandReduction, Tridiagonalisation reads both triangles of A, and adds squares of elements
// without scaling them. The sum of the squares of n elements of A must not overflow. A column is
// taken as reduced if its elements below the subdiagonal have a sum of squares below 2⁻⁹⁰⁰
// (float32: 2⁻⁸⁰). Therefore the largest magnitude in A should be near 1.
type Tridiagonalisation[T spirv.Scalar] struct {
	n      int
	tune   TridiagonalisationTuning
	blocks *tridiagonalBlocks[T] // reduces the first columns; nil if there are no blocks
	kernel *vk.Kernel[shaders.SytrdSpec, shaders.SytrdPush[T]]
	abort  spirv.Addr[uint32]

	// `slots` has the numbers that the workgroups exchange: for each row, its elements from the
	// diagonal on, and as many elements of the product A·v. A slot has 64 bits, which one atomic
	// operation writes. A number has slotsOf[T] slots. A workgroup waits until they are not empty;
	// there are no separate flags.
	slots vk.Region[uint64]
	flags machine.Flags // has only the INFO word
	work  *vk.Layout
}

// mostTridiagonalised is the largest order of a matrix that is reduced in one stage. For a larger
// order, the elements of the workspace could not be numbered in 32 bits.
const mostTridiagonalised = 1 << 15

// NewTridiagonalisation prepares the reduction of matrices of order n ≥ 1. It returns an error if n
// is too large, or if w does not allow workgroups to wait for each other. Other errors come from
// Fits or from package vk.
func NewTridiagonalisation[T spirv.Scalar](
	dev *vk.Device, n int, ops product.Ops[T], w stages.Waiting, t TridiagonalisationTuning,
) (*Tridiagonalisation[T], error) {
	if n < 1 || n > mostTridiagonalised || !w.Allowed || w.Crowded {
		return nil, fmt.Errorf("stages: tridiagonalisation of order %d, waiting: %+v", n, w)
	}
	if err := Fits[T](t, dev.Info(), n); err != nil {
		return nil, err
	}
	return newTridiagonalisation(dev, n, ops, w, t)
}

func newTridiagonalisation[T spirv.Scalar](
	dev *vk.Device, n int, ops product.Ops[T], w stages.Waiting, t TridiagonalisationTuning,
) (*Tridiagonalisation[T], error) {
	kernels := stages.Builder{Dev: dev}
	s := &Tridiagonalisation[T]{n: n, tune: t, abort: dev.Abort()}
	left := t.left(n)
	spec := sytrdSpec[T](t, left, dev.Info().Subgroup)
	spec.WideFence = spirv.BoolOf(w.WideFence)
	s.kernel = stages.Build(&kernels, shaders.Sytrd[T](), spec)
	s.slots = vk.Reserve[uint64]("tridiagonalisation's slots", left*(left+1)*slotsOf[T]())
	s.flags = machine.ReserveFlags("tridiagonalisation's INFO", 0, 0, 1)
	s.work = vk.Together(s.slots)
	if kernels.Err != nil || left == n {
		return s, kernels.Err
	}
	var err error
	if s.blocks, err = newTridiagonalBlocks(dev, n, ops, w, t); err != nil {
		return nil, err
	}
	s.work = vk.InTurn(s.blocks.work, s.slots)
	return s, nil
}

// slotsOf returns the number of words of 64 bits through which workgroups exchange a number.
func slotsOf[T spirv.Scalar]() int { return max(1, int(spirv.KindOf[T]().Size())/8) }

// Work is n·(n+1) numbers in words of 64 bits, if there are no blocks.
func (s *Tridiagonalisation[T]) Work() *vk.Layout { return s.work }

func (s *Tridiagonalisation[T]) Status() *vk.Layout { return s.flags.Layout() }

// Info is 0 after a successful run. Otherwise a wait reached the poll limit, and the word is 1 plus
// the index of a row whose values did not come. The index counts from the first row that the
// failing dispatch reduces.
func (s *Tridiagonalisation[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return s.flags.Info(ws) }

// Panels returns the number of reflectors, each with one factor τ: here a panel has one column.
func (s *Tridiagonalisation[T]) Panels() int { return max(0, s.n-1) }

func (s *Tridiagonalisation[T]) Flops() float64 { return s.flops(s.n) }

func (s *Tridiagonalisation[T]) flops(c int) float64 {
	n, left := float64(s.n), float64(s.n-c)
	return 4 * (n*n*n - left*left*left) / 3
}

// Record reduces the n×n matrix a. `band` has 2·n elements, and t has n−1 elements, the factors τ.
// The results are those of a BandReduction with half-bandwidth 1.
func (s *Tridiagonalisation[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T]) {
	n := s.n
	if a.Rows != n || a.Cols != n || a.Ld > math.MaxUint32 {
		panic(fmt.Sprintf("stages: tridiagonalisation of %d×%d, Ld %d: n = %d", a.Rows, a.Cols, a.Ld, n))
	}
	stages.Holds("band", band, 2*n)
	stages.Holds("tau", t, n-1)
	s.record(rec, ws, a, band, t, math.MaxInt)
}

// record is Record with at most `limit` workgroups in a dispatch. Tests pass too few workgroups on
// purpose, so that a wait fails.
func (s *Tridiagonalisation[T]) record(
	rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T], limit int,
) {
	n, slots := s.tune.left(s.n), s.slots.In(ws)
	done := s.n - n
	rec.Phase(stages.PhaseTridiagonalisation, 0, s.Flops())
	s.flags.Clear(rec, ws)
	vk.Fill(rec, band.Sub(2*s.n-1, 1), 0)
	if s.blocks != nil {
		s.blocks.record(rec, ws, a, band, t, s.flags.Info(ws), limit, func(columns int) {
			rec.Phase(stages.PhaseTridiagonalisation, s.flops(columns), s.Flops())
		})
	}
	vk.Fill(rec, slots, math.MaxUint32)
	s.kernel.Dispatch(rec, vk.Grid(min(limit, s.tune.groups(n))), shaders.SytrdPush[T]{
		A: a.Block(done, done, n, n).Addr(), T: band.Sub(2*done, 2*n).Addr(), Tau: t.Sub(done, max(n-1, 0)).Addr(),
		Slots: slots.Addr(), Info: s.flags.Info(ws).Addr(), AbortWord: s.abort,
		N: uint32(n), Ld: uint32(a.Ld), Groups: uint32(s.tune.groups(n)), Polls: s.tune.Polls,
	})
	rec.Costs(s.Flops() - s.flops(done))
}
