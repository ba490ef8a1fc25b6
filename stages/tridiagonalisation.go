package stages

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Tridiagonalisation reduces a symmetric matrix to tridiagonal form in one stage (dsytrd):
//
//	A = Q·T·Qᵀ     Q = H(0)·H(1)⋯H(n−2)
//
// It is a band reduction with half-bandwidth 1 (see BandReduction), in one dispatch whose workgroups
// keep A in their registers, as far as it fits, and exchange a vector for each column. Its
// operations are products of a matrix and a vector, so it is for small orders, for which the time of
// a band reduction and of a bulge chasing is mostly latency.
//
// Unlike BandReduction it reads both triangles of A, and it does not scale: squares of the elements
// of A, and of n of them in a sum, must not overflow. A column whose elements below the first one
// have a sum of squares below 2⁻⁹⁰⁰ (float32: 2⁻⁸⁰) counts as reduced. So the largest magnitude in A
// should be near 1.
type Tridiagonalisation[T spirv.Scalar] struct {
	n      int
	tune   TridiagonalisationTuning
	kernel *vk.Kernel[shaders.SytrdSpec, shaders.SytrdPush[T]]
	abort  spirv.Addr[uint32]

	// slots has, for each row, the elements from the diagonal on, and as many of A·v. Its words are
	// 64 bits wide, so that a number arrives whole; a slot that is not empty is its own flag.
	slots vk.Region[uint64]
	flags machine.Flags // INFO alone
	work  *vk.Layout
}

// mostTridiagonalised is the largest order: larger ones would have too many slots for 32 bits.
const mostTridiagonalised = 1 << 15

// NewTridiagonalisation prepares for matrices of order n ≥ 1. Its workgroups wait for each other: it
// refuses where w or the device does not allow that. The error is that of t.Fits, or vk's.
func NewTridiagonalisation[T spirv.Scalar](
	dev *vk.Device, n int, w Waiting, t TridiagonalisationTuning,
) (*Tridiagonalisation[T], error) {
	if n < 1 || n > mostTridiagonalised || !w.Allowed {
		return nil, fmt.Errorf("stages: tridiagonalisation of order %d, waiting allowed: %v", n, w.Allowed)
	}
	if err := t.Fits(dev.Info(), n); err != nil {
		return nil, err
	}
	return newTridiagonalisation[T](dev, n, w, t)
}

// newTridiagonalisation is NewTridiagonalisation without its conditions.
func newTridiagonalisation[T spirv.Scalar](
	dev *vk.Device, n int, w Waiting, t TridiagonalisationTuning,
) (*Tridiagonalisation[T], error) {
	kernels := builder{dev: dev}
	s := &Tridiagonalisation[T]{n: n, tune: t, abort: dev.Abort()}
	spec := sytrdSpec[T](t, n, dev.Info().Subgroup)
	spec.WideFence = specBool(w.WideFence)
	s.kernel = build(&kernels, shaders.Sytrd[T](), spec)
	s.slots = vk.Reserve[uint64]("tridiagonalisation's slots", n*(n+1))
	s.flags = machine.ReserveFlags("tridiagonalisation's INFO", 0, 0, 1)
	s.work = vk.Together(s.slots)
	return s, kernels.err
}

// Work is the workspace, n·(n+1) words of 64 bits.
func (s *Tridiagonalisation[T]) Work() *vk.Layout { return s.work }

// Status is the memory of Info. It must not be overwritten until Info is read.
func (s *Tridiagonalisation[T]) Status() *vk.Layout { return s.flags.Layout() }

// Info is the INFO word after a run: 0, or 1 + the row whose values did not arrive within the poll
// limit; the results are then undefined.
func (s *Tridiagonalisation[T]) Info(ws *vk.Arena) vk.Slice[uint32] { return s.flags.Info(ws) }

// Panels is the number of reflectors, and of factors τ.
func (s *Tridiagonalisation[T]) Panels() int { return max(0, s.n-1) }

// Flops is the cost, 4/3·n³.
func (s *Tridiagonalisation[T]) Flops() float64 { n := float64(s.n); return 4 * n * n * n / 3 }

// Record reduces a (n×n). band has 2·n elements, t has n−1: the factors τ. None of the three may
// overlap. They are left as BandReduction leaves them for b = 1.
func (s *Tridiagonalisation[T]) Record(rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T]) {
	n := s.n
	if a.Rows != n || a.Cols != n || a.Ld > math.MaxUint32 {
		panic(fmt.Sprintf("stages: tridiagonalisation of %d×%d, Ld %d: n = %d", a.Rows, a.Cols, a.Ld, n))
	}
	holds("band", band, 2*n)
	holds("tau", t, n-1)
	s.record(rec, ws, a, band, t, s.tune.groups(n))
}

// record is Record with a number of workgroups that come; too few are for tests.
func (s *Tridiagonalisation[T]) record(
	rec *vk.Recorder, ws *vk.Arena, a product.Matrix[T], band, t vk.Slice[T], come int,
) {
	n, slots := s.n, s.slots.In(ws)
	rec.Phase(PhaseTridiagonalisation, 0, 1)
	s.flags.Clear(rec, ws)
	vk.Fill(rec, slots, math.MaxUint32)
	vk.Fill(rec, band.Sub(2*n-1, 1), 0)
	s.kernel.Dispatch(rec, vk.Grid(come), shaders.SytrdPush[T]{
		A: a.Addr(), T: band.Addr(), Tau: t.Addr(), Slots: slots.Addr(), Info: s.flags.Info(ws).Addr(), AbortWord: s.abort,
		N: uint32(n), Ld: uint32(a.Ld), Groups: uint32(s.tune.groups(n)), Polls: s.tune.Polls,
	})
	rec.Costs(s.Flops())
}
