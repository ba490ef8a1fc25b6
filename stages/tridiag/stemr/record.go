package stemr

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/vk"
)

// The numbers of rounds that are recorded for iterations on intervals. A round in which no interval
// changes costs almost nothing.
const (
	// `halvings` rounds bisect any interval to full accuracy: one halving finds the sign of the
	// eigenvalue, some find its exponent, and 53 find its mantissa.
	halvings = 96

	// `expanding` rounds extend any interval until it contains its eigenvalue. Each round makes the
	// step four times as long.
	expanding = 40

	vectorPasses = 4 // cost of a step of the Rayleigh quotient iteration, in Sturm counts
	usualSteps   = 3 // number of steps that most vectors need
)

// pivots returns the cost of one Sturm count by each of the given number of threads, in rows of T.
// Fewer than tune.Lanes threads cost as much as tune.Lanes threads, because a partly idle device
// takes as long as a full one.
func (s *MRRR) pivots(threads int) float64 { return float64(s.n) * float64(max(threads, s.tune.Lanes)) }

// team chooses the size of teams for the bisection of `count` intervals. A team of size = 2^levels
// − 1 threads does `levels` halvings of one interval in one step. The result is the largest size
// for which the device has enough threads; `levels` is at least 1.
func (s *MRRR) team(count int) (levels uint32, size int) {
	levels = 1
	for levels < s.tune.Levels && count*(2<<levels-1) <= s.tune.Lanes {
		levels++
	}
	return levels, 1<<levels - 1
}

// inRounds divides the `total` rounds of `count` bisections into dispatches of bounded time. A team
// of `size` threads works on each of the `count` bisections. inRounds calls `record` for each
// dispatch with its range of teams and its number of rounds. The result depends neither on
// additional rounds nor on the number of dispatches.
func (s *MRRR) inRounds(
	rec *vk.Recorder, total, count, size int, record func(first, count int, rounds uint32),
) {
	each := min(max(1, int(s.tune.Dispatch/s.pivots(count*size))), total)
	for from := 0; from < total; from += each {
		stages.InPortions(count, s.portion(count, size), func(first, count int) {
			record(first, count, uint32(min(each, total-from)))
			rec.Costs(stebz.PivotFlops * s.pivots(count*size) * float64(min(each, max(0, stebz.UsualRounds/2-from))))
		})
	}
}

// portion returns the number of items of one dispatch, if each of `count` items takes as much time
// as `counts` Sturm counts. A dispatch costs at most tune.Dispatch pivots, but always keeps the
// device busy.
func (s *MRRR) portion(count, counts int) int {
	most := max(s.tune.Lanes, int(s.tune.Dispatch/float64(s.n))) / counts
	return stages.Evenly(count, max(1, most))
}

// intervalBisection is the bisection of `count` intervals, which begin at element `first` of the
// regions: `lo` and `hi` hold their ends, and `tasks` says which representations they belong to.
// The bisection of an interval ends when its length is at most rtol relative to its ends.
type intervalBisection struct {
	tasks        vk.Region[shaders.Task]
	lo, hi       vk.Region[float64]
	first, count int
	rtol         float64
}

// recordBisect records the bisection x. `tasks` is the host's copy of x.tasks, and says where the
// representations are. Either all of them are roots, or none is.
func (r *mrrrRun) recordBisect(rec *vk.Recorder, tasks []mrrr.Task, x intervalBisection) {
	s := r.stage
	reps, ld := r.representations(tasks)
	levels, size := s.team(x.count)
	s.inRounds(rec, vk.Tiles(halvings, levels), x.count, size, func(first, count int, rounds uint32) {
		at := x.first + first
		s.bisect.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads/uint32(size))), shaders.StemrBisectPush{
			Tasks: addr(r, x.tasks, at), Reps: reps, Lo: addr(r, x.lo, at), Hi: addr(r, x.hi, at),
			Rounds: rounds, Levels: levels, Rtol: x.rtol, Ld: ld, Count: uint32(count),
		})
	})
}

// recordVectors finds the vectors first … first+count−1 of a level. It records some steps of
// Rayleigh quotient iteration, then a bisection for the few vectors that have not converged, and
// then a last step. `count` is at most the result of inFlight, because the workspace has memory for
// so many vectors.
func (r *mrrrRun) recordVectors(rec *vk.Recorder, l *mrrr.Level, first, count int) {
	s, w := r.stage, &r.stage.memory
	reps, ld := r.representations(l.Vectors)
	step := func(flags uint32, flops float64) { // records one step of all `count` iterations; one row of a vector costs `flops`
		stages.InPortions(count, s.portion(count, vectorPasses), func(from, count int) {
			at := first + from
			s.vector.Dispatch(rec, vk.Folded(vk.Tiles(2*count, s.tune.Threads)), shaders.StemrVectorPush{
				Tasks: addr(r, w.vectorTasks, at), Reps: reps,
				Column: wordsAt(r, w.column, at), Gap: addr(r, w.gap, at),
				Lo: addr(r, w.vectorLo, at), Hi: addr(r, w.vectorHi, at), Lambda: addr(r, w.lambda, at),
				Residual: addr(r, w.residual, at), Done: addr(r, w.finished, at),
				S: addr(r, w.stationary, from), X: r.xt.Addr(),
				Ld: ld, Lds: uint32(s.inFlight()), Ldx: uint32(r.xt.Ld), N: uint32(s.n), Count: uint32(count), Flags: flags,
			})
			rec.Costs(flops * s.pivots(count))
		})
	}
	// Most vectors need only three steps. A thread ends immediately if its vector has converged.
	for i := range mrrr.QuotientSteps + 1 {
		var flags uint32
		if i == 0 {
			flags = shaders.StemrVectorFresh
		}
		if i == mrrr.QuotientSteps {
			flags |= shaders.StemrVectorHalves
		}
		flops := 0.0 // steps for the few vectors that have not converged cost almost nothing
		if i < usualSteps {
			flops = vectorPasses * stebz.PivotFlops
		}
		step(flags, flops)
	}
	r.recordBisect(rec, l.Vectors, intervalBisection{tasks: w.vectorTasks, lo: w.vectorLo, hi: w.vectorHi,
		first: first, count: count, rtol: mrrr.LastTol})
	step(shaders.StemrVectorLast, 0)
}

// recordChildren computes the new representation of each cluster of a level, its child. All vectors
// of the level must be recorded before, because a child may overwrite the representation from which
// vectors are computed.
func (r *mrrrRun) recordChildren(rec *vk.Recorder, l *mrrr.Level) {
	s, w, clusters := r.stage, &r.stage.memory, len(l.Clusters)
	reps, ld := r.representations(l.Clusters)
	stages.InPortions(clusters, s.portion(clusters, mrrr.Candidates), func(first, count int) {
		s.shift.Dispatch(rec, vk.Folded(vk.Tiles(mrrr.Candidates*count, s.tune.Threads)), shaders.StemrShiftPush{
			Tasks: addr(r, w.clusterTasks, first), Reps: reps, Shifts: addr(r, w.shifts, mrrr.Candidates*first),
			Growth: addr(r, w.growth, mrrr.Candidates*first), Ld: ld, Clusters: uint32(count),
		})
		rec.Costs(stebz.PivotFlops * s.pivots(mrrr.Candidates*count))
	})
	// First come the children that have their own memory, then those that overwrite their parents.
	for over := range uint32(2) {
		stages.InPortions(clusters, s.portion(clusters, 1), func(first, count int) {
			s.child.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads)), shaders.StemrChildPush{
				Tasks: addr(r, w.clusterTasks, first), Reps: reps, Shifts: addr(r, w.shifts, mrrr.Candidates*first),
				Growth: addr(r, w.growth, mrrr.Candidates*first), Best: addr(r, w.chosenGrowth, first),
				Chosen: wordsAt(r, w.chosen, first), Child: wordsAt(r, w.slot, first), Children: addr(r, w.clusters, 0),
				Over: over, Ldchild: uint32(s.ld()), Ld: ld, Clusters: uint32(count),
			})
			rec.Costs(stebz.PivotFlops * s.pivots(count))
		})
	}
}

// recordBrackets finds, for each eigenvalue of a cluster, an interval around it in the cluster's
// new representation. It reads the shifts that recordChildren has chosen. If an initial interval
// does not contain its eigenvalue, it is extended.
func (r *mrrrRun) recordBrackets(rec *vk.Recorder, l *mrrr.Level) {
	s, w, count := r.stage, &r.stage.memory, len(l.Members)
	levels, size := s.team(count)
	fresh := uint32(1) // the first round of dispatches moves the intervals to the children's representations
	s.inRounds(rec, expanding+vk.Tiles(halvings, levels), count, size, func(first, some int, rounds uint32) {
		s.bracket.Dispatch(rec, vk.Folded(vk.Tiles(some, s.tune.Threads/uint32(size))), shaders.StemrBracketPush{
			Tasks: addr(r, w.tasks, first), Reps: addr(r, w.clusters, 0), Lo: addr(r, w.lo, first), Hi: addr(r, w.hi, first),
			Of: wordsAt(r, w.of, first), Chosen: wordsAt(r, w.chosen, 0), Shifts: addr(r, w.shifts, 0),
			Step: addr(r, w.step, first), Phase: addr(r, w.phase, first),
			Fresh: fresh, Rounds: rounds, Levels: levels, Rtol: l.RTol, Ld: uint32(s.ld()), Count: uint32(some),
		})
		if first+some == count {
			fresh = 0
		}
	})
}
