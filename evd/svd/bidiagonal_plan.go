package svd

import (
	"github.com/vkevd/vkevd/evd"
	"github.com/vkevd/vkevd/evd/internal/plan"
	"github.com/vkevd/vkevd/evd/spectrum"
	"github.com/vkevd/vkevd/stages"
	"github.com/vkevd/vkevd/stages/move"
	"github.com/vkevd/vkevd/stages/product"
	"github.com/vkevd/vkevd/stages/residual"
	"github.com/vkevd/vkevd/stages/tuning"
	"github.com/vkevd/vkevd/vk"
)

// BidiagonalPlan computes the singular value decomposition of upper bidiagonal matrices C of one
// order:
//
//	C = U·Σ·Vᵀ
//
// Both T are solved in double precision. For float32 the vectors are rounded once. The memory grows
// with n² only if vectors are wanted, to about 38·n² bytes. Goroutines that share
// a plan wait for each other. The caller closes the plan before the device.
type BidiagonalPlan[T evd.Float] struct {
	base    plan.Base
	opt     Options
	k       int // largest number of values that are wanted
	doubles doubles[T]
	ops     product.Ops[T]
	extra   *vk.Layout // workspace of divide and conquer's products, beside that of `ops`
	values  *spectrum.Stage

	// The fields from `conquer` on are nil or empty if no vectors are wanted.
	conquer   bidiagonalVectors
	transpose *move.Transpose[T]
	signs     *move.Signs[T]
	residuals *residual.SingularResidual[T]
	columns   [2]vk.Region[T]   // the vectors of each side as columns
	sums      [2]vk.Region[T]   // sums of a check
	flipped   vk.Region[uint32] // k words: which vectors were negated
}

// NewBidiagonalPlan prepares for bidiagonal matrices of order n. The errors are those of NewPlan.
// On a vk.Dry device the plan is a forecast, as NewPlan describes. Thin and Full mean the same for
// a square matrix. Options.Band and Options.Block must be 0, and Options.Storage must not have fewer
// digits than T, because they are for the reduction of dense matrices.
func NewBidiagonalPlan[T evd.Float](dev *vk.Device, n int, opt Options) (*BidiagonalPlan[T], error) {
	if err := checkSizes(n); err != nil {
		return nil, err
	}
	if err := opt.check(n); err != nil {
		return nil, err
	}
	if opt.Band > 0 || opt.Block > 0 {
		return nil, plan.BadOption("Band, Block", "a bidiagonal matrix needs no reduction")
	}
	if opt.Verify {
		return nil, plan.BadOption("Verify", "has no meaning for a bidiagonal matrix; Check measures a result")
	}
	if fewerDigits[T](opt) {
		return nil, plan.BadOption("Storage", "a bidiagonal matrix needs no reduction")
	}
	if err := needsDoubles[T](dev); err != nil {
		return nil, err
	}
	p := &BidiagonalPlan[T]{opt: opt, k: spectrum.Capacity(opt.part(), n)}
	p.base = plan.Base{Dev: dev, N: n, Layout: vk.Together()}
	if n == 0 {
		return p, nil
	}
	t := tuning.For[T](dev.Info())
	if opt.Tuning != nil {
		t = *opt.Tuning
	}
	if err := dev.Compile(func() error { return p.prepare(t) }); err != nil {
		return nil, err
	}
	if err := p.base.Allocate(); err != nil {
		return nil, err
	}
	return p, nil
}

// wants says which vectors are wanted: the element `left` for the left vectors U, and the element
// `right` for the right vectors V.
func (p *BidiagonalPlan[T]) wants() [2]Vectors { return [2]Vectors{left: p.opt.U, right: p.opt.V} }

// prepare makes the stages of a solve and lays out their memory.
func (p *BidiagonalPlan[T]) prepare(t tuning.Tuning) error {
	dev, n := p.base.Dev, p.base.N
	t, err := bounded(dev, t)
	if err != nil {
		return err
	}
	if p.doubles, err = newDoubles[T](dev, shape{rows: n, cols: n, k: p.k, wants: p.wants()}); err != nil {
		return err
	}
	if p.ops, err = product.New[T](dev, t.Products); err != nil {
		return err
	}
	var double product.Ops[float64]
	double, p.extra, err = p.doubles.Products(dev, p.ops, t.Double().Products)
	if err != nil {
		return err
	}
	if p.values, err = newGolubKahan(dev, n, p.opt.part(), p.opt.Certify, double, t.Double()); err != nil {
		return err
	}
	p.values.KeepDigits()
	always := p.values.Always()
	if p.opt.U == None && p.opt.V == None {
		p.base.Layout = vk.Together(append(always, p.values.Work())...)
		return nil
	}
	if err := p.prepareVectors(double, t); err != nil {
		return err
	}
	kept := []vk.Space{p.doubles.wideLayout(), p.doubles.Rows()}
	for of, wanted := range p.wants() {
		if wanted == None {
			continue
		}
		p.columns[of] = vk.Reserve[T]([]string{"left vectors", "right vectors"}[of], p.k*n)
		p.sums[of] = vk.Reserve[T]([]string{"left orthogonality sums", "right orthogonality sums"}[of], p.k)
		kept = append(kept, p.columns[of], p.sums[of])
	}
	p.flipped = vk.Reserve[uint32]("signs", p.k)
	kept = append(kept, p.flipped, vk.InTurn(vk.Together(p.conquer.Work(), p.extra), p.residuals.Work()))
	p.base.Layout = vk.Together(append(always, p.ops.Work(), vk.InTurn(p.values.Work(), vk.Together(kept...)))...)
	return nil
}

// prepareVectors makes the stages that find the singular vectors. `double` are the products of divide
// and conquer.
func (p *BidiagonalPlan[T]) prepareVectors(double product.Ops[float64], t tuning.Tuning) (err error) {
	dev, n := p.base.Dev, p.base.N
	if p.conquer, err = newBidiagonalVectors(dev, p.doubles, n, double, t); err != nil {
		return err
	}
	if p.transpose, err = move.NewTranspose[T](dev); err != nil {
		return err
	}
	if p.signs, err = move.NewSigns[T](dev); err != nil {
		return err
	}
	p.residuals, err = residual.NewSingularResidual(dev, n, n, p.k, p.ops)
	return err
}

// Costs returns a forecast of the number of floating-point operations of each phase, in the order
// of the solve. Costs returns nil for order 0.
func (p *BidiagonalPlan[T]) Costs() []evd.StageCost {
	if p.base.N == 0 {
		return nil
	}
	costs := []evd.StageCost{p.values.Cost()}
	if p.conquer == nil {
		return costs
	}
	flops := p.conquer.Flops() * (0.25 + 0.75*float64(p.k)/float64(p.base.N)) // as in path.costs
	if p.opt.U == None || p.opt.V == None {
		flops /= 2
	}
	return append(costs, evd.StageCost{Stage: stages.PhaseBidiagonal, Flops: flops})
}

// Bytes returns the size of the device memory that the plan has allocated.
func (p *BidiagonalPlan[T]) Bytes() uint64 { return p.base.Bytes() }

// Memory lists the regions of the plan's device memory.
func (p *BidiagonalPlan[T]) Memory() []vk.Placed { return p.base.Memory() }

// Close waits for the solve in flight and frees the plan's device memory. Solve returns evd.ErrClosed
// afterwards.
func (p *BidiagonalPlan[T]) Close() { p.base.Close() }
