package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// BisectionTuning is what is measured for the bisection.
type BisectionTuning struct {
	Threads  uint32  // a workgroup
	Tile     uint32  // rows of T in shared memory at a time, 16 bytes each; a multiple of 8
	Fused    bool    // fma takes no longer than a product; its bits do not matter here
	Lanes    int     // threads that keep the device busy: fewer take no less time
	Levels   uint32  // halvings that teams of threads do at once, at most
	Dispatch float64 // pivots that one dispatch may compute
}

// Fits is nil if the bisection can have these sizes on the device. Else it says what contradicts itself, or is a
// *vk.UnsupportedError.
func (t BisectionTuning) Fits(info vk.Info) error {
	const rowBytes, countBytes, scan = 16, 4, 8 // scan: rows between two looks at the range of the minors
	if t.Tile == 0 || t.Tile%scan != 0 || t.Levels >= 32 || t.Threads < 1<<max(1, t.Levels)-1 {
		return fmt.Errorf("stages: no bisection can be tuned by %+v", t)
	}
	if n := int(t.Threads); info.MaxLocal > 0 && n > info.MaxLocal {
		return &vk.UnsupportedError{Device: info.Name, Feature: "invocations in a workgroup", Need: fmt.Sprint(n), Have: fmt.Sprint(info.MaxLocal)}
	}
	if bytes := int(rowBytes*t.Tile + countBytes*(t.Threads+1)); bytes > info.SharedBytes {
		return &vk.UnsupportedError{Device: info.Name, Feature: "bytes of shared memory", Need: fmt.Sprint(bytes), Have: fmt.Sprint(info.SharedBytes)}
	}
	return nil
}

// Bisection finds eigenvalues of a symmetric tridiagonal matrix (dstebz), each
// by bisection on its own Sturm counts:
//
//	λ_k = sup { x : fewer than k+1 pivots of T − x·I = L·D·Lᵀ are negative }
//
// to within a few ulp of itself or 2⁻¹⁰⁴·‖T‖, whichever is more, as far as the counts
// tell. Values ascend, and are the same bits as package ref's, whatever
// the tuning and the range asked for.
//
// Most of the way goes by counts without divisions (shaders/glsl/tridiag/stebz_narrow.comp), which are
// a tenth of the price and good to a few ulp of ‖T‖: first at a grid of points, as many as the
// device does at once, then by bisection of each eigenvalue's cell. The bracket this ends with decides all
// halvings but the last few, exactly as the counts above would have.
//
// Source: J. Demmel, I. Dhillon and H. Ren, ETNA 3 (1995), on when counts are monotone.
type Bisection struct {
	n       int
	tune    BisectionTuning
	prepare *vk.Kernel[shaders.StebzPrepareSpec, shaders.StebzPreparePush]
	grid    *vk.Kernel[shaders.StebzGridSpec, shaders.StebzGridPush]
	narrow  []*vk.Kernel[shaders.StebzNarrowSpec, shaders.StebzNarrowPush] // by levels − 1
	bisect  []*vk.Kernel[shaders.StebzBisectSpec, shaders.StebzBisectPush] // by levels − 1
	count   *vk.Kernel[shaders.StebzCountSpec, shaders.StebzCountPush]

	rows     vk.Region[shaders.Row]
	start    vk.Region[shaders.Start]
	lo, hi   vk.Region[float64]
	from, to vk.Region[float64] // brackets
	counts   vk.Region[uint32]  // of the grid
	work     *vk.Layout
}

const (
	prepareThreads = 256 // at most

	// The bracket is at first twice the norm long and some room, at last 2⁻⁵¹ of the norm.
	narrowRounds = 53

	// The interval is at first twice the norm long and some room, at last 2⁻¹⁰⁴
	// of the norm.
	bisectionRounds = 107

	// usualRounds are all with divisions that eigenvalues need which are not tiny beside the norm; what
	// comes later finds most workgroups at their end.
	usualRounds = 7

	pivotFlops = 5 // and a division among them
	minorFlops = 4
)

// NewBisection prepares for matrices of order n. It refuses a tuning that is inconsistent, or
// too much for the device.
func NewBisection(dev *vk.Device, n int, t BisectionTuning) (*Bisection, error) {
	if n < 0 {
		panic(fmt.Sprintf("stages: bisection of order %d", n))
	}
	if err := t.Fits(dev.Info()); err != nil {
		return nil, err
	}
	s := &Bisection{n: n, tune: t}
	b := builder{dev: dev}
	threads, tile, fused := s.tune.Threads, s.tune.Tile, specBool(s.tune.Fused)
	s.prepare = build(&b, shaders.StebzPrepare(), shaders.StebzPrepareSpec{LocalSize: b.threads(prepareThreads)})
	s.grid = build(&b, shaders.StebzGrid(), shaders.StebzGridSpec{LocalSize: threads, Tile: tile, Fused: fused})
	for levels := uint32(1); levels <= max(1, s.tune.Levels); levels++ {
		s.narrow = append(s.narrow, build(&b, shaders.StebzNarrow(), shaders.StebzNarrowSpec{LocalSize: threads, Tile: tile, Fused: fused, Levels: levels}))
		s.bisect = append(s.bisect, build(&b, shaders.StebzBisect(), shaders.StebzBisectSpec{LocalSize: threads, Tile: tile, Levels: levels}))
	}
	s.count = build(&b, shaders.StebzCount(), shaders.StebzCountSpec{LocalSize: threads, Tile: tile})
	s.rows, s.start = vk.Reserve[shaders.Row]("bisection rows", n), vk.Reserve[shaders.Start]("bisection start", 1)
	s.lo, s.hi = vk.Reserve[float64]("bisection lower ends", n), vk.Reserve[float64]("bisection upper ends", n)
	s.from, s.to = vk.Reserve[float64]("brackets' lower ends", n), vk.Reserve[float64]("brackets' upper ends", n)
	s.counts = vk.Reserve[uint32]("bisection grid", max(n, s.tune.Lanes))
	s.work = vk.Together(s.rows, s.start, s.lo, s.hi, s.from, s.to, s.counts)
	return s, b.err
}

// Work is 6·n elements and a grid of counts.
func (s *Bisection) Work() *vk.Layout { return s.work }

// Flops is the usual cost of all n values.
func (s *Bisection) Flops() float64 {
	n := float64(s.n)
	rounds := float64(1 + narrowRounds - bits.Len(uint(s.points(s.n))))
	return (pivotFlops*usualRounds + minorFlops*rounds) * n * n
}

// Record finds all eigenvalues of T(d[n], e[n−1]), ascending, in values[n].
// Nothing may overlap; d and e are only read, and must be finite.
func (s *Bisection) Record(rec *vk.Recorder, ws *vk.Arena, d, e, values vk.Slice[float64]) {
	s.RecordRange(rec, ws, d, e, 0, s.n, values)
}

// RecordRange is Record for the eigenvalues il, il+1 … iu−1 alone, counted from
// 0 at the least; values gets iu−il elements.
func (s *Bisection) RecordRange(rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64], il, iu int, values vk.Slice[float64]) {
	if il < 0 || iu > s.n || il > iu {
		panic(fmt.Sprintf("stages: eigenvalues [%d, %d) of order %d", il, iu, s.n))
	}
	m := iu - il
	if m == 0 {
		return
	}
	holds("values", values, m)
	s.recordPrepare(rec, ws, d, e)
	s.recordNarrow(rec, ws, il, m)
	s.recordPivots(rec, ws, il, m, values)
}

// recordPivots finds eigenvalues il … il+m−1, which are bracketed.
func (s *Bisection) recordPivots(rec *vk.Recorder, ws *vk.Arena, il, m int, values vk.Slice[float64]) {
	kernel := team(s, s.bisect, m)
	levels := int(kernel.Spec.Levels)
	lanes := m * (1<<levels - 1)
	rounds := s.rounds(lanes)
	for from := 0; from < bisectionRounds; from += rounds * levels {
		push := shaders.StebzBisectPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), From: s.from.In(ws).Addr(), To: s.to.In(ws).Addr(),
			Lo: s.lo.In(ws).Addr(), Hi: s.hi.In(ws).Addr(), Values: values.Addr(),
			First: uint32(il), Rounds: uint32(min(rounds, vk.Tiles(bisectionRounds-from, kernel.Spec.Levels))), N: uint32(s.n), Count: uint32(m),
		}
		if from == 0 {
			push.Fresh = 1
		}
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads/uint32(1<<levels-1))), push)
		rec.Costs(pivotFlops * s.pivots(lanes) * float64(min(rounds, max(0, usualRounds-from)/levels)))
	}
}

// points is the size of the grid for m eigenvalues.
func (s *Bisection) points(m int) int { return max(m, s.tune.Lanes) }

// recordNarrow brackets eigenvalues il … il+m−1.
func (s *Bisection) recordNarrow(rec *vk.Recorder, ws *vk.Arena, il, m int) {
	points := s.points(m)
	s.grid.Dispatch(rec, vk.Folded(vk.Tiles(points, s.tune.Threads)), shaders.StebzGridPush{
		Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Counts: s.counts.In(ws).Addr(), N: uint32(s.n), Points: uint32(points),
	})
	rec.Costs(minorFlops * s.pivots(points))
	kernel := team(s, s.narrow, m)
	levels := int(kernel.Spec.Levels)
	lanes := m * (1<<levels - 1)
	rounds := s.rounds(lanes)
	halvings := narrowRounds + 1 - bits.Len(uint(points)) // a grid of 2^k−1 points is worth k of them
	for from := 0; from < halvings; from += rounds * levels {
		push := shaders.StebzNarrowPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Grid: s.counts.In(ws).Addr(), Lo: s.from.In(ws).Addr(), Hi: s.to.In(ws).Addr(),
			First: uint32(il), Rounds: uint32(min(rounds, vk.Tiles(halvings-from, kernel.Spec.Levels))), Count: uint32(m), N: uint32(s.n), Points: uint32(points),
		}
		if from == 0 {
			push.Fresh = 1
		}
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads/uint32(1<<levels-1))), push)
		rec.Costs(minorFlops * s.pivots(lanes) * float64(push.Rounds))
	}
}

// RecordCounts counts the eigenvalues of T(d, e) below each shift, for as many
// shifts as counts has elements. One within rounding of a shift may count either way.
func (s *Bisection) RecordCounts(rec *vk.Recorder, ws *vk.Arena, d, e, shifts vk.Slice[float64], counts vk.Slice[uint32]) {
	m := counts.Len()
	if m == 0 {
		return
	}
	if s.n == 0 {
		vk.Fill(rec, counts, 0)
		return
	}
	holds("shifts", shifts, m)
	s.recordPrepare(rec, ws, d, e)
	s.count.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads)), shaders.StebzCountPush{
		Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Shifts: shifts.Addr(), Counts: counts.Addr(), N: uint32(s.n), Count: uint32(m),
	})
	rec.Costs(pivotFlops * s.pivots(m))
}

func (s *Bisection) recordPrepare(rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64]) {
	holds("the diagonal", d, s.n)
	holds("the off-diagonal", e, s.n-1)
	s.prepare.Dispatch(rec, vk.Grid(1), shaders.StebzPreparePush{
		D: d.Addr(), E: e.Addr(), Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), N: uint32(s.n),
	})
}

// team is the kernel with the largest teams that the device has threads for.
func team[S, P any](s *Bisection, byLevels []*vk.Kernel[S, P], m int) *vk.Kernel[S, P] {
	levels := 1
	for levels < len(byLevels) && m*(2<<levels-1) <= s.tune.Lanes {
		levels++
	}
	return byLevels[levels-1]
}

// pivots is the cost of one count for each of m values.
func (s *Bisection) pivots(m int) float64 { return float64(s.n) * float64(max(m, s.tune.Lanes)) }

// rounds is how many halvings a dispatch may do.
func (s *Bisection) rounds(m int) int {
	return min(max(1, int(s.tune.Dispatch/s.pivots(m))), bisectionRounds)
}
