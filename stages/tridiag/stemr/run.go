package stemr

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/mrrr"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// mrrrRun is one solve in progress. It implements the interface mrrr.Backend on the device. Each
// call of a method of this interface, except Root and SolveAll, makes one recording, runs it and
// waits for the result:
//
//	          dispatches                                          threads
//	Count     stemr_count                                         one per task
//	Bisect    stemr_bisect, several times                         a team per task
//	Level     stemr_vector, nine times, stemr_bisect,             two per vector
//	          stemr_vector once more
//	          stemr_shift                                         one per candidate
//	          stemr_child, twice                                  one per cluster
//	          stemr_bracket, several times                        a team per member of a cluster
//	Sums      stemr_sums                                          a workgroup per row
//	Solve     stemr_place, after the host has found the vectors   one per element
//
// Each dispatch takes a bounded time. Longer work is divided into several dispatches, and its state
// is in memory between them.
type mrrrRun struct {
	ctx     context.Context
	ws      *vk.Arena
	stage   *MRRR
	xt      stages.Matrix // the result: the vectors as rows
	profile *vk.Profile
	roots   []float64 // root representations that the next recording sends; nil once they are sent

	// execute runs a recording on the device. Tests replace this function.
	execute func(ctx context.Context, rec *vk.Recorder, progress func(vk.Progress)) (*vk.Profile, error)
}

func newMRRRRun(ctx context.Context, ws *vk.Arena, stage *MRRR, xt stages.Matrix) *mrrrRun {
	return &mrrrRun{ctx: ctx, ws: ws, stage: stage, xt: xt, profile: vk.NewProfile(), execute: stage.dev.Run}
}

func (r *mrrrRun) solve(d, e []float64, il, iu int) ([]float64, MRRRCounters, *vk.Profile, error) {
	began := time.Now()
	values, counters, err := mrrr.SolveWith(r, d, e, mrrr.Options{From: il, To: iu, Distrust: r.stage.tune.Distrust})
	r.profile.Add(stages.PhaseTridiagonal+stages.OnHost, time.Since(began).Seconds()-r.profile.Total())
	return values, counters, r.profile, err
}

func (r *mrrrRun) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(r.stage.dev)
	rec.Phase(stages.PhaseTridiagonal, 0, 0)
	send(r, rec, r.stage.memory.roots, r.roots)
	r.roots = nil
	record(rec)
	profile, err := r.execute(r.ctx, rec, nil)
	r.profile.Merge(profile)
	return err
}

// send copies v to the beginning of a region, before all other commands of the recording. v must
// not change until the recording has run.
func send[T any](r *mrrrRun, rec *vk.Recorder, to vk.Region[T], v []T) {
	vk.SendFirst(rec, to.In(r.ws), v)
}

// receive copies from the beginning of the region `from` to the slice `to`, after all other
// commands of the recording. The contents of `to` are undefined if the run fails.
func receive[T any](r *mrrrRun, rec *vk.Recorder, to []T, from vk.Region[T]) {
	vk.ReceiveLast(rec, to, from.In(r.ws))
}

// addr returns the address of element i of a region. i may be the length of the region if no kernel
// accesses the address.
func addr[T any](r *mrrrRun, region vk.Region[T], i int) spirv.Addr[T] {
	return region.In(r.ws).From(i).Addr()
}

// wordsAt does the same as addr for a region of non-negative integers, which kernels read as
// unsigned ones.
func wordsAt(r *mrrrRun, region vk.Region[int32], i int) spirv.Addr[uint32] {
	return spirv.Addr[uint32](addr(r, region, i))
}

// representations returns the address and the leading dimension of the representations of the
// tasks. Either all of them are roots, or none is. There must be at least one task.
func (r *mrrrRun) representations(tasks []mrrr.Task) (reps spirv.Addr[float64], ld uint32) {
	if tasks[0].Slot == mrrr.RootSlot {
		return addr(r, r.stage.memory.roots, 0), 2
	}
	return addr(r, r.stage.memory.clusters, 0), uint32(r.stage.ld())
}

// Root only copies `rep`; the next recording sends the copy to the device.
func (r *mrrrRun) Root(rep []float64) error {
	r.roots = slices.Clone(rep)
	return nil
}

func (r *mrrrRun) Count(tasks []mrrr.Task, x []float64) ([]int32, error) {
	if len(tasks) == 0 {
		return nil, nil
	}
	s, w := r.stage, &r.stage.memory
	reps, ld := r.representations(tasks)
	counts := make([]uint32, len(tasks)) // counts are at most n, so they fit int32, too
	err := r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, w.tasks, taskList(tasks))
			send(r, rec, w.x, x)
		})
		stages.InPortions(len(tasks), s.portion(len(tasks), 1), func(first, count int) {
			s.count.Dispatch(rec, vk.Folded(vk.Tiles(count, s.tune.Threads)), shaders.StemrCountPush{
				Tasks: addr(r, w.tasks, first), Reps: reps, X: addr(r, w.x, first),
				Counts: addr(r, w.counts, first), Ld: ld, Count: uint32(count),
			})
			rec.Costs(stebz.PivotFlops * s.pivots(count))
		})
		receive(r, rec, counts, w.counts)
	})
	signed := make([]int32, len(counts))
	for i, c := range counts {
		signed[i] = int32(c)
	}
	return signed, err
}

func (r *mrrrRun) Bisect(tasks []mrrr.Task, lo, hi []float64, rtol float64) error {
	if len(tasks) == 0 {
		return nil
	}
	w := &r.stage.memory
	return r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			send(r, rec, w.tasks, taskList(tasks))
			send(r, rec, w.lo, lo)
			send(r, rec, w.hi, hi)
		})
		r.recordBisect(rec, tasks, intervalBisection{tasks: w.tasks, lo: w.lo, hi: w.hi, count: len(tasks), rtol: rtol})
		rec.Concurrently(func() {
			receive(r, rec, lo, w.lo)
			receive(r, rec, hi, w.hi)
		})
	})
}

// Level has one recording. In the recording, the vectors are found in portions. A portion has as
// many vectors as the workspace has memory for. After an error the results are undefined.
func (r *mrrrRun) Level(l *mrrr.Level) error {
	w := &r.stage.memory
	return r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() { r.sendLevel(rec, l) })
		stages.InPortions(len(l.Vectors), r.stage.inFlight(), func(first, count int) { r.recordVectors(rec, l, first, count) })
		if len(l.Clusters) > 0 {
			r.recordChildren(rec, l)
			r.recordBrackets(rec, l)
		}
		rec.Concurrently(func() {
			receive(r, rec, l.Lambda, w.lambda)
			receive(r, rec, l.Residual, w.residual)
			receive(r, rec, l.Chosen, w.chosen)
			receive(r, rec, l.Growth, w.chosenGrowth)
			receive(r, rec, l.MemberLo, w.lo)
			receive(r, rec, l.MemberHi, w.hi)
		})
	})
}

func (r *mrrrRun) sendLevel(rec *vk.Recorder, l *mrrr.Level) {
	w := &r.stage.memory
	send(r, rec, w.vectorTasks, taskList(l.Vectors))
	send(r, rec, w.column, l.Column)
	send(r, rec, w.vectorLo, l.Lo)
	send(r, rec, w.vectorHi, l.Hi)
	send(r, rec, w.gap, l.Gap)
	send(r, rec, w.clusterTasks, taskList(l.Clusters))
	send(r, rec, w.slot, l.Child)
	send(r, rec, w.shifts, l.Shifts)
	send(r, rec, w.tasks, taskList(l.Members))
	send(r, rec, w.of, l.Of)
	send(r, rec, w.lo, l.MemberLo)
	send(r, rec, w.hi, l.MemberHi)
}

// sumFlops is the cost of stemr_sums for each component of a vector: a product, and two additions
// for each of the mrrr.Samples sums.
const sumFlops = 1 + 2*mrrr.Samples

// In Sums, a workgroup computes the sums of one component. The components are divided into
// dispatches of bounded time.
func (r *mrrrRun) Sums(lambda []float64) ([]float64, error) {
	s, w := r.stage, &r.stage.memory
	sums := make([]float64, 2*mrrr.Samples*s.n)
	return sums, r.run(func(rec *vk.Recorder) {
		send(r, rec, w.lambda, lambda)
		component := sumFlops * float64(max(1, r.xt.Rows))
		most := max(1, int(min(s.tune.Dispatch*stebz.PivotFlops/component, math.MaxInt32)))
		stages.InPortions(s.n, min(vk.MaxGroups(), most), func(first, count int) {
			s.sums.Dispatch(rec, vk.Grid(count), shaders.StemrSumsPush{
				X: r.xt.Block(0, first, r.xt.Rows, count).Addr(), Lambda: addr(r, w.lambda, 0), Sums: addr(r, w.sums, first),
				N: uint32(s.n), M: uint32(r.xt.Rows), Ldx: uint32(r.xt.Ld),
			})
			rec.Costs(component * float64(count))
		})
		receive(r, rec, sums, w.sums)
	})
}

var _ mrrr.Backend = (*mrrrRun)(nil)
