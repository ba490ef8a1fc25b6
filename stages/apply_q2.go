package stages

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ2 multiplies m vectors by the orthogonal matrix of a bulge chasing (the
// second back transformation; dormtr for dsytrd_sb2st):
//
//	X ← Q2·X   or   X ← Q2ᵀ·X
//
// X is n×m and held transposed: Xt, m×n, has component r of vector c at c + r·ld.
// A thread owns a whole vector, or shares it with its neighbours. The reflectors of a group of neighbouring sweeps
// act in one pass over them, so memory is read and written once a group; several groups
// are under way on the same vectors, one behind the other. The order in
// which that is allowed is derived in shaders/glsl/back/ormtr_q2.comp.
type ApplyQ2 struct {
	n, b, m int
	tune    ApplyQ2Tuning
	op      product.Op
	spec    shaders.OrmtrQ2TeamsSpec // the shape, of either form
	abort   spirv.Addr[uint32]

	// One of the two, by the tuning; neither where Q2 = I.
	flags *vk.Kernel[shaders.OrmtrQ2FlagsSpec, shaders.OrmtrQ2FlagsPush[float64]]
	teams *vk.Kernel[shaders.OrmtrQ2TeamsSpec, shaders.OrmtrQ2TeamsPush[float64]]

	items int               // groups and strips of a dispatch together, with flags at most
	words vk.Region[uint32] // with flags: INFO, a ticket, a flag for each item
}

// groupRange is what one dispatch does: count groups of sweeps, after done others.
type groupRange struct {
	done, count int
	cost        float64
}

// NewApplyQ2 prepares Q2·X for a bulge chasing of order n from half-bandwidth
// t.Band, and m vectors. With t.Chase.Wavefront, or on a device that lets those
// starve that others wait for (HandsOn), no workgroup waits for another, whatever t.ApplyQ2 says.
// It refuses what does not fit the device's shared memory with a *vk.UnsupportedError.
func NewApplyQ2(dev *vk.Device, n, m int, t Tuning) (*ApplyQ2, error) {
	return newApplyQ2(dev, n, m, product.NoTrans, t)
}

// NewApplyQ2Transposed is NewApplyQ2 for Q2ᵀ·X.
func NewApplyQ2Transposed(dev *vk.Device, n, m int, t Tuning) (*ApplyQ2, error) {
	return newApplyQ2(dev, n, m, product.Trans, t)
}

func newApplyQ2(dev *vk.Device, n, m int, op product.Op, t Tuning) (*ApplyQ2, error) {
	if n < 0 || m < 0 || t.Band < 1 {
		panic(fmt.Sprintf("stages: Q2 of order %d, half-bandwidth %d, for %d vectors", n, t.Band, m))
	}
	s := &ApplyQ2{n: n, b: t.Band, m: m, tune: t.ApplyQ2, op: op, abort: dev.Abort()}
	if s.sweeps() == 0 || m == 0 {
		return s, nil
	}
	var err error
	if s.tune.Flags {
		if s.tune.Flags, err = mayWait(dev, t); err != nil {
			return nil, err
		}
	}
	if s.spec, err = s.tune.spec(dev.Info(), n, s.b, m, op); err != nil {
		return nil, err
	}
	b := builder{dev: dev}
	if !s.tune.Flags {
		s.teams = build(&b, shaders.OrmtrQ2Teams[float64](), s.spec)
		return s, b.err
	}
	x := s.spec
	s.flags = build(&b, shaders.OrmtrQ2Flags[float64](), shaders.OrmtrQ2FlagsSpec{
		LocalSize: x.LocalSize, B: x.B, G: x.G, Chunk: x.Chunk, U: x.U, Transposed: x.Transposed,
		Share: x.Share, Private: x.Private,
		WideFence: specBool(t.Chase.wideFence(dev.Info())), FlagStride: q2FlagStride,
	})
	s.items = math.MaxInt
	most := 0
	for _, part := range s.divide(m) {
		most = max(most, part.count*s.strips(m))
	}
	s.items = most
	s.words = vk.Reserve[uint32]("Q2 INFO, ticket, flags", q2Words+most*q2FlagStride)
	return s, b.err
}

const (
	q2FlagStride = 8 // words: who polls one flag does not hold up its neighbour
	q2Words      = 2 // INFO and a ticket, before the flags
)

// sweeps is how many have reflectors other than the identity.
func (s *ApplyQ2) sweeps() int {
	if s.b == 1 {
		return 0
	}
	return max(0, s.n-2)
}

// strips is how many pieces m vectors are cut into.
func (s *ApplyQ2) strips(m int) int {
	return vk.Tiles(m, s.spec.LocalSize/s.spec.Pipe/s.spec.Share)
}

// place is the number of the group that comes after done others.
func (s *ApplyQ2) place(done int) int {
	if s.op == product.Trans {
		return done
	}
	return vk.Tiles(s.sweeps(), s.spec.G) - 1 - done
}

// divide cuts the groups, for m vectors, into dispatches of about the cost that one may have.
func (s *ApplyQ2) divide(m int) []groupRange {
	var parts []groupRange
	if s.sweeps() == 0 || m == 0 {
		return nil
	}
	part, all := groupRange{}, vk.Tiles(s.sweeps(), s.spec.G)
	for done := range all {
		blocks := vk.Tiles(s.n-1-s.place(done)*int(s.spec.G), s.spec.B)
		part.cost += 4 * float64(s.spec.B) * float64(s.spec.G) * float64(blocks) * float64(m)
		part.count++
		full := s.flags != nil && (part.count+1)*s.strips(m) > s.items
		if part.cost >= s.tune.Dispatch || full || done+1 == all {
			parts = append(parts, part)
			part = groupRange{done: done + 1}
		}
	}
	return parts
}

// Work is a flag for each group of a dispatch and strip of vectors, or nothing.
func (s *ApplyQ2) Work() *vk.Layout {
	if s.flags == nil {
		return vk.Together()
	}
	return vk.Together(s.words)
}

// Info is the INFO word after a run: 0, or 1 + the flag that was waited for in
// vain, which leaves the results undefined. It is empty where nothing waits.
func (s *ApplyQ2) Info(ws *vk.Arena) vk.Slice[uint32] {
	if s.flags == nil {
		return vk.Slice[uint32]{}
	}
	return s.words.In(ws).Sub(0, 1)
}

// Flops is 2·n²·m.
func (s *ApplyQ2) Flops() float64 { return 2 * float64(s.n) * float64(s.n) * float64(s.m) }

// Record replaces X by Q2·X, or Q2ᵀ·X. v and tau are as BulgeChasing left them, xt is
// m×n, or has fewer rows for fewer vectors, and must not overlap them.
func (s *ApplyQ2) Record(rec *vk.Recorder, ws *vk.Arena, v, tau vk.Slice[float64], xt product.Matrix) {
	if xt.Rows > s.m || xt.Cols != s.n {
		panic(fmt.Sprintf("stages: Q2 of order %d for %d vectors applied to %d×%d", s.n, s.m, xt.Cols, xt.Rows))
	}
	if s.sweeps() > 0 && xt.Rows > 0 {
		vectors, factors := ReflectorLen(s.n, s.b)
		holds("V", v, vectors)
		holds("tau", tau, factors)
	}
	if s.flags != nil {
		vk.Fill(rec, s.Info(ws), 0)
	}
	for _, part := range s.divide(xt.Rows) {
		push := shaders.OrmtrQ2TeamsPush[float64]{
			X: xt.Addr(), V: v.Addr(), Tau: tau.Addr(), N: uint32(s.n), M: uint32(xt.Rows), Ld: uint32(xt.Ld),
			Group: uint32(s.place(part.done)), Groups: uint32(part.count),
		}
		if s.flags != nil {
			s.recordFlags(rec, ws, push)
		} else {
			s.teams.Dispatch(rec, vk.Folded(s.strips(xt.Rows)), push)
		}
		rec.Costs(part.cost)
	}
}

func (s *ApplyQ2) recordFlags(rec *vk.Recorder, ws *vk.Arena, p shaders.OrmtrQ2TeamsPush[float64]) {
	words, items := s.words.In(ws), int(p.Groups)*s.strips(int(p.M))
	vk.Fill(rec, words.Sub(1, q2Words-1+items*q2FlagStride), 0) // all but INFO
	s.flags.Dispatch(rec, vk.Grid(min(items, max(1, s.tune.Workgroups), vk.MostGroups())), shaders.OrmtrQ2FlagsPush[float64]{
		X: p.X, V: p.V, Tau: p.Tau, N: p.N, M: p.M, Ld: p.Ld, Group: p.Group, Groups: p.Groups,
		Polls: s.tune.Polls, Info: words.Addr(), Ticket: words.From(1).Addr(), Flags: words.From(q2Words).Addr(), AbortWord: s.abort,
	})
}
