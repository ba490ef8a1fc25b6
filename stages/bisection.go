package stages

import (
	"fmt"
	"math/bits"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/vk"
)

// Bisection finds eigenvalues of a symmetric tridiagonal matrix (dstebz), each by bisection on its
// own Sturm counts:
//
//	λ_k = sup { x : fewer than k+1 pivots of T − x·I = L·D·Lᵀ are negative }
//
// to within a few ulp of itself or 2⁻¹⁰⁴·‖T‖, whichever is more, as far as counts can tell. The
// values ascend. They are the bits of package ref's Bisection, whatever the tuning and the range
// asked for.
//
// There are three steps:
//
//	grid    counts without divisions at a grid of points, as many as the device has threads for
//	narrow  bisection of each eigenvalue's cell by counts without divisions, which gives a bracket
//	bisect  bisection from the beginning by counts with divisions; the bracket decides most halvings
//
// Counts without divisions (stebz_narrow.comp) take a tenth of the time, and are exact for an x
// that differs by a few ulp of ‖T‖. The bracket allows for that: it decides a halving only where
// the count with divisions would decide the same. The bits are therefore those of step three alone.
//
// Source: J. Demmel, I. Dhillon and H. Ren, ETNA 3 (1995), on when counts are monotone.
type Bisection struct {
	n       int // order of T
	tune    BisectionTuning
	prepare *vk.Kernel[shaders.StebzPrepareSpec, shaders.StebzPreparePush]
	grid    *vk.Kernel[shaders.StebzGridSpec, shaders.StebzGridPush]
	narrow  []*vk.Kernel[shaders.StebzNarrowSpec, shaders.StebzNarrowPush] // by levels − 1
	bisect  []*vk.Kernel[shaders.StebzBisectSpec, shaders.StebzBisectPush] // by levels − 1
	count   *vk.Kernel[shaders.StebzCountSpec, shaders.StebzCountPush]

	rows     vk.Region[shaders.Row]   // the scaled T
	start    vk.Region[shaders.Start] // the interval of all bisections, and T's exponent
	lo, hi   vk.Region[float64]       // by value: its interval, between two dispatches
	from, to vk.Region[float64]       // by value: its bracket
	counts   vk.Region[uint32]        // by grid point
	work     *vk.Layout
}

// These constants are numbers of halvings. A dispatch does some of the halvings, and the next
// dispatch continues.
const (
	prepareThreads = 256 // most invocations of stebz_prepare, which is one workgroup

	// narrowRounds is the number of halvings of a bracket. Its length is a little more than twice
	// the norm at first, and 2⁻⁵¹ of the norm in the end.
	narrowRounds = 53

	// bisectionRounds is the number of halvings of an interval. Its length is a little more than
	// twice the norm at first, and 2⁻¹⁰⁴ of the norm in the end.
	bisectionRounds = 107

	// usualRounds is the number of halvings with divisions for an eigenvalue that is not tiny
	// relative to the norm. In later rounds most workgroups have nothing to do.
	usualRounds = 7

	pivotFlops = 5 // of a pivot, a division among them
	minorFlops = 4 // of a minor
)

// NewBisection builds the kernels for matrices of order n ≥ 0. The error is that of t.Fits, or one
// of package vk.
func NewBisection(dev *vk.Device, n int, t BisectionTuning) (*Bisection, error) {
	if n < 0 {
		panic(fmt.Sprintf("stages: bisection of order %d", n))
	}
	if err := t.Fits(dev.Info()); err != nil {
		return nil, err
	}
	s := &Bisection{n: n, tune: t}
	b := builder{dev: dev}
	s.prepare = build(&b, shaders.StebzPrepare(), shaders.StebzPrepareSpec{LocalSize: b.threads(prepareThreads)})
	s.grid = build(&b, shaders.StebzGrid(), t.gridSpec())
	for levels := uint32(1); levels <= max(1, s.tune.Levels); levels++ {
		s.narrow = append(s.narrow, build(&b, shaders.StebzNarrow(), t.narrowSpec(levels)))
		s.bisect = append(s.bisect, build(&b, shaders.StebzBisect(), t.bisectSpec(levels)))
	}
	s.count = build(&b, shaders.StebzCount(), t.countSpec())
	s.rows, s.start = vk.Reserve[shaders.Row]("bisection rows", n), vk.Reserve[shaders.Start]("bisection start", 1)
	s.lo, s.hi = vk.Reserve[float64]("bisection lower ends", n), vk.Reserve[float64]("bisection upper ends", n)
	s.from, s.to = vk.Reserve[float64]("brackets' lower ends", n), vk.Reserve[float64]("brackets' upper ends", n)
	s.counts = vk.Reserve[uint32]("bisection grid", max(n, s.tune.Lanes))
	s.work = vk.Together(s.rows, s.start, s.lo, s.hi, s.from, s.to, s.counts)
	return s, b.err
}

// Work is the workspace: 6·n elements and the counts at the points of the grid.
func (s *Bisection) Work() *vk.Layout { return s.work }

// Flops is the usual cost of all n eigenvalues, in flops. Tiny eigenvalues cost more.
func (s *Bisection) Flops() float64 {
	n := float64(s.n)
	rounds := float64(1 + narrowRounds - bits.Len(uint(s.points(s.n))))
	return (pivotFlops*usualRounds + minorFlops*rounds) * n * n
}

// Record writes all eigenvalues of T(d[n], e[n−1]), ascending, to values[n]. No two of d, e, values
// and Work may overlap. d and e are only read, and must be finite.
func (s *Bisection) Record(rec *vk.Recorder, ws *vk.Arena, d, e, values vk.Slice[float64]) {
	s.RecordRange(rec, ws, d, e, 0, s.n, values)
}

// RecordRange is Record for the eigenvalues il … iu−1 alone, counted from 0 at the smallest. It
// writes iu−il elements of values, the same bits as Record.
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
	holds("values", values, m)
	s.recordPrepare(rec, ws, d, e)
	s.recordNarrow(rec, ws, il, m)
	s.recordPivots(rec, ws, il, m, values)
}

// recordPivots finds eigenvalues il … il+m−1, whose brackets are known. Each dispatch continues
// from the intervals that the dispatch before it left.
func (s *Bisection) recordPivots(rec *vk.Recorder, ws *vk.Arena, il, m int, values vk.Slice[float64]) {
	kernel := team(s, s.bisect, m)
	levels := int(kernel.Spec.Levels)
	threads := m * (1<<levels - 1)
	rounds := s.rounds(threads)
	for from := 0; from < bisectionRounds; from += rounds * levels {
		push := shaders.StebzBisectPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), From: s.from.In(ws).Addr(), To: s.to.In(ws).Addr(),
			Lo: s.lo.In(ws).Addr(), Hi: s.hi.In(ws).Addr(), Values: values.Addr(),
			First: uint32(il), N: uint32(s.n), Count: uint32(m),
			Rounds: uint32(min(rounds, vk.Tiles(bisectionRounds-from, kernel.Spec.Levels))),
		}
		if from == 0 {
			push.Fresh = 1
		}
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads/uint32(1<<levels-1))), push)
		rec.Costs(pivotFlops * s.pivots(threads) * float64(min(rounds, max(0, usualRounds-from)/levels)))
	}
}

// points returns the number of grid points for m eigenvalues.
func (s *Bisection) points(m int) int { return max(m, s.tune.Lanes) }

// recordNarrow finds brackets of eigenvalues il … il+m−1, and stores their ends in the regions from
// and to.
func (s *Bisection) recordNarrow(rec *vk.Recorder, ws *vk.Arena, il, m int) {
	points := s.points(m)
	s.grid.Dispatch(rec, vk.Folded(vk.Tiles(points, s.tune.Threads)), shaders.StebzGridPush{
		Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Counts: s.counts.In(ws).Addr(), N: uint32(s.n), Points: uint32(points),
	})
	rec.Costs(minorFlops * s.pivots(points))
	kernel := team(s, s.narrow, m)
	levels := int(kernel.Spec.Levels)
	threads := m * (1<<levels - 1)
	rounds := s.rounds(threads)
	halvings := narrowRounds + 1 - bits.Len(uint(points)) // a grid of 2^k−1 points replaces k halvings
	for from := 0; from < halvings; from += rounds * levels {
		push := shaders.StebzNarrowPush{
			Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Grid: s.counts.In(ws).Addr(), Lo: s.from.In(ws).Addr(), Hi: s.to.In(ws).Addr(),
			First: uint32(il), Count: uint32(m), N: uint32(s.n), Points: uint32(points),
			Rounds: uint32(min(rounds, vk.Tiles(halvings-from, kernel.Spec.Levels))),
		}
		if from == 0 {
			push.Fresh = 1
		}
		kernel.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads/uint32(1<<levels-1))), push)
		rec.Costs(minorFlops * s.pivots(threads) * float64(push.Rounds))
	}
}

// RecordCounts writes to counts[t] the number of eigenvalues of T(d, e) below shifts[t], for each
// element of counts. An eigenvalue that is within rounding errors of a shift may count or not. The
// rules for d, e, overlaps and workspace are those of Record.
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
	holds("shifts", shifts, m)
	s.recordPrepare(rec, ws, d, e)
	s.count.Dispatch(rec, vk.Folded(vk.Tiles(m, s.tune.Threads)), shaders.StebzCountPush{
		Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), Shifts: shifts.Addr(), Counts: counts.Addr(), N: uint32(s.n), Count: uint32(m),
	})
	rec.Costs(pivotFlops * s.pivots(m))
}

// recordPrepare scales T and finds the interval in which all bisections begin (stebz_prepare).
func (s *Bisection) recordPrepare(rec *vk.Recorder, ws *vk.Arena, d, e vk.Slice[float64]) {
	holds("the diagonal", d, s.n)
	holds("the off-diagonal", e, s.n-1)
	s.prepare.Dispatch(rec, vk.Grid(1), shaders.StebzPreparePush{
		D: d.Addr(), E: e.Addr(), Rows: s.rows.In(ws).Addr(), Start: s.start.In(ws).Addr(), N: uint32(s.n),
	})
}

// team returns the kernel with the largest teams that the device has threads for, given that there
// are m teams. A team of 2^levels − 1 threads does levels halvings of one interval at once.
func team[S, P any](s *Bisection, byLevels []*vk.Kernel[S, P], m int) *vk.Kernel[S, P] {
	levels := 1
	for levels < len(byLevels) && m*(2<<levels-1) <= s.tune.Lanes {
		levels++
	}
	return byLevels[levels-1]
}

// pivots returns the cost of one count by each of m threads, in pivots. A device that is not full
// takes as long as a full one, so at least tune.Lanes threads are counted.
func (s *Bisection) pivots(m int) float64 { return float64(s.n) * float64(max(m, s.tune.Lanes)) }

// rounds returns how many counts by each of m threads a dispatch may do, at least one.
func (s *Bisection) rounds(m int) int {
	return min(max(1, int(s.tune.Dispatch/s.pivots(m))), bisectionRounds)
}
