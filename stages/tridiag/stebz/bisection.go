package stebz

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
)

// Bisection finds eigenvalues of a symmetric tridiagonal matrix (dstebz). Each eigenvalue is found
// by bisection with Sturm counts:
//
//	λ_k = sup { x : fewer than k+1 pivots of T − x·I = L·D·Lᵀ are negative }
//
// The error is a few ulp of λ_k or 2⁻⁹⁰⁰·‖T‖, whichever is larger, apart from rounding errors of
// the Sturm counts. The counts of a T with a zero diagonal are exact for a matrix whose elements
// differ from those of T by a few ulp of themselves. But elements of T below 2⁻⁴⁵⁰·‖T‖ count as
// zero. The values are in ascending order. Their bits do not depend on the tuning or on the
// requested range. If the device rounds quotients correctly, they are the bits of package ref's
// Bisection.
//
// There are three steps:
//
//	grid    counts without divisions at a grid of max(m, Tuning.Lanes) points, for m eigenvalues
//	narrow  bisection between two points of the grid, without divisions; it gives a bracket
//	bisect  bisection from the beginning by counts with divisions; the bracket decides most halvings
//
// Counts without divisions (stebz_narrow.comp) take a tenth of the time of counts with divisions.
// Such a count is exact for a point x that differs from the given point by a few ulp of ‖T‖. The
// bracket is widened by this error. So a bracket decides a halving only if the count with divisions
// would decide the same. Therefore the step "bisect" gives the same bits with and without brackets.
//
// Source: J. Demmel, I. Dhillon and H. Ren, ETNA 3 (1995), on when counts are monotone.
type Bisection struct {
	n       int // order of T
	tune    Tuning
	prepare *vk.Kernel[shaders.StebzPrepareSpec, shaders.StebzPreparePush]
	grid    *vk.Kernel[shaders.StebzGridSpec, shaders.StebzGridPush]
	narrow  []*vk.Kernel[shaders.StebzNarrowSpec, shaders.StebzNarrowPush] // index: number of halvings in a step, minus 1
	bisect  []*vk.Kernel[shaders.StebzBisectSpec, shaders.StebzBisectPush] // index: number of halvings in a step, minus 1
	count   *vk.Kernel[shaders.StebzCountSpec, shaders.StebzCountPush]

	rows     vk.Region[shaders.Row]   // the scaled T
	start    vk.Region[shaders.Start] // the interval of all bisections, and T's exponent
	lo, hi   vk.Region[float64]       // for each eigenvalue the ends of its interval, kept between two dispatches
	from, to vk.Region[float64]       // for each eigenvalue the ends of its bracket
	counts   vk.Region[uint32]        // count at each grid point
	work     *vk.Layout
}

// Constants of bisection, which halves intervals that contain eigenvalues. A dispatch does some of
// the halvings, and the next dispatch continues.
const (
	prepareThreads = 256 // most invocations of stebz_prepare, which is one workgroup

	// narrowRounds is the number of halvings of a bracket, an interval around one eigenvalue that
	// counts without divisions find. The length of the bracket is a little more than 2·‖T‖ at first
	// and 2⁻⁵¹·‖T‖ at the end.
	narrowRounds = 53

	// bisectionRounds is the number of halvings of an eigenvalue's interval from the beginning to
	// full accuracy. The length of the interval is a little more than 2·‖T‖ at first, and 2 ulp of
	// the eigenvalue or 2⁻⁹⁰⁰·‖T‖ at the end. So few are enough because the halvings of intervals
	// near zero halve exponents (see stebz.comp, and package ref for the number of halvings).
	bisectionRounds = 122

	// UsualRounds is the number of halvings by counts with divisions for an eigenvalue that is not
	// tiny relative to ‖T‖. In later rounds most workgroups have no eigenvalue left.
	UsualRounds = 7

	// After earlyRounds halvings by counts with divisions, only tiny eigenvalues are left. They are
	// few, so the device has threads for larger teams. A team is a set of threads that work on one
	// interval. A larger team halves the interval lateLevels times in one step. Even if all
	// eigenvalues are tiny, larger teams take no longer than small teams.
	earlyRounds = 9
	lateLevels  = 4

	PivotFlops = 5 // cost of a pivot of a Sturm count in flops; one of these is a division
	MinorFlops = 4 // cost of a minor of a count without divisions, in flops
)

func NewBisection(dev *vk.Device, n int, t Tuning) (*Bisection, error) {
	if n < 0 {
		panic(fmt.Sprintf("stages: bisection of order %d", n))
	}
	if err := t.Fits(dev.Info()); err != nil {
		return nil, err
	}
	s := &Bisection{n: n, tune: t}
	b := stages.Builder{Dev: dev}
	s.prepare = stages.Build(&b, shaders.StebzPrepare(), shaders.StebzPrepareSpec{LocalSize: b.Threads(prepareThreads)})
	s.grid = stages.Build(&b, shaders.StebzGrid(), t.gridSpec())
	for levels := uint32(1); levels <= max(1, s.tune.Levels); levels++ {
		s.narrow = append(s.narrow, stages.Build(&b, shaders.StebzNarrow(), t.narrowSpec(levels)))
		s.bisect = append(s.bisect, stages.Build(&b, shaders.StebzBisect(), t.bisectSpec(levels)))
	}
	s.count = stages.Build(&b, shaders.StebzCount(), t.countSpec())
	s.rows, s.start = vk.Reserve[shaders.Row]("bisection rows", n), vk.Reserve[shaders.Start]("bisection start", 1)
	s.lo, s.hi = vk.Reserve[float64]("bisection lower ends", n), vk.Reserve[float64]("bisection upper ends", n)
	s.from, s.to = vk.Reserve[float64]("brackets' lower ends", n), vk.Reserve[float64]("brackets' upper ends", n)
	s.counts = vk.Reserve[uint32]("bisection grid", max(n, s.tune.Lanes))
	s.work = vk.Together(s.rows, s.start, s.lo, s.hi, s.from, s.to, s.counts)
	return s, b.Err
}

func (s *Bisection) Work() *vk.Layout { return s.work }

// Flops is the usual cost of all n eigenvalues. Tiny eigenvalues cost more.
func (s *Bisection) Flops() float64 {
	n := float64(s.n)
	rounds := float64(1 + narrowRounds - bits.Len(uint(s.points(s.n))))
	return (PivotFlops*UsualRounds + MinorFlops*rounds) * n * n
}

// Record writes all n eigenvalues of T to `values`, in ascending order. The diagonal d and the
// off-diagonal e are only read, and must be finite.
func (s *Bisection) Record(rec *vk.Recorder, ws *vk.Arena, d, e, values vk.Slice[float64]) {
	s.RecordRange(rec, ws, d, e, 0, s.n, values)
}

// RecordRange does the same as Record for the eigenvalues with the indices il … iu−1 alone. It
// writes iu−il values, with the same bits as Record.
func (s *Bisection) RecordRange(
	rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64], il, iu int, values vk.Slice[float64],
) {
	if il < 0 || iu > s.n || il > iu {
		panic(fmt.Sprintf("stages: eigenvalues [%d, %d) of order %d", il, iu, s.n))
	}
	m := iu - il
	if m == 0 {
		return
	}
	stages.Holds("values", values, m)
	s.recordPrepare(rec, ws, d, e)
	s.recordNarrow(rec, ws, il, m)
	s.recordPivots(rec, ws, il, m, values)
}

// recordPivots finds the eigenvalues with the indices il … il+m−1, whose brackets are known. Each
// round of dispatches continues with the intervals that the previous round stored. The dispatches
// of one round are independent of each other.
func (s *Bisection) recordPivots(rec *vk.Recorder, ws *vk.Arena, il, m int, values vk.Slice[float64]) {
	kernel := team(s, s.bisect, m)
	for from := 0; from < bisectionRounds; {
		levels := int(kernel.Spec.Levels)
		threads := m * (1<<levels - 1)
		left := bisectionRounds - from
		if from < earlyRounds {
			left = earlyRounds - from
		}
		rounds := min(s.rounds(threads), vk.Tiles(left, kernel.Spec.Levels))
		s.inPortions(m, levels, func(first, count, threads int) {
			push := shaders.StebzBisectPush{
				Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(),
				From: s.from.In(ws).From(first).Addr(), To: s.to.In(ws).From(first).Addr(),
				Lo: s.lo.In(ws).From(first).Addr(), Hi: s.hi.In(ws).From(first).Addr(), Values: values.From(first).Addr(),
				First: uint32(il + first), N: uint32(s.n), Count: uint32(count), Rounds: uint32(rounds),
			}
			if from == 0 {
				push.Fresh = 1
			}
			kernel.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads/uint32(1<<levels-1))), push)
			rec.Costs(PivotFlops * s.pivots(threads) * float64(min(rounds, max(0, UsualRounds-from)/levels)))
		})
		if from += rounds * levels; from >= earlyRounds {
			kernel = s.bisect[max(levels, min(lateLevels, len(s.bisect)))-1]
		}
	}
}

func (s *Bisection) points(m int) int { return max(m, s.tune.Lanes) }

// recordNarrow finds the brackets of the eigenvalues il … il+m−1: for each eigenvalue an interval
// that contains it. The ends of the intervals are in the regions `from` and `to`.
func (s *Bisection) recordNarrow(rec *vk.Recorder, ws *vk.Arena, il, m int) {
	points := s.points(m)
	s.inPortions(points, 1, func(first, count, threads int) {
		s.grid.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads)), shaders.StebzGridPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Counts: s.counts.In(ws).Addr(),
			First: uint32(first), N: uint32(s.n), Points: uint32(points),
		})
		rec.Costs(MinorFlops * s.pivots(threads))
	})
	kernel := team(s, s.narrow, m)
	levels := int(kernel.Spec.Levels)
	threads := m * (1<<levels - 1)
	rounds := s.rounds(threads)
	halvings := narrowRounds + 1 - bits.Len(uint(points)) // a grid of 2^k points or more replaces k halvings
	for from := 0; from < halvings; from += rounds * levels {
		s.inPortions(m, levels, func(first, count, threads int) {
			push := shaders.StebzNarrowPush{
				Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Grid: s.counts.In(ws).Addr(),
				Lo: s.from.In(ws).From(first).Addr(), Hi: s.to.In(ws).From(first).Addr(),
				First: uint32(il + first), Count: uint32(count), N: uint32(s.n), Points: uint32(points),
				Rounds: uint32(min(rounds, vk.Tiles(halvings-from, kernel.Spec.Levels))),
			}
			if from == 0 {
				push.Fresh = 1
			}
			kernel.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads/uint32(1<<levels-1))), push)
			rec.Costs(MinorFlops * s.pivots(threads) * float64(push.Rounds))
		})
	}
}

// RecordCounts writes to `counts[t]` the number of eigenvalues of T below `shifts[t]`. If an
// eigenvalue and a shift differ by less than the rounding errors, the eigenvalue may be counted or
// not.
func (s *Bisection) RecordCounts(
	rec *vk.Recorder, ws *vk.Arena, d, e, shifts vk.Slice[float64], counts vk.Slice[uint32],
) {
	m := counts.Len()
	if m == 0 {
		return
	}
	if s.n == 0 {
		vk.Fill(rec, counts, 0)
		return
	}
	stages.Holds("shifts", shifts, m)
	s.recordPrepare(rec, ws, d, e)
	s.inPortions(m, 1, func(first, count, threads int) {
		s.count.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads)), shaders.StebzCountPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), N: uint32(s.n), Count: uint32(count),
			Shifts: shifts.From(first).Addr(), Counts: counts.From(first).Addr(),
		})
		rec.Costs(PivotFlops * s.pivots(threads))
	})
}

// recordPrepare scales T and finds an interval that contains all eigenvalues.
func (s *Bisection) recordPrepare(rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64]) {
	stages.Holds("the diagonal", d, s.n)
	stages.Holds("the off-diagonal", e, s.n-1)
	s.prepare.Dispatch(rec, vk.Grid(1), shaders.StebzPreparePush{
		D: d.Addr(), E: e.Addr(), Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), N: uint32(s.n),
	})
}

// team chooses the size of teams for m intervals. A team of 2^levels − 1 threads does `levels`
// halvings of one interval in one step. The result is the kernel with the largest teams for which
// the device has enough threads, or with the largest teams of all for at most tune.Few intervals.
func team[S, P any](s *Bisection, byLevels []*vk.Kernel[S, P], m int) *vk.Kernel[S, P] {
	levels := 1
	for levels < len(byLevels) && (m <= s.tune.Few || m*(2<<levels-1) <= s.tune.Lanes) {
		levels++
	}
	return byLevels[levels-1]
}

// inPortions divides m teams into portions, and calls `record` for each, in ascending order. Each
// of the 2^levels − 1 threads of a team computes one Sturm count. The counts of a portion cost at
// most tune.Dispatch pivots, unless a part of the device would be idle.
func (s *Bisection) inPortions(m, levels int, record func(first, count, threads int)) {
	size := 1<<levels - 1
	most := max(s.tune.Lanes, int(s.tune.Dispatch/float64(s.n))) / size
	stages.InPortions(m, stages.Evenly(m, max(1, most)), func(first, count int) { record(first, count, count*size) })
}

// pivots returns the cost of one Sturm count by each of m threads, in rows of T. Fewer than
// tune.Lanes threads cost as much as tune.Lanes threads, because a partly idle device takes as long
// as a full one.
func (s *Bisection) pivots(m int) float64 { return float64(s.n) * float64(max(m, s.tune.Lanes)) }

// rounds returns the number of Sturm counts that each of m threads may compute in one dispatch.
func (s *Bisection) rounds(m int) int {
	return min(max(1, int(s.tune.Dispatch/s.pivots(m))), bisectionRounds)
}
