package batch

import (
	"fmt"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag/stebz"
	"github.com/vkevd/vkevd/stages/tridiag/stedc"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Batch finds eigenvalues and eigenvectors of many small symmetric matrices in one run, A =
// Q·diag(λ)·Qᵀ. A workgroup solves one matrix or several.
//
//	n ≤ 8 to 56    syev_batch: the whole solution in shared memory (dsyev)
//	larger n       sytd2_batch   A → T                       (dsytd2)
//	               org2l_batch   the reflectors → Q           (dorg2l)
//	               steqr_batch   T → Λ and rotations, by QL   (dsteqr)
//	                  lasr_batch Q → Q·V by the rotations     (dlasr)
//	               or forest     T → Λ, V                     (dstedc)
//	                  gemm_batch Q → Q·V                      (dgemm)
//	               lasrt_batch   sorts values, fixes signs    (dlasrt)
//	               or, without vectors, stebz_batch           (dstebz)
//
// T is tridiagonal, Λ = diag(λ), and V holds the eigenvectors of T. A forest (stedc.Forest) solves
// many tridiagonal matrices by divide and conquer. Tuning lists the orders at which the kernels
// change. The bits of a result depend only on the matrix and the device, and not on the other
// matrices of the batch. All numbers are of type T, those of the tridiagonal problem, too.
type Batch[T spirv.Real] struct {
	size Size
	tune Tuning

	shared []batchShared[T] // kernels for each row of the tuning's Shared
	memory []batchMemory[T]
	forest *stedc.Forest[T] // divide and conquer; nil if no matrix needs it

	table     vk.Region[shaders.BatchMatrix]
	states    vk.Region[shaders.BatchState]
	d, e, tau vk.Region[T]
	z, w      vk.Region[T]
	rotations vk.Region[T]      // of QL iteration, beside those in the memory of the matrices
	sweeps    vk.Region[uint32] // of these rotations, and of those
	scaled    vk.Region[T]      // d and e after scaling, of given tridiagonal matrices without vectors
}

type Size struct {
	N           int  // largest order
	Count       int  // largest number of matrices
	Vectors     bool // whether vectors are wanted
	Tridiagonal bool // whether the matrices are tridiagonal, see New
}

// batchShared holds the kernels for one element of Tuning.Shared. One of the two fields is nil:
// `values` if eigenvectors are wanted, and `vectors` otherwise.
type batchShared[T spirv.Real] struct {
	vectors *vk.Kernel[shaders.SyevBatchSpec, shaders.SyevBatchPush[T]]
	values  *vk.Kernel[shaders.SyevBatchValuesSpec, shaders.SyevBatchValuesPush[T]]
}

// batchMemory holds the kernels for one element of Tuning.Memory. Kernels that are not needed are
// nil. Without vectors the kernels are `reduce` and `bisect`, or `prepare` and `bisect` if the
// given matrices are tridiagonal. Eigenvectors of T come from QL iteration (`iterate`, `turn`) or from
// divide and conquer. After divide and conquer, `multiply` computes the products with Q.
type batchMemory[T spirv.Real] struct {
	reduce  *vk.Kernel[shaders.Sytd2BatchSpec, shaders.Sytd2BatchPush[T]]
	form    *vk.Kernel[shaders.Org2lBatchSpec, shaders.Org2lBatchPush[T]]
	iterate *vk.Kernel[shaders.SteqrBatchSpec, shaders.SteqrBatchPush[T]]
	turn    *vk.Kernel[shaders.LasrBatchSpec, shaders.LasrBatchPush[T]]
	bisect  *vk.Kernel[shaders.StebzBatchSpec, shaders.StebzBatchPush[T]]
	sort    *vk.Kernel[shaders.LasrtBatchSpec, shaders.LasrtBatchPush[T]]

	multiply *vk.Kernel[shaders.GemmBatchSpec, shaders.GemmBatchPush[T]]
	tile     product.Tile // of multiply

	prepare *vk.Kernel[shaders.Laed0BatchSpec, shaders.Laed0BatchPush[T]] // scales a given T
}

// New prepares batches of the given size, with sizes t that Tuning.For has fitted to the device.
// Matrices whose row of t.Memory has Conquer are solved by divide and conquer with the sizes c,
// whose field Dispatch is not used, and with products in the square tiles of the table `tiles`. If
// the matrices are tridiagonal, laed0_batch replaces the reduction, the rows of t.Memory are for
// all orders, and divide and conquer solves all matrices if vectors are wanted. New panics if
// Size.N is below 1 or above t.Order(), or if Size.Count is below 1.
func New[T spirv.Real](dev *vk.Device, size Size, t Tuning, c stedc.Tuning, tiles product.Tuning) (*Batch[T], error) {
	if size.N < 1 || size.Count < 1 || size.N > t.Order() {
		panic(fmt.Sprintf("stages: a batch of %d matrices of order %d, at most %d", size.Count, size.N, t.Order()))
	}
	if err := t.check(); err != nil {
		return nil, err
	}
	if size.Tridiagonal {
		t = t.Tridiagonal()
	} else if size.Vectors {
		t = t.withVectors()
	}
	s := &Batch[T]{size: size, tune: t}
	b := stages.Builder{Dev: dev}
	large, conquer, iterates := false, false, false
	for class := range t.class(size.N) + 1 {
		if class < len(t.Shared) {
			s.shared = append(s.shared, buildShared[T](&b, t.Shared[class], size.Vectors))
			continue
		}
		large = true
		row := t.Memory[class-len(t.Shared)]
		conquer, iterates = conquer || size.Vectors && row.Conquer, iterates || size.Vectors && !row.Conquer
		if size.Tridiagonal {
			s.memory = append(s.memory, buildTridiagonal[T](&b, row, size.Vectors))
		} else {
			s.memory = append(s.memory, buildMemory[T](&b, row, size.Vectors, tiles))
		}
	}
	rows, entries, work, sweeps, rotations := 0, 0, 0, 0, 0
	if large {
		rows = size.Count * size.N
	}
	if iterates {
		sweeps = 2 * rows
		if !conquer { // otherwise w has the rotations
			rotations = rows * size.N / 2
		}
	}
	if large && size.Vectors {
		entries = rows * size.N
	}
	if conquer {
		c.Dispatch = t.Dispatch
		s.forest = stedc.NewForest[T](&b, rows, tiles, c)
		work = size.Count * stedc.ForestWork(size.N)
	}
	s.table = vk.Reserve[shaders.BatchMatrix]("matrices of the batch", size.Count)
	s.states = vk.Reserve[shaders.BatchState]("states of the batch", size.Count)
	s.d, s.e = vk.Reserve[T]("diagonals", rows), vk.Reserve[T]("off-diagonals", rows)
	scaled := 0
	if size.Tridiagonal {
		if !size.Vectors {
			scaled = 2 * rows
		}
		rows = 0 // there are no reflectors
	}
	s.rotations = vk.Reserve[T]("rotations of QL iteration", rotations)
	s.sweeps = vk.Reserve[uint32]("sweeps of QL iteration", sweeps)
	s.scaled = vk.Reserve[T]("scaled tridiagonal matrices", scaled)
	s.tau = vk.Reserve[T]("τ of reflectors", rows)
	s.z, s.w = vk.Reserve[T]("Q of the batch", entries), vk.Reserve[T]("W and S of the batch", work)
	return s, b.Err
}

func buildShared[T spirv.Real](b *stages.Builder, t Shared, vectors bool) (k batchShared[T]) {
	if vectors {
		k.vectors = stages.Build(b, shaders.SyevBatch[T](), t.spec())
	} else {
		k.values = stages.Build(b, shaders.SyevBatchValues[T](), shaders.SyevBatchValuesSpec(t.spec()))
	}
	return k
}

// In buildMemory, the products after divide and conquer use the largest square tile of the table
// `tiles` that suits the order.
func buildMemory[T spirv.Real](b *stages.Builder, t Memory, vectors bool, tiles product.Tuning) (k batchMemory[T]) {
	k.reduce = stages.Build(b, shaders.Sytd2Batch[T](), t.reduceSpec())
	if !vectors {
		k.bisect = stages.Build(b, shaders.StebzBatch[T](), t.bisectSpec())
		return k
	}
	k.form = stages.Build(b, shaders.Org2lBatch[T](), t.formSpec())
	if t.Conquer {
		n, chooser := int(t.Order), product.NewChooser(stedc.MergeTiles(tiles))
		k.tile = chooser.Tiles()[chooser.Choose(product.Shape{M: n, N: n, K: n, Count: 1 << 10})]
		k.multiply = stages.Build(b, shaders.GemmBatch[T](), shaders.GemmBatchSpec(k.tile.Spec()))
	} else {
		k.iterate = stages.Build(b, shaders.SteqrBatch[T](), t.iterateSpec())
		k.turn = stages.Build(b, shaders.LasrBatch[T](), t.turnSpec())
	}
	k.sort = stages.Build(b, shaders.LasrtBatch[T](), t.sortSpec())
	return k
}

// In buildTridiagonal, the kernel that bisects reads the matrices that `prepare` has scaled.
func buildTridiagonal[T spirv.Real](b *stages.Builder, t Memory, vectors bool) (k batchMemory[T]) {
	if vectors {
		k.sort = stages.Build(b, shaders.LasrtBatch[T](), t.sortSpec())
		return k
	}
	k.prepare = stages.Build(b, shaders.Laed0Batch[T](), shaders.Laed0BatchSpec{LocalSize: t.Threads, Leaf: t.Order})
	k.bisect = stages.Build(b, shaders.StebzBatch[T](), t.bisectSpec())
	return k
}

// Work has 68 bytes for each matrix. If n = Size.N is above the largest order of Tuning.Shared, it
// also has 3·n elements for each matrix, and with vectors n² elements more. QL iteration needs 2·n words
// more. Divide and conquer needs 3/2·n² + O(n) elements more, or else QL iteration n²/2 elements. For tridiagonal
// matrices, 4·n elements without vectors, or 2·n elements with vectors, take the place of the 3·n
// elements.
func (s *Batch[T]) Work() *vk.Layout {
	work := vk.Together(s.table, s.states, s.d, s.e, s.tau, s.z, s.w, s.rotations, s.sweeps, s.scaled)
	if s.forest == nil {
		return work
	}
	return vk.Together(work, s.forest.Work)
}

// BatchFlops returns the usual cost of a matrix of order n. With vectors it is 4/3·n³ for the
// reduction, 4/3·n³ for Q, and 7·n³ for QL iteration, plus the computation of the rotations.
// Without vectors it is the cost of the reduction and of bisection with 54 halvings for each
// eigenvalue.
func BatchFlops(n int, vectors bool) float64 {
	x := float64(n)
	if vectors {
		return (4.0/3+4.0/3+7)*x*x*x + rotationFlops*rotationsOf(n)
	}
	return 4.0/3*x*x*x + 54*stebz.MinorFlops*x*x
}

// TridiagonalBatchFlops returns the usual cost of a tridiagonal matrix of order n. With vectors it
// is that of divide and conquer, 4/3·n³ if no eigenvalue deflates. Without vectors it is that of
// bisection with 54 halvings for each eigenvalue.
func TridiagonalBatchFlops(n int, vectors bool) float64 {
	x := float64(n)
	if vectors {
		return 4.0 / 3 * x * x * x
	}
	return 54 * stebz.MinorFlops * x * x
}

// rotationFlops is the cost of computing the cosine and sine of one rotation. It is high because
// each operation needs the result of the previous one.
const rotationFlops = 200

// rotationsOf returns the usual number of rotations of QL iteration: 1.2·n², a little more than
// 2.2·n sweeps with n/2 rotations each.
func rotationsOf(n int) float64 { return 1.2 * float64(n) * float64(n) }
