package chase

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BulgeChasing reduces a compact band to tridiagonal form (dsytrd_sb2st),
//
//	B = Q2·T·Q2ᵀ
//
// by sweeps of Householder reflectors. Each sweep chases a bulge down the band. Many sweeps are in
// flight at the same time, and each sweep is some steps behind the previous sweep. The file
// sb2st.comp derives which step must wait for which other step. The package's documentation says
// how B and Q2 are stored.
//
// Sources: H. R. Schwarz, Numer. Math. 12 (1968); A. Haidar, H. Ltaief and J. Dongarra, SC 2011.
type BulgeChasing[T spirv.Scalar] struct {
	Size
	tune  Tuning             // Groups is what the device has in flight
	abort spirv.Addr[uint32] // word that the host sets to end all waits

	// Kernels for the same steps: in `chase` and `teams` workgroups wait for each other, and in
	// `wave` they do not. In `teams` each block of a step has its own team of invocations. At most
	// one of the three is built. All three are nil if the band is tridiagonal already.
	chase *vk.Kernel[shaders.Sb2stChaseSpec, shaders.Sb2stChasePush[T]] // sweeps wait for each other
	teams *vk.Kernel[shaders.Sb2stTeamsSpec, shaders.Sb2stTeamsPush[T]] // the same, a team for each block of a step
	wave  *vk.Kernel[shaders.Sb2stWaveSpec, shaders.Sb2stWavePush[T]]   // a dispatch for each wave of steps
	read  *vk.Kernel[shaders.Sb2stTridiagonalSpec, shaders.Sb2stTridiagonalPush[T]]

	// `parts` and `flags` are used only if sweeps wait for each other. `parts` holds the range of
	// sweeps of each dispatch. `flags` has a ticket counter for each dispatch and a flag for each
	// sweep. The value of a flag is the number of steps that the sweep has finished.
	parts []stages.Span
	flags machine.Flags
}

// Size holds the sizes of a bulge chasing: the order, the half-bandwidth, and whether
// eigenvectors are wanted.
type Size struct {
	N       int  // order of the band
	B       int  // half-bandwidth, at least 1
	Vectors bool // reflectors are stored
}

const (
	// chaseLead is the lead of a sweep over the next sweep, in steps: a sweep may do step j when
	// the previous sweep has finished step j + chaseLead.
	chaseLead = 2

	// mostBand is the limit on the number of elements of a compact band, because the kernels count
	// its elements in 32 bits. A band must have fewer elements than mostBand.
	mostBand = 1 << 32

	readThreads = 256 // invocations of a workgroup that reads T off the band, at most
)

// NewBulgeChasing prepares the bulge chasing for bands of one size. The error is a
// *vk.UnsupportedError if the band is too wide for the device's shared memory, or if it has 2³²
// elements or more.
func NewBulgeChasing[T spirv.Scalar](
	dev *vk.Device, size Size, w stages.Waiting, t Tuning,
) (*BulgeChasing[T], error) {
	n, b, info := size.N, size.B, dev.Info()
	if n < 0 || b < 1 {
		panic(fmt.Sprintf("stages: bulge chasing of order %d, half-bandwidth %d", n, b))
	}
	if n > mostBand/(2*b) {
		return nil, &vk.UnsupportedError{Device: info.Name, Feature: "elements of a compact band",
			Need: fmt.Sprintf("%d·%d", n, 2*b), Have: fmt.Sprint(mostBand)}
	}
	// The kernel that copies T out of the band is always built. The kernels of the bulge chasing
	// are built only if the band is not tridiagonal already.
	shape := chaseShape{b, size.Vectors, info, w, t}
	s := &BulgeChasing[T]{Size: size, tune: t, abort: dev.Abort()}
	s.tune.Groups = t.groups(info)
	kernels := stages.Builder{Dev: dev}
	read := shaders.Sb2stTridiagonalSpec{LocalSize: kernels.Threads(readThreads)}
	s.read = stages.Build(&kernels, shaders.Sb2stTridiagonal[T](), read)
	if s.Sweeps() == 0 {
		return s, kernels.Err
	}
	if err := s.build(&kernels, shape); err != nil {
		return nil, err
	}
	if s.waits() {
		s.parts = s.divide()
		s.flags = machine.ReserveFlags("chase INFO, tickets, flags", len(s.parts), s.Sweeps(), shape.flagStride())
	}
	return s, nil
}

// build builds the kernel of the bulge chasing that suits the band and the device; `shape`
// describes both.
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

// waits tells whether the kernel is one in which sweeps wait for each other by flags.
func (s *BulgeChasing[T]) waits() bool { return s.chase != nil || s.teams != nil }

// Sweeps is the number of sweeps. It is 0 for a band that is tridiagonal already.
func (s Size) Sweeps() int {
	if s.B == 1 {
		return 0
	}
	return max(0, s.N-2)
}

// steps is the number of steps of the given sweep: how often its bulge moves down the band.
func (s Size) steps(sweep int) int { return vk.Tiles(s.N-1-sweep, uint32(s.B)) }

// stepFlops is the cost of one step in flops. A step of the bulge chasing changes three blocks of
// the band. One of the blocks is symmetric, and the reflector is applied to this block from both
// sides.
func (s Size) stepFlops() float64 { return 12 * float64(s.B) * float64(s.B) }

// Flops is the cost of the whole bulge chasing in flops: about 6·n²·b for order n and
// half-bandwidth b.
func (s Size) Flops() float64 {
	n, b := float64(s.N), float64(s.B)
	return 6 * n * n * b
}

// divide distributes the sweeps of the bulge chasing over dispatches, so that each dispatch costs
// about tune.Dispatch flops.
func (s *BulgeChasing[T]) divide() []stages.Span {
	return stages.Spans(s.Sweeps(), s.Sweeps(), s.tune.Dispatch, func(sweep int) float64 {
		return max(s.tune.SweepCost, float64(s.steps(sweep))*s.stepFlops())
	})
}

// Work is the workspace: a flag for each sweep, counters from which workgroups take sweeps
// (tickets), and the INFO word. The layout is empty if workgroups do not wait for each other.
func (s *BulgeChasing[T]) Work() *vk.Layout {
	if !s.waits() {
		return vk.Together()
	}
	return s.flags.Layout()
}

// Info is the INFO word after a run. The word is 0 after a successful run. Otherwise a workgroup
// polled the flag of a sweep more often than the poll limit allows: the word is 1 plus the index of
// this sweep, and the results are undefined. The slice is empty if workgroups do not wait for each
// other.
func (s *BulgeChasing[T]) Info(ws *vk.Arena) vk.Slice[uint32] {
	if !s.waits() {
		return vk.Slice[uint32]{}
	}
	return s.flags.Info(ws)
}

// Record reduces `band` to the tridiagonal matrix t. `band` has 2·b·n elements and is overwritten.
// With vectors Record stores Q2 in q, and sets unused elements of q.Tau to zero. Without vectors
// Record does not use q. A band of half-bandwidth 1 is copied to t, and q.V is not written because
// Q2 = I. The slices must not overlap.
func (s *BulgeChasing[T]) Record(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], t stages.Tridiagonal[T], q stages.Reflectors[T]) {
	if s.N == 0 {
		return
	}
	stages.Holds("the band", band, 2*s.B*s.N)
	stages.Holds("the diagonal", t.D, s.N)
	stages.Holds("the off-diagonal", t.E, s.N-1)
	if s.Vectors {
		if s.Sweeps() > 0 {
			q.Check(s.N, s.B)
		}
		vk.Fill(rec, q.Tau, 0)
	}
	// If no kernel of the bulge chasing was built, the band is tridiagonal already.
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

// groups is the number of workgroups for the given number of sweeps. Each sweep is at least
// chaseLead steps behind the previous sweep, so the length of a sweep limits the number of sweeps
// in flight. Additional workgroups would only poll flags.
func (s *BulgeChasing[T]) groups(sweeps int) int {
	return min(s.tune.Groups, sweeps, s.steps(0)/chaseLead+2)
}

// recordChase records the dispatches whose sweeps wait for each other. No wait is endless, because
// a sweep waits only for the previous sweep. Either the previous sweep has ended in an earlier
// dispatch, or a workgroup of the same dispatch claimed it earlier, and this workgroup is running.
func (s *BulgeChasing[T]) recordChase(rec *vk.Recorder, ws *vk.Arena, band vk.Slice[T], q stages.Reflectors[T]) {
	s.flags.Clear(rec, ws)
	for i, part := range s.parts {
		s.dispatch(rec, s.groups(part.Len()), shaders.Sb2stChasePush[T]{
			Band: band.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N),
			First: uint32(part.First), Last: uint32(part.Last), Polls: s.tune.Polls,
			Info: s.flags.Info(ws).Addr(), Ticket: s.flags.Ticket(ws, i).Addr(), Flags: s.flags.First(ws),
			AbortWord: s.abort,
		})
		rec.Costs(part.Cost)
	}
}

// dispatch records one dispatch of the kernel in which sweeps wait for each other.
func (s *BulgeChasing[T]) dispatch(rec *vk.Recorder, groups int, push shaders.Sb2stChasePush[T]) {
	if s.teams != nil {
		s.teams.Dispatch(rec, vk.Grid(groups), shaders.Sb2stTeamsPush[T](push))
	} else {
		s.chase.Dispatch(rec, vk.Grid(groups), push)
	}
}

// recordWaves records one dispatch for each wave t = 0, 1, … of the bulge chasing. Wave t consists
// of step j = t − stride·s of each sweep s. The steps of a wave are independent of each other if
// `stride` is larger than chaseLead. `stride` is the number of waves between the beginnings of two
// successive sweeps.
func (s *BulgeChasing[T]) recordWaves(rec *vk.Recorder, band vk.Slice[T], q stages.Reflectors[T], stride int) {
	oldest := 0 // the first sweep that has not ended; they end in order
	for t := 0; ; t++ {
		for oldest < s.Sweeps() && t-stride*oldest >= s.steps(oldest) {
			oldest++
		}
		if oldest == s.Sweeps() {
			return
		}
		newest := min(t/stride, s.Sweeps()-1)
		if oldest > newest {
			continue // between two sweeps of a step or two
		}
		count := newest - oldest + 1
		s.wave.Dispatch(rec, vk.Folded(count), shaders.Sb2stWavePush[T]{
			Band: band.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N),
			Wave: uint32(t), Stride: uint32(stride), Newest: uint32(newest), Count: uint32(count),
		})
		rec.Costs(float64(count) * s.stepFlops())
	}
}
