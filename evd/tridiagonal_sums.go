package evd

import (
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/vk"
)

// columnSums measures a result of a tridiagonal plan. `of` returns the column sums of |σ·T·Z −
// Z·σ·Λ| and of |ZᵀZ − I|, one for each vector in the matrix z = Z. `work` is device memory that
// `of` needs while it runs, and `always` is device memory that nothing else may use.
type columnSums[T Float] interface {
	of(p *TridiagonalPlan[T], c *plan.Call, z *Dense[T], s scaled) ([2][]float64, error)
	work() *vk.Layout
	always() *vk.Layout
}

// sumsOnDevice computes the sums on the device, where σ·T must be.
type sumsOnDevice[T Float] struct {
	residuals *residual.TridiagonalResidual

	// widened returns the vectors z in double precision. If T is float32, `widened` records the
	// conversion of z to x, which has the shape of z.
	widened func(rec *vk.Recorder, z product.Matrix[T], x product.Matrix[float64]) product.Matrix[float64]

	// residual and orthogonality are the device memory of the sums.
	residual, orthogonality vk.Region[float64]
}

// newSumsOnDevice makes the kernels for order n and at most m vectors.
func newSumsOnDevice[T Float](
	dev *vk.Device, n, m int, ops product.Ops[float64],
	widened func(*vk.Recorder, product.Matrix[T], product.Matrix[float64]) product.Matrix[float64],
) (columnSums[T], error) {
	residuals, err := residual.NewTridiagonalResidual(dev, n, m, ops)
	residual, orthogonality := vk.Reserve[float64]("residual sums", m), vk.Reserve[float64]("orthogonality sums", m)
	return sumsOnDevice[T]{residuals, widened, residual, orthogonality}, err
}

func (d sumsOnDevice[T]) work() *vk.Layout { return d.residuals.Work() }

func (d sumsOnDevice[T]) always() *vk.Layout { return vk.Together(d.residual, d.orthogonality) }

func (d sumsOnDevice[T]) of(p *TridiagonalPlan[T], c *plan.Call, z *Dense[T], s scaled) (sums [2][]float64, err error) {
	n, ws, t := p.base.N, c.Arena, p.spectrum
	zs := product.NewMatrix(p.z.In(ws), n, z.Cols, n)
	via := p.doubles.Eigenvectors(ws, t.Matrix(ws, n, z.Cols, n))
	if err := p.orient.Restore(c.Ctx, c.Dev, z.vectors(), via.At, zs); err != nil {
		return sums, err
	}
	out := [2]vk.Slice[float64]{d.residual.In(ws), d.orthogonality.In(ws)}
	err = c.Run(func(rec *vk.Recorder) {
		rec.Phase(stages.PhaseCheck, 0, d.residuals.Flops())
		vk.SendFirst(rec, t.Lambda(ws), s.values)
		wide := d.widened(rec, zs, t.Matrix(ws, n, z.Cols, n))
		d.residuals.Record(rec, ws, stages.Tridiagonal[float64]{D: t.D(ws), E: t.E(ws)}, wide,
			residual.Sums[float64]{Lambda: t.Lambda(ws), Residual: out[0], Orthogonality: out[1]})
		for i := range sums {
			sums[i] = make([]float64, z.Cols)
			vk.ReceiveLast(rec, sums[i], out[i])
		}
	})
	return sums, err
}

// sumsOnHost computes on the host.
type sumsOnHost[T Float] struct{}

func (sumsOnHost[T]) work() *vk.Layout { return vk.Together() }

func (sumsOnHost[T]) always() *vk.Layout { return vk.Together() }

func (sumsOnHost[T]) of(_ *TridiagonalPlan[T], c *plan.Call, z *Dense[T], s scaled) (sums [2][]float64, err error) {
	columns := make([]float64, 0, z.Rows*z.Cols)
	for j := range z.Cols {
		columns = append(columns, spectrum.Scale(z.Col(j), 1)...)
	}
	sums[0] = s.t.ResidualSums(s.values, columns)
	sums[1], err = spectrum.OrthogonalitySums(c.Ctx, z.Rows, z.Cols, columns)
	return sums, plan.During(stages.PhaseCheck, err)
}
