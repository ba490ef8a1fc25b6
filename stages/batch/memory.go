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
type batchRecording[T spirv.Real] struct {
	*Batch[T]
	batchMemory[T]
	rec   *vk.Recorder
	ws    *vk.Arena
	class batchClass
	lists *stedc.ForestLists // of the part
	x     Buffers[T]
}

func (s *Batch[T]) recordMemory(rec *vk.Recorder, ws *vk.Arena, c batchClass, lists *stedc.ForestLists, x Buffers[T]) *batchRecording[T] {
	return &batchRecording[T]{s, s.memory[c.class-len(s.shared)], rec, ws, c, lists, x}
}

func (r *batchRecording[T]) record() {
	if r.size.Tridiagonal {
		r.recordTridiagonal()
		return
	}
	r.reduce()
	if !r.size.Vectors {
		r.bisect()
		return
	}
	r.form()
	if r.conquers(r.class.class) {
		r.conquer()
	} else {
		r.iterate()
	}
	r.sort()
}

// ofWorkgroup is the largest work of one workgroup, as a fraction of the largest cost of a
// dispatch. With it, a device that runs 64 workgroups at a time finishes every dispatch in time,
// even one with few workgroups.
const ofWorkgroup = 1.0 / 64

func (r *batchRecording[T]) recordTridiagonal() {
	if r.size.Vectors {
		r.conquer()
		r.sort()
		return
	}
	x, half := r.scaled.In(r.ws), r.scaled.Len()/2
	push := r.given()
	push.TornD, push.TornE = x.Addr(), x.From(half).Addr()
	r.each(r.rec, r.class, stedc.PrepareFlops*float64(r.class.largest), func(first, count uint32) {
		push.First, push.Count = first, count
		r.batchMemory.prepare.Dispatch(r.rec, vk.Folded(int(count)), push)
	})
	r.bisect()
}

func (r *batchRecording[T]) given() shaders.Laed0BatchPush[T] {
	return shaders.Laed0BatchPush[T]{
		Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
		D: r.d.In(r.ws).Addr(), E: r.e.In(r.ws).Addr(), First: uint32(r.class.first), Count: uint32(r.class.count),
	}
}

// strips divides the columns 0 … n − 3 of the largest matrix into ranges of a multiple of `unit`
// columns. The spans count such multiples, not columns. One dispatch processes one range in all
// matrices, and costs each workgroup at most the fraction ofWorkgroup of the largest cost of a
// dispatch. Column k costs `flops`·(n − k)²: `flops` is the cost of one element of its trailing
// matrix.
func (r *batchRecording[T]) strips(flops float64, unit int) []stages.Span {
	n := r.class.largest
	units := (n - 2 + unit - 1) / unit
	return stages.Spans(units, units, r.tune.Dispatch*ofWorkgroup, func(u int) float64 {
		m := float64(n - u*unit)
		return float64(unit) * flops * m * m
	})
}

func (r *batchRecording[T]) reduce() {
	for _, columns := range r.strips(4, 1) {
		r.each(r.rec, r.class, columns.Cost, func(first, count uint32) {
			r.batchMemory.reduce.Dispatch(r.rec, vk.Folded(int(count)), shaders.Sytd2BatchPush[T]{
				Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
				A: r.x.A.Addr(), Work: r.two.In(r.ws).Addr(),
				D: r.d.In(r.ws).Addr(), E: r.e.In(r.ws).Addr(), Tau: r.tau.In(r.ws).Addr(),
				First: first, Count: count, From: uint32(columns.First), To: uint32(columns.Last),
			})
		})
	}
}

// form computes the orthogonal matrix Q of the reduction. It applies the last reflectors first.
func (r *batchRecording[T]) form() {
	blocks := r.strips(4, shaders.Org2lBatchNb)
	for i := len(blocks) - 1; i >= 0; i-- {
		r.each(r.rec, r.class, blocks[i].Cost, func(first, count uint32) {
			r.batchMemory.form.Dispatch(r.rec, vk.Folded(int(count)), shaders.Org2lBatchPush[T]{
				Matrices: r.table.In(r.ws).Addr(), Tau: r.tau.In(r.ws).Addr(), A: r.x.A.Addr(), Z: r.z.In(r.ws).Addr(),
				First: first, Count: count,
				From: uint32(blocks[i].First * shaders.Org2lBatchNb), To: uint32(blocks[i].Last * shaders.Org2lBatchNb),
			})
		})
	}
}

// iterate records the usual number of rotations of QL iteration. Continue records more for matrices
// that need more.
func (r *batchRecording[T]) iterate() {
	n, matrices := r.class.largest, r.tune.Memory[r.class.class-len(r.shared)].matrices()
	rotation := rotationFlops + 6*float64(n)
	once := min(max(1, r.tune.Dispatch*ofWorkgroup/(float64(matrices)*rotation)), rotationsOf(n))
	for range int(rotationsOf(n)/once) + 1 {
		r.each(r.rec, r.class, once*rotation, func(first, count uint32) {
			r.batchMemory.iterate.Dispatch(r.rec, vk.Folded(vk.Tiles(int(count), matrices)), shaders.SteqrBatchPush[T]{
				Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
				D: r.d.In(r.ws).Addr(), E: r.e.In(r.ws).Addr(), Z: r.z.In(r.ws).Addr(),
				First: first, Count: count, Rotations: uint32(once),
			})
		})
	}
}

// conquer records divide and conquer for T, and the products of its eigenvectors with Q. The
// eigenvectors overwrite the given matrices, and the products overwrite W and S. If the given
// matrices are tridiagonal, there is no Q, and the eigenvectors go to the memory of Q.
func (r *batchRecording[T]) conquer() {
	w := r.w.In(r.ws).Addr()
	if r.size.Tridiagonal {
		r.forest.Record(r.rec, r.ws, r.class.trees, r.lists, r.given(), r.z.In(r.ws).Addr(), w)
		return
	}
	r.forest.Record(r.rec, r.ws, r.class.trees, r.lists, r.given(), r.x.A.Addr(), w)
	n := r.class.largest
	product := 2 * stedc.ProductCost * float64(n) * float64(n) * float64(n)
	r.each(r.rec, r.class, product, func(first, count uint32) {
		stages.InPortions(int(count), vk.MaxGroups(), func(begin, some int) {
			grid := r.batchMemory.tile.Grid(n, n)
			grid.Z = some
			r.batchMemory.multiply.Dispatch(r.rec, grid, shaders.GemmBatchPush[T]{
				Matrices: r.table.In(r.ws).Addr(), A: r.z.In(r.ws).Addr(), B: r.x.A.Addr(), C: w, First: first + uint32(begin),
			})
			r.rec.Costs(product * float64(some))
		})
	})
}

func (r *batchRecording[T]) sort() {
	n := float64(r.class.largest)
	x := shaders.LasrtBatchPush[T]{D: r.d.In(r.ws).Addr(), Z: r.z.In(r.ws).Addr()}
	if r.conquers(r.class.class) {
		x.D = r.forest.Eigenvalues(r.ws).Addr()
		x.Leaves, x.Info = r.forest.LeafValues(r.ws).Addr(), r.forest.Deflation.Info.In(r.ws).Addr()
		if !r.size.Tridiagonal {
			x.Z = r.w.In(r.ws).Addr()
		}
	}
	x.Matrices, x.States = r.table.In(r.ws).Addr(), r.states.In(r.ws).Addr()
	x.Values, x.V = r.x.Values.Addr(), r.x.V.Addr()
	r.each(r.rec, r.class, 8*n*n, func(first, count uint32) {
		x.First, x.Count = first, count
		r.batchMemory.sort.Dispatch(r.rec, vk.Folded(int(count)), x)
	})
}

func (r *batchRecording[T]) bisect() {
	n := float64(r.class.largest)
	d, e := r.d.In(r.ws), r.e.In(r.ws)
	if r.size.Tridiagonal {
		d, e = r.scaled.In(r.ws), r.scaled.In(r.ws).From(r.scaled.Len()/2)
	}
	r.each(r.rec, r.class, 54*stebz.MinorFlops*n*n, func(first, count uint32) {
		r.batchMemory.bisect.Dispatch(r.rec, vk.Folded(int(count)), shaders.StebzBatchPush[T]{
			Matrices: r.table.In(r.ws).Addr(), States: r.states.In(r.ws).Addr(),
			D: d.Addr(), E: e.Addr(), Values: r.x.Values.Addr(), First: first, Count: count,
		})
	})
}
