package refine

import (
	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/vk"
)

// Refinement improves approximations of all n eigenvectors of a symmetric matrix A at the same
// time, by steps of Ogita and Aishima's iteration (RefSyEv, 2018). A step squares the error. If the
// columns of X are the vectors, a step consists of
//
//	G = XᵀX,  S = XᵀAX,  λᵢ = sᵢᵢ/gᵢᵢ       RecordProducts
//	which pairs are coupled                 RecordCouplings, then NewClusters on the host
//	the matrices of clusters                RecordClusters, then their eigenvectors W by the caller
//	E and ‖E‖_∞                             RecordCorrection
//	X ← X·(I + E)·W                         RecordUpdate
//
// The caller runs the recordings and reads results between the parts. Function Refinement of
// package stages/ref explains the step, with all formulas.
//
// Vectors are stored one per row: the stage reads and writes Xᵀ. The caller has two n×n matrices
// for the vectors. RecordProducts reads the vectors from the first matrix and uses the second one
// for Xᵀ·A. RecordUpdate writes the new vectors to the second matrix. For the next step the
// matrices change their roles.
type Refinement struct {
	n          int
	values     *vk.Kernel[shaders.RefsyevValuesSpec, shaders.RefsyevValuesPush]
	couplings  *vk.Kernel[shaders.RefsyevCouplingsSpec, shaders.RefsyevCouplingsPush]
	blocks     *vk.Kernel[shaders.RefsyevBlocksSpec, shaders.RefsyevBlocksPush]
	correction *vk.Kernel[shaders.RefsyevCorrectionSpec, shaders.RefsyevCorrectionPush]
	rotate     *vk.Kernel[shaders.RefsyevRotateSpec, shaders.RefsyevRotatePush]
	sums       *vk.Kernel[shaders.ColumnResidualSpec, shaders.ColumnResidualPush[float64]]

	s, g            vk.Region[float64] // n² each: S, later Eᵀ; G, later Fᵀ
	lambda, zeros   vk.Region[float64] // n each
	reach, strength vk.Region[float64] // n each
	clusters        vk.Region[shaders.Cluster]
}

const (
	refinementThreads = 256 // invocations of a workgroup, at most
	refinementSmall   = 32  // largest order of a cluster that is rotated without a product
)

// NewRefinement prepares for order n ≥ 1, and reserves its products in each element of ops.
func NewRefinement(dev *vk.Device, n int, ops ...product.Ops[float64]) (*Refinement, error) {
	b := stages.Builder{Dev: dev}
	threads := b.Threads(refinementThreads)
	r := &Refinement{
		n:          n,
		values:     stages.Build(&b, shaders.RefsyevValues(), shaders.RefsyevValuesSpec{LocalSize: threads}),
		couplings:  stages.Build(&b, shaders.RefsyevCouplings(), shaders.RefsyevCouplingsSpec{LocalSize: threads}),
		blocks:     stages.Build(&b, shaders.RefsyevBlocks(), shaders.RefsyevBlocksSpec{LocalSize: b.Threads(move.Tile)}),
		correction: stages.Build(&b, shaders.RefsyevCorrection(), shaders.RefsyevCorrectionSpec{LocalSize: move.TileThreads, Tile: move.Tile}),
		rotate:     stages.Build(&b, shaders.RefsyevRotate(), shaders.RefsyevRotateSpec{LocalSize: threads, Most: refinementSmall}),
		sums:       stages.Build(&b, shaders.ColumnResidual[float64](), shaders.ColumnResidualSpec{LocalSize: threads}),
	}
	reals := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	r.s, r.g = reals("S = XᵀAX, corrections", n*n), reals("XᵀX, rotated corrections", n*n)
	r.lambda, r.zeros = reals("Rayleigh quotients", n), reals("zeros", n)
	r.reach, r.strength = reals("reach of couplings, sums", n), reals("couplings", n)
	r.clusters = vk.Reserve[shaders.Cluster]("clusters", n)
	for _, o := range ops {
		if b.Err == nil {
			b.Err = o.Reserve(product.Shape{M: n, N: n, K: n, Count: 1})
		}
	}
	return r, b.Err
}

// Work is about 2·n² elements. It is in use from RecordProducts to RecordUpdate.
func (r *Refinement) Work() *vk.Layout {
	return vk.Together(r.s, r.g, r.lambda, r.zeros, r.reach, r.strength, r.clusters)
}

// Flops is the cost of a step without clusters: of RecordProducts, which computes only the lower
// triangles of S and G, and of RecordUpdate.
func (r *Refinement) Flops() (products, update float64) {
	n := float64(r.n)
	return 2*n*n*n + 2*n*n*(n+1), 2 * n * n * n
}

// refinementSample is the largest number of vectors at each end of the spectrum that RecordSample
// looks at.
const refinementSample = 32

// RecordSample computes two blocks of S, those of the first and of the last m vectors, and returns
// them and m, the smaller of 32 and n/2. A block is stored by columns. y is workspace. The
// off-diagonal elements say how many digits of S the first step needs. The diagonal of one of the
// blocks has approximations of the eigenvalues with the largest magnitudes.
func (r *Refinement) RecordSample(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[float64], a, xt, y stages.Matrix) (vk.Slice[float64], int) {
	m := min(refinementSample, r.n/2)
	all := r.s.In(ws).Sub(0, 2*m*m)
	for i, from := range []int{0, r.n - m} {
		x := xt.Block(from, 0, m, r.n)
		xa := stages.NewMatrix(y.At.Sub(i*m*r.n, m*r.n), m, r.n, m)
		s := stages.NewMatrix(all.Sub(i*m*m, m*m), m, m, m)
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, x, a, 0, xa)
		ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, xa, x, 0, s)
	}
	return all, m
}

// RecordProducts computes G, S and λ for the vectors xt, and returns the n Rayleigh quotients λ. y
// is workspace. a holds both triangles of A. If an input contains a NaN, so does λ.
func (r *Refinement) RecordProducts(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[float64], a, xt, y stages.Matrix) vk.Slice[float64] {
	n, s, g := r.n, r.matrixS(ws), r.matrixG(ws)
	ops.Gemm(rec, ws, product.NoTrans, product.Trans, 1, xt, a, 0, y)
	ops.Gemmtr(rec, ws, product.NoTrans, product.Trans, 1, y, xt, 0, s)
	ops.Gemmtr(rec, ws, product.NoTrans, product.Trans, 1, xt, xt, 0, g)
	r.values.Dispatch(rec, vk.Folded(vk.Tiles(n, r.values.Spec.LocalSize)), shaders.RefsyevValuesPush{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), N: uint32(n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld),
	})
	return r.lambda.In(ws)
}

// RecordCouplings finds the coupled pairs. `noise` is the magnitude up to which an element of S may
// be a rounding error. The results have n elements each. reach[j] is 1 plus the largest index that
// is coupled to j, or j + 1 if there is no such index. strength[j] is the largest coupling of j to
// a larger index, or 0.
func (r *Refinement) RecordCouplings(rec *vk.Recorder, ws *vk.Arena, noise float64) (reach, strength vk.Slice[float64]) {
	s, g := r.matrixS(ws), r.matrixG(ws)
	reach, strength = r.reach.In(ws), r.strength.In(ws)
	r.couplings.Dispatch(rec, vk.Folded(r.n), shaders.RefsyevCouplingsPush{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Reach: reach.Addr(), Strength: strength.Addr(),
		Noise: noise, N: uint32(r.n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld),
	})
	return reach, strength
}

// RecordClusters sends the clusters to the device. It must be called in each step. If some clusters
// have more than one index, RecordClusters also writes their small matrices to y, and returns the
// small matrices as one matrix: if the cluster of index j begins with index f, column j holds
// column j − f of its matrix. The other elements are undefined. If each cluster has one index, the
// result has no rows.
func (r *Refinement) RecordClusters(rec *vk.Recorder, ws *vk.Arena, clusters Clusters, y stages.Matrix) stages.Matrix {
	table := make([]shaders.Cluster, r.n)
	for _, c := range clusters {
		for j := c.From; j < c.To; j++ {
			table[j] = shaders.Cluster{From: uint32(c.From), To: uint32(c.To)}
		}
	}
	vk.SendFirst(rec, r.clusters.In(ws), table)
	blocks := r.blocksIn(clusters, y)
	if blocks.Rows == 0 {
		return blocks
	}
	s, g := r.matrixS(ws), r.matrixG(ws)
	r.blocks.Dispatch(rec, vk.Folded(r.n), shaders.RefsyevBlocksPush{
		S: s.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Clusters: r.clusters.In(ws).Addr(), Blocks: blocks.Addr(),
		N: uint32(r.n), Lds: uint32(s.Ld), Ldg: uint32(g.Ld), Ldb: uint32(blocks.Ld),
	})
	return blocks
}

// blocksIn returns the part of y that holds the small matrices. It has as many rows as the largest
// cluster has indices, or no rows if each cluster has one index.
func (r *Refinement) blocksIn(clusters Clusters, y stages.Matrix) stages.Matrix {
	rows := clusters.Largest()
	if rows == 1 {
		return stages.Matrix{Rows: 0, Cols: r.n, Ld: 1, At: y.At}
	}
	return stages.NewMatrix(y.At, rows, r.n, rows)
}

// RecordCorrection computes E after RecordClusters. It returns n sums, and the largest of them is
// ‖E‖_∞. `noise` is the argument of RecordCouplings in this step.
func (r *Refinement) RecordCorrection(rec *vk.Recorder, ws *vk.Arena, noise float64) vk.Slice[float64] {
	n, e, g := r.n, r.matrixS(ws), r.matrixG(ws)
	tiles := vk.Tiles(n, move.Tile)
	r.correction.Dispatch(rec, vk.Folded(tiles*(tiles+1)/2), shaders.RefsyevCorrectionPush{
		S: e.Addr(), G: g.Addr(), Lambda: r.lambda.In(ws).Addr(), Clusters: r.clusters.In(ws).Addr(),
		Noise: noise, N: uint32(n), Lds: uint32(e.Ld), Ldg: uint32(g.Ld),
	})
	sums := r.reach.In(ws)
	vk.Fill(rec, r.zeros.In(ws), 0)
	r.sums.Dispatch(rec, vk.Folded(n), shaders.ColumnResidualPush[float64]{ // sums of |E − E·0|
		X: e.Addr(), Y: e.Addr(), Lambda: r.zeros.In(ws).Addr(), Sums: sums.Addr(),
		Rows: uint32(n), Cols: uint32(n), Ldx: uint32(e.Ld), Ldy: uint32(e.Ld),
	})
	return sums
}

// RecordUpdate writes the improved vectors X·(I + E)·W to y. `clusters` is the argument of
// RecordClusters in this step. If a cluster has more than one index, y must hold the eigenvectors W
// of the clusters, in the form that RecordClusters uses. xt keeps the old vectors.
func (r *Refinement) RecordUpdate(rec *vk.Recorder, ws *vk.Arena, ops product.Ops[float64], clusters Clusters, xt, y stages.Matrix) {
	e := r.matrixS(ws)
	if clusters.Largest() > 1 {
		g := r.matrixG(ws)
		r.recordRotations(rec, ws, ops, clusters, e, g, r.blocksIn(clusters, y))
		e = g
	}
	vk.Copy(rec, y.At, xt.At)
	ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, e, xt, 1, y)
}

// recordRotations computes Fᵀ from Eᵀ, where I + F = (I + E)·W.
func (r *Refinement) recordRotations(
	rec *vk.Recorder, ws *vk.Arena, ops product.Ops[float64], clusters Clusters, e, f, w stages.Matrix,
) {
	n := r.n
	r.rotate.Dispatch(rec, vk.Folded(vk.Tiles(n, r.rotate.Spec.LocalSize)*n), shaders.RefsyevRotatePush{
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

// matrixS returns the memory of S = XᵀAX, which later holds Eᵀ.
func (r *Refinement) matrixS(ws *vk.Arena) stages.Matrix {
	return stages.NewMatrix(r.s.In(ws), r.n, r.n, r.n)
}

// matrixG returns the memory of G = XᵀX, which later holds Fᵀ with I + F = (I + E)·W.
func (r *Refinement) matrixG(ws *vk.Arena) stages.Matrix {
	return stages.NewMatrix(r.g.In(ws), r.n, r.n, r.n)
}
