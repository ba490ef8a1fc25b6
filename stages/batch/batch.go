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

// Batch finds eigenvalues and eigenvectors of many small symmetric or Hermitian matrices in one run,
// A = Q·diag(λ)·Qᴴ. A workgroup solves one matrix or several.
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
// matrices of the batch.
//
// The matrices have entries of type T. All real numbers are of type R, those of the tridiagonal
// problem, too: R is T, or the type of the real and imaginary part of T. For complex T, matrices of
// real numbers have the places of complex ones, and use a half of each: those of rotations, and of
// V. The kernels with real factors, steqr_batch, lasr_batch and gemm_batch, have variants for
// complex matrices, whose names end in _pairs.
type Batch[T spirv.Scalar, R spirv.Real] struct {
	size Size
	tune Tuning
	info vk.Info // of the device

	shared []batchShared[T, R] // kernels for each row of the tuning's Shared
	memory []batchMemory[T, R]
	forest *stedc.Forest[R] // divide and conquer; nil if no matrix needs it

	table     vk.Region[shaders.BatchMatrix]
	states    vk.Region[shaders.BatchState]
	d, e      vk.Region[R]
	tau, z    vk.Region[T]
	w         vk.Region[R]      // also the products after divide and conquer
	rotations vk.Region[R]      // of QL iteration, beside those in the memory of the matrices
	sweeps    vk.Region[uint32] // of these rotations, and of those
	scaled    vk.Region[R]      // d and e after scaling, of given tridiagonal matrices without vectors
}

type Size struct {
	N           int  // largest order
	Count       int  // largest number of matrices
	Vectors     bool // whether vectors are wanted
	Tridiagonal bool // whether the matrices are tridiagonal, see New
}

// batchShared holds the kernels for one element of Tuning.Shared. One of the two fields is nil:
// `values` if eigenvectors are wanted, and `vectors` otherwise.
type batchShared[T spirv.Scalar, R spirv.Real] struct {
	vectors *vk.Kernel[shaders.SyevBatchSpec, shaders.SyevBatchPush[T, R]]
	values  *vk.Kernel[shaders.SyevBatchValuesSpec, shaders.SyevBatchValuesPush[T, R]]
}

// batchMemory holds the kernels for one element of Tuning.Memory. Kernels that are not needed are
// nil. Without vectors the kernels are `reduce` and `bisect`, or `prepare` and `bisect` if the
// given matrices are tridiagonal. Eigenvectors of T come from QL iteration (`iterate`, `turn`) or from
// divide and conquer. After divide and conquer, `multiply` computes the products with Q.
type batchMemory[T spirv.Scalar, R spirv.Real] struct {
	reduce  *vk.Kernel[shaders.Sytd2BatchSpec, shaders.Sytd2BatchPush[T, R]]
	form    *vk.Kernel[shaders.Org2lBatchSpec, shaders.Org2lBatchPush[T]]
	iterate *vk.Kernel[shaders.SteqrBatchSpec, shaders.SteqrBatchPush[R]]
	turn    *vk.Kernel[shaders.LasrBatchSpec, shaders.LasrBatchPush[R]]
	bisect  *vk.Kernel[shaders.StebzBatchSpec, shaders.StebzBatchPush[R]]
	sort    *vk.Kernel[shaders.LasrtBatchSpec, shaders.LasrtBatchPush[T, R]]

	multiply *vk.Kernel[shaders.GemmBatchSpec, shaders.GemmBatchPush[R]]
	tile     product.Tile // of multiply

	prepare *vk.Kernel[shaders.Laed0BatchSpec, shaders.Laed0BatchPush[R]] // scales a given T
}

// New prepares batches of the given size, with sizes t that Tuning.For has fitted to the device.
// Matrices whose row of t.Memory has Conquer are solved by divide and conquer with the sizes c,
// whose field Dispatch is not used, and with products in the square tiles of the table `tiles`. If
// the matrices are tridiagonal, laed0_batch replaces the reduction, the rows of t.Memory are for
// all orders, and divide and conquer solves all matrices if vectors are wanted. New panics if
// Size.N is below 1 or above t.Order(), or if Size.Count is below 1.
func New[T spirv.Scalar, R spirv.Real](dev *vk.Device, size Size, t Tuning, c stedc.Tuning, tiles product.Tuning) (*Batch[T, R], error) {
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
	s := &Batch[T, R]{size: size, tune: t, info: dev.Info()}
	b := stages.Builder{Dev: dev}
	large, conquer, iterates := false, false, false
	for class := range t.class(size.N) + 1 {
		if class < len(t.Shared) {
			s.shared = append(s.shared, buildShared[T, R](&b, t.Shared[class], size.Vectors))
			continue
		}
		large = true
		row := t.Memory[class-len(t.Shared)]
		conquer, iterates = conquer || size.Vectors && row.Conquer, iterates || size.Vectors && !row.Conquer
		if size.Tridiagonal {
			s.memory = append(s.memory, buildTridiagonal[T, R](&b, row, size.Vectors))
		} else {
			s.memory = append(s.memory, buildMemory[T, R](&b, row, size.Vectors, tiles))
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
		s.forest = stedc.NewForest[R](&b, rows, tiles, c)
		work = size.Count * stedc.ForestWork(size.N)
		if complexes[T]() {
			work = max(work, 2*entries) // for the products
		}
	}
	s.table = vk.Reserve[shaders.BatchMatrix]("matrices of the batch", size.Count)
	s.states = vk.Reserve[shaders.BatchState]("states of the batch", size.Count)
	s.d, s.e = vk.Reserve[R]("diagonals", rows), vk.Reserve[R]("off-diagonals", rows)
	scaled := 0
	if size.Tridiagonal {
		if !size.Vectors {
			scaled = 2 * rows
		}
		rows = 0 // there are no reflectors
	}
	s.rotations = vk.Reserve[R]("rotations of QL iteration", rotations)
	s.sweeps = vk.Reserve[uint32]("sweeps of QL iteration", sweeps)
	s.scaled = vk.Reserve[R]("scaled tridiagonal matrices", scaled)
	s.tau = vk.Reserve[T]("τ of reflectors", rows)
	s.z, s.w = vk.Reserve[T]("Q of the batch", entries), vk.Reserve[R]("W and S of the batch", work)
	return s, b.Err
}

func complexes[T spirv.Scalar]() bool { return spirv.KindOf[T]().IsComplex() }

func buildShared[T spirv.Scalar, R spirv.Real](b *stages.Builder, t Shared, vectors bool) (k batchShared[T, R]) {
	if vectors {
		k.vectors = stages.Build(b, shaders.SyevBatch[T, R](), t.spec())
	} else {
		k.values = stages.Build(b, shaders.SyevBatchValues[T, R](), shaders.SyevBatchValuesSpec(t.spec()))
	}
	return k
}

// ofPairs returns the variant of a kernel with real factors: `pairs` for complex matrices.
func ofPairs[T spirv.Scalar, S, P any](reals, pairs func() spirv.Module[S, P]) spirv.Module[S, P] {
	if complexes[T]() {
		return pairs()
	}
	return reals()
}

// rowsOf returns the number of rows of a matrix with n rows, counted in real numbers.
func rowsOf[T spirv.Scalar](n int) int {
	if complexes[T]() {
		return 2 * n
	}
	return n
}

// In buildMemory, the products after divide and conquer use the largest square tile of the table
// `tiles` that suits the order.
func buildMemory[T spirv.Scalar, R spirv.Real](b *stages.Builder, t Memory, vectors bool, tiles product.Tuning) (k batchMemory[T, R]) {
	k.reduce = stages.Build(b, shaders.Sytd2Batch[T, R](), t.reduceSpec(b.Dev.Info()))
	if !vectors {
		k.bisect = stages.Build(b, shaders.StebzBatch[R](), t.bisectSpec())
		return k
	}
	k.form = stages.Build(b, shaders.Org2lBatch[T](), t.formSpec(b.Dev.Info()))
	if t.Conquer {
		n, chooser := int(t.Order), product.NewChooser(stedc.MergeTiles(tiles))
		k.tile = chooser.Tiles()[chooser.Choose(product.Shape{M: rowsOf[T](n), N: n, K: n, Count: 1 << 10})]
		k.multiply = stages.Build(b, ofPairs[T](shaders.GemmBatch[R], shaders.GemmBatchPairs[R]), shaders.GemmBatchSpec(k.tile.Spec()))
	} else {
		k.iterate = stages.Build(b, ofPairs[T](shaders.SteqrBatch[R], shaders.SteqrBatchPairs[R]), t.iterateSpec())
		k.turn = stages.Build(b, ofPairs[T](shaders.LasrBatch[R], shaders.LasrBatchPairs[R]), t.turnSpec())
	}
	k.sort = stages.Build(b, shaders.LasrtBatch[T, R](), t.sortSpec())
	return k
}

// In buildTridiagonal, the kernel that bisects reads the matrices that `prepare` has scaled.
func buildTridiagonal[T spirv.Scalar, R spirv.Real](b *stages.Builder, t Memory, vectors bool) (k batchMemory[T, R]) {
	if vectors {
		k.sort = stages.Build(b, shaders.LasrtBatch[T, R](), t.sortSpec())
		return k
	}
	k.prepare = stages.Build(b, shaders.Laed0Batch[R](), shaders.Laed0BatchSpec{LocalSize: t.Threads, Leaf: t.Order})
	k.bisect = stages.Build(b, shaders.StebzBatch[R](), t.bisectSpec())
	return k
}

// Work has 68 bytes for each matrix. If n = Size.N is above the largest order of Tuning.Shared, it
// also has 3·n elements for each matrix, and with vectors n² elements more. QL iteration needs 2·n words
// more. Divide and conquer needs 3/2·n² + O(n) elements more, or else QL iteration n²/2 elements. For tridiagonal
// matrices, 4·n elements without vectors, or 2·n elements with vectors, take the place of the 3·n
// elements. For complex numbers, 2·n of the 3·n elements, the rotations, and what divide and conquer
// needs are real, but divide and conquer needs 2·n² + O(n) of them.
func (s *Batch[T, R]) Work() *vk.Layout {
	work := vk.Together(s.table, s.states, s.d, s.e, s.tau, s.z, s.w, s.rotations, s.sweeps, s.scaled)
	if s.forest == nil {
		return work
	}
	return vk.Together(work, s.forest.Work)
}

// BatchFlops returns the usual cost of a matrix of order n. With vectors it is 4/3·n³ for the
// reduction, 4/3·n³ for Q, and 7·n³ for QL iteration, plus the computation of the rotations.
// Without vectors it is the cost of the reduction and of bisection with 54 halvings for each
// eigenvalue. For complex numbers the reduction and Q cost four times as much, and the rotation of
// vectors twice as much.
func BatchFlops[T spirv.Scalar](n int, vectors bool) float64 {
	x, all := float64(n), perProduct[T]()
	if vectors {
		return (all*4.0/3+all*4.0/3+float64(rowsOf[T](7)))*x*x*x + rotationFlops*rotationsOf(n)
	}
	return all*4.0/3*x*x*x + 54*stebz.MinorFlops*x*x
}

// perProduct returns the number of real products in a product of two numbers of type T.
func perProduct[T spirv.Scalar]() float64 {
	if complexes[T]() {
		return 4
	}
	return 1
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
