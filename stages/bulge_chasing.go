package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// BulgeChasing reduces a compact band to tridiagonal form (dsytrd_sb2st),
//
//	B = Q2·T·Q2ᵀ
//
// by sweeps of Householder reflectors, each of which chases a bulge down the
// band; many sweeps are under way at once, one behind the other. What must wait
// for what is derived in shaders/glsl/chase/sb2st.comp; how B and Q2 are stored is
// said in this package's documentation.
//
// Sources: H. R. Schwarz, Numer. Math. 12 (1968); A. Haidar, H. Ltaief and
// J. Dongarra, SC 2011.
type BulgeChasing struct {
	n, b    int
	vectors bool
	tune    ChaseTuning
	abort   spirv.Addr[uint32]

	// One of the first three, by the tuning; none where there is nothing to chase.
	chase *vk.Kernel[shaders.Sb2stChaseSpec, shaders.Sb2stChasePush[float64]]
	teams *vk.Kernel[shaders.Sb2stTeamsSpec, shaders.Sb2stTeamsPush[float64]]
	wave  *vk.Kernel[shaders.Sb2stWaveSpec, shaders.Sb2stWavePush[float64]]
	read  *vk.Kernel[shaders.Sb2stTridiagonalSpec, shaders.Sb2stTridiagonalPush[float64]]

	parts []sweepRange      // of the persistent form: one dispatch each
	words vk.Region[uint32] // INFO, a ticket for each dispatch, a flag for each sweep
}

// sweepRange is sweeps [first, last).
type sweepRange struct {
	first, last int
	cost        float64
}

const (
	// chaseLead is how many steps beyond its own the sweep before must be ahead of a step.
	chaseLead = 2

	// mostBand is what the kernels, which count in 32 bits, find of a compact band.
	mostBand = 1 << 32

	readThreads = 256 // at most
)

// NewBulgeChasing prepares for bands of order n and half-bandwidth t.Band.
// Without vectors no reflectors are stored. On a device that does not hand on
// flags (HandsOn), the wavefront form is taken whatever t says. It refuses a band that is too wide for
// the device's shared memory, or has more than 2³² elements, with a *vk.UnsupportedError.
func NewBulgeChasing(dev *vk.Device, n int, vectors bool, t Tuning) (*BulgeChasing, error) {
	if n < 0 || t.Band < 1 {
		panic(fmt.Sprintf("stages: bulge chasing of order %d, half-bandwidth %d", n, t.Band))
	}
	if n > mostBand/(2*t.Band) {
		return nil, &vk.UnsupportedError{Device: dev.Info().Name, Feature: "elements of a compact band",
			Need: fmt.Sprintf("%d·%d", n, 2*t.Band), Have: fmt.Sprint(mostBand)}
	}
	s := &BulgeChasing{n: n, b: t.Band, vectors: vectors, tune: t.Chase, abort: dev.Abort()}
	s.tune.Groups = t.Chase.groups(dev.Info())
	b := builder{dev: dev}
	s.read = build(&b, shaders.Sb2stTridiagonal[float64](), shaders.Sb2stTridiagonalSpec{LocalSize: b.threads(readThreads)})
	if s.sweeps() == 0 {
		return s, b.err
	}
	ok, err := mayWait(dev, t)
	if err != nil {
		return nil, err
	}
	s.tune.Wavefront = !ok
	if err := s.chaser(&b); err != nil {
		return nil, err
	}
	if s.waits() {
		s.parts = s.divide()
		s.words = vk.Reserve[uint32]("chase INFO, tickets, flags", 1+len(s.parts)+s.sweeps()*int(s.flagStride()))
	}
	return s, b.err
}

// chaser builds the kernel that chases.
func (s *BulgeChasing) chaser(b *builder) error {
	if spec, ok := s.teamsSpec(b.dev.Info()); ok {
		s.teams = build(b, shaders.Sb2stTeams[float64](), spec)
		return nil
	}
	spec, err := s.spec(b.dev.Info())
	if err != nil {
		return err
	}
	if s.tune.Wavefront {
		s.wave = build(b, shaders.Sb2stWave[float64](), spec)
	} else {
		s.chase = build(b, shaders.Sb2stChase[float64](), spec)
	}
	return nil
}

// waits tells whether sweeps wait for each other, by flags.
func (s *BulgeChasing) waits() bool { return s.chase != nil || s.teams != nil }

func (s *BulgeChasing) flagStride() uint32 { return max(1, s.tune.FlagStride) }

// spare is how many threads wait and publish while the others compute: who publishes is not who waits.
func (s *BulgeChasing) spare(info vk.Info) int {
	return max(2, max(1, s.tune.Spare)*max(1, info.Subgroup))
}

// spec fits the kernel to the band and the device: with two tiles if there is
// room, and with fewer threads, each holding more, if a workgroup cannot have as many.
func (s *BulgeChasing) spec(info vk.Info) (spec shaders.Sb2stChaseSpec, err error) {
	subgroup := max(1, info.Subgroup)
	for lanes := lanesFor(s.b, int(s.tune.Own), subgroup); lanes >= 1; lanes /= 2 {
		work := wholeSubgroups(s.b*lanes, info)
		spec = shaders.Sb2stChaseSpec{
			LocalSize: uint32(work), Work: uint32(work), Lanes: uint32(lanes), B: uint32(s.b), Tiles: 2,
			Vectors: specBool(s.vectors), Lead: chaseLead,
			WideFence: specBool(s.tune.wideFence(info)), FlagStride: s.flagStride(),
		}
		if !s.tune.Wavefront {
			spec.LocalSize += uint32(s.spare(info))
		}
		refuse := func(feature string, need, have int) error {
			return &vk.UnsupportedError{Device: info.Name, Feature: fmt.Sprintf("%s for half-bandwidth %d", feature, s.b),
				Need: fmt.Sprint(need), Have: fmt.Sprint(have)}
		}
		if s.tune.OneTile || chaseSharedBytes(spec) > info.SharedBytes {
			spec.Tiles = 1
		}
		// Blocks too large for two tiles are too large for registers, too.
		spec.Retain = specBool(spec.Tiles > 1)
		if need := chaseSharedBytes(spec); need > info.SharedBytes {
			return spec, refuse("bytes of shared memory", need, info.SharedBytes)
		}
		if int(spec.LocalSize) <= info.MaxLocal {
			return spec, nil
		}
		err = refuse("invocations in a workgroup", int(spec.LocalSize), info.MaxLocal)
	}
	return spec, err
}

// lanesFor is how many neighbours in a subgroup share b elements, of which one holds own, at least: a power of two.
func lanesFor(b, own, subgroup int) int {
	lanes := 1
	for 2*lanes <= subgroup && lanes*max(1, own) < b {
		lanes *= 2
	}
	return lanes
}

// chaseSharedBytes is what sb2st.comp declares as shared.
func chaseSharedBytes(spec shaders.Sb2stChaseSpec) int {
	b := int(spec.B)
	const words = 4
	ld := vk.Tiles(b, 16)*16 + 2
	if spec.Lanes == 4 {
		ld += 2
	}
	return 8*(int(spec.Tiles)*b*ld+2*b) + 4*words
}

// specBool is a truth value as a specialisation constant.
func specBool(v bool) spirv.Bool {
	if v {
		return spirv.True
	}
	return spirv.False
}

// sweeps is how many there are; those of a band that is tridiagonal already do nothing.
func (s *BulgeChasing) sweeps() int {
	if s.b == 1 {
		return 0
	}
	return max(0, s.n-2)
}

// steps is the number of steps of a sweep.
func (s *BulgeChasing) steps(sweep int) int { return vk.Tiles(s.n-1-sweep, uint32(s.b)) }

// stepFlops is the cost of a step: three blocks, one of them symmetric and hit from both sides.
func (s *BulgeChasing) stepFlops() float64 { return 12 * float64(s.b) * float64(s.b) }

// Flops is about 6·n²·b.
func (s *BulgeChasing) Flops() float64 {
	n, b := float64(s.n), float64(s.b)
	return 6 * n * n * b
}

// ReflectorLen is the number of elements of V and of Tau, as the package's
// documentation packs them; without vectors none is needed.
func ReflectorLen(n, b int) (v, tau int) {
	if n < 3 {
		return 0, 0
	}
	return (n-2)*(n-1) - (n-2)*(n-3)/2, (n - 2) * vk.Tiles(n-1, uint32(b))
}

// divide cuts the sweeps into dispatches of about the cost that one may have.
func (s *BulgeChasing) divide() []sweepRange {
	var parts []sweepRange
	part := sweepRange{}
	for i := range s.sweeps() {
		part.cost += max(s.tune.SweepCost, float64(s.steps(i))*s.stepFlops())
		part.last = i + 1
		if part.cost >= s.tune.Dispatch || part.last == s.sweeps() {
			parts = append(parts, part)
			part = sweepRange{first: part.last}
		}
	}
	return parts
}

// Work is a word a sweep and a few more.
func (s *BulgeChasing) Work() *vk.Layout {
	if !s.waits() {
		return vk.Together()
	}
	return vk.Together(s.words)
}

// Info is the INFO word after a run: 0, or 1 + the sweep whose progress was
// waited for in vain, which leaves the results undefined. It is empty
// where nothing waits.
func (s *BulgeChasing) Info(ws *vk.Arena) vk.Slice[uint32] {
	if !s.waits() {
		return vk.Slice[uint32]{}
	}
	return s.words.In(ws).Sub(0, 1)
}

// Record reduces band (2·b·n elements, overwritten) to d[n] and e[n−1]. With
// vectors it stores Q2 in v and tau (ReflectorLen elements), unused
// elements of tau zero; without, both are left alone. A band of half-bandwidth one is copied, Q2 = I,
// and v is not written. Nothing may overlap.
func (s *BulgeChasing) Record(rec *vk.Recorder, ws *vk.Arena, band, d, e, v, tau vk.Slice[float64]) {
	if s.n == 0 {
		return
	}
	holds("the band", band, 2*s.b*s.n)
	holds("the diagonal", d, s.n)
	holds("the off-diagonal", e, s.n-1)
	if s.vectors {
		if s.sweeps() > 0 {
			vectors, factors := ReflectorLen(s.n, s.b)
			holds("V", v, vectors)
			holds("tau", tau, factors)
		}
		vk.Fill(rec, tau, 0)
	}
	switch {
	case s.waits():
		s.recordChase(rec, ws, band, v, tau)
	case s.wave != nil:
		s.recordWaves(rec, band, v, tau, 1+chaseLead)
	}
	s.read.Dispatch(rec, vk.Folded(vk.Tiles(s.n, s.read.Spec.LocalSize)), shaders.Sb2stTridiagonalPush[float64]{
		Band: band.Addr(), D: d.Addr(), E: e.Addr(), N: uint32(s.n), Ld: uint32(2 * s.b),
	})
}

// groups is how many workgroups take turns with so many sweeps. A sweep is chaseLead
// steps behind the one before it: more would only spin.
func (s *BulgeChasing) groups(sweeps int) int {
	return min(s.tune.Groups, sweeps, s.steps(0)/chaseLead+2)
}

func (s *BulgeChasing) recordChase(rec *vk.Recorder, ws *vk.Arena, band, v, tau vk.Slice[float64]) {
	words := s.words.In(ws)
	vk.Fill(rec, words, 0)
	for i, part := range s.parts {
		s.dispatch(rec, s.groups(part.last-part.first), shaders.Sb2stChasePush[float64]{
			Band: band.Addr(), V: v.Addr(), Tau: tau.Addr(), N: uint32(s.n),
			First: uint32(part.first), Last: uint32(part.last), Polls: s.tune.Polls,
			Info: words.Addr(), Ticket: words.From(1 + i).Addr(), Flags: words.From(1 + len(s.parts)).Addr(), AbortWord: s.abort,
		})
		rec.Costs(part.cost)
	}
}

// dispatch records some sweeps, by whichever kernel there is.
func (s *BulgeChasing) dispatch(rec *vk.Recorder, groups int, push shaders.Sb2stChasePush[float64]) {
	if s.teams != nil {
		s.teams.Dispatch(rec, vk.Grid(groups), shaders.Sb2stTeamsPush[float64](push))
	} else {
		s.chase.Dispatch(rec, vk.Grid(groups), push)
	}
}

// recordWaves records all steps with stride·s + j = t for t = 0, 1, …
func (s *BulgeChasing) recordWaves(rec *vk.Recorder, band, v, tau vk.Slice[float64], stride int) {
	oldest := 0 // sweep that has not ended; they end in order
	for t := 0; ; t++ {
		for oldest < s.sweeps() && t-stride*oldest >= s.steps(oldest) {
			oldest++
		}
		if oldest == s.sweeps() {
			return
		}
		newest := min(t/stride, s.sweeps()-1)
		if oldest > newest {
			continue // between two sweeps of a step or two
		}
		count := newest - oldest + 1
		s.wave.Dispatch(rec, vk.Folded(count), shaders.Sb2stWavePush[float64]{
			Band: band.Addr(), V: v.Addr(), Tau: tau.Addr(), N: uint32(s.n),
			Wave: uint32(t), Stride: uint32(stride), Newest: uint32(newest), Count: uint32(count),
		})
		rec.Costs(float64(count) * s.stepFlops())
	}
}
