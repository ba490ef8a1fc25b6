package stages

import (
	"context"
	"fmt"
	"time"

	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/stages/tridiag/dc"
	"github.com/vkevd/vkevd/vk"
)

// DivideConquerTuning is what is measured for the divide-and-conquer solver.
type DivideConquerTuning struct {
	Leaf    int    // order up to which a block is solved by QL iteration, by one workgroup
	Lanes   uint32 // invocations that share a root or a leaf, a power of two, at least four
	Threads uint32 // invocations a workgroup elsewhere, a power of two
	Panels  int    // pieces that the last merge, three quarters of the work, is cut into to save memory
	Grouped int    // order of halves up to which all products of a level are one dispatch
}

func divideConquerTuning(family string) DivideConquerTuning {
	if family == "cpu" {
		return DivideConquerTuning{Leaf: 32, Lanes: 8, Threads: 32, Panels: 8, Grouped: 1 << 20}
	}
	return DivideConquerTuning{Leaf: 32, Lanes: 32, Threads: 128, Panels: 8, Grouped: 256}
}

// smallestDivideConquer divides matrices of a few rows.
func smallestDivideConquer() DivideConquerTuning {
	return DivideConquerTuning{Leaf: 3, Lanes: 4, Threads: 8, Panels: 3, Grouped: 10}
}

// levels is how often a matrix of order n is halved.
func (t DivideConquerTuning) levels(n int) int {
	count := 0
	for ; n > t.Leaf; n = (n + 1) / 2 {
		count++
	}
	return count
}

// DivideConquer finds all eigenvalues and eigenvectors of a symmetric
// tridiagonal matrix (dstedc; Cuppen 1981, Gu and Eisenstat 1995):
//
//	T = S·Λ·Sᵀ
//
// First the values, for which a merge needs two rows of its halves' vectors only; then,
// in one recording, the vectors. The host decides, from O(n) numbers a level, what is
// deflated; leaves, roots, weights, vectors and products are the device's. Because
// of that conversation there is no Record: Solve runs.
type DivideConquer struct {
	values  conquerValues
	vectors conquerVectors
	work    *vk.Layout
}

// NewDivideConquer prepares for matrices of order n.
func NewDivideConquer(dev *vk.Device, n int, ops product.Ops, t Tuning) (*DivideConquer, error) {
	b := builder{dev: dev}
	levels := t.DivideConquer.levels(n)
	s := &DivideConquer{newConquerValues(&b, n, levels, t.DivideConquer), newConquerVectors(&b, n, levels, ops, t), nil}
	if b.err != nil {
		return nil, b.err
	}
	s.work = vk.Together(s.values.work, s.vectors.work)
	return s, nil
}

// NoConvergenceError says that QL iteration failed on a leaf, rows [Lo, Hi).
type NoConvergenceError = tridiag.NoConvergenceError

// Work is the workspace: n²·(1/2 + 1/Panels) elements and a little, beside the n² of
// the result. That of the products (ops.Work) must be in the arena, too.
func (s *DivideConquer) Work() *vk.Layout { return s.work }

// Flops is the most the products can cost, when nothing deflates.
func (s *DivideConquer) Flops() float64 { n := float64(s.values.n); return 4.0 / 3 * n * n * n }

// Solve finds T = S·Λ·Sᵀ for the diagonal d and off-diagonal e, and leaves Sᵀ in xt (n×n and
// packed, Ld = n: row j is the vector of value j). xt serves as workspace, too, and must
// not overlap Work. Errors: *NoConvergenceError, *InfoError, and vk's.
func (s *DivideConquer) Solve(ctx context.Context, ws *vk.Arena, d, e []float64, xt Matrix) ([]float64, *vk.Profile, error) {
	return s.SolveRange(ctx, ws, d, e, 0, s.values.n, xt)
}

// SolveRange is Solve for the vectors of values[from:to] alone; all values are returned.
// xt is (to−from)×n and packed, its memory n² elements as before.
func (s *DivideConquer) SolveRange(ctx context.Context, ws *vk.Arena, d, e []float64, from, to int, xt Matrix) ([]float64, *vk.Profile, error) {
	n, m := s.values.n, to-from
	if len(d) != n || xt.Rows != m || xt.Cols != n || xt.Ld != max(m, 1) || xt.At.Len() < n*n {
		panic(fmt.Sprintf("stages: vectors %d to %d of order %d into %d×%d, Ld %d", from, to, n, xt.Rows, xt.Cols, xt.Ld))
	}
	opt := dc.Options{From: from, To: to}
	return s.values.solve(ctx, ws, d, e, opt, &conquest{conquerVectors: &s.vectors, xt: xt})
}

// DivideConquerValues finds the eigenvalues alone, with O(n) memory: the first pass
// of DivideConquer.
type DivideConquerValues struct{ values conquerValues }

// NewDivideConquerValues prepares for matrices of order n.
func NewDivideConquerValues(dev *vk.Device, n int, t Tuning) (*DivideConquerValues, error) {
	b := builder{dev: dev}
	s := &DivideConquerValues{newConquerValues(&b, n, 1, t.DivideConquer)}
	return s, b.err
}

// Work is the workspace, some vectors of n elements.
func (s *DivideConquerValues) Work() *vk.Layout { return s.values.work }

// Flops is about what the secular equations cost when nothing deflates: half a dozen
// sums of n terms for each root, and as many operations each; levels below the last
// one cost as much together as it does.
func (s *DivideConquerValues) Flops() float64 {
	const sums, operations = 8, 6
	n := float64(s.values.n)
	return 2 * sums * operations * n * n
}

// Solve returns the eigenvalues of T, ascending. Errors: *NoConvergenceError, *InfoError, and vk's.
func (s *DivideConquerValues) Solve(ctx context.Context, ws *vk.Arena, d, e []float64) ([]float64, *vk.Profile, error) {
	if len(d) != s.values.n {
		panic(fmt.Sprintf("stages: divide and conquer of order %d: %d values", s.values.n, len(d)))
	}
	return s.values.solve(ctx, ws, d, e, dc.Options{ValuesOnly: true}, nil)
}

// solve runs the first pass, and the second if vectors are wanted.
func (s *conquerValues) solve(ctx context.Context, ws *vk.Arena, d, e []float64, opt dc.Options, vectors *conquest) ([]float64, *vk.Profile, error) {
	c := &conversation{conquerValues: s, ctx: ctx, ws: ws, profile: vk.NewProfile(), vectors: vectors}
	began := time.Now()
	opt.LeafSize = s.tune.Leaf
	values, err := dc.SolveWith(c, d, e, opt)
	if vectors != nil {
		vectors.writing.Wait()
	}
	// What the device did not spend, the host did, deciding and waiting.
	c.profile.Add(PhaseTridiagonal+OnHost, time.Since(began).Seconds()-c.profile.Total())
	return values, c.profile, err
}

// conversation is one solve under way: the device's side of dc.Backend,
// which says what each method has to do.
type conversation struct {
	*conquerValues
	ctx     context.Context
	ws      *vk.Arena
	profile *vk.Profile
	vectors *conquest // nil if they are not wanted
	level   int       // of merges, the next one
	last    int
	sent    []float64 // of one level after the other
}

// run executes one exchange.
func (c *conversation) run(record func(rec *vk.Recorder)) error {
	rec := vk.NewRecorder(c.dev)
	rec.Phase(PhaseTridiagonal, 0, 0)
	record(rec)
	p, err := c.dev.Run(c.ctx, rec, nil)
	c.profile.Merge(p)
	return err
}

// Vectors implements dc.Backend.
func (c *conversation) Vectors(levels [][]*dc.Merge, order []int32) error {
	x := c.vectors
	x.complete(levels, order)
	return c.run(func(rec *vk.Recorder) { x.record(rec, c) })
}

// perMerge cuts the merges of a level into counts that fit into one dimension of a grid.
func perMerge(count, most int, dispatch func(first, count int)) {
	for first := 0; first < count; first += most {
		dispatch(first, min(most, count-first))
	}
}

// inY is a grid with x workgroups in x and count in y, folded into z where one
// dimension cannot hold them.
func inY(x, count int) vk.Groups {
	f := vk.Folded(count)
	return vk.Groups{X: x, Y: f.X, Z: f.Y}
}

// inZ is a grid with a workgroup for each column, folded, of count merges in z.
func inZ(columns, count int) vk.Groups {
	f := vk.Folded(columns)
	f.Z = count
	return f
}

// wide is an offset as the two words in which the kernels read it.
func wide(offset int) [2]uint32 { return [2]uint32{uint32(offset), uint32(uint64(offset) >> 32)} }
