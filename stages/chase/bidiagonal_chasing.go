package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BidiagonalChasing reduces an upper band to upper bidiagonal form (tb2bd; dgbbrd),
//
//	B = Q2·C·P2ᵀ
//
// by Householder reflectors, which it applies to columns and to rows in turn. A sweep is one chase
// of a bulge down the whole band. A step of a sweep consists of two half-steps: one on columns and
// one on rows. Many sweeps are in flight at the same time, and each sweep is some half-steps behind
// the previous sweep. The kernel tb2bd.comp derives which half-steps a half-step depends on.
//
// T is the number type of the band in memory. For spirv.Float16 the stage computes in single
// precision and rounds each element that it stores. Such a stage is only for values.
//
// Source: B. Lang, Linear Algebra Appl. 233 (1996) and J. Comput. Phys. 1996; on GPUs E. Ringoot et
// al., Accelerating Bidiagonalization of Banded Matrices through Memory-Aware Bulge-Chasing on
// GPUs.
type BidiagonalChasing[T spirv.Stored] struct {
	Size
	tune  Tuning
	abort spirv.Addr[uint32]

	// The field `chase` is the kernel whose workgroups wait for each other, and `wave` is the
	// kernel without waits. At most one of them is set. Both fields are nil if the band is
	// bidiagonal already.
	chase *vk.Kernel[shaders.Tb2bdChaseSpec, shaders.Tb2bdChasePush[T]] // sweeps wait for each other
	wave  *vk.Kernel[shaders.Tb2bdWaveSpec, shaders.Tb2bdWavePush[T]]   // a dispatch for each wave of half-steps
	read  *vk.Kernel[shaders.Tb2bdBidiagonalSpec, shaders.Tb2bdBidiagonalPush[T]]

	parts []stages.Span // the sweeps of each dispatch, if workgroups wait
	flags machine.Flags // a ticket for each dispatch and a flag for each sweep, if workgroups wait
}

// bidiagonalLead is the lead of a sweep over the next sweep, in half-steps. A half-step applies one
// Householder reflector to columns or to rows. Half-step h of a sweep may begin when the previous
// sweep has finished half-step h + bidiagonalLead.
const bidiagonalLead = 3

// NewBidiagonalChasing prepares the bulge chasing for bands of one size. ChaseSize.B is the number
// of superdiagonals. The error is a *vk.UnsupportedError if the band is too wide for the device's
// shared memory or has more than 2³² elements.
func NewBidiagonalChasing[T spirv.Stored](dev *vk.Device, size Size, w stages.Waiting, t Tuning) (*BidiagonalChasing[T], error) {
	n, b, info := size.N, size.B, dev.Info()
	if n < 0 || b < 1 {
		panic(fmt.Sprintf("stages: bulge chasing of order %d, %d superdiagonals", n, b))
	}
	if n+b > mostBand/(3*b) {
		return nil, &vk.UnsupportedError{Device: info.Name, Feature: "elements of a compact band",
			Need: fmt.Sprintf("%d·%d", n+b, 3*b), Have: fmt.Sprint(mostBand)}
	}
	shape := chaseShape{b, size.Vectors, info, w, t}
	s := &BidiagonalChasing[T]{Size: size, tune: t, abort: dev.Abort()}
	s.tune.Groups = t.groups(info)
	kernels := stages.Builder{Dev: dev}
	s.read = stages.Build(&kernels, shaders.Tb2bdBidiagonal[T](), shaders.Tb2bdBidiagonalSpec{LocalSize: kernels.Threads(readThreads)})
	if s.Sweeps() == 0 {
		return s, kernels.Err
	}
	spec, err := bidiagonalSpec[T](shape)
	if err != nil {
		return nil, err
	}
	if shape.wait.Allowed {
		s.chase = stages.Build(&kernels, shaders.Tb2bdChase[T](), spec)
		s.parts = s.divide()
		s.flags = machine.ReserveFlags("chase INFO, tickets, flags", len(s.parts), s.Sweeps(), shape.flagStride())
	} else {
		s.wave = stages.Build(&kernels, shaders.Tb2bdWave[T](), spec)
	}
	return s, kernels.Err
}

// bidiagonalSpec returns the specialisation constants of the kernel tb2bd for the band and the
// device. The function fitChase chooses the constants. The bits of the result depend on the
// constants B and Lanes.
func bidiagonalSpec[T spirv.Stored](c chaseShape) (shaders.Tb2bdChaseSpec, error) {
	return fitChase(c, shaders.Tb2bdChase[T], func(f chaseFit) shaders.Tb2bdChaseSpec {
		return shaders.Tb2bdChaseSpec{
			LocalSize: f.size, Work: f.work, Lanes: f.lanes, B: uint32(c.b), Tiles: f.tiles,
			Vectors: stages.SpecBool(c.vectors), Lead: bidiagonalLead,
			WideFence: stages.SpecBool(c.wait.WideFence), FlagStride: c.flagStride(),
		}
	})
}

// halfSteps returns the number of half-steps of a sweep. A half-step applies one Householder
// reflector to columns or to rows.
func (s *BidiagonalChasing[T]) halfSteps(sweep int) int { return 2 * s.steps(sweep) }

// halfStepFlops returns the cost of a half-step in flops. A half-step applies one Householder
// reflector to two blocks of the band. The estimate counts the smaller blocks at the end of the
// matrix as full blocks.
func (s *BidiagonalChasing[T]) halfStepFlops() float64 { return 8 * float64(s.B) * float64(s.B) }

// Flops returns the cost of the whole bulge chasing in flops: about 8·n²·b for order n and b
// superdiagonals.
func (s *BidiagonalChasing[T]) Flops() float64 {
	n, b := float64(s.N), float64(s.B)
	return 8 * n * n * b
}

// divide distributes the sweeps of the bulge chasing over dispatches. Each dispatch costs about
// tune.Dispatch flops. A sweep is never divided.
func (s *BidiagonalChasing[T]) divide() []stages.Span {
	return stages.Spans(s.Sweeps(), s.Sweeps(), s.tune.Dispatch, func(sweep int) float64 {
		return max(2*s.tune.SweepCost, float64(s.halfSteps(sweep))*s.halfStepFlops())
	})
}

// Work is the layout of the workspace: a flag for each sweep, counters from which workgroups take
// sweeps (tickets), and the INFO word. The layout is empty if workgroups do not wait for each
// other.
func (s *BidiagonalChasing[T]) Work() *vk.Layout {
	if s.chase == nil {
		return vk.Together()
	}
	return s.flags.Layout()
}

// Info returns the INFO word. After a successful run the word is 0. Otherwise a workgroup polled
// the flag of a sweep more often than the poll limit allows: the word is 1 plus the index of this
// sweep, and the results are undefined. The slice is empty if workgroups do not wait for each
// other.
func (s *BidiagonalChasing[T]) Info(ws *vk.Arena) vk.Slice[uint32] {
	if s.chase == nil {
		return vk.Slice[uint32]{}
	}
	return s.flags.Info(ws)
}

// Bidiagonal is an upper bidiagonal matrix of order n. Element i of the diagonal lies at
// D[i·Stride]. Element i of the n−1 elements of the superdiagonal lies at E[i·Stride].
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

// Record reduces `band` to the bidiagonal matrix c. `band` has GeneralSize.BandLen elements and is
// overwritten. If vectors are wanted, Record stores the reflectors of Q2 in `left` and those of P2
// in `right`, and sets unused elements of Tau to zero. Otherwise `left` and `right` are not used.
// If the band has one superdiagonal, Record copies it to c and does not write the vectors V of
// `left` and `right`, because Q2 = P2 = I. The arguments must not overlap.
func (s *BidiagonalChasing[T]) Record(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], c Bidiagonal[T], left, right stages.Reflectors[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the band", band, stages.GeneralBandLen(s.N, s.B))
	stages.Holds("the diagonal", c.D, (s.N-1)*c.Stride+1)
	if s.N > 1 {
		stages.Holds("the superdiagonal", c.E, (s.N-2)*c.Stride+1)
	}
	if s.Vectors {
		for _, q := range []stages.Reflectors[T]{left, right} {
			if s.Sweeps() > 0 {
				q.Check(s.N, s.B)
			}
			vk.Fill(rec, q.Tau, 0)
		}
	}
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

// groups returns the number of workgroups for the given number of sweeps, at least 1 if there are
// sweeps. A sweep begins 1 + bidiagonalLead half-steps after the previous sweep, so the length of a
// sweep limits the number of sweeps in flight. Additional workgroups would only poll flags.
func (s *BidiagonalChasing[T]) groups(sweeps int) int {
	return min(s.tune.Groups, sweeps, s.halfSteps(0)/bidiagonalLead+2)
}

// recordChase records the dispatches in which workgroups wait for each other. The sweeps are
// divided into parts, and each part is one dispatch. Before the first dispatch, recordChase clears
// the tickets and flags of all parts. The arena ws must contain the layout Work.
func (s *BidiagonalChasing[T]) recordChase(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], left, right stages.Reflectors[T]) {
	s.flags.Clear(rec, ws)
	for i, part := range s.parts {
		s.chase.Dispatch(rec, vk.Grid(s.groups(part.Len())), shaders.Tb2bdChasePush[T]{
			Band: band.Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(),
			N: uint32(s.N), First: uint32(part.First), Last: uint32(part.Last), Polls: s.tune.Polls,
			Info: s.flags.Info(ws).Addr(), Ticket: s.flags.Ticket(ws, i).Addr(), Flags: s.flags.First(ws), AbortWord: s.abort,
		})
		rec.Costs(part.Cost)
	}
}

// recordWaves records a dispatch for each wave t = 0, 1, … of the bulge chasing. A half-step
// applies one reflector. Wave t consists of half-step h = t − stride·s of each sweep s. The
// half-steps of a wave are independent of each other. `stride` is the number of waves between the
// beginnings of two successive sweeps.
func (s *BidiagonalChasing[T]) recordWaves(rec *vk.Recorder, band vk.Slice[T], left, right stages.Reflectors[T], stride int) {
	eachWave(s.Sweeps(), stride, s.halfSteps, func(t, newest, count int) {
		s.wave.Dispatch(rec, vk.Folded(count), shaders.Tb2bdWavePush[T]{
			Band: band.Addr(), Left: left.V.Addr(), LeftTau: left.Tau.Addr(), Right: right.V.Addr(), RightTau: right.Tau.Addr(),
			N: uint32(s.N), Wave: uint32(t), Stride: uint32(stride), Newest: uint32(newest), Count: uint32(count),
		})
		rec.Costs(float64(count) * s.halfStepFlops())
	})
}

// eachWave calls `record` for each wave t = 0, 1, … of a bulge chasing. Wave t consists of one step
// of each sweep s in a range: step t − stride·s of sweep s. The range has `count` sweeps, and
// `newest` is the last sweep of the range. eachWave leaves out waves without steps. The steps of
// one wave must be independent of each other.
func eachWave(sweeps, stride int, steps func(sweep int) int, record func(t, newest, count int)) {
	oldest := 0 // the first sweep that has not ended; sweeps end in order
	for t := 0; ; t++ {
		for oldest < sweeps && t-stride*oldest >= steps(oldest) {
			oldest++
		}
		if oldest == sweeps {
			return
		}
		if newest := min(t/stride, sweeps-1); newest >= oldest { // otherwise no sweep has a step in wave t
			record(t, newest, newest-oldest+1)
		}
	}
}
