package stages

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
)

// These constants are numbers of rounds. A round that finds nothing to do costs next to nothing.
const (
	// halvings is enough for every interval: one halving finds the sign, a few go towards zero,
	// some find the exponent, and 53 find the mantissa.
	halvings = 96

	// expanding is the number of rounds that is enough to make every bracket contain its
	// eigenvalue, because each round makes the step four times as long.
	expanding = 40

	vectorPasses = 4 // cost of a step of the Rayleigh quotient iteration, in counts
	usualSteps   = 3 // of these iterations
)

// pivots returns the cost of one count by each of the given number of threads, in pivots. A device
// that is not full takes as long as a full one, so at least tune.Lanes threads are counted.
func (s *MRRR) pivots(threads int) float64 { return float64(s.n) * float64(max(threads, s.tune.Lanes)) }

// team returns the size of the largest teams that the device has threads for, given that there are
// count teams. A team of size = 2^levels − 1 threads does levels halvings at once. levels is at
// least 1.
func (s *MRRR) team(count int) (levels uint32, size int) {
	levels = 1
	for levels < s.tune.Levels && count*(2<<levels-1) <= s.tune.Lanes {
		levels++
	}
	return levels, 1<<levels - 1
}

// inRounds splits the total number of rounds into dispatches of bounded time. It calls record with
// the number of rounds of each dispatch. Extra rounds do not change the result.
func (s *MRRR) inRounds(rec *vk.Recorder, total, threads int, record func(rounds uint32)) {
	each := min(max(1, int(s.tune.Dispatch/s.pivots(threads))), total)
	for from := 0; from < total; from += each {
		record(uint32(min(each, total-from)))
		rec.Costs(pivotFlops * s.pivots(threads) * float64(min(each, max(0, usualRounds/2-from))))
	}
}

// intervalBisection describes the bisection of count intervals. Their tasks start at element first
// of the region tasks, and lo and hi hold their ends. The bisection ends at length rtol relative to
// the ends.
type intervalBisection struct {
	tasks        vk.Region[shaders.Task]
	lo, hi       vk.Region[float64]
	first, count int
	rtol         float64
}

// recordBisect records the bisection x. The argument tasks has the same tasks as x.tasks, of which
// only the place of the representations is used. Either all tasks use root representations or none
// does.
func (r *mrrrRun) recordBisect(rec *vk.Recorder, tasks []mrrr.Task, x intervalBisection) {
	s := r.stage
	reps, ld := r.representations(tasks)
	levels, size := s.team(x.count)
	s.inRounds(rec, vk.Tiles(halvings, levels), x.count*size, func(rounds uint32) {
		s.bisect.Dispatch(rec, vk.Folded(vk.Tiles(x.count, s.tune.Threads/uint32(size))), shaders.StemrBisectPush{
			Tasks: addr(r, x.tasks, x.first), Reps: reps, Lo: addr(r, x.lo, x.first), Hi: addr(r, x.hi, x.first),
			Rounds: rounds, Levels: levels, Rtol: x.rtol, Ld: ld, Count: uint32(x.count),
		})
	})
}

// recordVectors finds vectors [first, first+count) of a level. The steps are: some steps of
// Rayleigh quotient iteration, then bisection for the few vectors that have not finished, then a
// last step. first+count is at most the number of vectors of the level. count is at most the number
// of vectors in flight, which is what the memory of s̃ holds.
func (r *mrrrRun) recordVectors(rec *vk.Recorder, l *mrrr.Level, first, count int) {
	s, w := r.stage, &r.stage.memory
	reps, ld := r.representations(l.Vectors)
	step := func(flags uint32) { // one step of all count iterations
		s.vector.Dispatch(rec, vk.Folded(vk.Tiles(2*count, s.tune.Threads)), shaders.StemrVectorPush{
			Tasks: addr(r, w.vectorTasks, first), Reps: reps,
			Column: wordsAt(r, w.column, first), Gap: addr(r, w.gap, first),
			Lo: addr(r, w.vectorLo, first), Hi: addr(r, w.vectorHi, first), Lambda: addr(r, w.lambda, first),
			Residual: addr(r, w.residual, first), Done: addr(r, w.finished, first),
			S: addr(r, w.stationary, 0), X: r.xt.Addr(),
			Ld: ld, Lds: uint32(s.inFlight()), Ldx: uint32(r.xt.Ld), N: uint32(s.n), Count: uint32(count), Flags: flags,
		})
	}
	// All steps are recorded, though most vectors need only three. A thread whose vector is
	// finished returns at once.
	for i := range mrrr.QuotientSteps + 1 {
		var flags uint32
		if i == 0 {
			flags = shaders.StemrVectorFresh
		}
		if i == mrrr.QuotientSteps {
			flags |= shaders.StemrVectorHalves
		}
		step(flags)
		if i < usualSteps {
			rec.Costs(vectorPasses * pivotFlops * s.pivots(count))
		}
	}
	r.recordBisect(rec, l.Vectors, intervalBisection{tasks: w.vectorTasks, lo: w.vectorLo, hi: w.vectorHi,
		first: first, count: count, rtol: mrrr.LastTol})
	step(shaders.StemrVectorLast)
}

// recordChildren makes the new representations of a level's clusters. All vectors of the level must
// have been recorded before, because a child may overwrite the representation that they are
// computed from.
func (r *mrrrRun) recordChildren(rec *vk.Recorder, l *mrrr.Level) {
	s, w, clusters := r.stage, &r.stage.memory, len(l.Clusters)
	reps, ld := r.representations(l.Clusters)
	s.shift.Dispatch(rec, vk.Folded(vk.Tiles(mrrr.Candidates*clusters, s.tune.Threads)), shaders.StemrShiftPush{
		Tasks: addr(r, w.clusterTasks, 0), Reps: reps, Shifts: addr(r, w.shifts, 0),
		Growth: addr(r, w.growth, 0), Ld: ld, Clusters: uint32(clusters),
	})
	rec.Costs(pivotFlops * s.pivots(mrrr.Candidates*clusters))
	// First the children that have a place of their own are made, from their parents'
	// representations. Then the children that overwrite their parents are made.
	for over := range uint32(2) {
		s.child.Dispatch(rec, vk.Folded(vk.Tiles(clusters, s.tune.Threads)), shaders.StemrChildPush{
			Tasks: addr(r, w.clusterTasks, 0), Reps: reps, Shifts: addr(r, w.shifts, 0), Growth: addr(r, w.growth, 0),
			Best: addr(r, w.chosenGrowth, 0), Chosen: wordsAt(r, w.chosen, 0), Child: wordsAt(r, w.slot, 0),
			Children: addr(r, w.clusters, 0), Over: over, Ldchild: uint32(s.ld()), Ld: ld, Clusters: uint32(clusters),
		})
		rec.Costs(pivotFlops * s.pivots(clusters))
	}
}

// recordBrackets finds the clusters' eigenvalues in their new representations. It must follow
// recordChildren, and it reads the shifts that recordChildren chose. The intervals need not contain
// their eigenvalues at first.
func (r *mrrrRun) recordBrackets(rec *vk.Recorder, l *mrrr.Level) {
	s, w, count := r.stage, &r.stage.memory, len(l.Members)
	levels, size := s.team(count)
	fresh := uint32(1) // the first dispatch moves the intervals to the children's representations
	s.inRounds(rec, expanding+vk.Tiles(halvings, levels), count*size, func(rounds uint32) {
		s.bracket.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads/uint32(size))), shaders.StemrBracketPush{
			Tasks: addr(r, w.tasks, 0), Reps: addr(r, w.clusters, 0), Lo: addr(r, w.lo, 0), Hi: addr(r, w.hi, 0),
			Of: wordsAt(r, w.of, 0), Chosen: wordsAt(r, w.chosen, 0), Shifts: addr(r, w.shifts, 0),
			Step: addr(r, w.step, 0), Phase: addr(r, w.phase, 0),
			Fresh: fresh, Rounds: rounds, Levels: levels, Rtol: l.RTol, Ld: uint32(s.ld()), Count: uint32(count),
		})
		fresh = 0
	})
}
