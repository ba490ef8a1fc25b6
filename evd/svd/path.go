package svd

import (
	"context"

	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/emulation"
	"github.com/vkevd/vkevd/evd/internal/dense"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/back"
	chases "github.com/vkevd/vkevd/stages/chase"
	"github.com/vkevd/vkevd/stages/machine"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/panel"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/reduce"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// path holds everything that a solve uses: its stages, and the layout of their device memory.
type path[T evd.Number] struct {
	doubles doubles[T]
	steps   steps[T]
	regions regions[T]
	layout  *vk.Layout
	extra   *vk.Layout // workspace of the products of the bidiagonal problem, beside that of other products
}

func (p *path[T]) memory() *vk.Layout { return p.layout }

// steps holds the stages, in the order of the solve. The stages of the reduction and of the back
// transformation are nil if the matrix is bidiagonal. The field `qr` is nil if no QR factorisation
// comes first. The field `narrow` is nil if the chase begins with the band of the reduction. The
// field `half` replaces `narrow` and `chase` if the band is stored in half precision, and is nil
// otherwise. The fields from `conquer` on are nil if no vectors are wanted. A stage that is only
// for left or only for right vectors is nil if those vectors are not wanted.
//
// The products are those of the number type T. The stages of the bidiagonal problem, `values` and
// `conquer`, compute in double precision for every T.
type steps[T evd.Number] struct {
	products  products[T]
	transpose *move.Transpose[T]
	conjugate *move.Conjugation[T]
	qr        *panel.TallQR[T]
	band      *reduce.GeneralBandReduction[T]
	narrow    *chases.BandNarrowing[T]
	chase     *chases.BidiagonalChasing[T]
	half      *halfChase[T]
	values    *spectrum.Stage

	conquer    bidiagonalVectors
	q2         emulation.Q2[T] // applies Q2 and P2, whose reflectors are packed in the same way
	p1, q1, q0 *back.ApplyPanels[T]
	identity   *move.Identity[T]
	signs      *move.Signs[T]
	residuals  *residual.SingularResidual[T]
}

func newPath[T evd.Number](dev *vk.Device, of shape, c choice, opt Options, t tuning.Tuning) (*path[T], error) {
	t, err := bounded[T](dev, t)
	if err != nil {
		return nil, err
	}
	p := &path[T]{}
	if p.doubles, err = newDoubles[T](dev, of); err != nil {
		return nil, err
	}
	if p.steps.products, err = newProducts[T](dev, of.cols, c, opt, t); err != nil {
		return nil, err
	}
	var double product.Ops[float64]
	double, p.extra, err = p.doubles.Products(dev, p.steps.products.vectors, t.Double().Products)
	if err != nil {
		return nil, err
	}
	if err := p.forBidiagonal(dev, of, opt.Certify, double, t); err != nil {
		return nil, err
	}
	if of.bidiagonal {
		p.steps.values.KeepDigits()
		p.layBidiagonal(of)
		return p, nil
	}
	wait, err := t.Waiting(context.Background(), machine.Of(dev))
	if err != nil {
		return nil, err
	}
	if err := p.steps.forBand(dev, of, wait, t); err != nil {
		return nil, err
	}
	if err := p.forChase(dev, of, opt.Storage, wait, t); err != nil {
		return nil, err
	}
	if of.vectors() {
		if err := p.steps.forVectors(dev, of, wait, t); err != nil {
			return nil, err
		}
	}
	p.lay(of, t.Band)
	return p, nil
}

// reduced returns the sizes of the reduction to a band of A, or of its factor R if a QR
// factorisation comes first.
func (s shape) reduced(t tuning.Tuning) reduce.GeneralSize {
	size := reduce.GeneralSize{M: s.rows, N: s.cols, B: t.Band, K: t.Block, Vectors: s.wants[right] != None}
	if s.tall {
		size.M = s.cols
	}
	return size
}

// narrowed returns the sizes of the passes that make the band of the reduction narrower. There is a
// pass only without vectors, for orders from ValuesFrom on if ValuesFrom is not 0, and if
// Options.Band is a wide band.
func narrowed(of shape, t tuning.Tuning) chases.NarrowSize {
	size := chases.NarrowSize{N: of.cols, From: t.Band, To: t.Band, Tile: 1}
	if !of.vectors() && t.ValuesFrom > 0 && of.cols >= t.ValuesFrom {
		passes := t.NarrowSize(of.cols, t.Band)
		size.To, size.Tile = passes.To, passes.Tile
	}
	return size
}

// forBidiagonal makes the stages that find the values and the vectors of the bidiagonal matrix C.
// `double` are their products.
func (p *path[T]) forBidiagonal(dev *vk.Device, of shape, certify bool, double product.Ops[float64], t tuning.Tuning) (err error) {
	s := &p.steps
	if s.values, err = newGolubKahan(dev, of.cols, of.part, certify, double, t.Double()); err != nil {
		return err
	}
	if s.conjugate, err = move.NewConjugation[T](dev); err != nil {
		return err
	}
	if s.transpose, err = move.NewTranspose[T](dev); err != nil || !of.vectors() {
		return err
	}
	if s.conquer, err = newBidiagonalVectors(dev, p.doubles, of.cols, double, t); err != nil {
		return err
	}
	if s.signs, err = move.NewSigns[T](dev); err != nil {
		return err
	}
	s.residuals, err = residual.NewSingularResidual(dev, of.rows, of.cols, of.k+of.more(), s.products.native)
	return err
}

// forBand makes the stages that compute the factor R of A, only if of.tall is true, and the band B.
func (s *steps[T]) forBand(dev *vk.Device, of shape, wait stages.Waiting, t tuning.Tuning) (err error) {
	if of.tall {
		if s.qr, err = panel.NewTallQR(dev, of.rows, of.cols, t.Band, s.products.native, wait, t.Panel); err != nil {
			return err
		}
	}
	s.band, err = reduce.NewGeneralBandReduction(dev, of.reduced(t), s.products.native, s.products.update, wait, t.Panel)
	return err
}

func (p *path[T]) forChase(dev *vk.Device, of shape, storage Storage, wait stages.Waiting, t tuning.Tuning) (err error) {
	s, size := &p.steps, narrowed(of, t)
	if storage == Half {
		s.half, err = newHalfChase[T](dev, of.reduced(t).BandLen(), size, wait, t)
		return err
	}
	if size.From > size.To {
		if s.narrow, err = chases.NewBandNarrowing[T](dev, size, wait, t.Chase); err != nil {
			return err
		}
	}
	chase := chases.Size{N: of.cols, B: size.To, Vectors: of.vectors()}
	s.chase, err = chases.NewBidiagonalChasing[T](dev, chase, wait, t.Chase)
	return err
}

// forVectors makes the stages that transform the vectors S and W with C = S·Σ·Wᵀ to U and V.
func (s *steps[T]) forVectors(dev *vk.Device, of shape, wait stages.Waiting, t tuning.Tuning) (err error) {
	n, b, band := of.cols, t.Band, of.reduced(t)
	size := back.Size{N: n, B: b, M: of.k}
	if s.q2, err = emulation.NewQ2(dev, size, size.M, s.products.back, s.products.emulated, wait, t.ApplyQ2); err != nil {
		return err
	}
	if of.wants[right] != None && n > b {
		size := back.PanelsSize{Rows: n - b, Cols: band.RightPanels() * b, B: b, M: of.k, Across: true}
		if s.p1, err = back.NewApplyPanels(dev, stages.PhaseApplyP1, size, s.products.back, s.products.panel); err != nil {
			return err
		}
	}
	if of.wants[left] != None {
		columns := back.PanelsSize{Rows: of.rows, Cols: n, B: b, M: max(of.k, of.more())}
		phase := stages.PhaseApplyQ1
		if of.tall {
			phase = stages.PhaseApplyQ0
		}
		q, err := back.NewApplyPanels(dev, phase, columns, s.products.back, s.products.panel)
		if err != nil {
			return err
		}
		if s.q1 = q; of.tall {
			s.q0 = q
			if s.q1, err = back.NewApplyPanels(dev, stages.PhaseApplyQ1, back.PanelsSize{Rows: n, Cols: n, B: b, M: of.k}, s.products.back, s.products.panel); err != nil {
				return err
			}
		}
	}
	s.identity, err = move.NewIdentity[T](dev)
	return err
}

// costs returns the costs of the phases in the order of the solve, for plan.ProgressOf. If only one
// side is wanted (not `both`) and the matrix is square, the costs are those of left vectors.
func (p *path[T]) costs(of shape, both bool) []evd.StageCost {
	var costs []evd.StageCost
	each := dense.RealFlops[T]()
	add := func(phase string, flops float64) {
		costs = append(costs, evd.StageCost{Stage: phase, Flops: each * flops})
	}
	s := p.steps
	by := func(ops product.Ops[T], phase string, flops float64) {
		add(phase, flops)
		costs[len(costs)-1].Native = len(s.products.emulated) > 0 && ops == s.products.native
	}
	back2 := func(phase string) {
		costs = append(costs, evd.StageCost{Stage: phase, Flops: each * s.q2.Flops(), Products: each * s.q2.ProductFlops()})
	}
	if s.qr != nil {
		add(stages.PhaseQR, s.qr.Flops())
	}
	if s.band != nil {
		by(s.products.update, stages.PhaseBandReduction, s.band.Flops())
	}
	if s.narrow != nil {
		add(stages.PhaseBandNarrowing, s.narrow.Flops())
	}
	if s.half != nil {
		costs = append(costs, s.half.costs()...)
	}
	if s.chase != nil {
		add(stages.PhaseBulgeChasing, s.chase.Flops())
	}
	costs = append(costs, s.values.Cost())
	if s.conquer == nil {
		return costs
	}
	// Three quarters of the operations are in the last products, which need only the columns of the
	// k wanted vectors.
	conquer := s.conquer.Flops() * (0.25 + 0.75*float64(of.k)/float64(of.cols))
	if !both {
		conquer /= 2
	}
	by(s.products.vectors, stages.PhaseBidiagonal, conquer/each) // these products are products of real numbers for every T
	if of.bidiagonal {
		return costs
	}
	if of.wants[right] != None && (both || of.wants[left] == None) {
		back2(stages.PhaseApplyP2)
		if s.p1 != nil {
			by(s.products.back, stages.PhaseApplyP1, s.p1.Flops())
		}
	}
	if s.q1 == nil {
		return costs
	}
	back2(stages.PhaseApplyQ2)
	if s.q0 != nil {
		by(s.products.back, stages.PhaseApplyQ1, s.q1.Flops())
	}
	// With Full, the last back transformation is also applied to the vectors that belong to no
	// singular value.
	last, phase := s.q1, stages.PhaseApplyQ1
	if s.q0 != nil {
		last, phase = s.q0, stages.PhaseApplyQ0
	}
	by(s.products.back, phase, last.Flops()*float64(of.k+of.more())/float64(last.M))
	return costs
}
