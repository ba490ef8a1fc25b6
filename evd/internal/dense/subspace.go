package dense

import (
	"math"
	"slices"

	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/factor"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tridiag"
	"github.com/vkevd/vkevd/vk"
	"github.com/vkevd/vkevd/vk/spirv"
)

// Subspace has the products of a matrix V with orthonormal columns, n×m, which stays on the device:
// VᴴAV for matrices A, and V·Z. With them a problem of order n is solved in the space of V. m may
// change from one V to the next.
type Subspace[T spirv.Scalar] struct {
	*Common[T]
	load      *move.SymmetricLoad[T]
	residuals *residual.Subspace[T] // the stage of a check; nil without vectors

	v, a, w  vk.Region[T]    // n² elements each: V; A, VᴴAV or Z; A·V or V·Z
	checked  vk.Region[T]    // n² elements: B of a check
	measured [4]vk.Region[T] // n elements each, of a check: λ and three sums
	layout   *vk.Layout
}

// NewSubspace makes the stages for order n ≥ 1 and lays out their memory.
func NewSubspace[T spirv.Scalar](dev *vk.Device, n int, cfg Config) (*Subspace[T], error) {
	cfg.Pencil = factor.AxLBx // this choice of the problem decides which products are made
	c, err := NewCommon[T](dev, n, cfg.MostVectors(n), cfg)
	if err != nil {
		return nil, err
	}
	s := &Subspace[T]{Common: c, v: vk.Reserve[T]("V", n*n), a: vk.Reserve[T]("A", n*n), w: vk.Reserve[T]("A·V, V·Z", n*n)}
	if s.load, err = move.NewSymmetricLoad[T](dev); err != nil {
		return nil, err
	}
	if err := c.Products.Pair.Reserve(product.Shape{M: n, N: n, K: n, Count: 1}); err != nil {
		return nil, err
	}
	all := []vk.Space{s.v, s.a, s.w}
	if c.Vectors {
		if s.residuals, err = residual.NewSubspace(dev, n, c.MostVectors(n), c.Products.Native); err != nil {
			return nil, err
		}
		s.checked = vk.Reserve[T]("B of a check", n*n)
		for i, name := range []string{"eigenvalues", "residual sums", "orthogonality sums", "sums outside V"} {
			s.measured[i] = vk.Reserve[T](name, n)
			all = append(all, s.measured[i])
		}
		all = append(all, s.checked, s.residuals.Work())
	}
	s.layout = vk.Together(append(all, c.Products.Work(), c.Products.Status())...)
	return s, nil
}

func (s *Subspace[T]) Layout() *vk.Layout { return s.layout }

// Costs are the operations of Project, of Expand and of Sums for m = n. Without vectors, the last
// two have none.
func (s *Subspace[T]) Costs() (project, expand, check plan.StageCost) {
	n, k := float64(s.N), float64(s.MostVectors(s.N))
	project = plan.StageCost{Stage: stages.PhaseProjection, Flops: 3 * n * n * n * RealFlops[T]()}
	expand = plan.StageCost{Stage: stages.PhaseProjection, Flops: 2 * n * n * k * RealFlops[T]()}
	check = plan.StageCost{Stage: stages.PhaseCheck}
	if s.residuals != nil {
		check.Flops = s.residuals.Flops() * RealFlops[T]()
	}
	return project, expand, check
}

// Hold uploads V.
func (s *Subspace[T]) Hold(c *plan.Call, v vk.Columns[T]) error {
	return plan.During(stages.PhaseProjection, vk.Upload(c.Ctx, c.Dev, s.v.In(c.Arena), v))
}

// Project returns the m×m matrix VᴴAV, of which the lower triangle is computed.
func (s *Subspace[T]) Project(c *plan.Call, m int, a Triangle[T]) ([]T, error) {
	ws, n, ops := c.Arena, s.N, s.Products.Pair
	whole, v := product.NewMatrix(s.a.In(ws), n, n, n), product.NewMatrix(s.v.In(ws), n, m, n)
	av, projected := product.NewMatrix(s.w.In(ws), n, m, n), product.NewMatrix(s.a.In(ws), m, m, m)
	if err := a.Upload(c.Ctx, c.Dev, whole.At); err != nil {
		return nil, err
	}
	err := c.Run(func(rec *vk.Recorder) {
		s.Products.Begin(rec, ws)
		rec.Phase(stages.PhaseLoad, 0, 1)
		s.load.Record(rec, whole, a.Form(), 1)
		rec.Phase(stages.PhaseProjection, 0, 1)
		ops.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, whole, v, 0, av)
		ops.Gemmtr(rec, ws, product.Adjoint, product.NoTrans, 1, v, av, 0, projected)
		s.Products.Refused(c, rec, ws)
	})
	return downloaded(c, m, m, projected.At, err)
}

// Expand returns V·Z, for Z with m rows and at most n columns.
func (s *Subspace[T]) Expand(c *plan.Call, z vk.Columns[T]) ([]T, error) {
	ws, n, m, k := c.Arena, s.N, z.Rows, z.Cols
	from, to := product.NewMatrix(s.a.In(ws), m, k, m), product.NewMatrix(s.w.In(ws), n, k, n)
	if k == 0 {
		return nil, nil
	}
	if err := vk.Upload(c.Ctx, c.Dev, from.At, z); err != nil {
		return nil, plan.During(stages.PhaseProjection, err)
	}
	err := c.Run(func(rec *vk.Recorder) {
		s.Products.Begin(rec, ws)
		rec.Phase(stages.PhaseProjection, 0, 1)
		s.Products.Pair.Gemm(rec, ws, product.NoTrans, product.NoTrans, 1, product.NewMatrix(s.v.In(ws), n, m, n), from, 0, to)
		s.Products.Refused(c, rec, ws)
	})
	return downloaded(c, n, k, to.At, err)
}

func downloaded[T spirv.Scalar](c *plan.Call, rows, cols int, from vk.Slice[T], err error) ([]T, error) {
	if err != nil {
		return nil, err
	}
	to := make([]T, rows*cols)
	err = vk.Download(c.Ctx, c.Dev, vk.Columns[T]{Rows: rows, Cols: cols, Ld: rows, Data: to}, from)
	return to, plan.During(stages.PhaseProjection, err)
}

// Sums measures eigenpairs of A·x = λ·B·x that were computed in the space of V: the values Λ and
// the vectors X. It returns the three lists of column sums of residual.Subspace, and the column
// sums of the magnitudes of A and B.
func (s *Subspace[T]) Sums(c *plan.Call, m int, a, b Triangle[T], values []float64, x vk.Columns[T], weights []float64) (sums [3][]float64, norms [2][]float64, err error) {
	ws, n, k := c.Arena, s.N, len(values)
	vectors := product.NewMatrix(s.w.In(ws), n, k, n)
	to := [2]product.Matrix[T]{product.NewMatrix(s.a.In(ws), n, n, n), product.NewMatrix(s.checked.In(ws), n, n, n)}
	if err := vk.Upload(c.Ctx, c.Dev, vectors.At, x); err != nil {
		return sums, norms, plan.During(stages.PhaseCheck, err)
	}
	for i, matrix := range []Triangle[T]{a, b} {
		if err := matrix.Upload(c.Ctx, c.Dev, to[i].At); err != nil {
			return sums, norms, err
		}
	}
	rec := vk.NewRecorder(c.Dev)
	rec.Phase(stages.PhaseCheck, 0, s.residuals.Flops())
	vk.SendFirst(rec, s.measured[0].In(ws).Sub(0, k), spectrum.Unscale[T](values, 1))
	vk.SendFirst(rec, s.residuals.Weights(ws).Sub(0, k), spectrum.Unscale[T](weights, 1))
	for i, matrix := range []Triangle[T]{a, b} {
		s.load.Record(rec, to[i], matrix.Form(), 1)
	}
	s.residuals.Record(rec, ws, to[0], to[1], product.NewMatrix(s.v.In(ws), n, m, n), vectors,
		residual.Sums[T]{Lambda: s.measured[0].In(ws), Residual: s.measured[1].In(ws), Orthogonality: s.measured[2].In(ws)},
		s.measured[3].In(ws))
	received := func(from vk.Slice[T], count int) func() []float64 {
		to := make([]T, count)
		vk.ReceiveLast(rec, to, from)
		return func() []float64 { return spectrum.Scale(to, 1) }
	}
	var results [5]func() []float64
	for i := range sums {
		results[i] = received(s.measured[1+i].In(ws), k)
	}
	for i := range norms {
		results[3+i] = received(s.residuals.Columns(ws)[i], n)
	}
	profile, err := c.Dev.Run(c.Ctx, rec, c.Reporter())
	c.Profile.Merge(profile)
	for i := range sums {
		sums[i] = results[i]()
	}
	for i := range norms {
		norms[i] = results[3+i]()
	}
	return sums, norms, err
}

// Congruent returns 2⁻ᵉ·D·A·D for a diagonal matrix D with positive elements, and e. The largest
// element is between ½ and 1, or 0. The error is a *NonFiniteError for an element of A.
func Congruent[T spirv.Scalar](a Triangle[T], d []float64) (Triangle[T], int, error) {
	if _, err := a.Largest(); err != nil {
		return a, 0, err
	}
	fractions, exponents := make([]float64, a.N), make([]int, a.N)
	for i, x := range d {
		fractions[i], exponents[i] = math.Frexp(x)
	}
	product := func(x float64, i, j int) (fraction float64, exponent int) {
		f, e := math.Frexp(x) // a product of a subnormal x would be rounded
		return f * fractions[i] * fractions[j], e + exponents[i] + exponents[j]
	}
	const none = math.MinInt
	to := Triangle[T]{N: a.N, Ld: a.N, Data: make([]T, a.N*a.N), Upper: a.Upper, RowMajor: a.RowMajor}
	most := slices.Repeat([]int{none}, a.N) // exponents of the largest elements of the columns
	tridiag.Parallel(a.N, func(j int) {
		first, last := a.Column(j)
		column := to.Data[first+j*to.Ld : last+j*to.Ld]
		copy(column, a.Data[first+j*a.Ld:])
		ReplaceParts(column, func(i, part int, x float64) float64 {
			if i += first; i == j && part > 0 {
				return 0 // the imaginary part of the diagonal is 0
			}
			if x != 0 {
				y, e := product(x, i, j)
				most[j] = max(most[j], Exponent(y)+e)
			}
			return x
		})
	})
	e := slices.Max(most)
	if e == none {
		return to, 0, nil
	}
	tridiag.Parallel(a.N, func(j int) {
		first, last := a.Column(j)
		ReplaceParts(to.Data[first+j*to.Ld:last+j*to.Ld], func(i, _ int, x float64) float64 {
			y, of := product(x, first+i, j)
			return math.Ldexp(y, of-e)
		})
	})
	return to, e, nil
}

// ReplaceParts replaces the real and the imaginary part x of each element i of v by f(i, 0, x) and
// f(i, 1, x).
func ReplaceParts[T spirv.Scalar](v []T, f func(i, part int, x float64) float64) {
	plan.Parts(v,
		func(parts []float32, each int) {
			for k, x := range parts {
				parts[k] = float32(f(k/each, k%each, float64(x)))
			}
		},
		func(parts []float64, each int) {
			for k, x := range parts {
				parts[k] = f(k/each, k%each, x)
			}
		})
}
