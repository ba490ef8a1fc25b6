package batch

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// batchRecording records the solution of one class of matrices. These matrices are too large for
// shared memory, and the same kernels solve all of them.
type batchRecording[T spirv.Scalar, R spirv.Real] struct {
	*Batch[T, R]
	batchMemory[T, R]
	rec   *vk.Recorder
	ws    *vk.Arena
	class batchClass
	lists *stedc.ForestLists // of the part
	x     Buffers[T, R]
}

func (s *Batch[T, R]) recordMemory(rec *vk.Recorder, ws *vk.Arena, c batchClass, lists *stedc.ForestLists, x Buffers[T, R]) *batchRecording[T, R] {
	return &batchRecording[T, R]{s, s.memory[c.class-len(s.shared)], rec, ws, c, lists, x}
}

func (r *batchRecording[T, R]) record() {
	if r.size.Tridiagonal {
		r.recordTridiagonal()
		return
	}
	r.reduce()
	if !r.size.Vectors {
		r.bisect()
		return
	}
	if r.conquers(r.class.class) {
		r.form()
		r.conquer()
	} else {
		r.iterate(r.form)
	}
	r.sort()
}

// ofWorkgroup is the largest work of one workgroup, as a fraction of the largest cost of a
// dispatch. With it, a device that runs 64 workgroups at a time finishes every dispatch in time,
// even one with few workgroups.
const ofWorkgroup = 1.0 / 64

func (r *batchRecording[T, R]) recordTridiagonal() {
	if r.size.Vectors {
		r.conquer()
		r.sort()
		return
	}
	x, half := r.scaled.In(r.ws), r.scaled.Len()/2
	push := r.given()
	push.TornD, push.TornE = x.Addr(), x.From(half).Addr()
	r.tune.each(r.rec, r.class, stedc.PrepareFlops*float64(r.class.largest), func(first, count uint32) {
		push.First, push.Count = first, count
		r.batchMemory.prepare.Dispatch(r.rec, vk.Folded(int(count)), push)
	})
	r.bisect()
}

func (r *batchRecording[T, R]) given() shaders.Laed0BatchPush[R] {
	return shaders.Laed0BatchPush[R]{
		Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
		D: r.d.In(r.ws).Addr(), E: r.e.In(r.ws).Addr(), First: uint32(r.class.first), Count: uint32(r.class.count),
	}
}

// strips divides the columns 0 … n − 3 of the largest matrix into ranges of a multiple of `unit`
// columns. The spans count such multiples, not columns. One dispatch processes one range in all
// matrices, and costs each workgroup at most the fraction ofWorkgroup of the largest cost of a
// dispatch. Column k costs `flops`·(n − k)²: `flops` is the cost of one element of its trailing
// matrix.
func (r *batchRecording[T, R]) strips(flops float64, unit int) []stages.Span {
	n := r.class.largest
	units := (n - 2 + unit - 1) / unit
	return stages.Spans(units, units, r.tune.Dispatch*ofWorkgroup, func(u int) float64 {
		m := float64(n - u*unit)
		return float64(unit) * flops * m * m
	})
}

func (r *batchRecording[T, R]) reduce() {
	block := int(r.row().reduceSpec(r.info).Nb)
	for _, blocks := range r.strips(4*perProduct[T](), block) {
		r.tune.each(r.rec, r.class, blocks.Cost, func(first, count uint32) {
			r.batchMemory.reduce.Dispatch(r.rec, vk.Folded(int(count)), shaders.Sytd2BatchPush[T, R]{
				Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(), A: r.x.A.Addr(),
				D: r.d.In(r.ws).Addr(), E: r.e.In(r.ws).Addr(), Tau: r.tau.In(r.ws).Addr(),
				First: first, Count: count, From: uint32(blocks.First * block), To: uint32(blocks.Last * block),
			})
		})
	}
}

// row returns the sizes of the class.
func (r *batchRecording[T, R]) row() Memory { return r.tune.Memory[r.class.class-len(r.shared)] }

// form computes the orthogonal or unitary matrix Q of the reduction.
func (r *batchRecording[T, R]) form() {
	n, spec := r.class.largest, r.row().formSpec(r.info)
	parts := vk.Tiles(n, spec.LocalSize/spec.Lanes*spec.Together)
	cost := perProduct[T]() * 4.0 / 3 * float64(n) * float64(n) * float64(n) / float64(parts)
	stages.InPortions(r.class.count*parts, max(1, int(r.tune.Dispatch/cost)), func(from, count int) {
		r.batchMemory.form.Dispatch(r.rec, vk.Folded(count), shaders.Org2lBatchPush[T]{
			Matrices: r.table.In(r.ws).Addr(), Tau: r.tau.In(r.ws).Addr(), A: r.x.A.Addr(), Z: r.z.In(r.ws).Addr(),
			First: uint32(r.class.first), Parts: uint32(parts), From: uint32(from), Count: uint32(count),
		}, vk.Touches(r.table.In(r.ws)), vk.Touches(r.tau.In(r.ws)), vk.Touches(r.x.A), vk.Touches(r.z.In(r.ws)))
		r.rec.Costs(cost * float64(count))
	})
}

// iterate records the usual number of rotations of QL iteration, in rounds. While lasr_batch applies
// the rotations of a round, steqr_batch computes those of the next one. The first round runs beside
// the first command of `form`, which forms Q. Rotations of odd rounds overwrite the given matrices,
// and those of even rounds have memory of their own, or that of divide and conquer.
func (r *batchRecording[T, R]) iterate(form func()) {
	n, t := r.class.largest, r.row()
	turn, matrices := t.turnSpec(), t.matrices()
	rows := rowsOf[T](n)
	parts := vk.Tiles(rows, turn.LocalSize*turn.Together)
	workgroup := max(float64(matrices)*rotationFlops, 6*float64(turn.LocalSize*turn.Together)) // cost of a rotation
	once := max(float64(n), min(r.tune.Dispatch*ofWorkgroup/workgroup, float64(n*n/4)))
	table, states, z := r.table.In(r.ws), r.states.In(r.ws), r.z.In(r.ws)
	d, e := r.d.In(r.ws), r.e.In(r.ws)
	// A matrix has n²/2 real numbers for rotations of its own, so they begin at half of the number of
	// its first element. For complex matrices, steqr_batch_pairs counts two numbers for an element.
	shift := uint32(rowsOf[T](1))
	of := func(round int) (rotations spirv.Addr[R], touched vk.Touch, sweeps vk.Slice[uint32], by uint32) {
		half := r.sweeps.Len() / 2
		own := r.rotations
		if r.forest != nil {
			own = r.w
		}
		if round%2 == 0 {
			x := own.In(r.ws)
			return x.Addr(), vk.Touches(x), r.sweeps.In(r.ws).Sub(0, half), shift
		}
		return spirv.Addr[R](r.x.A.Addr()), vk.Touches(r.x.A), r.sweeps.In(r.ws).From(half), 0
	}
	rotate := func(first, count, round int) {
		rotations, touched, sweeps, shift := of(round)
		r.batchMemory.iterate.Dispatch(r.rec, vk.Folded(vk.Tiles(count, matrices)), shaders.SteqrBatchPush[R]{
			Matrices: table.Addr(), States: states.Addr(), D: d.Addr(), E: e.Addr(), Rotations: rotations, Sweeps: sweeps.Addr(),
			First: uint32(r.class.first + first), Count: uint32(count), Most: uint32(once), Shift: shift,
		}, vk.Touches(table), vk.Touches(states), vk.Touches(d), vk.Touches(e), touched, vk.Touches(sweeps))
		r.rec.Costs(once * rotationFlops * float64(count))
	}
	apply := func(first, count, round int) {
		rotations, touched, sweeps, shift := of(round)
		r.turn.Dispatch(r.rec, vk.Folded(count*parts), shaders.LasrBatchPush[R]{
			Matrices: table.Addr(), Rotations: rotations, Sweeps: sweeps.Addr(), Z: spirv.Addr[R](z.Addr()),
			First: uint32(r.class.first + first), Count: uint32(count), Parts: uint32(parts), Shift: shift,
		}, vk.Touches(table), touched, vk.Touches(sweeps), vk.Touches(z))
		r.rec.Costs(once * 6 * float64(rows) * float64(count))
	}
	// The memory of a round has a rest, of less than n rotations, which no sweep fills.
	rounds := int((rotationsOf(n)+float64(n*n/10+3*n))/(once-float64(n/2))) + 1
	most := max(1, int(r.tune.Dispatch/(once*max(rotationFlops, 6*float64(rows)))))
	stages.InPortions(r.class.count, most, func(first, count int) {
		r.rec.Beside(func() { rotate(first, count, 0) }, form)
		form = func() {}
		for round := range rounds {
			r.rec.Concurrently(func() {
				apply(first, count, round)
				if round+1 < rounds {
					rotate(first, count, round+1)
				}
			})
		}
	})
}

// conquer records divide and conquer for T, and the products of its eigenvectors with Q. The
// eigenvectors overwrite the given matrices, and the products overwrite W and S. If the given
// matrices are tridiagonal, there is no Q, and the eigenvectors go to the memory of Q.
func (r *batchRecording[T, R]) conquer() {
	w, z, a := r.w.In(r.ws).Addr(), spirv.Addr[R](r.z.In(r.ws).Addr()), spirv.Addr[R](r.x.A.Addr())
	if r.size.Tridiagonal {
		r.forest.Record(r.rec, r.ws, r.class.trees, r.lists, r.given(), z, w)
		return
	}
	r.forest.Record(r.rec, r.ws, r.class.trees, r.lists, r.given(), a, w)
	n, rows := r.class.largest, rowsOf[T](r.class.largest)
	product := 2 * stedc.ProductCost * float64(rows) * float64(n) * float64(n)
	r.tune.each(r.rec, r.class, product, func(first, count uint32) {
		stages.InPortions(int(count), vk.MaxGroups(), func(begin, some int) {
			grid := r.batchMemory.tile.Grid(rows, n)
			grid.Z = some
			r.batchMemory.multiply.Dispatch(r.rec, grid, shaders.GemmBatchPush[R]{
				Matrices: r.table.In(r.ws).Addr(), A: z, B: a, C: w, First: first + uint32(begin),
			})
			r.rec.Costs(product * float64(some))
		})
	})
}

func (r *batchRecording[T, R]) sort() {
	n := float64(r.class.largest)
	x := shaders.LasrtBatchPush[T, R]{D: r.d.In(r.ws).Addr(), Z: r.z.In(r.ws).Addr()}
	if r.conquers(r.class.class) {
		x.D = r.forest.Eigenvalues(r.ws).Addr()
		x.Leaves, x.Info = r.forest.LeafValues(r.ws).Addr(), r.forest.Deflation.Info.In(r.ws).Addr()
		if !r.size.Tridiagonal {
			x.Z = spirv.Addr[T](r.w.In(r.ws).Addr())
		}
	}
	x.Matrices, x.States = r.table.In(r.ws).Addr(), r.states.In(r.ws).Addr()
	x.Values, x.V = r.x.Values.Addr(), r.x.V.Addr()
	r.tune.each(r.rec, r.class, 8*n*n, func(first, count uint32) {
		x.First, x.Count = first, count
		r.batchMemory.sort.Dispatch(r.rec, vk.Folded(int(count)), x)
	})
}

func (r *batchRecording[T, R]) bisect() {
	n := float64(r.class.largest)
	d, e := r.d.In(r.ws), r.e.In(r.ws)
	if r.size.Tridiagonal {
		d, e = r.scaled.In(r.ws), r.scaled.In(r.ws).From(r.scaled.Len()/2)
	}
	r.tune.each(r.rec, r.class, 54*stebz.MinorFlops*n*n, func(first, count uint32) {
		r.batchMemory.bisect.Dispatch(r.rec, vk.Folded(int(count)), shaders.StebzBatchPush[R]{
			Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
			D: d.Addr(), E: e.Addr(), Values: r.x.Values.Addr(), First: first, Count: count,
		})
	})
}
