package stages

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// ApplyQ2 multiplies m vectors by the orthogonal matrix of a bulge chasing (the
// second back transformation; dormtr for dsytrd_sb2st):
//
//	X ← Q2·X   or   X ← Q2ᵀ·X
//
// X is n×m and held transposed: Xt, m×n, has component r of vector c at c + r·ld.
// A thread owns whole vectors. The reflectors of a group of neighbouring sweeps
// act in one pass over them, so memory is read and written once a group; the order in
// which that is allowed is derived in shaders/ormtr_q2.comp.
type ApplyQ2 struct {
	n, b, m int
	tune    ApplyQ2Tuning
	op      Op
	kernel  *vk.Kernel[shaders.OrmtrQ2Spec, shaders.OrmtrQ2Push] // nil where Q2 = I
}

// ApplyQ2Tuning is what is measured for ApplyQ2.
type ApplyQ2Tuning struct {
	Threads  uint32  // a workgroup
	Pipe     uint32  // groups under way at the same time, at most; a power of two that divides Threads
	Columns  uint32  // vectors of a thread, if there are enough: what is read of V serves them all
	Lanes    int     // threads that keep the device busy: more groups are taken at a time until there are so many
	Group    uint32  // sweeps of a group
	Chunk    uint32  // reflectors in shared memory at a time; divides Group
	Batch    uint32  // reflectors between two moves of the registers; divides Chunk
	Ahead    bool    // fetch the next block's rows into shared memory meanwhile
	Dispatch float64 // what one dispatch may cost, in flops
}

func applyQ2Tuning(family string) ApplyQ2Tuning {
	switch family {
	case "nvidia":
		return ApplyQ2Tuning{Threads: 128, Pipe: 4, Columns: 1, Lanes: 1 << 14, Group: 32, Chunk: 8, Batch: 8, Dispatch: 1e12}
	case "cpu":
		return ApplyQ2Tuning{Threads: 16, Pipe: 1, Columns: 1, Group: 16, Chunk: 16, Batch: 1, Dispatch: 4e8}
	}
	return ApplyQ2Tuning{Threads: 64, Pipe: 2, Columns: 1, Lanes: 1 << 13, Group: 16, Chunk: 8, Batch: 4, Dispatch: 1e11}
}

// smallestApplyQ2 reaches every path with a few rows.
func smallestApplyQ2() ApplyQ2Tuning {
	return ApplyQ2Tuning{Threads: 4, Pipe: 1, Columns: 2, Lanes: 4, Group: 4, Chunk: 4, Batch: 2, Ahead: true, Dispatch: 1e4}
}

// NewApplyQ2 prepares Q2·X for a bulge chasing of order n from half-bandwidth
// t.Band, and m vectors. It refuses what does not fit the device's shared
// memory with a *vk.UnsupportedError.
func NewApplyQ2(dev *vk.Device, n, m int, t Tuning) (*ApplyQ2, error) {
	return newApplyQ2(dev, n, m, NoTrans, t)
}

// NewApplyQ2Transposed is NewApplyQ2 for Q2ᵀ·X.
func NewApplyQ2Transposed(dev *vk.Device, n, m int, t Tuning) (*ApplyQ2, error) {
	return newApplyQ2(dev, n, m, Trans, t)
}

func newApplyQ2(dev *vk.Device, n, m int, op Op, t Tuning) (*ApplyQ2, error) {
	if n < 0 || m < 0 || t.Band < 1 {
		panic(fmt.Sprintf("stages: Q2 of order %d, half-bandwidth %d, for %d vectors", n, t.Band, m))
	}
	s := &ApplyQ2{n: n, b: t.Band, m: m, tune: t.ApplyQ2, op: op}
	if s.sweeps() == 0 || m == 0 {
		return s, nil
	}
	spec, err := s.spec(dev.Info())
	if err != nil {
		return nil, err
	}
	b := builder{dev: dev}
	s.kernel = build(&b, shaders.OrmtrQ2(), spec)
	return s, b.err
}

func (s *ApplyQ2) spec(info vk.Info) (shaders.OrmtrQ2Spec, error) {
	t := s.tune
	spec := shaders.OrmtrQ2Spec{
		LocalSize: t.Threads, B: uint32(s.b), G: t.Group, Chunk: t.Chunk, U: t.Batch, Cols: 1,
		Ahead: specBool(t.Ahead), Transposed: specBool(bool(s.op)), Pipe: 1,
	}
	if s.m >= t.Lanes*int(t.Columns) {
		spec.Cols = max(1, t.Columns)
	}
	for 2*spec.Pipe <= t.Pipe && s.m*int(spec.Pipe) < t.Lanes {
		spec.Pipe *= 2
	}
	if spec.Pipe > 1 {
		spec.Ahead = specBool(false) // a row that is looked at ahead is not there yet
	}
	if spec.LocalSize%spec.Pipe != 0 || spec.U < 1 || spec.Chunk%spec.U != 0 || spec.Chunk < 1 || spec.G%spec.Chunk != 0 || spec.G < 1 {
		return spec, fmt.Errorf("stages: Q2 cannot be applied in groups of %d, chunks of %d, batches of %d by %d teams of %d threads in all", spec.G, spec.Chunk, spec.U, spec.Pipe, spec.LocalSize)
	}
	// What an option takes is given up before the device is.
	for need := q2SharedBytes(spec); need > info.SharedBytes; need = q2SharedBytes(spec) {
		switch {
		case spec.Ahead != specBool(false):
			spec.Ahead = specBool(false)
		case spec.Cols > 1:
			spec.Cols--
		case spec.Pipe > 1:
			spec.Pipe /= 2
		case spec.G > spec.Chunk:
			spec.G -= spec.Chunk
		default:
			return spec, &vk.UnsupportedError{Device: info.Name, Feature: fmt.Sprintf("bytes of shared memory for reflectors of %d", s.b),
				Need: fmt.Sprint(need), Have: fmt.Sprint(info.SharedBytes)}
		}
	}
	return spec, nil
}

// q2SharedBytes is what ormtr_q2.comp declares as shared.
func q2SharedBytes(spec shaders.OrmtrQ2Spec) int {
	rows := max(1, spec.G-1) + 1
	if spec.Ahead == specBool(true) {
		rows += spec.B - 1
	}
	return 8 * int(spec.Pipe*spec.Chunk*(spec.B+1)+rows*spec.Cols*spec.LocalSize)
}

// sweeps is how many have reflectors other than the identity.
func (s *ApplyQ2) sweeps() int {
	if s.b == 1 {
		return 0
	}
	return max(0, s.n-2)
}

// Work is empty.
func (s *ApplyQ2) Work() *vk.Layout { return vk.Together() }

// Flops is 2·n²·m.
func (s *ApplyQ2) Flops() float64 { return 2 * float64(s.n) * float64(s.n) * float64(s.m) }

// Record replaces X by Q2·X, or Q2ᵀ·X. v and tau are as BulgeChasing left them, xt is
// m×n, or has fewer rows for fewer vectors, and must not overlap them.
func (s *ApplyQ2) Record(rec *vk.Recorder, ws *vk.Arena, v, tau vk.Slice[float64], xt Matrix) {
	if xt.Rows > s.m || xt.Cols != s.n {
		panic(fmt.Sprintf("stages: Q2 of order %d for %d vectors applied to %d×%d", s.n, s.m, xt.Cols, xt.Rows))
	}
	m := xt.Rows
	if s.kernel == nil || m == 0 {
		return
	}
	spec := s.kernel.Spec
	all := vk.Tiles(s.sweeps(), spec.G)
	place := func(done int) int { // of the group after done others
		if s.op == Trans {
			return done
		}
		return all - 1 - done
	}
	for done := 0; done < all; {
		cost, groups := 0.0, 0
		for done+groups < all && (groups == 0 || cost < s.tune.Dispatch) {
			blocks := vk.Tiles(s.n-1-place(done+groups)*int(spec.G), spec.B)
			cost += 4 * float64(spec.B) * float64(spec.G) * float64(blocks) * float64(m)
			groups++
		}
		s.kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, spec.LocalSize/spec.Pipe*spec.Cols)), shaders.OrmtrQ2Push{
			X: xt.Addr(), V: v.Addr(), Tau: tau.Addr(), N: uint32(s.n), M: uint32(m), Ld: uint32(xt.Ld),
			Group: uint32(place(done)), Groups: uint32(groups),
		})
		rec.Costs(cost)
		done += groups
	}
}
