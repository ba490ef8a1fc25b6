package stedc

import (
	"context"
	"iter"
	"math"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// conquerRounds is one divide and conquer solve in progress, in which the host decides the
// deflation. Each call of the method Leaves or roots makes one recording, which the host runs and
// waits for:
//
//	           uploads                        dispatches                     receives
//	Leaves     leaves, e, d                   leaf kernel                    d, first rows, last rows
//	roots      merges, poles, weights, ρ,     stedc_secular, _weights,       roots, and rows of Q (not
//	           rows of W                      _rows                          in the last level)
//
// The poles, weights and roots of all levels stay on the device, because they are needed later to
// form the vectors. Most of the time of the method roots is latency: once per level, the host waits
// for the device, and then the device waits for the host.
type conquerRounds struct {
	recordings
	pass *valuesPass[float64]

	// The elements of `sides` form the right singular vectors W and the left singular vectors S, in
	// this order. An element is nil if the vectors of its side are not wanted.
	sides [2]*vectorsRun

	level     int       // level of the next merges, counted from 0
	lastLevel int       // number of the last level; −1 if there are no merges
	upload    []float64 // host memory for the data that roots uploads; reused for each level
}

// newConquerRounds prepares a solve. The arena must contain the workspace of `pass`. If vectors are
// wanted, the caller sets the field `sides` afterwards.
func newConquerRounds(ctx context.Context, ws *vk.Arena, pass *valuesPass[float64]) *conquerRounds {
	return &conquerRounds{recordings: newRecordings(ctx, ws, pass), pass: pass}
}

// `end` waits for the goroutines of the solve, and adds the host's time since `began` to the
// profile. It must be called after an error, too.
func (r *conquerRounds) end(began time.Time) {
	for v := range r.wanted() {
		v.preparing.Wait() // the goroutines write to the lists
	}
	r.recordings.end(began)
}

func (r *conquerRounds) wanted() iter.Seq[*vectorsRun] {
	return func(yield func(*vectorsRun) bool) {
		for _, v := range r.sides {
			if v != nil && !yield(v) {
				return
			}
		}
	}
}

func (r *conquerRounds) firstWanted() *vectorsRun {
	for v := range r.wanted() {
		return v
	}
	return nil
}

// Leaves solves the leaves on the device. If the values of a leaf are NaN, the leaf has not
// converged, and the error names it.
func (r *conquerRounds) Leaves(tree dc.Tree, d, e []float64, rows dc.Rows) error {
	n := r.pass.n
	if n == 0 {
		return nil
	}
	r.lastLevel = len(tree.Levels) - 1
	// If no singular vectors are wanted, the addresses are zero. The left and the right vectors of
	// a leaf have the same offset in their matrices.
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
	numbers := make([]float64, leafArrays*n) // the arrays have the order of valuesPass.leafNumbers
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

// roots solves the secular equations of the next level. If a root is not found, the error is an
// *InfoError whose field Info is 1 plus the index of the first such root.
func (r *conquerRounds) roots(merges []*dc.Merge) error {
	level := r.level
	r.level++
	list := make([]shaders.Merge, len(merges))
	number := func(kind int) spirv.Addr[float64] { return r.pass.numbersOf(r.ws, level, kind, 1).Addr() }
	equations := rootsOf[float64]{
		level: level, merges: len(merges), rows: level < r.lastLevel, list: r.pass.mergesOf(r.ws, level).Addr(),
		first: number(numberFirst), last: number(numberLast),
	}
	equations.weights = equations.rows || r.firstWanted() != nil
	for i, m := range merges {
		list[i] = newMerge(m, 0, 0) // the kernels of this pass read no matrix, so the offsets are 0
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

// numbersOf returns the numbers that the device needs for the merges of one level, in the order in
// which the kernels read them: poles, weights, ρ, and the first and last rows of the rotated
// vectors W. The next call overwrites the slice.
func (r *conquerRounds) numbersOf(merges []*dc.Merge) []float64 {
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

// accept sets Mu and Origin of the merges of one level from the numbers that the device computed.
// If `rows` is true, it also sets the rows of Q. The merges keep slices of `received`, which must
// not be changed later. A root is the pole with the index Origin, plus Mu. Mu is negative if the
// pole above the root is the nearer one. If Mu is NaN, the root was not found.
func (r *conquerRounds) accept(merges []*dc.Merge, received []float64, rows bool) error {
	n := r.pass.n
	mu, first, last := received[:n], received[n:2*n], received[2*n:]
	for _, m := range merges {
		m.Mu, m.Origin = mu[m.Lo:m.Lo+m.K], make([]int32, m.K)
		for j, x := range m.Mu {
			if math.IsNaN(x) {
				return &stages.InfoError{Stage: "divide and conquer", Info: uint32(1 + m.Lo + j)}
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
