package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BulgeChasing reduces a compact band to tridiagonal form (dsytrd_sb2st, zhetrd_hb2st),
//
//	B = Q2·T·Q2ᴴ
//
// by sweeps of Householder reflectors. The file sb2st.comp derives which step must wait for which
// other step. The documentation of package stages says how B and Q2 are stored.
//
// Sources: H. R. Schwarz, Numer. Math. 12 (1968); A. Haidar, H. Ltaief and J. Dongarra, SC 2011.
type BulgeChasing[T spirv.Scalar] struct {
	Size
	pipeline

	chase *vk.Kernel[shaders.Sb2stChaseSpec, shaders.Sb2stChasePush[T]] // sweeps wait for each other
	teams *vk.Kernel[shaders.Sb2stTeamsSpec, shaders.Sb2stTeamsPush[T]] // sweeps wait for each other, and each block of a step has a team
	wave  *vk.Kernel[shaders.Sb2stWaveSpec, shaders.Sb2stWavePush[T]]   // a dispatch for each wave of steps
	read  *vk.Kernel[shaders.Sb2stTridiagonalSpec, shaders.Sb2stTridiagonalPush[T]]
}

type Size struct {
	N       int  // order of the band
	B       int  // half-bandwidth, at least 1
	Vectors bool // reflectors are stored
}

const (
	// chaseLead is the lead of a sweep over the next sweep, in steps: a sweep may do step j when
	// the previous sweep has finished step j + chaseLead.
	chaseLead = 2

	readThreads = 256 // most invocations of a workgroup that copies T out of the band
)

// NewBulgeChasing returns a *vk.UnsupportedError if the band is too wide for the device's shared
// memory, or has more than 2³² elements.
func NewBulgeChasing[T spirv.Scalar](
	dev *vk.Device, size Size, w stages.Waiting, t Tuning,
) (*BulgeChasing[T], error) {
	n, b, info := size.N, size.B, dev.Info()
	if n < 0 || b < 1 {
		panic(fmt.Sprintf("stages: bulge chasing of order %d, half-bandwidth %d", n, b))
	}
	if err := fits(info, n, 2*b); err != nil {
		return nil, err
	}
	s := &BulgeChasing[T]{Size: size, pipeline: pipeline{
		count: size.Sweeps(), length: size.steps, flops: size.stepFlops(), least: t.SweepCost,
		lead: chaseLead, behind: chaseLead, tune: t.on(info), abort: dev.Abort(),
	}}
	kernels := stages.Builder{Dev: dev}
	read := shaders.Sb2stTridiagonalSpec{LocalSize: kernels.Threads(readThreads)}
	s.read = stages.Build(&kernels, shaders.Sb2stTridiagonal[T](), read)
	if s.Sweeps() == 0 {
		return s, kernels.Err
	}
	if err := s.build(&kernels, chaseShape{b, size.Vectors, info, w, t}); err != nil {
		return nil, err
	}
	if w.Allowed {
		s.reserve()
	}
	return s, nil
}

func (s *BulgeChasing[T]) build(b *stages.Builder, shape chaseShape) error {
	if spec, ok := teamsSpec[T](shape); ok {
		s.teams = stages.Build(b, shaders.Sb2stTeams[T](), spec)
		return b.Err
	}
	spec, err := chaseSpec[T](shape)
	if err != nil {
		return err
	}
	if shape.wait.Allowed {
		s.chase = stages.Build(b, shaders.Sb2stChase[T](), spec)
	} else {
		s.wave = stages.Build(b, shaders.Sb2stWave[T](), spec)
	}
	return b.Err
}

func (s Size) Sweeps() int {
	if s.B == 1 {
		return 0
	}
	return max(0, s.N-2)
}

func (s Size) steps(sweep int) int { return vk.Tiles(s.N-1-sweep, uint32(s.B)) }

// stepFlops is the cost of one step, which changes three blocks of the band. One of them is
// symmetric, and the reflector is applied to it from both sides.
func (s Size) stepFlops() float64 { return 12 * float64(s.B) * float64(s.B) }

func (s Size) Flops() float64 {
	n, b := float64(s.N), float64(s.B)
	return 6 * n * n * b
}

// Record reduces `band`, which has 2·b·n elements and is overwritten, to the tridiagonal matrix t.
// With vectors Record stores Q2 in q, and sets unused elements of q.Tau to zero. Without vectors q
// is not used. A band of half-bandwidth 1 is copied to t, and q.V is not written because Q2 = I.
func (s *BulgeChasing[T]) Record(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], t stages.Tridiagonal[T], q stages.Reflectors[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the band", band, 2*s.B*s.N)
	stages.Holds("the diagonal", t.D, s.N)
	stages.Holds("the off-diagonal", t.E, s.N-1)
	clearTau(rec, s.Size, q)
	switch {
	case s.waits():
		s.recordChase(rec, ws, band, q)
	case s.wave != nil:
		s.recordWaves(rec, band, q, 1+chaseLead)
	}
	s.read.Dispatch(rec, vk.Folded(vk.Tiles(s.N, s.read.Spec.LocalSize)), shaders.Sb2stTridiagonalPush[T]{
		Band: band.Addr(), D: t.D.Addr(), E: t.E.Addr(), N: uint32(s.N), Ld: uint32(2 * s.B),
	})
}

func (s *BulgeChasing[T]) recordChase(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], q stages.Reflectors[T]) {
	s.flags.Clear(rec, ws)
	s.eachPart(rec, ws, func(groups vk.Groups, p part) {
		s.dispatch(rec, groups, shaders.Sb2stChasePush[T]{
			Band: band.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N),
			First: p.First, Last: p.Last, Polls: p.Polls, Info: p.Info, Ticket: p.Ticket, Flags: p.Flags, AbortWord: p.Abort,
		})
	})
}

func (s *BulgeChasing[T]) dispatch(rec *vk.Recorder, groups vk.Groups, push shaders.Sb2stChasePush[T]) {
	if s.teams != nil {
		s.teams.Dispatch(rec, groups, shaders.Sb2stTeamsPush[T](push))
	} else {
		s.chase.Dispatch(rec, groups, push)
	}
}

func (s *BulgeChasing[T]) recordWaves(rec *vk.Recorder, band vk.Slice[T], q stages.Reflectors[T], stride int) {
	s.eachWave(rec, stride, func(groups vk.Groups, w wave) {
		s.wave.Dispatch(rec, groups, shaders.Sb2stWavePush[T]{
			Band: band.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N),
			Wave: w.Wave, Stride: w.Stride, Newest: w.Newest, Count: w.Count,
		})
	})
}
