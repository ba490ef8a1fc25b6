package stages

import (
	"context"
	"errors"
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// representations is one solve under way: the device's side of mrrr.Backend,
// which says what each method has to do.
type representations struct {
	*MRRR
	ctx     context.Context
	ws      *vk.Arena
	xt      Matrix
	m       int
	profile *vk.Profile
	pending []float64 // root representations, to go with the next exchange
}

// run executes one exchange.
func (r *representations) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(r.dev)
	rec.Phase(PhaseTridiagonal, 0, 0)
	send(r, rec, r.root, r.pending)
	r.pending = nil
	record(rec)
	p, err := r.dev.Run(r.ctx, rec, nil)
	r.profile.Merge(p)
	return err
}

func send[T any](r *representations, rec *vk.Recorder, to vk.Region[T], v []T) {
	vk.SendFirst(rec, to.In(r.ws), v)
}

func receive[T any](r *representations, rec *vk.Recorder, to []T, from vk.Region[T]) {
	vk.ReceiveLast(rec, to, from.In(r.ws))
}

// taskList is a list of tasks as the kernels read it.
func taskList(tasks []mrrr.Task) []shaders.Task {
	list := make([]shaders.Task, len(tasks))
	for i, t := range tasks {
		list[i] = shaders.Task{Lo: uint32(t.Lo), Hi: uint32(t.Hi), Slot: uint32(t.Slot), Index: uint32(t.Index)}
		if t.Sharp {
			list[i].Sharp = 1
		}
	}
	return list
}

func unsigned(v []int32) []uint32 {
	w := make([]uint32, len(v))
	for i, x := range v {
		w[i] = uint32(x)
	}
	return w
}

// home is where the representations of the tasks are, and their leading dimension.
func (r *representations) home(tasks []mrrr.Task) (spirv.Addr[float64], uint32) {
	if tasks[0].Slot == mrrr.RootSlot {
		return r.root.In(r.ws).Addr(), 2
	}
	return r.reps.In(r.ws).Addr(), uint32(r.ld())
}

// Root implements mrrr.Backend.
func (r *representations) Root(rep []float64) error {
	r.pending = slices.Clone(rep)
	return nil
}

// Count implements mrrr.Backend.
func (r *representations) Count(tasks []mrrr.Task, x []float64) ([]int32, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	reps, ld := r.home(tasks)
	counts, signed := make([]uint32, len(tasks)), make([]int32, len(tasks))
	err := r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, r.tasks, taskList(tasks))
			send(r, rec, r.x, x)
		})
		r.MRRR.count.Dispatch(rec, vk.Folded(vk.Tiles(len(tasks), r.tune.Threads)), shaders.StemrCountPush{
			Tasks: r.tasks.In(r.ws).Addr(), Reps: reps, X: r.x.In(r.ws).Addr(), Counts: r.counts.In(r.ws).Addr(), Ld: ld, Count: uint32(len(tasks)),
		})
		rec.Costs(pivotFlops * r.pivots(len(tasks)))
		receive(r, rec, counts, r.counts)
	})
	for i, c := range counts {
		signed[i] = int32(c)
	}
	return signed, err
}

// Bisect implements mrrr.Backend.
func (r *representations) Bisect(tasks []mrrr.Task, lo, hi []float64, rtol float64) error {
	if len(tasks) == 0 {
		return nil
	}
	return r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, r.tasks, taskList(tasks))
			send(r, rec, r.lo, lo)
			send(r, rec, r.hi, hi)
		})
		r.recordBisect(rec, tasks, r.tasks, r.lo, r.hi, 0, len(tasks), rtol)
		rec.Concurrently(func() {
			receive(r, rec, lo, r.lo)
			receive(r, rec, hi, r.hi)
		})
	})
}

// pivots is the cost of one count for each of m threads.
func (s *MRRR) pivots(m int) float64 { return float64(s.n) * float64(max(m, s.tune.Lanes)) }

// team is the number of levels and of members of the largest teams that the device has threads for.
func (s *MRRR) team(m int) (levels uint32, size int) {
	levels = 1
	for levels < s.tune.Levels && m*(2<<levels-1) <= s.tune.Lanes {
		levels++
	}
	return levels, 1<<levels - 1
}

// rounds cuts counts into dispatches of bounded time: it calls record with the number of
// rounds of each.
func (s *MRRR) rounds(rec *vk.Recorder, total, threads int, record func(rounds uint32)) {
	each := min(max(1, int(s.tune.Dispatch/s.pivots(threads))), total)
	for from := 0; from < total; from += each {
		record(uint32(min(each, total-from)))
		rec.Costs(pivotFlops * s.pivots(threads) * float64(min(each, max(0, usualRounds/2-from))))
	}
}

// recordBisect bisects tasks [from, from+count) of a list.
func (r *representations) recordBisect(rec *vk.Recorder, tasks []mrrr.Task, list vk.Region[shaders.Task], lo, hi vk.Region[float64], from, count int, rtol float64) {
	reps, ld := r.home(tasks)
	levels, size := r.team(count)
	r.rounds(rec, vk.Tiles(halvings, levels), count*size, func(rounds uint32) {
		r.bisect.Dispatch(rec, vk.Folded(vk.Tiles(count, r.tune.Threads/uint32(size))), shaders.StemrBisectPush{
			Tasks: list.In(r.ws).From(from).Addr(), Reps: reps, Lo: lo.In(r.ws).From(from).Addr(), Hi: hi.In(r.ws).From(from).Addr(),
			Rounds: rounds, Levels: levels, Rtol: rtol, Ld: ld, Count: uint32(count),
		})
	})
}

// Level implements mrrr.Backend.
func (r *representations) Level(l *mrrr.Level) error {
	chosen := make([]uint32, len(l.Chosen))
	err := r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() { r.sendLevel(rec, l) })
		for from := 0; from < len(l.Vectors); from += r.lanes() {
			r.recordVectors(rec, l, from, min(r.lanes(), len(l.Vectors)-from))
		}
		if len(l.Clusters) > 0 {
			r.recordChildren(rec, l)
			r.recordBrackets(rec, l)
		}
		rec.Concurrently(func() {
			receive(r, rec, l.Lambda, r.lambda)
			receive(r, rec, l.Residual, r.residual)
			receive(r, rec, chosen, r.chosen)
			receive(r, rec, l.Growth, r.best)
			receive(r, rec, l.MemberLo, r.lo)
			receive(r, rec, l.MemberHi, r.hi)
		})
	})
	for i, c := range chosen {
		l.Chosen[i] = int32(c)
	}
	return err
}

// sendLevel brings what the kernels of a level read: about its vectors, its clusters, and these clusters' eigenvalues.
func (r *representations) sendLevel(rec *vk.Recorder, l *mrrr.Level) {
	send(r, rec, r.vectors, taskList(l.Vectors))
	send(r, rec, r.column, unsigned(l.Column))
	send(r, rec, r.vlo, l.Lo)
	send(r, rec, r.vhi, l.Hi)
	send(r, rec, r.gap, l.Gap)
	send(r, rec, r.clusters, taskList(l.Clusters))
	send(r, rec, r.slot, unsigned(l.Child))
	send(r, rec, r.shifts, l.Shifts)
	send(r, rec, r.tasks, taskList(l.Members))
	send(r, rec, r.of, unsigned(l.Of))
	send(r, rec, r.lo, l.MemberLo)
	send(r, rec, r.hi, l.MemberHi)
}

// recordVectors finds vectors [from, from+count): some steps of Rayleigh quotient iteration, then
// bisection for what has not finished, which is hardly ever anything, and a last step.
func (r *representations) recordVectors(rec *vk.Recorder, l *mrrr.Level, from, count int) {
	ws := r.ws
	reps, ld := r.home(l.Vectors)
	step := func(flags uint32) {
		r.vector.Dispatch(rec, vk.Folded(vk.Tiles(2*count, r.tune.Threads)), shaders.StemrVectorPush{
			Tasks: r.vectors.In(ws).From(from).Addr(), Reps: reps, Column: r.column.In(ws).From(from).Addr(), Gap: r.gap.In(ws).From(from).Addr(),
			Lo: r.vlo.In(ws).From(from).Addr(), Hi: r.vhi.In(ws).From(from).Addr(), Lambda: r.lambda.In(ws).From(from).Addr(),
			Residual: r.residual.In(ws).From(from).Addr(), Done: r.done.In(ws).From(from).Addr(), S: r.s.In(ws).Addr(), X: r.xt.Addr(),
			Ld: ld, Lds: uint32(r.lanes()), Ldx: uint32(r.xt.Ld), N: uint32(r.n), Count: uint32(count), Flags: flags,
		})
	}
	for i := range mrrr.QuotientSteps + 1 {
		flags := uint32(0)
		if i == 0 {
			flags = shaders.StemrVectorFresh
		}
		if i == mrrr.QuotientSteps {
			flags |= shaders.StemrVectorHalves
		}
		step(flags)
		if i < usualSteps {
			rec.Costs(vectorPasses * pivotFlops * r.pivots(count))
		}
	}
	r.recordBisect(rec, l.Vectors, r.vectors, r.vlo, r.vhi, from, count, mrrr.LastTol)
	step(shaders.StemrVectorLast)
}

const (
	vectorPasses = 4 // a step of the iteration beside a count
	usualSteps   = 3
)

// recordChildren makes the clusters' representations.
func (r *representations) recordChildren(rec *vk.Recorder, l *mrrr.Level) {
	ws, clusters := r.ws, len(l.Clusters)
	reps, ld := r.home(l.Clusters)
	r.shift.Dispatch(rec, vk.Folded(vk.Tiles(mrrr.Candidates*clusters, r.tune.Threads)), shaders.StemrShiftPush{
		Tasks: r.clusters.In(ws).Addr(), Reps: reps, Shifts: r.shifts.In(ws).Addr(), Growth: r.growth.In(ws).Addr(), Ld: ld, Clusters: uint32(clusters),
	})
	rec.Costs(pivotFlops * r.pivots(mrrr.Candidates*clusters))
	// A child that takes its parent's place comes after its siblings.
	for over := range uint32(2) {
		r.child.Dispatch(rec, vk.Folded(vk.Tiles(clusters, r.tune.Threads)), shaders.StemrChildPush{
			Tasks: r.clusters.In(ws).Addr(), Reps: reps, Shifts: r.shifts.In(ws).Addr(), Growth: r.growth.In(ws).Addr(), Best: r.best.In(ws).Addr(),
			Chosen: r.chosen.In(ws).Addr(), Child: r.slot.In(ws).Addr(), Children: r.reps.In(ws).Addr(),
			Over: over, Ldchild: uint32(r.ld()), Ld: ld, Clusters: uint32(clusters),
		})
		rec.Costs(pivotFlops * r.pivots(clusters))
	}
}

// recordBrackets finds the clusters' eigenvalues in their new representations.
func (r *representations) recordBrackets(rec *vk.Recorder, l *mrrr.Level) {
	ws, count := r.ws, len(l.Members)
	levels, size := r.team(count)
	fresh := uint32(1)
	r.rounds(rec, expanding+vk.Tiles(halvings, levels), count*size, func(rounds uint32) {
		r.bracket.Dispatch(rec, vk.Folded(vk.Tiles(count, r.tune.Threads/uint32(size))), shaders.StemrBracketPush{
			Tasks: r.tasks.In(ws).Addr(), Reps: r.reps.In(ws).Addr(), Lo: r.lo.In(ws).Addr(), Hi: r.hi.In(ws).Addr(),
			Of: r.of.In(ws).Addr(), Chosen: r.chosen.In(ws).Addr(), Shifts: r.shifts.In(ws).Addr(), Step: r.step.In(ws).Addr(), Phase: r.phase.In(ws).Addr(),
			Fresh: fresh, Rounds: rounds, Levels: levels, Rtol: l.RTol, Ld: uint32(r.ld()), Count: uint32(count),
		})
		fresh = 0
	})
}

// Sums implements mrrr.Backend.
func (r *representations) Sums(lambda []float64) ([]float64, error) {
	sums := make([]float64, 2*mrrr.Samples*r.n)
	return sums, r.run(func(rec *vk.Recorder) {
		send(r, rec, r.lambda, lambda)
		r.sums.Dispatch(rec, vk.Folded(r.n), shaders.StemrSumsPush{
			X: r.xt.Addr(), Lambda: r.lambda.In(r.ws).Addr(), Sums: r.sum.In(r.ws).Addr(), N: uint32(r.n), M: uint32(r.m), Ldx: uint32(r.xt.Ld),
		})
		receive(r, rec, sums, r.sum)
	})
}

// SolveAll implements mrrr.Backend: on the device, in the memory there is or else in some of its own.
func (r *representations) SolveAll(d, e []float64, from, to int) ([]float64, error) {
	if r.fallback == nil || r.xt.Ld != r.m {
		return nil, nil
	}
	if r.inPlace() && r.xt.At.Len() >= r.n*r.n {
		return r.divide(r.ws, d, e, from, to, r.xt)
	}
	x := vk.Reserve[float64]("fallback's vectors", r.n*r.n)
	ws, err := r.dev.NewArena(vk.Together(x, r.fallback.Work(), r.fallback.vectors.ops.Work()))
	if full := (*vk.OutOfMemoryError)(nil); errors.As(err, &full) {
		full.What = "divide and conquer, which has to help out MRRR,"
	}
	if err != nil {
		return nil, err
	}
	defer ws.Close()
	found := NewMatrix(x.In(ws), r.m, r.n, r.m)
	values, err := r.divide(ws, d, e, from, to, found)
	if err != nil {
		return nil, err
	}
	return values, r.run(func(rec *vk.Recorder) { vk.Copy(rec, r.xt.At.Sub(0, r.m*r.n), found.At) })
}

// divide runs the fallback.
func (r *representations) divide(ws *vk.Arena, d, e []float64, from, to int, xt Matrix) ([]float64, error) {
	values, profile, err := r.fallback.SolveRange(r.ctx, ws, d, e, from, to, xt)
	r.profile.Merge(profile)
	if err != nil {
		return nil, err
	}
	return values[from:to], nil
}

// Solve implements mrrr.Backend, on the host.
func (r *representations) Solve(v mrrr.Block, d, e []float64, from, to int) ([]float64, error) {
	values, z, err := dc.Solve(d, e, dc.Options{From: from, To: to})
	if err != nil {
		return nil, err
	}
	return values[from:to], r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, r.reps, z)
			send(r, rec, r.column, unsigned(v.Columns))
		})
		r.place.Dispatch(rec, vk.Folded(vk.Tiles(r.n*len(v.Columns), r.tune.Threads)), shaders.StemrPlacePush{
			Z: r.reps.In(r.ws).Addr(), Column: r.column.In(r.ws).Addr(), X: r.xt.Addr(),
			Lo: uint32(v.Lo), Rows: uint32(v.Hi - v.Lo), N: uint32(r.n), Count: uint32(len(v.Columns)), Ldx: uint32(r.xt.Ld),
		})
	})
}
