package batch

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Pairs reduces many small generalized eigenproblems A·x = λ·B·x to standard form, which a Batch then
// solves, and computes their vectors from those of the Batch. B is positive definite.
//
//	potrf_batch   B → L, B = L·Lᴴ           (dpotrf)
//	sygst_batch   A → C = L⁻¹·A·L⁻ᴴ         (dsygst)
//	              C → Z, Λ                  by the Batch
//	trsm_batch    Z → X = L⁻ᴴ·Z             (dtrsm)
//
// All A may have one B. The bits of a result depend only on the pair and the device.
type Pairs[T spirv.Scalar] struct {
	size    Size
	tune    Tuning
	kernels []pairKernels[T] // for each row of the tuning's Pairs

	table, factors vk.Region[shaders.BatchMatrix] // of A and of B
	states, found  vk.Region[shaders.BatchState]
}

type pairKernels[T spirv.Scalar] struct {
	factor  *vk.Kernel[shaders.PotrfBatchSpec, shaders.PotrfBatchPush[T]]
	reduce  *vk.Kernel[shaders.SygstBatchSpec, shaders.SygstBatchPush[T]]
	vectors *vk.Kernel[shaders.TrsmBatchSpec, shaders.TrsmBatchPush[T]] // nil without vectors
}

// NewPairs prepares pairs of the given size, with sizes t that Fitting has fitted to the device.
func NewPairs[T spirv.Scalar](dev *vk.Device, size Size, t Tuning) (*Pairs[T], error) {
	if len(t.Pairs) == 0 {
		return nil, fmt.Errorf("stages: no batch of pairs can be tuned by %+v", t)
	}
	s := &Pairs[T]{size: size, tune: t}
	b := stages.Builder{Dev: dev}
	for _, row := range t.Pairs[:t.pairClass(size.N)+1] {
		k := pairKernels[T]{
			factor: stages.Build(&b, shaders.PotrfBatch[T](), row.spec()),
			reduce: stages.Build(&b, shaders.SygstBatch[T](), shaders.SygstBatchSpec(row.spec())),
		}
		if size.Vectors {
			k.vectors = stages.Build(&b, shaders.TrsmBatch[T](), shaders.TrsmBatchSpec(row.spec()))
		}
		s.kernels = append(s.kernels, k)
	}
	s.table, s.factors = vk.Reserve[shaders.BatchMatrix]("pairs of the batch", size.Count), vk.Reserve[shaders.BatchMatrix]("factors of the batch", size.Count)
	s.states, s.found = vk.Reserve[shaders.BatchState]("states of the pairs", size.Count), vk.Reserve[shaders.BatchState]("states of the factors", size.Count)
	return s, b.Err
}

// Work has 136 bytes for each pair.
func (s *Pairs[T]) Work() *vk.Layout { return vk.Together(s.table, s.factors, s.states, s.found) }

// PairFlops returns the cost of a pair of order n beside that of its standard problem: n³/3 for the
// factor, 4/3·n³ for the standard form, and n³ for all vectors. For complex numbers it is four times as
// much.
func PairFlops[T spirv.Scalar](n int, vectors bool) float64 {
	x, parts := float64(n), 5.0/3
	if vectors {
		parts++
	}
	return perProduct[T]() * parts * x * x * x
}

// PairPart holds pairs that are solved together, and the offsets of the matrices B in memory.
type PairPart struct {
	// B has one element for each matrix B: its offset in elements. There are no gaps between the
	// matrices.
	B []int

	table, factors []shaders.BatchMatrix // sorted by kernels
	states, found  []shaders.BatchState  // valid when the recording has run
	order          []int                 // for each row of the table, the number of its pair
	classes        []batchClass
	stride         int // 0 if all A have one B, otherwise 1
}

// PairOutcome tells how the reduction of one pair ended.
type PairOutcome struct {
	NonFiniteA, NonFiniteB bool // the triangle has a NaN or an infinity

	// Minor is the order of the first leading minor of B that is not positive definite, or 0.
	Minor int

	// Exponent is the exponent e of the power of two 2^e by which the host must multiply the
	// eigenvalues of the standard problem.
	Exponent int
}

// Place chooses the offsets of the matrices B, one for each item of `a` or one for all. Each B has the
// order of its A. The items of a part of the batch, `standard`, have the same sequence. They are
// those of `a`, but without Upper and Conj.
func (s *Pairs[T]) Place(a, b []Item, standard *BatchPart) *PairPart {
	p := &PairPart{stride: 1}
	if len(b) == 1 {
		p.stride = 0
	}
	at := 0
	for _, m := range b {
		p.B = append(p.B, at)
		at += m.N * m.N
	}
	var class func(i int) int
	p.order, class = byClass(a, s.size.N, s.tune.pairClass)
	for k, i := range p.order {
		m := a[i]
		p.table = append(p.table, shaders.BatchMatrix{
			N: uint32(m.N), Upper: flags[T](m), From: uint32(m.From), To: uint32(m.To), A: twoWords(standard.A[i]), V: twoWords(standard.V[i]),
		})
		if second := i * p.stride; k*p.stride == len(p.factors) {
			p.factors = append(p.factors, shaders.BatchMatrix{N: uint32(b[second].N), Upper: flags[T](b[second]), A: twoWords(p.B[second])})
		}
		p.classes = joined(p.classes, class(i), k, m.N)
	}
	p.states, p.found = make([]shaders.BatchState, len(p.table)), make([]shaders.BatchState, len(p.factors))
	return p
}

// Reduce overwrites the matrices A in `a` by those of the standard problems, of which the lower triangle
// is to be read, and the matrices B in `b` by their factors. If a pair has none, or has a NaN or an
// infinity, the matrix of its standard problem is zero.
func (s *Pairs[T]) Reduce(rec *vk.Recorder, ws *vk.Arena, p *PairPart, a, b vk.Slice[T]) {
	rec.Phase(stages.PhaseCholesky, 0, 1)
	vk.SendFirst(rec, s.table.In(ws), p.table)
	vk.SendFirst(rec, s.factors.In(ws), p.factors)
	vk.Fill(rec, s.states.In(ws), 0)
	vk.Fill(rec, s.found.In(ws), 0)
	for _, c := range p.classes {
		if p.stride == 0 {
			c.first, c.count = 0, 1
		}
		s.factor(rec, ws, c, b)
		if p.stride == 0 {
			break
		}
	}
	rec.Phase(stages.PhaseStandardForm, 0, 1)
	for _, c := range p.classes {
		s.standardise(rec, ws, c, p.stride, a, b)
	}
	vk.ReceiveLast(rec, p.states, s.states.In(ws))
	vk.ReceiveLast(rec, p.found, s.found.In(ws))
}

// steps divides `count` steps with the given costs into ranges, so that one dispatch does one range for all
// matrices, and costs each workgroup at most the fraction ofWorkgroup of the largest cost of a dispatch.
func (s *Pairs[T]) steps(count int, cost func(step int) float64) []stages.Span {
	return stages.Spans(count, count, s.tune.Dispatch*ofWorkgroup, cost)
}

func (s *Pairs[T]) factor(rec *vk.Recorder, ws *vk.Arena, c batchClass, b vk.Slice[T]) {
	n, tile := float64(c.largest), float64(s.tune.Pairs[c.class].Tile)
	for _, columns := range s.steps(s.blocks(c), func(k int) float64 {
		left := float64(k) * tile
		return 2 * perProduct[T]() * tile * (n - left) * min(left+tile, n)
	}) {
		s.tune.each(rec, c, columns.Cost, func(first, count uint32) {
			s.kernels[c.class].factor.Dispatch(rec, vk.Folded(int(count)), shaders.PotrfBatchPush[T]{
				Matrices: s.factors.In(ws).Addr(), States: s.found.In(ws).Addr(), B: b.Addr(),
				First: first, Count: count, From: uint32(columns.First), To: uint32(columns.Last),
			})
		})
	}
}

func (s *Pairs[T]) standardise(rec *vk.Recorder, ws *vk.Arena, c batchClass, stride int, a, b vk.Slice[T]) {
	n, tile, blocks := float64(c.largest), float64(s.tune.Pairs[c.class].Tile), s.blocks(c)
	for _, span := range s.steps(2*blocks, func(k int) float64 {
		rows := n
		if k >= blocks {
			rows = min(float64(k-blocks+1)*tile, n)
		}
		return perProduct[T]() * tile * rows * (rows + tile)
	}) {
		s.tune.each(rec, c, span.Cost, func(first, count uint32) {
			s.kernels[c.class].reduce.Dispatch(rec, vk.Folded(int(count)), shaders.SygstBatchPush[T]{
				Matrices: s.table.In(ws).Addr(), Factors: s.factors.In(ws).Addr(), States: s.states.In(ws).Addr(), Found: s.found.In(ws).Addr(),
				A: a.Addr(), L: b.Addr(), First: first, Count: count, Stride: uint32(stride), Blocks: uint32(blocks),
				From: uint32(span.First), To: uint32(span.Last),
			})
		})
	}
}

// blocks returns the number of block columns of the largest matrix of a class.
func (s *Pairs[T]) blocks(c batchClass) int { return vk.Tiles(c.largest, s.tune.Pairs[c.class].Tile) }

// Vectors overwrites the vectors of the standard problems by those of the pairs. `b` has the factors
// that Reduce has computed.
func (s *Pairs[T]) Vectors(rec *vk.Recorder, ws *vk.Arena, p *PairPart, v, b vk.Slice[T]) {
	rec.Phase(stages.PhasePairVectors, 0, 1)
	for _, c := range p.classes {
		parts, columns := s.blocks(c), 0
		for _, m := range p.table[c.first : c.first+c.count] {
			columns = max(columns, int(m.To-m.From))
		}
		parts = min(parts, vk.Tiles(columns, s.tune.Pairs[c.class].Tile))
		if parts == 0 {
			continue
		}
		n := float64(c.largest)
		cost := perProduct[T]() * float64(s.tune.Pairs[c.class].Tile) * n * (n + float64(s.tune.Pairs[c.class].Tile))
		stages.InPortions(c.count*parts, max(1, int(s.tune.Dispatch/cost)), func(from, count int) {
			s.kernels[c.class].vectors.Dispatch(rec, vk.Folded(count), shaders.TrsmBatchPush[T]{
				Matrices: s.table.In(ws).Addr(), Factors: s.factors.In(ws).Addr(), States: s.states.In(ws).Addr(), Found: s.found.In(ws).Addr(),
				V: v.Addr(), L: b.Addr(), First: uint32(c.first), Stride: uint32(p.stride), Parts: uint32(parts), From: uint32(from), Count: uint32(count),
			})
			rec.Costs(cost * float64(count))
		})
	}
}

// Outcomes returns the outcome of each pair. The recording of Reduce must have run.
func (p *PairPart) Outcomes() []PairOutcome {
	all := make([]PairOutcome, len(p.order))
	for k, i := range p.order {
		a, b := p.states[k], p.found[k*p.stride]
		all[i] = PairOutcome{
			NonFiniteA: a.Status == shaders.ProblemNonfinite, NonFiniteB: b.Status == shaders.ProblemNonfinite,
			Exponent: int(a.Exponent - b.Exponent),
		}
		if b.Status == shaders.PotrfBatchIndefinite {
			all[i].Minor = int(b.Lo)
		}
	}
	return all
}
