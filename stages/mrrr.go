package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
)

// MRRRTuning is what is measured for multiple relatively robust representations.
type MRRRTuning struct {
	Threads  uint32  // a workgroup; even, as pairs of them find a vector
	Lanes    int     // threads that keep the device busy: fewer take no less time
	Levels   uint32  // halvings that teams of threads do at once, at most; 2^Levels ≤ Threads
	Vectors  int     // that are worked at at once; n numbers of workspace each
	Dispatch float64 // pivots that one dispatch may compute
	Distrust bool    // take every check for failed: for tests of what comes then
}

func mrrrTuning(family string) MRRRTuning {
	switch family {
	case "nvidia":
		return MRRRTuning{Threads: 64, Lanes: 1 << 15, Levels: 4, Vectors: 1 << 15, Dispatch: 3e10}
	case "cpu":
		return MRRRTuning{Threads: 32, Lanes: 16, Levels: 1, Vectors: 1 << 10, Dispatch: 2e7}
	}
	return MRRRTuning{Threads: 64, Lanes: 1 << 12, Levels: 4, Vectors: 1 << 13, Dispatch: 2e9}
}

// smallestMRRR has teams, several chunks of vectors, and dispatches of a few halvings.
func smallestMRRR() MRRRTuning {
	return MRRRTuning{Threads: 8, Lanes: 64, Levels: 3, Vectors: 12, Dispatch: 1e4}
}

// fits returns an error if the table is missing or inconsistent.
func (t MRRRTuning) fits() error {
	if t.Levels >= 32 || t.Threads < 1<<max(1, t.Levels) || t.Threads%2 != 0 || t.Vectors < 1 {
		return fmt.Errorf("stages: MRRR cannot be tuned by %+v", t)
	}
	return nil
}

// MRRR finds eigenvalues and vectors of a symmetric tridiagonal matrix by multiple
// relatively robust representations (dstemr; Dhillon and Parlett 2004):
//
//	T·Z = Z·Λ     for the m = iu − il eigenvalues il, il+1 …, counted from 0 at the least
//
// in O(n·m) operations. Package tridiag/mrrr explains the method; its driver decides, from
// O(n) numbers a level of the representation tree, what stands apart and what is
// a cluster, and everything of order n·m is done on the device. Because of that
// conversation there is no Record: Solve runs.
//
// Source: I. Dhillon and B. Parlett, Linear Algebra Appl. 387 (2004); by levels, C. Lessig
// and P. Bientinesi, PPAM 2009.
type MRRR struct {
	dev      *vk.Device
	n, m     int
	tune     MRRRTuning
	fallback *DivideConquer

	count   *vk.Kernel[shaders.StemrCountSpec, shaders.StemrCountPush]
	bisect  *vk.Kernel[shaders.StemrBisectSpec, shaders.StemrBisectPush]
	bracket *vk.Kernel[shaders.StemrBracketSpec, shaders.StemrBracketPush]
	shift   *vk.Kernel[shaders.StemrShiftSpec, shaders.StemrShiftPush]
	child   *vk.Kernel[shaders.StemrChildSpec, shaders.StemrChildPush]
	vector  *vk.Kernel[shaders.StemrVectorSpec, shaders.StemrVectorPush]
	sums    *vk.Kernel[shaders.StemrSumsSpec, shaders.StemrSumsPush]
	place   *vk.Kernel[shaders.StemrPlaceSpec, shaders.StemrPlacePush]

	root, reps, s                   vk.Region[float64] // representations of blocks and clusters; s̃ of all lanes
	x, lo, hi, step                 vk.Region[float64] // by task
	gap, vlo, vhi, lambda, residual vk.Region[float64] // by vector
	shifts, growth, best, sum       vk.Region[float64]
	tasks, vectors, clusters        vk.Region[shaders.Task]
	counts, phase, of               vk.Region[uint32]
	column, done                    vk.Region[uint32] // by vector
	slot, chosen                    vk.Region[uint32] // by cluster
	work                            *vk.Layout
}

// Kernels and the driver have the same numbers.
var (
	_ = [1]struct{}{}[mrrr.Candidates-shaders.StemrShiftShifts]
	_ = [1]struct{}{}[mrrr.Samples-shaders.StemrSumsSamples]
)

// MRRRCounters says how a solution came about.
type MRRRCounters = mrrr.Counters

const (
	mrrrSumThreads = 128

	// Halvings that end in every case: one for the sign, a few plunges towards zero, some for the exponent,
	// 53 for the mantissa; to grow, one for each two bits that an interval was off.
	halvings  = 96
	expanding = 40

	// mrrrFlops is about what a vector costs for each row: the counts of two bisections and three steps of a
	// Rayleigh quotient iteration, a division counted as one.
	mrrrFlops = 50*6 + 3*25
)

// NewMRRR prepares for matrices of order n and up to m of their vectors. Blocks of T that
// need it are solved by divide and conquer: small ones on the host, large ones by fallback, which
// is for order n and solves all of T, or on the host, too, if it is nil. Its memory is part of Work where
// that asks for as much anyway, when m = n. Else it is allocated when it is needed, which
// is hardly ever: n² elements and those of fallback.Work. It refuses a tuning that is inconsistent.
func NewMRRR(dev *vk.Device, n, m int, fallback *DivideConquer, t Tuning) (*MRRR, error) {
	if m < 0 || m > n {
		panic(fmt.Sprintf("stages: %d vectors of order %d", m, n))
	}
	if err := t.MRRR.fits(); err != nil {
		return nil, err
	}
	s := &MRRR{dev: dev, n: n, m: m, tune: t.MRRR, fallback: fallback}
	if err := s.build(); err != nil {
		return nil, err
	}
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	word := func(name string, n int) vk.Region[uint32] { return vk.Reserve[uint32](name, n) }
	tasks, clusters := max(n, min(mrrr.GridPoints, mrrr.GridPointsPerRow*n)), n/2
	s.root, s.reps = reals("root representations", 2*n), reals("representations", s.ld()*n)
	s.s = reals("stationary transforms", n*s.lanes())
	s.x, s.lo, s.hi, s.step = reals("shifts to count at", tasks), reals("lower ends", n), reals("upper ends", n), reals("steps", n)
	s.gap, s.vlo, s.vhi = reals("gaps", m), reals("vectors' lower ends", m), reals("vectors' upper ends", m)
	s.lambda, s.residual = reals("vectors' values", m), reals("residuals", m)
	s.shifts, s.growth, s.best = reals("cluster shifts", mrrr.Candidates*clusters), reals("growth", mrrr.Candidates*clusters), reals("growth of the best", clusters)
	s.sum = reals("sums of vectors", 2*mrrr.Samples*n)
	s.tasks, s.counts = vk.Reserve[shaders.Task]("MRRR tasks", tasks), word("counts", tasks)
	s.phase, s.of = word("phases", n), word("clusters of eigenvalues", n)
	s.vectors, s.column, s.done = vk.Reserve[shaders.Task]("vector tasks", m), word("columns", m), word("finished", m)
	s.clusters, s.slot, s.chosen = vk.Reserve[shaders.Task]("cluster tasks", clusters), word("slots", clusters), word("chosen shifts", clusters)
	s.work = vk.Together(s.root, s.reps, s.s, s.x, s.lo, s.hi, s.step, s.gap, s.vlo, s.vhi, s.lambda, s.residual, s.shifts, s.growth, s.best,
		s.sum, s.tasks, s.counts, s.phase, s.of, s.vectors, s.column, s.done, s.clusters, s.slot, s.chosen)
	if s.inPlace() {
		s.work = vk.InTurn(s.work, fallback.Work())
	}
	return s, nil
}

// ld is the leading dimension of the clusters' representations.
func (s *MRRR) ld() int { return min(s.n, s.m+2) }

// lanes is how many vectors are worked at at once.
func (s *MRRR) lanes() int { return min(s.m, s.tune.Vectors) }

func (s *MRRR) build() error {
	b := builder{dev: s.dev}
	t := s.tune.Threads
	s.count = build(&b, shaders.StemrCount(), shaders.StemrCountSpec{LocalSize: t})
	s.bisect = build(&b, shaders.StemrBisect(), shaders.StemrBisectSpec{LocalSize: t})
	s.bracket = build(&b, shaders.StemrBracket(), shaders.StemrBracketSpec{LocalSize: t})
	s.shift = build(&b, shaders.StemrShift(), shaders.StemrShiftSpec{LocalSize: t})
	s.child = build(&b, shaders.StemrChild(), shaders.StemrChildSpec{LocalSize: t})
	s.vector = build(&b, shaders.StemrVector(), shaders.StemrVectorSpec{LocalSize: t})
	s.sums = build(&b, shaders.StemrSums(), shaders.StemrSumsSpec{LocalSize: mrrrSumThreads})
	s.place = build(&b, shaders.StemrPlace(), shaders.StemrPlaceSpec{LocalSize: t})
	return b.err
}

// inPlace says whether the fallback has its memory beforehand.
func (s *MRRR) inPlace() bool { return s.fallback != nil && s.m == s.n }

// Work is about 2·n·m elements.
func (s *MRRR) Work() *vk.Layout { return s.work }

// Flops is about the cost of m vectors without clusters.
func (s *MRRR) Flops() float64 { return mrrrFlops * float64(s.n) * float64(s.m) }

// Solve finds the eigenvalues il … iu−1 of T(d, e), ascending, and leaves their vectors in xt
// (m×n, m = iu − il: row j is the vector of value j). The fallback is used if xt is packed (Ld = m), in place
// if it was prepared for and xt has n² elements of memory. xt must not overlap Work. Errors: *tridiag.NonFiniteError;
// from the last resort *NoConvergenceError and, where there is no room for it, *vk.OutOfMemoryError; and vk's.
func (s *MRRR) Solve(ctx context.Context, ws *vk.Arena, d, e []float64, il, iu int, xt Matrix) ([]float64, MRRRCounters, *vk.Profile, error) {
	if xt.Rows != iu-il || xt.Cols != s.n || len(d) != s.n || iu-il > s.m {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, prepared for %d of order %d", il, iu, len(d), xt.Rows, xt.Cols, s.m, s.n))
	}
	profile := vk.NewProfile()
	if il == iu {
		return nil, MRRRCounters{}, profile, nil
	}
	r := &representations{MRRR: s, ctx: ctx, ws: ws, xt: xt, profile: profile, m: iu - il}
	began := time.Now()
	values, counters, err := mrrr.SolveWith(r, d, e, mrrr.Options{From: il, To: iu, Distrust: s.tune.Distrust})
	// What the device did not spend, the host did, deciding and waiting.
	profile.Add(PhaseTridiagonal+OnHost, time.Since(began).Seconds()-profile.Total())
	return values, counters, profile, err
}
