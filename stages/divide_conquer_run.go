package stages

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// divideConquerRun is one solve in flight. It is the dc.Backend of the device, and dc.Backend
// documents its methods Leaves, Roots and Vectors. Each call is one recording, which the host runs
// and awaits:
//
//	           uploads                        dispatches                     receives
//	Leaves     leaves, e, d                   stedc_leaf                     d, first rows, last rows
//	Roots      merges, poles, weights, ρ,     stedc_secular, _weights,       roots, and but for the last
//	           rows of W                      _rows                          level rows of Q
//	Vectors    lists of all levels            stedc_gather, _vectors,        nothing
//	                                          _multiply, _deflated; the
//	                                          last merge also _restore,
//	                                          _sort and products of Ops
//
// The numbers of all levels stay on the device, because the vectors pass reads them again. The time
// of a call of Roots is mostly latency: the host waits for the device and the device for the host,
// once per level.
type divideConquerRun struct {
	ctx     context.Context
	ws      *vk.Arena
	pass    *valuesPass
	profile *vk.Profile

	// sides has the vectors pass of Q, or the vectors passes of W and of S. An element is nil if
	// its vectors are not wanted.
	sides [2]*vectorsRun

	progress  func(vk.Progress) // may be nil
	level     int               // level of the next merges, counted from 0
	lastLevel int               // number of the last level; −1 if there are no merges
	upload    []float64         // host memory for the data that Roots uploads; reused for each level

	// execute runs a recording on the device. Tests replace this function.
	execute func(ctx context.Context, rec *vk.Recorder, progress func(vk.Progress)) (*vk.Profile, error)
}

// newDivideConquerRun prepares a run of the values pass in the given arena, which must have the
// pass's workspace. The caller adds the vectors pass if vectors are wanted.
func newDivideConquerRun(ctx context.Context, ws *vk.Arena, pass *valuesPass) *divideConquerRun {
	return &divideConquerRun{ctx: ctx, ws: ws, pass: pass, profile: vk.NewProfile(), execute: pass.dev.Run}
}

// solve runs the driver. In the profile, the host's time is the time that the device did not take.
func (r *divideConquerRun) solve(d, e []float64, opt dc.Options) ([]float64, *vk.Profile, error) {
	began := time.Now()
	opt.LeafSize = r.pass.tune.Leaf
	values, err := dc.SolveWith(r, d, e, opt)
	r.end(began)
	return values, r.profile, err
}

// end ends a run that began at the given time. It is called after an error, too.
func (r *divideConquerRun) end(began time.Time) {
	for v := range r.wanted() {
		v.preparing.Wait() // the goroutines write to the lists
	}
	r.profile.Add(r.pass.phase+OnHost, time.Since(began).Seconds()-r.profile.Total())
}

// wanted yields the vectors passes that are not nil, in the order of the sides.
func (r *divideConquerRun) wanted() iter.Seq[*vectorsRun] {
	return func(yield func(*vectorsRun) bool) {
		for _, v := range r.sides {
			if v != nil && !yield(v) {
				return
			}
		}
	}
}

// firstWanted returns the first vectors pass that is not nil, or nil if there is none.
func (r *divideConquerRun) firstWanted() *vectorsRun {
	for v := range r.wanted() {
		return v
	}
	return nil
}

// run records a part of the solve and executes it. The host needs the results of this part before
// it can record the next one.
func (r *divideConquerRun) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(r.pass.dev)
	rec.Phase(r.pass.phase, 0, 0)
	record(rec)
	profile, err := r.execute(r.ctx, rec, r.progress)
	r.profile.Merge(profile)
	return err
}

// Leaves implements dc.Backend. A leaf whose values are NaN has not converged.
func (r *divideConquerRun) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	n := r.pass.n
	if n == 0 {
		return nil
	}
	r.lastLevel = len(tree.Levels) - 1
	// Without a vectors pass the leaves' vectors are not stored, and the addresses stay zero. All
	// sides have the same places for the leaves.
	var vectors [2]spirv.Addr[float64]
	offset := func(int) int { return 0 }
	for side, v := range r.sides {
		if v != nil {
			v.begin(tree)
			vectors[side] = v.leaves().Addr()
			offset = func(row int) int { return v.offset[row] }
		}
	}
	list := make([]shaders.Leaf, len(tree.Leaves))
	for i, l := range tree.Leaves {
		list[i] = shaders.Leaf{Lo: uint32(l.Lo), N: uint32(l.N1), At: wide(offset(l.Lo))}
	}
	numbers := make([]float64, leafArrays*n) // in the order of valuesPass.leafNumbers
	values, first, last := numbers[n:2*n], numbers[2*n:3*n], numbers[3*n:]
	copy(numbers, e)
	copy(values, d)
	if err := r.run(func(rec *vk.Recorder) { r.pass.recordLeaves(rec, r.ws, list, numbers, vectors) }); err != nil {
		return err
	}
	for _, l := range tree.Leaves {
		if math.IsNaN(values[l.Lo]) {
			return &NoConvergenceError{Lo: l.Lo, Hi: l.Hi()}
		}
	}
	copy(d, values)
	copy(rows.First, first)
	copy(rows.Last, last)
	return nil
}

// Roots implements dc.Backend. InfoError.Info is 1 plus the index of the first root that was not
// found.
func (r *divideConquerRun) Roots(merges []*dc.Merge) error {
	for v := range r.wanted() { // the lists depend on deflation, and not on the roots
		v.prepare(r.level, merges)
	}
	return r.roots(merges)
}

// roots solves the secular equations of the next level.
func (r *divideConquerRun) roots(merges []*dc.Merge) error {
	level := r.level
	r.level++
	list := make([]shaders.Merge, len(merges))
	equations := rootsOf{level: level, merges: len(merges), rows: level < r.lastLevel}
	equations.weights = equations.rows || r.firstWanted() != nil
	for i, m := range merges {
		list[i] = newMerge(m, 0, 0) // the kernels of this pass read no matrix, so the places are 0
		equations.poles = max(equations.poles, m.K)
	}
	numbers := r.numbersOf(merges)
	received := make([]float64, receivedNumbers*r.pass.n)
	err := r.run(func(rec *vk.Recorder) {
		rec.Concurrently(func() {
			vk.SendFirst(rec, r.pass.mergesOf(r.ws, level), list)
			vk.SendFirst(rec, r.pass.numbersOf(r.ws, level, numberD, uploadedNumbers), numbers)
		})
		r.pass.recordRoots(rec, r.ws, equations)
		vk.ReceiveLast(rec, received, r.pass.numbersOf(r.ws, level, numberMu, receivedNumbers))
	})
	if err != nil {
		return err
	}
	return r.accept(merges, received, equations.rows)
}

// numbersOf returns the numbers of the merges of one level in the order that the device uses. The
// next call overwrites them.
func (r *divideConquerRun) numbersOf(merges []*dc.Merge) []float64 {
	n := r.pass.n
	if r.upload == nil {
		r.upload = make([]float64, uploadedNumbers*n)
	}
	for i, m := range merges {
		copy(r.upload[numberD*n+m.Lo:], m.D)
		copy(r.upload[numberZ*n+m.Lo:], m.Z)
		copy(r.upload[numberFirstW*n+m.Lo:], m.W.First)
		copy(r.upload[numberLastW*n+m.Lo:], m.W.Last)
		r.upload[numberRho*n+i] = m.Rho
	}
	return r.upload
}

// accept sets Mu and Origin of the merges of one level from the received numbers, which the merges
// then share. If rows is true, it also sets the rows of Q. The sign of mu gives the pole: a root
// next to the upper pole is below this pole. A mu of NaN means that the root was not found.
func (r *divideConquerRun) accept(merges []*dc.Merge, received []float64, rows bool) error {
	n := r.pass.n
	mu, first, last := received[:n], received[n:2*n], received[2*n:]
	for _, m := range merges {
		m.Mu, m.Origin = mu[m.Lo:m.Lo+m.K], make([]int32, m.K)
		for j, x := range m.Mu {
			if math.IsNaN(x) {
				return &InfoError{"divide and conquer", uint32(1 + m.Lo + j)}
			}
			m.Origin[j] = int32(j)
			if x < 0 {
				m.Origin[j]++
			}
		}
		if rows {
			copy(m.Q.First[:m.K], first[m.Lo:])
			copy(m.Q.Last[:m.K], last[m.Lo:])
		}
	}
	return nil
}

// Vectors implements dc.Backend with one recording. The host receives no data.
func (r *divideConquerRun) Vectors(levels [][]*dc.Merge, order []int32) error {
	v := r.sides[0]
	v.complete(levels, order)
	return r.run(v.record)
}

// The compiler checks that no method is missing.
var _ dc.Backend = (*divideConquerRun)(nil)
