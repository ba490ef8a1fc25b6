package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BidiagonalChasing reduces an upper band to upper bidiagonal form (tb2bd; dgbbrd),
//
//	B = Q2·C·P2ᵀ      (complex: P2ᴴ, zgbbrd)
//
// by Householder reflectors, which it applies to columns and to rows in turn. A half-step applies
// one reflector. The comment in tb2bd.comp derives for which other half-steps it must wait.
//
// T is the number type of the band in memory. For spirv.Float16 the stage computes in single
// precision and rounds each element that it stores. Such a stage is only for values. For complex
// numbers C is real except for the last element of its diagonal, and the last one of its
// superdiagonal.
//
// Source: B. Lang, Linear Algebra Appl. 233 (1996) and J. Comput. Phys. 1996; on GPUs E. Ringoot et
// al., Accelerating Bidiagonalization of Banded Matrices through Memory-Aware Bulge-Chasing on
// GPUs.
type BidiagonalChasing[T spirv.Stored] struct {
	Size
	pipeline

	chase *vk.Kernel[shaders.Tb2bdChaseSpec, shaders.Tb2bdChasePush[T]] // sweeps wait for each other
	wave  *vk.Kernel[shaders.Tb2bdWaveSpec, shaders.Tb2bdWavePush[T]]   // a dispatch for each wave of half-steps
	read  *vk.Kernel[shaders.Tb2bdBidiagonalSpec, shaders.Tb2bdBidiagonalPush[T]]
}

// bidiagonalLead is the lead of a sweep over the next sweep, in half-steps.
const bidiagonalLead = 3

// NewBidiagonalChasing prepares the chasing of bands with Size.B superdiagonals. The error is a
// *vk.UnsupportedError if the band is too wide for shared memory or has more than 2³² elements.
func NewBidiagonalChasing[T spirv.Stored](dev *vk.Device, size Size, w stages.Waiting, t Tuning) (*BidiagonalChasing[T], error) {
	n, b, info := size.N, size.B, dev.Info()
	if n < 0 || b < 1 {
		panic(fmt.Sprintf("stages: bulge chasing of order %d, %d superdiagonals", n, b))
	}
	if err := fits(info, n+b, 3*b); err != nil {
		return nil, err
	}
	s := &BidiagonalChasing[T]{Size: size, pipeline: pipeline{
		count: size.Sweeps(), length: size.halfSteps, flops: size.halfStepFlops(), least: 2 * t.SweepCost,
		lead: bidiagonalLead, behind: bidiagonalLead, tune: t.on(info), abort: dev.Abort(),
	}}
	kernels := stages.Builder{Dev: dev}
	s.read = stages.Build(&kernels, shaders.Tb2bdBidiagonal[T](), shaders.Tb2bdBidiagonalSpec{LocalSize: kernels.Threads(readThreads)})
	if s.Sweeps() == 0 {
		return s, kernels.Err
	}
	spec, err := bidiagonalSpec[T](chaseShape{b, size.Vectors, info, w, t})
	if err != nil {
		return nil, err
	}
	if w.Allowed {
		s.chase = stages.Build(&kernels, shaders.Tb2bdChase[T](), spec)
		s.reserve()
	} else {
		s.wave = stages.Build(&kernels, shaders.Tb2bdWave[T](), spec)
	}
	return s, kernels.Err
}

// Of these constants, only B and Lanes influence the bits of the result. fitChase chooses Lanes.
func bidiagonalSpec[T spirv.Stored](c chaseShape) (shaders.Tb2bdChaseSpec, error) {
	c.tune.PerThread = stages.InRegisters[T](c.tune.PerThread)
	return fitChase(c, shaders.Tb2bdChase[T], func(f chaseFit) shaders.Tb2bdChaseSpec {
		return shaders.Tb2bdChaseSpec{
			LocalSize: f.size, Work: f.work, Lanes: f.lanes, B: uint32(c.b), Tiles: f.tiles,
			Vectors: spirv.BoolOf(c.vectors), Lead: bidiagonalLead,
			WideFence: spirv.BoolOf(c.wait.WideFence), FlagStride: c.tune.flagStride(),
		}
	})
}

func (s Size) halfSteps(sweep int) int { return 2 * s.steps(sweep) }

// halfStepFlops is the cost of one reflector, which is applied to two blocks of the band. The
// smaller blocks at the end of the matrix count as full blocks.
func (s Size) halfStepFlops() float64 { return 8 * float64(s.B) * float64(s.B) }

func (s *BidiagonalChasing[T]) Flops() float64 {
	n, b := float64(s.N), float64(s.B)
	return 8 * n * n * b
}

// Bidiagonal is an upper bidiagonal matrix. Element i of its diagonal lies at D[i·Stride], and
// element i of its superdiagonal at E[i·Stride].
type Bidiagonal[T spirv.Stored] struct {
	D, E   vk.Slice[T]
	Stride int
}

// GolubKahan returns a bidiagonal matrix C whose elements are stored in offDiagonal, the
// off-diagonal of the Golub-Kahan form of C. The Golub-Kahan form is the symmetric tridiagonal
// matrix of order 2n with a zero diagonal and the off-diagonal d1, e1, d2, e2, …, dn, which has
// 2n−1 elements. Its eigenvalues are the singular values of C and their negatives.
func GolubKahan[T spirv.Stored](offDiagonal vk.Slice[T]) Bidiagonal[T] {
	return Bidiagonal[T]{offDiagonal, offDiagonal.From(min(1, offDiagonal.Len())), 2}
}

// Record reduces `band`, which has GeneralSize.BandLen elements and is overwritten, to the
// bidiagonal matrix c. If vectors are wanted, Record stores the reflectors of Q2 in `left` and
// those of P2 in `right`, and sets unused elements of Tau to zero. Otherwise `left` and `right` are
// not used. A band with one superdiagonal is copied to c, and then the vectors V of `left` and
// `right` are not written, because Q2 = P2 = I.
func (s *BidiagonalChasing[T]) Record(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], c Bidiagonal[T], left, right stages.Reflectors[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the band", band, stages.GeneralBandLen(s.N, s.B))
	stages.Holds("the diagonal", c.D, (s.N-1)*c.Stride+1)
	if s.N > 1 {
		stages.Holds("the superdiagonal", c.E, (s.N-2)*c.Stride+1)
	}
	clearTau(rec, s.Size, left, right)
	switch {
	case s.chase != nil:
		s.recordChase(rec, ws, band, left, right)
	case s.wave != nil:
		s.recordWaves(rec, band, left, right, 1+bidiagonalLead)
	}
	s.read.Dispatch(rec, vk.Folded(vk.Tiles(s.N, s.read.Spec.LocalSize)), shaders.Tb2bdBidiagonalPush[T]{
		Band: band.Addr(), D: c.D.Addr(), E: c.E.Addr(), N: uint32(s.N), Width: uint32(s.B), Stride: uint32(c.Stride),
	})
}

func (s *BidiagonalChasing[T]) recordChase(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], left, right stages.Reflectors[T]) {
	s.flags.Clear(rec, ws)
	s.eachPart(rec, ws, func(groups vk.Groups, p part) {
		s.chase.Dispatch(rec, groups, shaders.Tb2bdChasePush[T]{
			Band: band.Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(), N: uint32(s.N),
			First: p.First, Last: p.Last, Polls: p.Polls, Info: p.Info, Ticket: p.Ticket, Flags: p.Flags, AbortWord: p.Abort,
		})
	})
}

func (s *BidiagonalChasing[T]) recordWaves(rec *vk.Recorder, band vk.Slice[T], left, right stages.Reflectors[T], stride int) {
	s.eachWave(rec, stride, func(groups vk.Groups, w wave) {
		s.wave.Dispatch(rec, groups, shaders.Tb2bdWavePush[T]{
			Band: band.Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(), N: uint32(s.N),
			Wave: w.Wave, Stride: w.Stride, Newest: w.Newest, Count: w.Count,
		})
	})
}
