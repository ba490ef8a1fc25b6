package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/shaders"
	"github.com/vkevd/vkevd/stages/ref"
	"github.com/vkevd/vkevd/vk"
)

// DivideConquerTuning is what is measured for the divide-and-conquer solver.
type DivideConquerTuning struct {
	Leaf    int    // order up to which a block is solved by QR iteration on the host
	Threads uint32 // invocations a workgroup, a power of two
}

func divideConquerTuning(family string) DivideConquerTuning {
	if family == "cpu" {
		return DivideConquerTuning{Leaf: 32, Threads: 32}
	}
	return DivideConquerTuning{Leaf: 32, Threads: 128}
}

// smallestDivideConquer divides matrices of a few rows.
func smallestDivideConquer() DivideConquerTuning { return DivideConquerTuning{Leaf: 3, Threads: 8} }

// DivideConquer finds all eigenvalues and eigenvectors of a symmetric
// tridiagonal matrix (dstedc; Cuppen 1981, Gu and Eisenstat 1995):
//
//	T = S·Λ·Sᵀ
//
// The host decides, from O(n) numbers a level, what is deflated; everything of order n² and n³
// (roots, weights, vectors of the secular equations, the products) is done on
// the device. Because of that conversation there is no Record: Solve runs.
type DivideConquer struct {
	dev  *vk.Device
	n    int
	tune DivideConquerTuning
	gemm Gemm

	secular  *vk.Kernel[shaders.StedcSecularSpec, shaders.StedcSecularPush]
	weights  *vk.Kernel[shaders.StedcWeightsSpec, shaders.StedcWeightsPush]
	vectors  *vk.Kernel[shaders.StedcVectorsSpec, shaders.StedcVectorsPush]
	gather   *vk.Kernel[shaders.StedcGatherSpec, shaders.StedcGatherPush]
	deflated *vk.Kernel[shaders.StedcDeflatedSpec, shaders.StedcDeflatedPush]
	borders  *vk.Kernel[shaders.StedcBordersSpec, shaders.StedcBordersPush]
	leaves   *vk.Kernel[shaders.StedcLeavesSpec, shaders.StedcLeavesPush]
	sort     *vk.Kernel[shaders.StedcSortSpec, shaders.StedcSortPush]

	q, s                       vk.Region[float64] // the vectors so far; those of the secular equations
	d, z, mu, zhat, cos, sin   vk.Region[float64]
	rho, packed                vk.Region[float64]
	origin, row, src, dst      vk.Region[int32]
	order, from, to            vk.Region[int32]
	merges, chains, leaf, info vk.Region[uint32]
	work                       *vk.Layout
}

const (
	mergeWords = 6 // lo, n1, n, k, upper, lower
	chainWords = 3 // merge, first step, end
	leafWords  = 3 // lo, n, place in packed
	sortTile   = 32
)

// NewDivideConquer prepares for matrices of order n.
func NewDivideConquer(dev *vk.Device, n int, gemm Gemm, t Tuning) (*DivideConquer, error) {
	s := &DivideConquer{dev: dev, n: n, tune: t.DivideConquer, gemm: gemm}
	if err := s.build(); err != nil {
		return nil, err
	}
	real := func(name string, n int) vk.Region[float64] { return vk.Reserve[float64](name, n) }
	index := func(name string, n int) vk.Region[int32] { return vk.Reserve[int32](name, n) }
	s.q, s.s = real("D&C Q", n*n), real("D&C S", n*n)
	s.d, s.z, s.mu, s.zhat = real("poles", n), real("weights", n), real("roots", n), real("ẑ", n)
	s.cos, s.sin, s.rho = real("cosines", n), real("sines", n), real("ρ", n)
	s.packed = real("leaf vectors", n*min(n, t.DivideConquer.Leaf))
	s.origin, s.row, s.src, s.dst = index("origins", n), index("rows of S", n), index("from columns", n), index("to columns", n)
	s.order, s.from, s.to = index("order", n), index("block begins", n), index("block ends", n)
	s.merges, s.chains = vk.Reserve[uint32]("merges", mergeWords*n), vk.Reserve[uint32]("chains", chainWords*n)
	s.leaf, s.info = vk.Reserve[uint32]("leaves", leafWords*n), vk.Reserve[uint32]("D&C INFO", 1)
	s.work = vk.Together(s.q, s.s, s.d, s.z, s.mu, s.zhat, s.cos, s.sin, s.rho, s.packed, s.origin, s.row, s.src, s.dst,
		s.order, s.from, s.to, s.merges, s.chains, s.leaf, s.info)
	return s, nil
}

func (s *DivideConquer) build() (err error) {
	b := builder{dev: s.dev}
	t := s.tune.Threads
	s.secular = build(&b, shaders.StedcSecular(), shaders.StedcSecularSpec{LocalSize: t})
	s.weights = build(&b, shaders.StedcWeights(), shaders.StedcWeightsSpec{LocalSize: t})
	s.vectors = build(&b, shaders.StedcVectors(), shaders.StedcVectorsSpec{LocalSize: t})
	s.gather = build(&b, shaders.StedcGather(), shaders.StedcGatherSpec{LocalSize: t})
	s.deflated = build(&b, shaders.StedcDeflated(), shaders.StedcDeflatedSpec{LocalSize: t})
	s.borders = build(&b, shaders.StedcBorders(), shaders.StedcBordersSpec{LocalSize: t})
	s.leaves = build(&b, shaders.StedcLeaves(), shaders.StedcLeavesSpec{LocalSize: t})
	s.sort = build(&b, shaders.StedcSort(), shaders.StedcSortSpec{LocalSize: t, Tile: sortTile})
	return b.err
}

// NoConvergenceError says that QR iteration failed on a leaf, rows [Lo, Hi).
type NoConvergenceError = ref.DCNoConvergenceError

// Work is the workspace: 2·n² elements and a little.
func (s *DivideConquer) Work() *vk.Layout { return s.work }

// Flops is the most the products can cost, when nothing deflates.
func (s *DivideConquer) Flops() float64 { n := float64(s.n); return 4.0 / 3 * n * n * n }

// Solve finds T = S·Λ·Sᵀ for the diagonal d and off-diagonal e, and leaves Sᵀ in xt (n×n: row j is
// the vector of value j). xt serves as workspace, too, and must not overlap
// Work. Errors: *NoConvergenceError, *InfoError, and vk's.
func (s *DivideConquer) Solve(ctx context.Context, ws *vk.Arena, d, e []float64, xt Matrix) ([]float64, *vk.Profile, error) {
	return s.SolveRange(ctx, ws, d, e, 0, s.n, xt)
}

// SolveRange is Solve for the vectors of values[from:to] alone; all values are returned.
// xt is (to−from)×n, its memory n² elements as before.
func (s *DivideConquer) SolveRange(ctx context.Context, ws *vk.Arena, d, e []float64, from, to int, xt Matrix) ([]float64, *vk.Profile, error) {
	if xt.Rows != to-from || xt.Cols != s.n {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d", from, to, s.n, xt.Rows, xt.Cols))
	}
	c := &conversation{DivideConquer: s, ctx: ctx, ws: ws, xt: xt, profile: vk.NewProfile()}
	began := time.Now()
	values, err := ref.DivideConquerWith(c, d, e, ref.DCOptions{LeafSize: s.tune.Leaf, From: from, To: to})
	// What the device did not spend, the host did, deciding and waiting.
	c.profile.Add("tridiagonal solve, on host", time.Since(began).Seconds()-c.profile.Total())
	return values, c.profile, err
}
