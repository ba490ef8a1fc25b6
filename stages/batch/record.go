package batch

import (
	"slices"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

type Item struct {
	N        int  // order, at least 1
	Upper    bool // whether the upper triangle is read instead of the lower one
	Conj     bool // whether the entries in memory are the conjugates of those of the matrix
	From, To int  // the wanted eigenvalues, [From, To), counted from 0 at the smallest
}

// BatchPart holds matrices that are solved together, and the offsets of their data in memory.
type BatchPart struct {
	// A, V and W have one element for each matrix: an offset in elements. A[i] is the offset
	// of the n×n matrix i in Buffers.A, V[i] that of its n×(To−From) vectors in Buffers.V, and W[i]
	// that of its To−From values in Buffers.Values. There are no gaps between the matrices, between
	// the vectors, or between the values.
	A, V, W []int

	// T[i] is, for tridiagonal matrices, the index of the first row of matrix i in the two arrays
	// that Batch.Given returns.
	T []int

	table   []shaders.BatchMatrix // sorted by kernels; with the same kernels, in the sequence of the items
	states  []shaders.BatchState  // one for each row of the table; valid when the recording has run
	order   []int                 // for each row of the table, the number of its item
	classes []batchClass
	lists   stedc.ForestLists // of the matrices that divide and conquer solves
}

// batchClass is the matrices first … first + count − 1 of the table of matrices, which the same
// kernels solve. `trees` is empty if divide and conquer does not solve them.
type batchClass struct {
	class, first, count, largest int
	trees                        stedc.Trees
}

// BatchOutcome tells how the solution of one matrix ended. After a success NonFinite and Failed are
// false, and after a failure one of these two is true.
type BatchOutcome struct {
	NonFinite bool // the triangle has a NaN or an infinity
	Failed    bool // no eigenvalues were found on rows [Lo, Hi) of T
	Lo, Hi    int
}

// Place chooses the offset in memory of each item. There may be at most Size.Count items, of order
// at most Size.N.
func (s *Batch[T, R]) Place(items []Item) *BatchPart {
	count := len(items)
	p := &BatchPart{
		A: make([]int, count), V: make([]int, count), W: make([]int, count), T: make([]int, count),
		table: make([]shaders.BatchMatrix, 0, count), states: make([]shaders.BatchState, count),
	}
	a, v, w := 0, 0, 0
	for i, m := range items {
		p.A[i], p.V[i], p.W[i] = a, v, w
		a += m.N * m.N
		v += m.N * (m.To - m.From)
		w += m.To - m.From
	}
	var class func(i int) int
	p.order, class = byClass(items, s.size.N, s.tune.class)
	at, work := 0, 0 // first free row of the arrays d and e, and first free element of W and S
	var planted []stedc.ForestMatrix
	for k, i := range p.order {
		m := items[i]
		row := shaders.BatchMatrix{
			N: uint32(m.N), Upper: flags[T](m), From: uint32(m.From), To: uint32(m.To), At: uint32(at), W: uint32(p.W[i]),
			A: twoWords(p.A[i]), V: twoWords(p.V[i]),
		}
		p.table = append(p.table, row)
		p.classes = joined(p.classes, class(i), k, m.N)
		if s.conquers(class(i)) {
			planted = append(planted, stedc.ForestMatrix{N: m.N, Lo: at, Q: rowsOf[T](p.A[i]), Work: work})
			work += stedc.ForestWork(m.N)
		}
		p.T[i] = at
		at += m.N
	}
	for i := range p.classes {
		if c := &p.classes[i]; s.conquers(c.class) {
			c.trees = s.forest.Plant(&p.lists, planted[:c.count])
			planted = planted[c.count:]
		}
	}
	return p
}

// flags returns the member `upper` of the item's row.
func flags[T spirv.Scalar](m Item) (bits uint32) {
	if m.Upper {
		bits = shaders.ProblemUpper
	}
	if m.Conj && complexes[T]() {
		bits |= shaders.ProblemConjugate
	}
	return bits
}

// joined returns the classes with the matrix of order n in row k of the table, the first one after
// their rows.
func joined(classes []batchClass, class, k, n int) []batchClass {
	if c := len(classes); c == 0 || classes[c-1].class != class {
		classes = append(classes, batchClass{class: class, first: k})
	}
	c := &classes[len(classes)-1]
	c.count++
	c.largest = max(c.largest, n)
	return classes
}

// byClass returns the numbers of the items, sorted by class, and a function that returns the class
// of an item. `most` is the largest order, and `of` returns the class of an order.
func byClass(items []Item, most int, of func(n int) int) (order []int, class func(i int) int) {
	classes := make([]int, most+1) // by order of a matrix
	for n := range classes {
		classes[n] = of(n)
	}
	place := make([]int, classes[most]+1) // by class: where its next item goes
	for _, m := range items {
		if c := classes[m.N]; c+1 < len(place) {
			place[c+1]++
		}
	}
	for c := 1; c < len(place); c++ {
		place[c] += place[c-1]
	}
	order = make([]int, len(items))
	for i, m := range items {
		c := classes[m.N]
		order[place[c]] = i
		place[c]++
	}
	return order, func(i int) int { return classes[items[i].N] }
}

func (s *Batch[T, R]) conquers(class int) bool {
	return s.forest != nil && class >= len(s.shared) && s.tune.Memory[class-len(s.shared)].Conquer
}

// Given returns the memory of the diagonals and of the off-diagonals of tridiagonal matrices. The
// caller writes them before the recording of Record runs. Row k of matrix i is element T[i]+k.
func (s *Batch[T, R]) Given(ws *vk.Arena) (d, e vk.Slice[R]) { return s.d.In(ws), s.e.In(ws) }

// twoWords returns the 64-bit offset x as two 32-bit words. The first word has the low bits.
func twoWords(x int) [2]uint32 { return [2]uint32{uint32(x), uint32(uint64(x) >> 32)} }

// Buffers holds the memory of the matrices, values and vectors of a batch, at the offsets of
// BatchPart. V may be the same memory as A if all vectors of all matrices are wanted. Tridiagonal
// matrices do not use A, and a solve without vectors does not use V.
type Buffers[T spirv.Scalar, R spirv.Real] struct {
	A      vk.Slice[T]
	Values vk.Slice[R]
	V      vk.Slice[T]
}

// Record solves the matrices of p, and overwrites A. After the recording has run, the caller must
// call Continue, and run what it records, until Continue returns false.
func (s *Batch[T, R]) Record(rec *vk.Recorder, ws *vk.Arena, p *BatchPart, x Buffers[T, R]) {
	rec.Phase(stages.PhaseBatch, 0, 1)
	vk.SendFirst(rec, s.table.In(ws), p.table)
	vk.Fill(rec, s.states.In(ws), 0)
	if len(p.lists.Leaves) > 0 {
		s.forest.Send(rec, ws, &p.lists)
	}
	for _, c := range p.classes {
		if c.class < len(s.shared) {
			s.recordShared(rec, ws, c, x)
			continue
		}
		s.recordMemory(rec, ws, c, &p.lists, x).record()
	}
	vk.ReceiveLast(rec, p.states, s.states.In(ws))
}

// Continue records further rotations of QL iteration for matrices that need more than the usual
// number. If there are none, it returns false and records nothing.
func (s *Batch[T, R]) Continue(rec *vk.Recorder, ws *vk.Arena, p *BatchPart, x Buffers[T, R]) bool {
	more := false
	for _, c := range p.classes {
		unfinished := slices.ContainsFunc(p.states[c.first:c.first+c.count], func(state shaders.BatchState) bool {
			return state.Status == shaders.ProblemGood
		})
		if c.class < len(s.shared) || !s.size.Vectors || !unfinished {
			continue
		}
		if !more {
			rec.Phase(stages.PhaseBatch, 0, 1)
		}
		r := s.recordMemory(rec, ws, c, &p.lists, x)
		r.iterate(func() {})
		r.sort()
		more = true
	}
	if more {
		vk.ReceiveLast(rec, p.states, s.states.In(ws))
	}
	return more
}

// Exponents returns, for each matrix, the exponent e of the power of two 2^e by which the host must
// multiply the eigenvalues. It is for single precision, in whose range an eigenvalue may not be. In
// double precision the device has multiplied the eigenvalues, and the result is nil. The recording
// must have run.
func (s *Batch[T, R]) Exponents(p *BatchPart) []int {
	if spirv.KindOf[R]() == spirv.Float64 {
		return nil
	}
	all := make([]int, len(p.order))
	for k, i := range p.order {
		all[i] = int(p.states[k].Exponent)
	}
	return all
}

func (p *BatchPart) Outcomes() []BatchOutcome {
	all := make([]BatchOutcome, len(p.order))
	for k, i := range p.order {
		state := p.states[k]
		all[i] = BatchOutcome{NonFinite: state.Status == shaders.ProblemNonfinite}
		if state.Status == shaders.ProblemFailed {
			all[i] = BatchOutcome{Failed: true, Lo: int(state.Lo), Hi: int(state.Hi) + 1}
		}
	}
	return all
}

// `each` divides a class of matrices into ranges that cost at most as much as one dispatch may
// cost, and calls `record` for each. `cost` is the cost of one matrix in flops.
func (t Tuning) each(rec *vk.Recorder, c batchClass, cost float64, record func(first, count uint32)) {
	most := max(1, int(t.Dispatch/cost))
	for from := 0; from < c.count; from += most {
		count := min(most, c.count-from)
		record(uint32(c.first+from), uint32(count))
		rec.Costs(cost * float64(count))
	}
}

func (s *Batch[T, R]) recordShared(rec *vk.Recorder, ws *vk.Arena, c batchClass, x Buffers[T, R]) {
	t, k := s.tune.Shared[c.class], s.shared[c.class]
	s.tune.each(rec, c, BatchFlops[T](c.largest, s.size.Vectors), func(first, count uint32) {
		grid := vk.Folded(vk.Tiles(int(count), t.Matrices))
		push := shaders.SyevBatchValuesPush[T, R]{
			Matrices: s.table.In(ws).Addr(), States: s.states.In(ws).Addr(), A: x.A.Addr(), Values: x.Values.Addr(),
			First: first, Count: count,
		}
		if !s.size.Vectors {
			k.values.Dispatch(rec, grid, push)
			return
		}
		k.vectors.Dispatch(rec, grid, shaders.SyevBatchPush[T, R]{
			Matrices: push.Matrices, States: push.States, A: push.A, Values: push.Values, V: x.V.Addr(),
			First: first, Count: count,
		})
	})
}
