package stedc

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// recordings runs the recordings of one solve, and collects their profile.
type recordings struct {
	ctx      context.Context
	ws       *vk.Arena
	phase    string
	dev      *vk.Device
	profile  *vk.Profile
	progress func(vk.Progress) // may be nil

	// execute runs a recording on the device. Tests replace this function.
	execute func(ctx context.Context, rec *vk.Recorder, progress func(vk.Progress)) (*vk.Profile, error)
}

func newRecordings(ctx context.Context, ws *vk.Arena, pass *valuesPass[float64]) recordings {
	return recordings{
		ctx: ctx, ws: ws, phase: pass.phase, dev: pass.dev, profile: vk.NewProfile(), execute: pass.dev.Run,
	}
}

// run calls `record`, executes the recording, and waits for its end. The host needs the results
// before it can record the next part.
func (r *recordings) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(r.dev)
	rec.Phase(r.phase, 0, 0)
	record(rec)
	profile, err := r.execute(r.ctx, rec, r.progress)
	r.profile.Merge(profile)
	return err
}

// `end` adds the host's time to the profile: the time since `began` minus the time of the device.
func (r *recordings) end(began time.Time) {
	r.profile.Add(r.phase+stages.OnHost, time.Since(began).Seconds()-r.profile.Total())
}

// divideConquerRun is one solve in progress, the dc.WholeBackend on the device. Each call of a
// method makes one recording, which the host runs and waits for.
type divideConquerRun struct {
	recordings
	values  *deflation[float64]
	vectors *vectorsRun // nil if no vectors are wanted
}

// newDivideConquerRun prepares a solve. The arena must contain the workspace of `values`. If
// eigenvectors are wanted, the caller sets the field `vectors` afterwards.
func newDivideConquerRun(ctx context.Context, ws *vk.Arena, values *deflation[float64]) *divideConquerRun {
	return &divideConquerRun{recordings: newRecordings(ctx, ws, values.pass), values: values}
}

func (r *divideConquerRun) solve(d, e []float64, opt dc.Options) ([]float64, *vk.Profile, error) {
	began := time.Now()
	opt.LeafSize = r.values.pass.tune.Leaf
	values, err := dc.SolveOn(r, d, e, opt)
	r.end(began)
	return values, r.profile, err
}

// Values computes all eigenvalues with one recording. If the eigenvalues of a leaf are NaN, the
// leaf has not converged, and the error names it. If a root of a secular equation is not found, the
// error is an *InfoError whose field Info is 1 plus the index of the first such root.
func (r *divideConquerRun) Values(tree dc.Tree, d, e []float64, order []int32) ([][]*dc.Merge, error) {
	if r.vectors == nil || r.values.pass.n == 0 {
		return r.find(tree, d, e, order, leafVectors{offset: make([]int, len(d))})
	}
	v := r.vectors
	v.begin(tree)
	return r.find(tree, d, e, order, leafVectors{at: v.leaves().Addr(), offset: v.offset, last: v.last})
}

// leafVectors says where the values pass stores the eigenvectors of the leaves: those of a leaf
// begin offset[row] elements after the address `at`, where `row` is the first row of the leaf. If
// `at` is 0, they are not stored. The merge `last` comes last in its level, as vectorLists says; if
// there is no such merge, its order is 0.
type leafVectors struct {
	at     spirv.Addr[float64]
	offset []int
	last   dc.Pair

	// receive records which other data the host receives from the recording. It may be nil.
	receive func(rec *vk.Recorder)
}

func (r *divideConquerRun) find(tree dc.Tree, d, e []float64, order []int32, to leafVectors) ([][]*dc.Merge, error) {
	n := r.values.pass.n
	if n == 0 {
		return nil, nil
	}
	x := decided[float64]{e: e, d: d, order: order, leafValues: make([]float64, n), info: [1]uint32{allFound}}
	for _, l := range tree.Leaves {
		x.leaves = append(x.leaves, shaders.Leaf{Lo: uint32(l.Lo), N: uint32(l.N1), At: wide(to.offset[l.Lo])})
	}
	levels := make([][]*dc.Merge, len(tree.Levels))
	for level, pairs := range tree.Levels {
		for _, p := range pairs {
			levels[level] = append(levels[level], &dc.Merge{Pair: p})
		}
		slices.SortStableFunc(levels[level], func(a, b *dc.Merge) int { return rankOf(a.Pair == to.last) - rankOf(b.Pair == to.last) })
		for _, m := range levels[level] {
			x.merges = append(x.merges, newMerge(m, 0, 0))
		}
		x.levels = append(x.levels, len(pairs))
	}
	err := r.run(func(rec *vk.Recorder) {
		r.values.record(rec, r.ws, &x, [2]spirv.Addr[float64]{to.at})
		if to.receive != nil {
			to.receive(rec)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, l := range tree.Leaves {
		if math.IsNaN(x.leafValues[l.Lo]) {
			return nil, &NoConvergenceError{Lo: l.Lo, Hi: l.Hi()}
		}
	}
	if x.info[0] != allFound {
		return nil, &stages.InfoError{Stage: "divide and conquer", Info: 1 + x.info[0]%uint32(n)}
	}
	for _, merges := range levels {
		for i, m := range merges {
			from := x.merges[i]
			m.K, m.Upper, m.Lower, m.To = int(from.K), int(from.Upper), int(from.Lower), int(from.To)
		}
		x.merges = x.merges[len(merges):]
	}
	return levels, nil
}

func rankOf(last bool) int {
	if last {
		return 1
	}
	return 0
}

// Vectors forms the eigenvectors with one recording. No data are sent back to the host.
func (r *divideConquerRun) Vectors(levels [][]*dc.Merge, order []int32) error {
	v := r.vectors
	for level, merges := range levels {
		v.levels[level] = v.plan(level, merges)
	}
	v.complete(levels, order)
	return r.run(v.record)
}

var _ dc.WholeBackend = (*divideConquerRun)(nil)
