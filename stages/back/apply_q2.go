package back

import (
	"fmt"
	"math"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// ApplyQ2 multiplies m vectors by the orthogonal matrix of a bulge chasing (the second back
// transformation; dormtr for dsytrd_sb2st):
//
//	X ← Q2·X   or   X ← Q2ᴴ·X
//
// X is n×m and is stored transposed: Xt is m×n, and component r of vector c lies at c + r·ld. Each
// vector is processed by one invocation, or by a few neighbouring invocations. A sweep is the
// sequence of reflectors with which the bulge chasing made one column tridiagonal. One pass over
// the vectors applies the reflectors of a group of neighbouring sweeps, so that memory is read and
// written once per group. Several groups are in progress on the same vectors, each some rows behind
// the previous one. The kernel ormtr_q2.comp derives in which order the groups may act.
type ApplyQ2[T spirv.Scalar] struct {
	Size
	tune  ApplyQ2Tuning
	op    product.Op               // NoTrans for Q2, Adjoint for Q2ᴴ
	spec  shaders.OrmtrQ2TeamsSpec // specialization of the kernel, for both forms
	abort spirv.Addr[uint32]       // word that the host sets to end all waits

	// Two forms of the kernel ormtr_q2.comp; at most one of them is built, and none if Q2 = I or if
	// there are no vectors. In both forms, an item of work is one group of sweeps on one strip of
	// vectors. In the form `waiting`, a workgroup processes one item after another. The workgroup
	// waits until the previous group of sweeps has been applied to the same strip. In the form
	// `teams`, a workgroup consists of teams of invocations, and successive teams process
	// successive groups on the same strip.
	waiting *vk.Kernel[shaders.OrmtrQ2FlagsSpec, shaders.OrmtrQ2FlagsPush[T]]
	teams   *vk.Kernel[shaders.OrmtrQ2TeamsSpec, shaders.OrmtrQ2TeamsPush[T]]

	items int           // largest number of items of a dispatch: groups times strips
	flags machine.Flags // a ticket, and a flag for each item; only for the form waiting
}

// NewApplyQ2 returns a *vk.UnsupportedError if the reflectors do not fit the device's shared
// memory. If w does not allow workgroups to wait for each other, t.Flags is ignored.
func NewApplyQ2[T spirv.Scalar](dev *vk.Device, size Size, w stages.Waiting, t ApplyQ2Tuning) (*ApplyQ2[T], error) {
	return newApplyQ2[T](dev, size, product.NoTrans, w, t)
}

func NewApplyQ2Adjoint[T spirv.Scalar](
	dev *vk.Device, size Size, w stages.Waiting, t ApplyQ2Tuning,
) (*ApplyQ2[T], error) {
	return newApplyQ2[T](dev, size, product.Adjoint, w, t)
}

func newApplyQ2[T spirv.Scalar](
	dev *vk.Device, size Size, op product.Op, w stages.Waiting, t ApplyQ2Tuning,
) (*ApplyQ2[T], error) {
	if size.N < 0 || size.M < 0 || size.B < 1 {
		panic(fmt.Sprintf("stages: Q2 of order %d, half-bandwidth %d, for %d vectors", size.N, size.B, size.M))
	}
	t.Flags = t.Flags && w.Allowed
	s := &ApplyQ2[T]{Size: size, tune: t, op: op, abort: dev.Abort()}
	if s.sweeps() == 0 || s.M == 0 {
		return s, nil
	}
	var err error
	if s.spec, err = q2Spec[T](t, dev.Info(), size, op); err != nil {
		return nil, err
	}
	s.items = math.MaxInt
	b := stages.Builder{Dev: dev}
	if !t.Flags {
		s.teams = stages.Build(&b, shaders.OrmtrQ2Teams[T](), s.spec)
		return s, b.Err
	}
	s.waiting = stages.Build(&b, shaders.OrmtrQ2Flags[T](), flagsSpec(s.spec, w.WideFence))
	// The workspace has a flag for each item (a group of sweeps on a strip of vectors) of the
	// largest dispatch for s.M vectors. A dispatch for fewer vectors never has more items.
	most := 0
	for _, part := range s.divide(s.M) {
		most = max(most, part.Len()*s.strips(s.M))
	}
	s.items = most
	s.flags = machine.ReserveFlags("Q2 INFO, ticket, flags", 1, most, q2FlagStride)
	return s, b.Err
}

// q2FlagStride is the distance between two flags, in 32-bit words. A flag is a word in device
// memory by which one workgroup tells another that its item of work is done. The flags are apart
// because invocations that poll one flag would otherwise slow down those that poll the next flag.
const q2FlagStride = 8

func (s *ApplyQ2[T]) sweeps() int { return chase.Size{N: s.N, B: s.B}.Sweeps() }

// strips returns the number of strips of m vectors. A strip is the set of vectors that a workgroup
// or a team processes at the same time.
func (s *ApplyQ2[T]) strips(m int) int {
	return vk.Tiles(m, s.spec.LocalSize/s.spec.Pipe/s.spec.Share)
}

// place returns the index of the group of sweeps that is applied after `done` other groups. The
// order for Q2 begins with the last sweeps, and the order for Q2ᴴ begins with the first sweeps.
func (s *ApplyQ2[T]) place(done int) int {
	if s.op == product.Adjoint {
		return done
	}
	return vk.Tiles(s.sweeps(), s.spec.G) - 1 - done
}

// divide distributes the groups of sweeps over dispatches, for m vectors. A dispatch ends with the
// group at which its cost reaches a limit. If a group costs at most a quarter of tune.Dispatch, as
// usual, the limit is tune.Dispatch. Otherwise the limit is lower, so that a dispatch costs at most
// 5/4 of tune.Dispatch, or has only one group.
func (s *ApplyQ2[T]) divide(m int) []stages.Span {
	if s.sweeps() == 0 || m == 0 {
		return nil
	}
	groups, atOnce := vk.Tiles(s.sweeps(), s.spec.G), s.items/s.strips(m)
	limit := min(s.tune.Dispatch, 5*s.tune.Dispatch/4-s.groupFlops(0)*float64(m))
	return stages.Spans(groups, atOnce, limit, func(done int) float64 { return s.groupFlops(s.place(done)) * float64(m) })
}

// groupFlops returns the cost of a group for one vector. Group 0, with the first sweeps, costs
// most.
func (s *ApplyQ2[T]) groupFlops(group int) float64 {
	blocks := vk.Tiles(s.N-1-group*int(s.spec.G), s.spec.B)
	return 4 * float64(s.spec.B) * float64(s.spec.G) * float64(blocks)
}

// Work returns the layout of the workspace: the INFO word, a counter from which workgroups take
// tickets, and a flag for each item of the largest dispatch. It is empty if workgroups do not wait
// for each other.
func (s *ApplyQ2[T]) Work() *vk.Layout {
	if s.waiting == nil {
		return vk.Together()
	}
	return s.flags.Layout()
}

// Info returns the INFO word. It is 0 after a successful run. Otherwise a wait reached the poll
// limit, and the word is 1 plus the index of the flag. The slice is empty if workgroups do not wait
// for each other.
func (s *ApplyQ2[T]) Info(ws *vk.Arena) vk.Slice[uint32] {
	if s.waiting == nil {
		return vk.Slice[uint32]{}
	}
	return s.flags.Info(ws)
}

func (s *ApplyQ2[T]) Flops() float64 { return 2 * float64(s.N) * float64(s.N) * float64(s.M) }

func (s *ApplyQ2[T]) ProductFlops() float64 { return 0 }

// Record multiplies the vectors X by Q2 or Q2ᴴ, where Q2 is the product of the reflectors q that
// BulgeChasing stored. xt is Xᵀ: m×n, or with fewer rows if there are fewer vectors.
func (s *ApplyQ2[T]) Record(rec *vk.Recorder, ws *vk.Arena, q stages.Reflectors[T], xt product.Matrix[T]) {
	if xt.Rows > s.M || xt.Cols != s.N {
		panic(fmt.Sprintf("stages: Q2 of order %d for %d vectors applied to %d×%d", s.N, s.M, xt.Cols, xt.Rows))
	}
	if s.sweeps() > 0 && xt.Rows > 0 {
		q.Check(s.N, s.B)
	}
	if s.waiting != nil {
		vk.Fill(rec, s.Info(ws), 0)
	}
	chunk := s.vectorsAtOnce()
	for from := 0; from < xt.Rows; from += chunk {
		s.recordVectors(rec, ws, q, xt.Block(from, 0, min(chunk, xt.Rows-from), s.N))
	}
}

// vectorsAtOnce returns the largest number of vectors that one dispatch transforms: all vectors, or
// a multiple of the vectors of a strip. The most expensive group of sweeps on so many vectors costs
// at most a quarter of tune.Dispatch, unless they are a single strip.
func (s *ApplyQ2[T]) vectorsAtOnce() int {
	if s.sweeps() == 0 || s.M == 0 {
		return max(1, s.M)
	}
	strip := int(s.spec.LocalSize / s.spec.Pipe / s.spec.Share)
	if most := s.tune.Dispatch / 4 / s.groupFlops(0); most < float64(s.M) {
		return max(1, int(most)/strip) * strip
	}
	return s.M
}

// recordVectors multiplies at most vectorsAtOnce vectors by Q2 or its adjoint. The caller clears
// the INFO word before.
func (s *ApplyQ2[T]) recordVectors(rec *vk.Recorder, ws *vk.Arena, q stages.Reflectors[T], xt product.Matrix[T]) {
	for _, part := range s.divide(xt.Rows) {
		push := shaders.OrmtrQ2TeamsPush[T]{
			X: xt.Addr(), V: q.V.Addr(), Tau: q.Tau.Addr(), N: uint32(s.N), M: uint32(xt.Rows), Ld: uint32(xt.Ld),
			Group: uint32(s.place(part.First)), Groups: uint32(part.Len()),
		}
		if s.waiting != nil {
			s.recordWaiting(rec, ws, push)
		} else {
			s.teams.Dispatch(rec, vk.Folded(s.strips(xt.Rows)), push)
		}
		rec.Costs(part.Cost)
	}
}

// recordWaiting records a dispatch in which workgroups wait for each other by flags. An item of
// work is one group of sweeps on one strip of vectors, and a ticket is the number of an item. Every
// wait ends: a workgroup that runs takes the next ticket, in the order of the groups. So an item
// waits only for an item with a smaller ticket, whose workgroup is already running.
func (s *ApplyQ2[T]) recordWaiting(rec *vk.Recorder, ws *vk.Arena, p shaders.OrmtrQ2TeamsPush[T]) {
	items := int(p.Groups) * s.strips(int(p.M))
	groups := min(items, max(1, s.tune.Workgroups), vk.MaxGroups())
	s.flags.ClearFirst(rec, ws, items)
	s.waiting.Dispatch(rec, vk.Grid(groups), shaders.OrmtrQ2FlagsPush[T]{
		X: p.X, V: p.V, Tau: p.Tau, N: p.N, M: p.M, Ld: p.Ld, Group: p.Group, Groups: p.Groups,
		Info: s.flags.Info(ws).Addr(), Ticket: s.flags.Ticket(ws, 0).Addr(), Flags: s.flags.First(ws),
		AbortWord: s.abort, Polls: s.tune.Polls,
	})
}
