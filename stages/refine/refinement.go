package refine

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Refinement improves approximations of all n eigenvectors of a symmetric or Hermitian matrix A, or
// of a pair of matrices A and B, at the same time, by steps of Ogita and Aishima's iteration
// (RefSyEv, 2018). A step squares the error. If the columns of X are the vectors, a step consists of
//
//	G = XᴴBX,  S = XᴴAX,  λᵢ = sᵢᵢ/gᵢᵢ      RecordProducts
//	which pairs are coupled                 RecordCouplings, then NewClusters on the host
//	the matrices of clusters                RecordClusters, then their eigenvectors W by the caller
//	E and ‖E‖_∞                             RecordCorrection
//	X ← X·(I + E)·W                         RecordUpdate
//
// The caller runs the recordings and reads results between the parts. Function Refinement of
// package stages/ref explains the step for B = I, with all formulas.
//
// Vectors are stored one per row: the stage reads and writes Xᵀ. The caller has two n×n matrices
// for the vectors. RecordProducts reads the vectors from the first matrix and uses the second one
// for Xᵀ·A. RecordUpdate writes the new vectors to the second matrix. For the next step the
// matrices change their roles.
type Refinement[T spirv.Scalar] struct {
	n          int
	values     *vk.Kernel[shaders.RefsyevValuesSpec, shaders.RefsyevValuesPush[T]]
	couplings  *vk.Kernel[shaders.RefsyevCouplingsSpec, shaders.RefsyevCouplingsPush[T]]
	blocks     *vk.Kernel[shaders.RefsyevBlocksSpec, shaders.RefsyevBlocksPush[T]]
	correction *vk.Kernel[shaders.RefsyevCorrectionSpec, shaders.RefsyevCorrectionPush[T]]
	rotate     *vk.Kernel[shaders.RefsyevRotateSpec, shaders.RefsyevRotatePush[T]]
	sums       *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[T]]

	s, g            vk.Region[T] // n² each: Sᵀ, later Eᵀ; Gᵀ, later Fᵀ
	lambda, zeros   vk.Region[T] // n each
	reach, strength vk.Region[T] // n each
	lengths         vk.Region[T] // n
	clusters        vk.Region[uint32]
}

const (
	refinementThreads = 256 // invocations of a workgroup, at most
	refinementSmall   = 32  // largest order of a cluster that is rotated without a product
)

// NewRefinement prepares for order n ≥ 1, and reserves its products in each element of ops.
func NewRefinement[T spirv.Scalar](dev *vk.Device, n int, ops ...product.Ops[T]) (*Refinement[T], error) {
	b := stages.Builder{Dev: dev}
	threads, tile := b.Threads(refinementThreads), move.TileOn[T](dev.Info())
	r := &Refinement[T]{
		n:          n,
		values:     stages.Build(&b, shaders.RefsyevValues[T](), shaders.RefsyevValuesSpec{LocalSize: threads}),
		couplings:  stages.Build(&b, shaders.RefsyevCouplings[T](), shaders.RefsyevCouplingsSpec{LocalSize: threads}),
		blocks:     stages.Build(&b, shaders.RefsyevBlocks[T](), shaders.RefsyevBlocksSpec{LocalSize: b.Threads(move.Tile)}),
		correction: stages.Build(&b, shaders.RefsyevCorrection[T](), shaders.RefsyevCorrectionSpec{LocalSize: move.TileThreads, Tile: tile}),
		rotate:     stages.Build(&b, shaders.RefsyevRotate[T](), shaders.RefsyevRotateSpec{LocalSize: threads, Most: refinementSmall}),
		sums:       stages.Build(&b, shaders.ColumnResidual[T](), shaders.ColumnResidualSpec{LocalSize: threads}),
	}
	r.s, r.g = vk.Reserve[T]("S = XᵀAX, corrections", n*n), vk.Reserve[T]("XᵀX, rotated corrections", n*n)
	r.lambda, r.zeros = vk.Reserve[T]("Rayleigh quotients", n), vk.Reserve[T]("zeros", n)
	r.reach, r.strength = vk.Reserve[T]("reach of couplings, sums", n), vk.Reserve[T]("couplings", n)
	r.lengths, r.clusters = vk.Reserve[T]("lengths", n), vk.Reserve[uint32]("clusters", 2*n)
	for _, o := range ops {
		if b.Err == nil {
			b.Err = o.Reserve(product.Shape{M: n, N: n, K: n, Count: 1})
		}
	}
	return r, b.Err
}

// Work is about 2·n² elements. It is in use from RecordProducts to RecordUpdate.
func (r *Refinement[T]) Work() *vk.Layout {
	return vk.Together(r.s, r.g, r.lambda, r.zeros, r.reach, r.strength, r.lengths, r.clusters)
}

// Flops is the cost of a step for A·x = λ·x without clusters: of RecordProducts, which computes
// only the lower triangles of S = XᴴAX and G = XᴴX, and of RecordUpdate. For a pair of matrices,
// RecordProducts costs 2·n³ flops more.
func (r *Refinement[T]) Flops() (products, update float64) {
	n := float64(r.n)
	return 2*n*n*n + 2*n*n*(n+1), 2 * n * n * n
}

// Pair has the matrices A and B on the device, with both triangles. If B has no rows, B = I.
type Pair[T spirv.Scalar] struct{ A, B product.Matrix[T] }

// Noise is the magnitude up to which the coupling of a pair of vectors xᵢ and xⱼ counts as a
// rounding error. With the fields A, B and Lengths it is (A + B·max(|λᵢ|, |λⱼ|))·‖xᵢ‖·‖xⱼ‖, or only
// A if Lengths is nil.
type Noise[T spirv.Scalar] struct {
	A, B    float64
	Lengths []T // ‖x‖₂, n real numbers
}

// refinementSample is the largest number of vectors at each end of the spectrum that RecordSample
// looks at.
const refinementSample = 32

// RecordSample computes two blocks of Sᵀ, those of the first and of the last m vectors, and returns
// them and m, the smaller of 32 and n/2. A block is stored by columns. y is workspace. The
// off-diagonal elements say how many digits of S the first step needs. The diagonal of one of the
// blocks has approximations of the eigenvalues with the largest magnitudes.
func (r *Refinement[T]) RecordSample(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[T], a, xt, y product.Matrix[T]) (vk.Slice[T], int) {
	m := min(refinementSample, r.n/2)
	all := r.s.In(ws).Sub(0, 2*m*m)
	for i, from := range []int{0, r.n - m} {
		x := xt.Block(from, 0, m, r.n)
		xa := product.NewMatrix(y.At.Sub(i*m*r.n, m*r.n), m, r.n, m)
		s := product.NewMatrix(all.Sub(i*m*m, m*m), m, m, m)
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, x, a, 0, xa)
		ops.Gemm(rec, ws, product.NoTrans, product.Adjoint, 1, xa, x, 0, s)
	}
	return all, m
}

// RecordProducts computes G = XᴴBX, S = XᴴAX and the n Rayleigh quotients λ of the vectors in xt,
// and returns λ. y is workspace. If an input contains a NaN, so does λ.
func (r *Refinement[T]) RecordProducts(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[T], of Pair[T], xt, y product.Matrix[T]) vk.Slice[T] {
	n, s, g := r.n, r.matrixS(ws), r.matrixG(ws)
	ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, xt, of.A, 0, y)
	ops.Gemmtr(rec, ws, product.NoTrans, product.Adjoint, 1, y, xt, 0, s)
	bx := xt
	if of.B.Rows > 0 {
		bx = y
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, xt, of.B, 0, y)
	}
	ops.Gemmtr(rec, ws, product.NoTrans, product.Adjoint, 1, bx, xt, 0, g)
	r.values.Dispatch(rec, vk.Folded(vk.Tiles(n, r.values.Spec.LocalSize)), shaders.RefsyevValuesPush[T]{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), N: uint32(n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld),
	})
	return r.lambda.In(ws)
}

// RecordCouplings finds the coupled pairs. The results have n elements each. reach[j] is 1 plus the
// largest index that is coupled to j, or j + 1 if there is no such index. strength[j] is the largest
// coupling of j to a larger index, or 0.
func (r *Refinement[T]) RecordCouplings(rec *vk.Recorder, ws *vk.Arena, noise Noise[T]) (reach, strength vk.Slice[T]) {
	s, g := r.matrixS(ws), r.matrixG(ws)
	if noise.Lengths != nil {
		vk.SendFirst(rec, r.lengths.In(ws), noise.Lengths)
	}
	reach, strength = r.reach.In(ws), r.strength.In(ws)
	r.couplings.Dispatch(rec, vk.Folded(r.n), shaders.RefsyevCouplingsPush[T]{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Reach: reach.Addr(), Strength: strength.Addr(),
		Lengths: r.lengthsOf(ws, noise), NoiseA: spirv.RealBitsOf[T](noise.A), NoiseB: spirv.RealBitsOf[T](noise.B),
		N: uint32(r.n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld),
	})
	return reach, strength
}

// RecordClusters sends the clusters to the device. It must be called in each step. If some clusters
// have more than one index, RecordClusters also writes their small matrices to y, and returns the
// small matrices as one matrix: if the cluster of index j begins with index f, column j holds
// column j − f of its matrix. The other elements are undefined. If each cluster has one index, the
// result has no rows.
func (r *Refinement[T]) RecordClusters(rec *vk.Recorder, ws *vk.Arena, clusters Clusters, y product.Matrix[T]) product.Matrix[T] {
	table := make([]uint32, 0, 2*r.n)
	for _, c := range clusters {
		for range c.To - c.From {
			table = append(table, uint32(c.From), uint32(c.To))
		}
	}
	vk.SendFirst(rec, r.clusters.In(ws), table)
	blocks := r.blocksIn(clusters, y)
	if blocks.Rows == 0 {
		return blocks
	}
	s, g := r.matrixS(ws), r.matrixG(ws)
	r.blocks.Dispatch(rec, vk.Folded(r.n), shaders.RefsyevBlocksPush[T]{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Clusters: r.clusters.In(ws).Addr(), Blocks: blocks.Addr(),
		N: uint32(r.n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld), Ldb: uint32(blocks.Ld),
	})
	return blocks
}

// blocksIn returns the part of y that holds the small matrices. It has as many rows as the largest
// cluster has indices, or no rows if each cluster has one index.
func (r *Refinement[T]) blocksIn(clusters Clusters, y product.Matrix[T]) product.Matrix[T] {
	rows := clusters.Largest()
	if rows == 1 {
		return product.Matrix[T]{Rows: 0, Cols: r.n, Ld: 1, At: y.At}
	}
	return product.NewMatrix(y.At, rows, r.n, rows)
}

// RecordCorrection computes the correction E of the vectors, after RecordClusters. It returns n
// sums, and the largest of them is ‖E‖_∞. `noise` is the argument of RecordCouplings in this step.
func (r *Refinement[T]) RecordCorrection(rec *vk.Recorder, ws *vk.Arena, noise Noise[T]) vk.Slice[T] {
	n, e, g := r.n, r.matrixS(ws), r.matrixG(ws)
	tiles := vk.Tiles(n, r.correction.Spec.Tile)
	r.correction.Dispatch(rec, vk.Folded(tiles*(tiles+1)/2), shaders.RefsyevCorrectionPush[T]{
		S: e.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Clusters: r.clusters.In(ws).Addr(),
		Lengths: r.lengthsOf(ws, noise), NoiseA: spirv.RealBitsOf[T](noise.A), NoiseB: spirv.RealBitsOf[T](noise.B),
		N: uint32(n), Lds: uint32(e.Ld), Ldg: uint32(g.Ld),
	})
	sums := r.reach.In(ws)
	vk.Fill(rec, r.zeros.In(ws), 0)
	r.sums.Dispatch(rec, vk.Folded(n), shaders.ColumnResidualPush[T]{ // sums of |E − E·0|
		X: e.Addr(), Y: e.Addr(), Lambda: r.zeros.In(ws).Addr(), Sums: sums.Addr(),
		Rows: uint32(n), Cols: uint32(n), Ldx: uint32(e.Ld), Ldy: uint32(e.Ld),
	})
	return sums
}

// RecordUpdate writes the improved vectors X·(I + E)·W to y. `clusters` is the argument of
// RecordClusters in this step. If a cluster has more than one index, y must hold the eigenvectors W
// of the clusters, in the form that RecordClusters uses. xt keeps the old vectors.
func (r *Refinement[T]) RecordUpdate(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[T], clusters Clusters, xt, y product.Matrix[T]) {
	e := r.matrixS(ws)
	if clusters.Largest() > 1 {
		g := r.matrixG(ws)
		r.recordRotations(rec, ws, ops, clusters, e, g, r.blocksIn(clusters, y))
		e = g
	}
	vk.Copy(rec, y.At, xt.At)
	ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, e, xt, 1, y)
}

// recordRotations computes Fᵀ from Eᵀ, where I + F = (I + E)·W. E is the correction of the vectors,
// and W holds the eigenvectors of the clusters' small matrices.
func (r *Refinement[T]) recordRotations(
	rec *vk.Recorder, ws *vk.Arena, ops product.Ops[T], clusters Clusters, e, f, w product.Matrix[T],
) {
	n := r.n
	r.rotate.Dispatch(rec, vk.Folded(vk.Tiles(n, r.rotate.Spec.LocalSize)*n), shaders.RefsyevRotatePush[T]{
		E: e.Addr(), Clusters: r.clusters.In(ws).Addr(), W: w.Addr(), F: f.Addr(),
		N: uint32(n), Lde: uint32(e.Ld), Ldw: uint32(w.Ld), Ldf: uint32(f.Ld),
	})
	for _, c := range clusters {
		if m := c.To - c.From; m > refinementSmall {
			ops.Gemm(rec, ws, product.Trans, product.NoTrans, 1, w.Block(0, c.From, m, m),
				e.Block(c.From, 0, m, n), 1, f.Block(c.From, 0, m, n))
		}
	}
}

// lengthsOf returns the memory of the lengths, or null if there are none.
func (r *Refinement[T]) lengthsOf(ws *vk.Arena, noise Noise[T]) spirv.Addr[T] {
	if noise.Lengths == nil {
		return 0
	}
	return r.lengths.In(ws).Addr()
}

// matrixS returns the memory of Sᵀ, where S = XᴴAX and the columns of X are the vectors. Later it
// holds Eᵀ, where E is the correction of the vectors.
func (r *Refinement[T]) matrixS(ws *vk.Arena) product.Matrix[T] {
	return product.NewMatrix(r.s.In(ws), r.n, r.n, r.n)
}

// matrixG returns the memory of Gᵀ, where G = XᴴBX and the columns of X are the vectors. Later it
// holds Fᵀ, where I + F = (I + E)·W is the factor by which the step multiplies X. E is the
// correction of the vectors, and W rotates them within clusters.
func (r *Refinement[T]) matrixG(ws *vk.Arena) product.Matrix[T] {
	return product.NewMatrix(r.g.In(ws), r.n, r.n, r.n)
}
